/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"

#include "check.h"

enum msg_type msg_wire_type(uint8_t first)
{
    if (first <= 0x7f || first >= 0xe0)
        return MSG_INT;
    if (first <= 0x8f)
        return MSG_MAP;
    if (first <= 0x9f)
        return MSG_ARRAY;
    if (first <= 0xbf)
        return MSG_TEXT;
    if (first >= 0xcc && first <= 0xd3)
        return MSG_INT;
    switch (first) {
    case 0xc0:
        return MSG_NIL;
    case 0xc2:
    case 0xc3:
        return MSG_BOOL;
    case 0xc4:
    case 0xc5:
    case 0xc6:
        return MSG_BIN;
    case 0xca:
    case 0xcb:
        return MSG_FLOAT;
    case 0xd9:
    case 0xda:
    case 0xdb:
        return MSG_TEXT;
    case 0xdc:
    case 0xdd:
        return MSG_ARRAY;
    case 0xde:
    case 0xdf:
        return MSG_MAP;
    default:
        return MSG_NOTHING;
    }
}

/* How many bytes of length, count or number stand behind the first one. */
static size_t operand_bytes(uint8_t first)
{
    static const uint8_t bytes[32] = {
        [0xc4 - 0xc0] = 1, [0xc5 - 0xc0] = 2, [0xc6 - 0xc0] = 4, [0xca - 0xc0] = 4,
        [0xcb - 0xc0] = 8, [0xcc - 0xc0] = 1, [0xcd - 0xc0] = 2, [0xce - 0xc0] = 4,
        [0xcf - 0xc0] = 8, [0xd0 - 0xc0] = 1, [0xd1 - 0xc0] = 2, [0xd2 - 0xc0] = 4,
        [0xd3 - 0xc0] = 8, [0xd9 - 0xc0] = 1, [0xda - 0xc0] = 2, [0xdb - 0xc0] = 4,
        [0xdc - 0xc0] = 2, [0xdd - 0xc0] = 4, [0xde - 0xc0] = 2, [0xdf - 0xc0] = 4,
    };
    return first >= 0xc0 && first <= 0xdf ? bytes[first - 0xc0] : 0;
}

static uint64_t big_endian_32(const uint8_t *at)
{
    return (uint64_t)at[0] << 24 | (uint64_t)at[1] << 16 | (uint64_t)at[2] << 8 | at[3];
}

/* Written out for each width: compilers make one instruction of it, and none of a loop. */
static uint64_t big_endian(const uint8_t *at, size_t bytes)
{
    switch (bytes) {
    case 1:
        return at[0];
    case 2:
        return (uint64_t)at[0] << 8 | at[1];
    case 4:
        return big_endian_32(at);
    case 8:
        return big_endian_32(at) << 32 | big_endian_32(at + 4);
    default:
        return 0;
    }
}

/* The number of `bytes` bytes as two's complement; written so that no conversion overflows. */
static int64_t sign_extended(uint64_t value, size_t bytes)
{
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    if (!(value & sign))
        return (int64_t)value;
    uint64_t below_minus_one = (sign - 1) & ~value;
    return -(int64_t)below_minus_one - 1;
}

static int integer_value(uint8_t first, uint64_t operand, size_t bytes, int64_t *ret)
{
    if (first <= 0x7f)
        *ret = first;
    else if (first >= 0xe0)
        *ret = first - 0x100;
    else if (first >= 0xd0)
        *ret = sign_extended(operand, bytes);
    else if (operand <= INT64_MAX)
        *ret = (int64_t)operand;
    else
        return MSG_INTEGER;
    return 0;
}

static uint32_t short_count(uint8_t first)
{
    return first >= 0xa0 ? first & 0x1f : first & 0x0f;
}

int msg_wire_head(const uint8_t **at, const uint8_t *end, struct msg_head *ret_head)
{
    if (*at == end)
        return MSG_TRUNCATED;
    uint8_t first = **at;
    struct msg_head head = {.type = msg_wire_type(first)};
    if (head.type == MSG_NOTHING)
        return first == 0xc1 ? MSG_NO_VALUE : MSG_EXT;

    size_t bytes = operand_bytes(first);
    size_t behind = (size_t)(end - *at) - 1;
    if (behind < bytes)
        return MSG_TRUNCATED;
    uint64_t operand = big_endian(*at + 1, bytes);
    behind -= bytes;

    uint64_t needed = 0;
    switch (head.type) {
    case MSG_BOOL:
        head.integer = first == 0xc3;
        break;
    case MSG_INT:
        if (integer_value(first, operand, bytes, &head.integer) < 0)
            return MSG_INTEGER;
        break;
    case MSG_TEXT:
    case MSG_BIN:
    case MSG_ARRAY:
    case MSG_MAP:
        head.count = bytes ? (uint32_t)operand : short_count(first);
        needed = head.type == MSG_MAP ? UINT64_C(2) * head.count : head.count;
        break;
    default:
        break;
    }
    if (needed > behind)
        return MSG_TRUNCATED;
    *at += 1 + bytes;
    *ret_head = head;
    return 0;
}

/*
 * The second byte decides about overlong forms, surrogates and the upper end:
 *
 *     c2..df  80..bf                      e1..ec, ee, ef  80..bf  +1
 *     e0      a0..bf  +1                  f0              90..bf  +2
 *     ed      80..9f  +1                  f1..f3          80..bf  +2
 *                                         f4              80..8f  +2
 */
size_t msg_wire_character(const uint8_t *at, const uint8_t *end)
{
    uint8_t first = at[0];
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    size_t len = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if ((size_t)(end - at) < len)
        return 0;
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    return len;
}
