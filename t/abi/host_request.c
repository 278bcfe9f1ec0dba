/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "abi/host/request.h"
#include "t/kit/tap.h"

static void is_bytes(const struct request *r, const char *want, size_t len, const char *name)
{
    ok(request_ok(r) && request_len(r) == len && memcmp(request_bytes(r), want, len) == 0, "%s",
       name);
}

static void counted(struct request *r)
{
    r_map(r);
    r_end(r);
    is_bytes(r, "\xdf\0\0\0\0", 5, "an empty map");

    request_clear(r);
    r_map(r);
    r_key_int(r, "a", 1);
    r_key_array(r, "b");
    r_bool(r, true);
    r_nil(r);
    r_end(r);
    r_key_str(r, "c", "d");
    r_end(r);
    is_bytes(r,
             "\xdf\0\0\0\3\xa1"
             "a\1\xa1"
             "b\xdd\0\0\0\2\xc3\xc0\xa1"
             "c\xa1"
             "d",
             21, "a map of three pairs, an array of two items in it");

    request_clear(r);
    r_array(r);
    for (int i = 0; i < 70000; i++)
        r_nil(r);
    r_end(r);
    ok(request_ok(r) && memcmp(request_bytes(r), "\xdd\0\1\x11\x70\xc0", 6) == 0,
       "an array of 70000 items");
}

static void misused(struct request *r)
{
    request_clear(r);
    r_map(r);
    ok(!request_ok(r), "a map that is not ended is no request");
    r_str(r, "a");
    r_end(r);
    ok(!request_ok(r), "nor is one with a key and no value");
    request_clear(r);
    r_end(r);
    ok(!request_ok(r), "nor the end of nothing");
    request_clear(r);
    for (int i = 0; i < REQUEST_DEPTH; i++)
        r_array(r);
    for (int i = 0; i < REQUEST_DEPTH; i++)
        r_end(r);
    ok(request_ok(r), "%d levels", REQUEST_DEPTH);
    request_clear(r);
    for (int i = 0; i <= REQUEST_DEPTH; i++)
        r_array(r);
    for (int i = 0; i <= REQUEST_DEPTH; i++)
        r_end(r);
    ok(!request_ok(r), "one more is too many");
    request_clear(r);
    r_map(r);
    r_end(r);
    ok(request_ok(r), "cleared, it is as new");
}

int main(void)
{
    struct request r;

    request_init(&r);
    counted(&r);
    misused(&r);
    request_finish(&r);
    return tap_done();
}
