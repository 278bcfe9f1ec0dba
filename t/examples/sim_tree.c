/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/tree.h"

#include <stdio.h>
#include <string.h>

#include "examples/sim/clock.h"
#include "examples/sim/tree_make.h"
#include "t/kit/tap.h"

static const struct tree *parse(struct arena *arena, const char *text, struct fault *fault)
{
    *fault = (struct fault){0};
    const struct tree *all = tree_parse(arena, "f.yaml", text, strlen(text), fault);
    return all && all->count > 0 ? all->pairs[0].value : NULL;
}

static void reads(void)
{
    struct arena arena = {0};
    struct fault fault;
    const struct tree *doc = parse(&arena,
                                   "# a comment\n"
                                   "name: x\n"
                                   "n: -12\n"
                                   "yes: true\n"
                                   "text: \"12\"\n"
                                   "none: ~\n"
                                   "list: [a, {b: c}]\n"
                                   "deep: {er: {est: here}}\n",
                                   &fault);

    ok(doc && !fault.is, "a document is read");
    is_str(tree_text(&fault, doc, "name", ""), "x", "a text");
    is_int(tree_int(&fault, doc, "n", -20, 20, 0), -12, "an integer");
    ok(tree_bool(&fault, doc, "yes", false), "a truth value");
    is_int(tree_get(doc, "n")->line, 3, "a value knows its line");
    ok(!tree_get(doc, "none"), "null is nothing");
    is_str(tree_text(&fault, doc, "none", "other"), "other", "and has a default");
    is_int(tree_get(doc, "list")->count, 2, "a list");
    is_str(tree_find(doc, "deep/er/est")->text, "here", "a path");
    ok(!tree_find(doc, "deep/no/est"), "a path that leads nowhere");
    ok(!fault.is, "none of it is a fault");
    tree_int(&fault, doc, "text", 0, 20, 0);
    is_str(fault.text, "f.yaml:5: text is \"12\", want an integer from 0 to 20",
           "a text in quotes is no integer; the fault names file, line, key, value and want");
    tree_bool(&fault, doc, "name", false);
    ok(strstr(fault.text, "text is \"12\""), "the first fault stays");
    arena_finish(&arena);
}

static void refuses(void)
{
    static const struct {
        const char *yaml;
        const char *says;
    } cases[] = {
        {"a: 1\na: 2\n", "f.yaml:2: the key a is there twice, first in line 1"},
        {"a: [1\n", "f.yaml:2: not YAML"},
        {"a: !b c\n", "f.yaml:1: a tag"},
        {"a: *b\n", "f.yaml:1: an alias without its anchor"},
        {"a: &b {c: *b}\n", "an alias inside of what it stands for"},
        {"{[a]: 1}\n", "a key that is not text"},
        {"a: {b: 1}\n<<: x\n", "f.yaml:2: merge keys"},
        {"a: \"b\\0c\"\n", "a text with a zero byte"},
        {"a: \"\\xff\n", "not YAML"},
    };
    struct fault fault;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct arena arena = {0};
        ok(!parse(&arena, cases[i].yaml, &fault) && strstr(fault.text, cases[i].says),
           "refused: %s (%s)", cases[i].says, fault.text);
        arena_finish(&arena);
    }
}

static void bounds(void)
{
    struct arena arena = {0};
    struct fault fault;
    char deep[200];
    char laughs[4096] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";

    memset(deep, '[', 70);
    memset(deep + 70, ']', 70);
    deep[140] = '\0';
    parse(&arena, deep, &fault);
    ok(strstr(fault.text, "nested too deep"), "seventy lists in each other are too deep");
    for (int i = 1; i < 9; i++) {
        char line[128];
        snprintf(line, sizeof(line),
                 "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i,
                 i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
        strncat(laughs, line, sizeof(laughs) - strlen(laughs) - 1);
    }
    parse(&arena, laughs, &fault);
    ok(strstr(fault.text, "too large"), "a billion laughs are not laughed");
    arena_finish(&arena);
}

static void durations(void)
{
    static const struct {
        const char *text;
        int64_t ns; /* -1: refused */
    } cases[] = {
        {"30s", 30 * SECOND},
        {"1m30s", 90 * SECOND},
        {"500ms", SECOND / 2},
        {"1.5s", SECOND * 3 / 2},
        {"0", 0},
        {"-30s", -30 * SECOND},
        {"1h", 60 * MINUTE},
        {"30", -1},
        {"s", -1},
        {"1x", -1},
        {"", -1},
        {"1.s", -1},
        {"999999999h", -1},
        {"1s ", -1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct tree value = {
            .type = TREE_TEXT, .text = cases[i].text, .key = "at", .file = "f", .line = 1};
        struct fault fault = {0};
        int64_t ns = tree_as_duration(&fault, &value);
        ok(cases[i].ns == -1 ? fault.is : !fault.is && ns == cases[i].ns, "the duration \"%s\"",
           cases[i].text);
    }
}

static void merges(void)
{
    struct arena arena = {0};
    struct fault fault;
    const struct tree *target = parse(&arena, "{a: 1, b: {c: 2, d: 3}, e: [1, 2]}", &fault);
    const struct tree *patch = parse(&arena, "{a: ~, b: {c: 4, f: {g: ~, h: 5}}, e: [9]}", &fault);
    const struct tree *merged = tree_merge(&arena, target, patch);

    ok(!tree_get(merged, "a"), "null removes");
    is_str(tree_find(merged, "b/c")->text, "4", "a value replaces");
    is_str(tree_find(merged, "b/d")->text, "3", "what is not named stays");
    is_str(tree_find(merged, "b/f/h")->text, "5", "a map is added");
    is_int(tree_find(merged, "b/f")->count, 1, "without its nulls");
    is_int(tree_get(merged, "e")->count, 1, "a list replaces");
    is_str(tree_find(target, "b/c")->text, "2", "the target is as it was");
    arena_finish(&arena);
}

static void makes(void)
{
    struct arena arena = {0};
    struct fault fault;
    const struct tree *was =
        parse(&arena, "{a: {b: 1}, list: [{name: x, n: 1}, {name: y}]}", &fault);
    const struct tree *list = tree_get(was, "list");
    const struct tree *next = tree_with(&arena, was, "c", tree_of_text(&arena, "12"));
    int64_t number;
    bool truth;

    is_str(tree_word(next, "c"), "12", "a map with one more");
    ok(!tree_is_int(tree_get(next, "c"), &number), "whose text is no number");
    next = tree_with(&arena, next, "c", tree_of_int(&arena, -7));
    ok(tree_is_int(tree_get(next, "c"), &number) && number == -7, "a number in its place");
    ok(tree_is_bool(tree_of_bool(&arena, true), &truth) && truth, "a truth value");
    is_int(next->count, 3, "none was added");
    next = tree_with(&arena, next, "a", NULL);
    ok(!tree_get(next, "a") && next->count == 2, "one is taken away");
    is_str(tree_word(was, "a/b"), "1", "the map is as it was");
    is_int(tree_with(&arena, NULL, "no", NULL)->count, 0, "without a map: an empty one");
    list = tree_with_item(&arena, list, "name", "x", tree_of_text(&arena, "else"));
    is_str(tree_word_of(list->pairs[0].value), "else", "an item in its place");
    ok(!tree_item(list, "name", "x") && tree_item(list, "name", "y"), "items by name");
    list = tree_with_item(&arena, list, "name", "z", tree_of_text(&arena, "last"));
    is_int(list->count, 3, "an item at the end");
    list = tree_with_item(&arena, list, "name", "y", NULL);
    is_str(tree_word_of(list->pairs[1].value), "last", "one is taken out");
    is_str(tree_word(next, "list/none"), "", "what is not there is no text");
    arena_finish(&arena);
}

int main(void)
{
    reads();
    refuses();
    bounds();
    durations();
    merges();
    makes();
    return tap_done();
}
