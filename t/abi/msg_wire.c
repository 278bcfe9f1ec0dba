/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/msg/wire.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "abi/msg/check.h"
#include "t/kit/tap.h"

/* A head reads the same with more behind it, and is truncated wherever it is cut. */
static void head_is(const char *bytes, size_t len, enum msg_type type, uint32_t count,
                    int64_t integer, const char *name)
{
    const uint8_t *start = (const uint8_t *)bytes;
    uint8_t room[64];
    size_t contents = type == MSG_MAP ? 2 * (size_t)count : count;
    memset(room, 0, sizeof(room));
    memcpy(room, start, len);

    const uint8_t *at = room;
    struct msg_head head;
    int error = msg_wire_head(&at, room + len + contents, &head);
    ok(error == 0 && at == room + len && head.type == type && head.count == count &&
           head.integer == integer,
       "%s: type %d, count %" PRIu32 ", integer %" PRId64, name, head.type, head.count,
       head.integer);
    is_int(msg_wire_type(start[0]), type, "%s: its first byte says so", name);

    bool all_truncated = true;
    for (size_t cut = 0; cut < len + contents; cut++) {
        uint8_t *exact = malloc(cut + 1);
        memcpy(exact, room, cut);
        at = exact;
        struct msg_head before = {.count = 77};
        head = before;
        all_truncated &= msg_wire_head(&at, exact + cut, &head) == MSG_TRUNCATED && at == exact &&
                         head.count == before.count;
        free(exact);
    }
    ok(all_truncated, "%s: truncated wherever it is cut, and nothing is changed", name);
}

#define HEAD(bytes, ...) head_is(bytes, sizeof(bytes) - 1, __VA_ARGS__)

static void test_heads(void)
{
    HEAD("\xc0", MSG_NIL, 0, 0, "nil");
    HEAD("\xc2", MSG_BOOL, 0, 0, "false");
    HEAD("\xc3", MSG_BOOL, 0, 1, "true");
    HEAD("\x00", MSG_INT, 0, 0, "0");
    HEAD("\x7f", MSG_INT, 0, 127, "127");
    HEAD("\xe0", MSG_INT, 0, -32, "-32");
    HEAD("\xff", MSG_INT, 0, -1, "-1");
    HEAD("\xcc\xff", MSG_INT, 0, 255, "uint8");
    HEAD("\xcd\xff\xfe", MSG_INT, 0, 65534, "uint16");
    HEAD("\xce\xff\xff\xff\xfd", MSG_INT, 0, 4294967293, "uint32");
    HEAD("\xcf\x7f\xff\xff\xff\xff\xff\xff\xff", MSG_INT, 0, INT64_MAX, "uint64");
    HEAD("\xd0\x80", MSG_INT, 0, -128, "int8");
    HEAD("\xd0\x7f", MSG_INT, 0, 127, "int8 above 0");
    HEAD("\xd1\x80\x01", MSG_INT, 0, -32767, "int16");
    HEAD("\xd2\x80\x00\x00\x00", MSG_INT, 0, INT32_MIN, "int32");
    HEAD("\xd3\x80\x00\x00\x00\x00\x00\x00\x00", MSG_INT, 0, INT64_MIN, "int64");
    HEAD("\xd3\xff\xff\xff\xff\xff\xff\xff\xff", MSG_INT, 0, -1, "int64 of -1");
    HEAD("\xca\x3f\x80\x00\x00", MSG_FLOAT, 0, 0, "float");
    HEAD("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00", MSG_FLOAT, 0, 0, "double");
    HEAD("\xa0", MSG_TEXT, 0, 0, "empty text");
    HEAD("\xbf", MSG_TEXT, 31, 0, "text of 31");
    HEAD("\xd9\x05", MSG_TEXT, 5, 0, "str8");
    HEAD("\xda\x00\x05", MSG_TEXT, 5, 0, "str16");
    HEAD("\xdb\x00\x00\x00\x05", MSG_TEXT, 5, 0, "str32");
    HEAD("\xc4\x03", MSG_BIN, 3, 0, "bin8");
    HEAD("\xc5\x00\x03", MSG_BIN, 3, 0, "bin16");
    HEAD("\xc6\x00\x00\x00\x03", MSG_BIN, 3, 0, "bin32");
    HEAD("\x90", MSG_ARRAY, 0, 0, "empty array");
    HEAD("\x9f", MSG_ARRAY, 15, 0, "array of 15");
    HEAD("\xdc\x00\x10", MSG_ARRAY, 16, 0, "array16");
    HEAD("\xdd\x00\x00\x00\x02", MSG_ARRAY, 2, 0, "array32");
    HEAD("\x80", MSG_MAP, 0, 0, "empty map");
    HEAD("\x8f", MSG_MAP, 15, 0, "map of 15");
    HEAD("\xde\x00\x02", MSG_MAP, 2, 0, "map16");
    HEAD("\xdf\x00\x00\x00\x02", MSG_MAP, 2, 0, "map32");
}

static void head_fails(const char *bytes, size_t len, int error, const char *name)
{
    const uint8_t *at = (const uint8_t *)bytes;
    struct msg_head head;
    is_int(msg_wire_head(&at, at + len, &head), error, "%s", name);
}

static void test_bad_heads(void)
{
    static const char *const extensions[] = {"\xc7", "\xc8", "\xc9", "\xd4",
                                             "\xd5", "\xd6", "\xd7", "\xd8"};
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++)
        head_fails(extensions[i], 1, MSG_EXT, "an extension type");
    head_fails("\xc1", 1, MSG_NO_VALUE, "the byte that begins no value");
    head_fails("\xcf\x80\0\0\0\0\0\0\0", 9, MSG_INTEGER, "an integer above INT64_MAX");
    head_fails("\xdd\x10\0\0\0", 5, MSG_TRUNCATED, "an array of 2^28 items that are not there");
    head_fails("\xdf\x80\0\0\1\0\0", 7, MSG_TRUNCATED,
               "a map whose doubled count wraps in 32 bits");
    head_fails("\xdb\xff\xff\xff\xff", 5, MSG_TRUNCATED, "text of 4 GiB that is not there");
}

/* The definition of UTF-8: encode each code point and compare. */
static size_t encode(uint32_t point, uint8_t *out)
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    size_t len = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, point >>= 6)
        out[i] = (uint8_t)(0x80 | (point & 0x3f));
    out[0] = (uint8_t)((0xf0u << (4 - len)) | point);
    return len;
}

static void test_characters(void)
{
    int wrong = 0;
    uint64_t accepted = 0;
    for (uint32_t point = 0; point <= 0x1fffff; point++) {
        uint8_t bytes[4];
        size_t len = encode(point, bytes);
        bool is_character = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
        wrong += msg_wire_character(bytes, bytes + len) != (is_character ? len : 0);
        wrong += len > 1 && msg_wire_character(bytes, bytes + len - 1) != 0;
    }
    is_int(wrong, 0, "every code point but the surrogates and those above U+10FFFF");

    /* Of all four-byte strings as many begin with a character as there are characters. */
    for (uint32_t pair = 0; pair < 0x10000; pair++) {
        const uint8_t bytes[4] = {(uint8_t)(pair >> 8), (uint8_t)pair, 0x80, 0x80};
        size_t len = msg_wire_character(bytes, bytes + 4);
        accepted += len == 1 ? pair % 256 == 0 : len == 2 ? 1 : len == 3 ? 64 : len == 4 ? 4096 : 0;
    }
    is_int(accepted, 0x110000 - 0x800, "no character has a second form");
}

int main(void)
{
    test_heads();
    test_bad_heads();
    test_characters();
    return tap_done();
}
