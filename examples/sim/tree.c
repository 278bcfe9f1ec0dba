/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tree_show(const struct tree *tree, char *out, size_t cap)
{
    if (!tree || tree->type == TREE_NULL)
        snprintf(out, cap, "missing");
    else if (tree->type == TREE_LIST)
        snprintf(out, cap, "a list");
    else if (tree->type == TREE_MAP)
        snprintf(out, cap, "a map");
    else if (tree->quoted || tree->text[0] == '\0')
        snprintf(out, cap, "\"%.80s\"", tree->text);
    else
        snprintf(out, cap, "%.80s", tree->text);
    return out;
}

static void say(struct fault *fault, const struct tree *where, const char *what, va_list args)
{
    size_t cap = sizeof(fault->text);
    int used = 0;

    fault->is = true;
    if (where && where->line > 0)
        used = snprintf(fault->text, cap, "%s:%d: ", where->file, where->line);
    if (used >= 0 && (size_t)used < cap)
        vsnprintf(fault->text + used, cap - (size_t)used, what, args);
}

void fault_say(struct fault *fault, const struct tree *where, const char *what, ...)
{
    va_list args;

    if (fault->is)
        return;
    va_start(args, what);
    say(fault, where, what, args);
    va_end(args);
}

void fault_at(struct fault *fault, const struct tree *where, const char *want, ...)
{
    char wanted[512];
    char shown[100];
    va_list args;

    va_start(args, want);
    vsnprintf(wanted, sizeof(wanted), want, args);
    va_end(args);
    fault_say(fault, where, "%s is %s, want %s", where->key[0] ? where->key : "the value",
              tree_show(where, shown, sizeof(shown)), wanted);
}

/* The value of a key of so many bytes. */
static const struct tree *value_of(const struct tree *map, const char *key, size_t len)
{
    if (!map || map->type != TREE_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++) {
        const struct tree_pair *pair = &map->pairs[i];
        if (strncmp(pair->key, key, len) == 0 && pair->key[len] == '\0')
            return pair->value->type == TREE_NULL ? NULL : pair->value;
    }
    return NULL;
}

const struct tree *tree_get(const struct tree *map, const char *key)
{
    return value_of(map, key, strlen(key));
}

const struct tree *tree_find(const struct tree *map, const char *path)
{
    for (;;) {
        size_t len = strcspn(path, "/");
        map = value_of(map, path, len);
        if (!map || path[len] == '\0')
            return map;
        path += len + 1;
    }
}

const char *tree_as_text(struct fault *fault, const struct tree *value)
{
    if (value->type == TREE_TEXT)
        return value->text;
    fault_at(fault, value, "text");
    return "";
}

const char *tree_text(struct fault *fault, const struct tree *map, const char *key,
                      const char *otherwise)
{
    const struct tree *value = tree_get(map, key);

    return value ? tree_as_text(fault, value) : otherwise;
}

bool tree_is_int(const struct tree *value, int64_t *ret)
{
    char *end;

    if (value->type != TREE_TEXT || value->quoted ||
        strspn(value->text, "-0123456789") != strlen(value->text) || !value->text[0])
        return false;
    errno = 0;
    long long number = strtoll(value->text, &end, 10);
    if (errno || *end || end == value->text)
        return false;
    *ret = number;
    return true;
}

bool tree_is_bool(const struct tree *value, bool *ret)
{
    if (value->type != TREE_TEXT || value->quoted)
        return false;
    if (strcmp(value->text, "true") != 0 && strcmp(value->text, "false") != 0)
        return false;
    *ret = value->text[0] == 't';
    return true;
}

int64_t tree_int(struct fault *fault, const struct tree *map, const char *key, int64_t least,
                 int64_t most, int64_t otherwise)
{
    const struct tree *value = tree_get(map, key);
    int64_t number = otherwise;

    if (!value)
        return otherwise;
    if (!tree_is_int(value, &number) || number < least || number > most) {
        fault_at(fault, value, "an integer from %lld to %lld", (long long)least, (long long)most);
        return otherwise;
    }
    return number;
}

bool tree_bool(struct fault *fault, const struct tree *map, const char *key, bool otherwise)
{
    const struct tree *value = tree_get(map, key);
    bool truth = otherwise;

    if (value && !tree_is_bool(value, &truth))
        fault_at(fault, value, "true or false");
    return truth;
}

static const struct tree *typed(struct fault *fault, const struct tree *map, const char *key,
                                enum tree_type type, const char *want)
{
    const struct tree *value = tree_get(map, key);

    if (!value || value->type == type)
        return value;
    fault_at(fault, value, "%s", want);
    return NULL;
}

const struct tree *tree_map(struct fault *fault, const struct tree *map, const char *key)
{
    return typed(fault, map, key, TREE_MAP, "a map");
}

const struct tree *tree_list(struct fault *fault, const struct tree *map, const char *key)
{
    return typed(fault, map, key, TREE_LIST, "a list");
}

static bool unit_of(const char *text, size_t len, int64_t *ret)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        {"ns", 1},
        {"us", 1000},
        {"ms", 1000000},
        {"s", INT64_C(1000000000)},
        {"m", INT64_C(60000000000)},
        {"h", INT64_C(3600000000000)},
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strlen(units[i].name) == len && memcmp(units[i].name, text, len) == 0) {
            *ret = units[i].ns;
            return true;
        }
    return false;
}

/* One "30s" of a duration; how many bytes it took, 0 if it is none. */
static size_t part_of_duration(const char *text, int64_t *ret)
{
    size_t digits = strspn(text, "0123456789");
    size_t point = text[digits] == '.' ? 1 + strspn(text + digits + 1, "0123456789") : 0;
    size_t unit = strspn(text + digits + point, "nusmh");
    int64_t ns;
    int64_t whole = 0;
    int64_t fraction = 0;
    int64_t place;

    if (digits == 0 || digits > 9 || point == 1 || !unit_of(text + digits + point, unit, &ns))
        return 0;
    for (size_t i = 0; i < digits; i++)
        whole = whole * 10 + (text[i] - '0');
    place = ns;
    for (size_t i = 1; i < point; i++) {
        place /= 10;
        fraction += place * (text[digits + i] - '0');
    }
    /* A hundred years are enough for any story, and their sums fit. */
    if (whole > INT64_C(100) * 366 * 24 * 3600 * 1000000000 / ns)
        return 0;
    *ret = whole * ns + fraction;
    return digits + point + unit;
}

int64_t tree_as_duration(struct fault *fault, const struct tree *value)
{
    const char *text = tree_as_text(fault, value);
    bool negative = text[0] == '-';
    int64_t sum = 0;
    size_t parts = 0;

    text += negative;
    if (strcmp(text, "0") == 0)
        return 0;
    while (*text && parts++ < 8) {
        int64_t part = 0;
        size_t took = part_of_duration(text, &part);
        if (took == 0)
            break;
        sum += part;
        text += took;
    }
    if (*text || parts == 0)
        fault_at(fault, value, "a duration, such as 30s, 1m30s or 500ms");
    return negative ? -sum : sum;
}

static bool has_key(const struct tree *map, const char *key)
{
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->pairs[i].key, key) == 0)
            return true;
    return false;
}

const struct tree *tree_copy(struct arena *arena, const struct tree *tree)
{
    struct tree *copy = arena_get(arena, sizeof(*copy));

    *copy = *tree;
    copy->key = arena_copy(arena, tree->key);
    if (tree->type == TREE_TEXT)
        copy->text = arena_copy(arena, tree->text);
    if (tree->count > 0)
        copy->pairs = arena_get(arena, tree->count * sizeof(*copy->pairs));
    for (size_t i = 0; i < tree->count; i++)
        copy->pairs[i] = (struct tree_pair){arena_copy(arena, tree->pairs[i].key),
                                            tree_copy(arena, tree->pairs[i].value)};
    return copy;
}

const struct tree *tree_merge(struct arena *arena, const struct tree *target,
                              const struct tree *patch)
{
    if (patch->type != TREE_MAP)
        return patch;
    bool merges = target && target->type == TREE_MAP;
    struct tree *merged = arena_get(arena, sizeof(*merged));
    *merged = *(merges ? target : patch);
    size_t most = patch->count + (merges ? target->count : 0);
    merged->pairs = arena_get(arena, most * sizeof(*merged->pairs));
    merged->count = 0;
    for (size_t i = 0; merges && i < target->count; i++)
        if (!has_key(patch, target->pairs[i].key))
            merged->pairs[merged->count++] = target->pairs[i];
    for (size_t i = 0; i < patch->count; i++) {
        struct tree_pair pair = patch->pairs[i];
        if (pair.value->type == TREE_NULL)
            continue;
        pair.value = tree_merge(arena, merges ? tree_get(target, pair.key) : NULL, pair.value);
        merged->pairs[merged->count++] = pair;
    }
    return merged;
}
