/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t/answers/differ.h"
#include "t/answers/known.h"
#include "t/kit/ask.h"
#include "t/kit/tap.h"

static char told[4000];

static void tell(void *context, const struct difference *difference)
{
    size_t used = strlen(told);

    (void)context;
    snprintf(told + used, sizeof(told) - used, "%s%s: %s, %s", used > 0 ? "; " : "",
             difference->path, difference->was, difference->is);
}

/* The differences of two answers, written in words. */
static const char *between(const char *was, const char *is)
{
    uint8_t a[400], b[400];
    size_t was_len = ask_pack(was, a, sizeof(a)), is_len = ask_pack(is, b, sizeof(b));

    told[0] = '\0';
    differ((struct reply_seen){(int64_t)was_len, a}, (struct reply_seen){(int64_t)is_len, b}, tell,
           NULL);
    return told;
}

static void test_messages(void)
{
    is_str(between("{a: 1, b: [x, y]}", "{a: 1, b: [x, y]}"), "", "the same");
    is_str(between("{a: 1, b: 2}", "{b: 2, a: 1}"), "", "the order of keys does not count");
    is_str(between("{a: 1, b: 2}", "{a: 3, b: 4}"), "a: 1, 3; b: 2, 4", "each difference is told");
    is_str(between("{a: {b: [{c: 1}, {c: 2}]}}", "{a: {b: [{c: 1}, {c: nil}]}}"), "a.b.1.c: 2, nil",
           "with the way to it");
    is_str(between("{a: [1]}", "{a: [2, 3]}"), "a.0: 1, 2; a: [1], [2, 3]", "an item more");
    is_str(between("{a: 1}", "{b: 1}"), "a: 1, (nothing); b: (nothing), 1", "another key");
    is_str(between("{a: 1}", "{a: '1'}"), "a: 1, \"1\"", "another type");
}

static void test_errors(void)
{
    uint8_t map[200];
    size_t len = ask_pack("{key: k, value: v, want: w}", map, sizeof(map));
    struct reply_seen field = {-(int64_t)(len << 8 | SLUICE_FIELD), map}, other = field;

    told[0] = '\0';
    differ(field, other, tell, NULL);
    is_str(told, "", "the same error");
    differ((struct reply_seen){0, map}, field, tell, NULL);
    is_str(told, "result: an answer, the error 4: k is v, want w", "an error and an answer");
    told[0] = '\0';
    other.result = -(int64_t)(len << 8 | SLUICE_LIMIT);
    differ(field, other, tell, NULL);
    is_str(told, "result: the error 4: k is v, want w, the error 7: k is v, want w",
           "errors of two codes");
}

static void test_questions(void)
{
    uint8_t request[200];
    char text[QUESTION_SUBJECT];
    size_t len = ask_pack("{now: 1, kind: pod, object: {uid: u, namespace: n, name: p}}", request,
                          sizeof(request));

    question_subject(request, len, text);
    is_str(text, "pod n p u", "what an observe is about");
    len = ask_pack("{now: 1, what: pod, uid: u}", request, sizeof(request));
    question_name(HOOK_INSPECT, request, len, text);
    is_str(text, "inspect.pod", "what an inspect is called");
    question_name(HOOK_TICK, request, len, text);
    is_str(text, "tick", "what a hook is called");
    ok(question_is_compared("inspect.pod") && !question_is_compared("inspect.digest"),
       "a digest is no decision");
}

static struct known *list(const char *text, char why[200])
{
    char path[] = "/tmp/sluice-differ-XXXXXX";
    int fd = mkstemp(path);
    struct known *known = NULL;

    if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
        known = known_load(path, why, 200);
    if (known == NULL) /* without the file's name, which is another one each time */
        memmove(why, why + sizeof(path) - 1, strlen(why + sizeof(path) - 1) + 1);
    close(fd);
    unlink(path);
    return known;
}

static void test_list(void)
{
    char why[200] = "";
    unsigned line = 0;
    const char *text = "";
    struct known *known = list("# a comment\n\n"
                               "gang-* onBind drain effects.*.kind on the order is another one\n"
                               "* * tick next ends it is late\n"
                               "history-* - * * on whatever\n",
                               why);

    ok(known != NULL, "a list is read");
    if (known == NULL)
        return;
    is_int(known_look_up(known, "gang-a", "onBind", "drain", "effects.3.kind"), KNOWN_ON,
           "a line that matches");
    is_int(known_look_up(known, "gang-a", "onAdmission", "drain", "effects.3.kind"), KNOWN_NOT,
           "another mode");
    is_int(known_next_unused(known, false, &line, &text), 4, "a line that did not occur");
    is_str(text, "* * tick next ends it is late", "and what it says");
    is_int(known_next_unused(known, false, &line, &text), 0, "no other one of stories");
    is_int(known_look_up(known, "pods", "onBind", "tick", "next"), KNOWN_ENDS,
           "where the story ends");
    line = 0;
    is_int(known_next_unused(known, false, &line, &text), 0, "all have occurred");
    is_int(known_next_unused(known, true, &line, &text), 5, "but that of histories");
    ok(list("a b c d on\n", why) == NULL, "a line without a reason is refused");
    is_str(why, ":1: it gives no reason", "with its number");
    ok(list("\na b c d maybe why\n", why) == NULL, "neither on nor ends");
    is_str(why, ":2: the fifth word is neither `on` nor `ends`", "and what is wrong");
}

int main(void)
{
    test_messages();
    test_errors();
    test_questions();
    test_list();
    return tap_done();
}
