/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks/foresee.h"

#include "t/ask.h"
#include "t/tap.h"

#include <stdlib.h>

static bool foresees(const char *request, const char *uid)
{
    uint8_t bytes[1024];
    size_t len = ask_pack(request, bytes, sizeof(bytes));
    struct text seen = foresee_uid(bytes, len);

    return text_same(seen, uid == NULL ? (struct text){NULL, 0} : text_of(uid));
}

/* A block of exactly this size: a sanitizer sees each byte too many. */
static void test_cut_off(void)
{
    uint8_t bytes[256];
    size_t len = ask_pack("{now: 1, pod: {uid: abcdefgh-1234-5678-9abc-def012345678}}", bytes,
                          sizeof(bytes));
    bool in_bounds = true;

    for (size_t cut = 0; cut < len; cut++) {
        uint8_t *block = malloc(cut + 1);
        struct text seen;

        memcpy(block, bytes, cut);
        seen = foresee_uid(block, cut);
        in_bounds =
            in_bounds && (seen.len == 0 || (const uint8_t *)seen.at + seen.len <= block + cut);
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
    test_cut_off();
    return tap_done();
}
