/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "abi/host/request.h"
#include "abi/host/value.h"
#include "t/kit/tap.h"

/* Bytes in a block of exactly their length, so that a sanitizer sees a read behind them. */
static const char *flaw_of(const char *bytes, size_t len)
{
    uint8_t *exact = malloc(len);
    const char *flaw;

    if (!exact)
        abort();
    memcpy(exact, bytes, len);
    flaw = value_flaw(exact, len);
    free(exact);
    return flaw;
}

static void well_formed(void)
{
    static const struct {
        const char *bytes;
        size_t len;
    } values[] = {
        {"\x00", 1},
        {"\xff", 1},
        {"\xc0", 1},
        {"\x80", 1},
        {"\xa2"
         "ab",
         3},
        {"\xca\0\0\0\0", 5},
        {"\xcf\0\0\0\0\0\0\0\1", 9},
        {"\xd3\0\0\0\0\0\0\0\1", 9},
        {"\xc4\1\xff", 3},
        {"\xd4\1\xff", 3},
        {"\xd8\1"
         "0123456789abcdef",
         18},
        {"\xc7\2\1ab", 5},
        {"\xc8\0\2\1ab", 6},
        {"\xd9\1a", 3},
        {"\xdb\0\0\0\1a", 6},
        {"\x82\xa1"
         "a\x93\1\2\3\xa1"
         "b\xdf\0\0\0\1\xa0\xc2",
         16},
        {"\xdd\0\0\0\2\1\2", 7},
        {"\xde\0\1\1\2", 5},
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        const char *flaw = flaw_of(values[i].bytes, values[i].len);

        ok(!flaw, "value %zu is well formed (%s)", i, flaw ? flaw : "");
        for (size_t len = 0; len < values[i].len; len++)
            if (!flaw_of(values[i].bytes, len))
                ok(false, "value %zu cut off after %zu bytes is not", i, len);
    }
    ok(flaw_of("\x80\x80", 2) && strstr(flaw_of("\x80\x80", 2), "follow"), "bytes behind it");
    ok(flaw_of("\xc1", 1), "the byte c1");
    ok(flaw_of("\xdd\x10\0\0\0", 5), "an array of 2^28 items in 5 bytes");
    ok(flaw_of("\xdf\xff\xff\xff\xff", 5), "a map of 2^32 - 1 pairs in 5 bytes");
    ok(flaw_of("\xdb\xff\xff\xff\xff", 5), "text of 4 GiB in 5 bytes");
}

static void nested(void)
{
    char bytes[34];

    memset(bytes, '\x91', sizeof(bytes));
    bytes[31] = '\x90';
    ok(!flaw_of(bytes, 32), "32 levels");
    bytes[31] = '\x91';
    bytes[32] = '\x01';
    ok(!flaw_of(bytes, 33), "and a number in the innermost");
    bytes[32] = '\x91';
    bytes[33] = '\x01';
    ok(flaw_of(bytes, 34), "33 levels are too many");
}

/* {n: -3, big: 2^63, yes: true, text: "ab", none: "", list: ["x", 1], inner: {a: 1}, bytes: ff} */
static void build(struct request *r)
{
    r_map(r);
    r_key_int(r, "n", -3);
    r_str(r, "big");
    msgpack_pack_uint64(&r->packer, 1ull << 63);
    r->open[0].items++;
    r_key_bool(r, "yes", true);
    r_key_str(r, "text", "ab");
    r_key_str(r, "none", "");
    r_key_array(r, "list");
    r_str(r, "x");
    r_int(r, 1);
    r_end(r);
    r_key_map(r, "inner");
    r_key_int(r, "a", 1);
    r_end(r);
    r_str(r, "bytes");
    r_bin(r, (const uint8_t *)"\xff", 1);
    r_end(r);
}

static void lookups(const msgpack_object *root)
{
    const msgpack_object *list = value_array(root, "list");
    const msgpack_object *pair = NULL;
    size_t len = 0;

    is_int(value_int(root, "n", 0), -3, "an integer");
    is_int(value_int(root, "big", 7), 7, "one beyond int64 is none");
    is_int(value_int(root, "text", 7), 7, "text is no integer");
    is_int(value_int(root, "nothing", 7), 7, "a key that is not there");
    ok(value_bool(root, "yes", false), "a bool");
    is_str(value_str(root, "text", "?"), "ab", "text ends with a zero byte");
    is_str(value_str(root, "none", "?"), "", "so does empty text");
    is_str(value_str(root, "n", "?"), "?", "an integer is no text");
    is_int(value_count(list), 2, "items of an array");
    is_str(value_item_str(list, 0, "?"), "x", "an item");
    is_str(value_item_str(list, 1, "?"), "?", "an item of another type");
    is_str(value_item_str(list, 2, "?"), "?", "an item beyond the end");
    ok(!value_item(root, 0), "a map has no items");
    is_int(value_int(value_map(root, "inner"), "a", 0), 1, "a map in a map");
    is_int(value_int(value_map(root, "outer"), "a", 5), 5, "lookups nest over what is not there");
    ok(value_bin(root, "bytes", &len) && len == 1 && *value_bin(root, "bytes", &len) == 0xff,
       "bytes");
    ok(!value_bin(root, "text", &len), "text is no bytes");
    is_int(value_count(root), 8, "pairs of a map");
    is_str(value_pair(root, 3, &pair), "text", "the key of a pair");
    ok(value_is(pair, MSGPACK_OBJECT_STR), "and its value");
    is_str(value_pair(root, 8, &pair), "", "a pair beyond the end");
    ok(!pair, "has no value");
}

int main(void)
{
    struct request r;
    struct answer answer;

    well_formed();
    nested();
    request_init(&r);
    build(&r);
    ok(request_ok(&r), "a request was built");
    if (ok(answer_read(&answer, request_bytes(&r), request_len(&r)), "and can be read")) {
        lookups(&answer.root);
        answer_finish(&answer);
    }
    ok(!answer_read(&answer, request_bytes(&r), request_len(&r) - 1), "not if it is cut off");
    ok(!answer_read(&answer, (const uint8_t *)"\x90", 1), "an array is no answer");
    ok(!answer_read(&answer, NULL, 0), "nothing is no answer");
    request_finish(&r);
    return tap_done();
}
