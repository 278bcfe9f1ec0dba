/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks/foresee.h"

#include "t/kit/ask.h"
#include "t/kit/tap.h"

#include <stdlib.h>

static bool foresees(const char *request, const char *uid)
{
    uint8_t bytes[1024];
    size_t len = ask_pack(request, bytes, sizeof(bytes));
    struct foreseen seen;

    foresee_pod(bytes, len, &seen);
    return text_same(seen.uid, uid == NULL ? (struct text){NULL, 0} : text_of(uid));
}

static bool foresees_name(const char *request, const char *space, const char *name)
{
    uint8_t bytes[1024];
    size_t len = ask_pack(request, bytes, sizeof(bytes));
    struct foreseen seen;

    foresee_pod(bytes, len, &seen);
    return text_is(seen.space, space) && text_is(seen.name, name);
}

static bool is_within(struct text text, const uint8_t *end)
{
    return text.len == 0 || (const uint8_t *)text.at + text.len <= end;
}

/* A block of exactly this size: a sanitizer sees each byte too many. */
static void test_cut_off(void)
{
    uint8_t bytes[256];
    size_t len = ask_pack("{now: 1, pod: {uid: abcdefgh-1234-5678-9abc-def012345678, "
                          "namespace: space, name: abcdefghijklmnopqrstuvwxyzabcdefghijkl}}",
                          bytes, sizeof(bytes));
    bool in_bounds = true;

    for (size_t cut = 0; cut < len; cut++) {
        uint8_t *block = malloc(cut + 1);
        struct foreseen seen;

        memcpy(block, bytes, cut);
        foresee_pod(block, cut, &seen);
        in_bounds = in_bounds && is_within(seen.uid, block + cut) &&
                    is_within(seen.space, block + cut) && is_within(seen.name, block + cut);
        free(block);
    }
    ok(in_bounds, "what is cut off is not read");
}

int main(void)
{
    ok(foresees("{now: 1, pod: {uid: u-1, name: n}}", "u-1"), "a short uid");
    ok(foresees("{now: 1, uid: abcdefgh-1234-5678-9abc-def012345678}",
                "abcdefgh-1234-5678-9abc-def012345678"),
       "a long one");
    ok(foresees("{now: 1, pod: {name: n}}", NULL), "none");
    ok(foresees("{now: 1, uid: 5}", NULL), "no text");
    ok(foresees("{now: 1, uid: [a]}", NULL), "nor here");
    ok(foresees(
           "{a: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, uid: u}",
           NULL),
       "not looked for far away");
    ok(foresees_name("{now: 1, pod: {uid: u, namespace: s, name: n}}", "s", "n"), "a name");
    ok(foresees_name("{now: 1, pod: {uid: u, name: n}}", "", "n"), "in no namespace");
    ok(foresees_name("{now: 1, pod: {uid: u, name: 5, namespace: s}}", "", ""), "that is no text");
    ok(foresees_name("{now: 1, pod: {uid: u, created: 1, name: n}}", "", ""), "or comes later");
    ok(foresees_name("{now: 1, pod: {uid: u, namespace: [a], name: n}}", "", ""), "or behind more");
    test_cut_off();
    return tap_done();
}
