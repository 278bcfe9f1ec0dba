/* SPDX-License-Identifier: Apache-2.0 */
#include "msg_random.h"

#include <string.h>

#include <msgpack.h>

uint64_t msg_random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

static void random_text(msgpack_packer *pk, uint64_t *state, bool distinct)
{
    static const char *const pieces[] = {
        "a",        "uid",          "-",
        "!x",       "\x7f",         "0123456789abcdef",
        "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x90\xa2",
    };
    char text[400];
    size_t len = 0;
    size_t count = msg_random_next(state) % (msg_random_next(state) % 8 == 0 ? 40 : 4);
    for (size_t i = 0; i < count && len < 300; i++) {
        const char *piece = pieces[msg_random_next(state) % 9];
        memcpy(text + len, piece, strlen(piece));
        len += strlen(piece);
    }
    for (uint64_t n = msg_random_next(state); distinct && n > 0; n /= 26)
        text[len++] = (char)('a' + n % 26);
    msgpack_pack_str(pk, len);
    msgpack_pack_str_body(pk, text, len);
}

static void random_value(msgpack_packer *pk, uint64_t *state, unsigned depth);

static void random_pairs(msgpack_packer *pk, uint64_t *state, unsigned depth)
{
    size_t pairs = msg_random_next(state) % (msg_random_next(state) % 16 == 0 ? 60 : 6);
    bool distinct = msg_random_next(state) % 8 != 0;
    msgpack_pack_map(pk, pairs);
    for (size_t i = 0; i < pairs; i++) {
        random_text(pk, state, distinct);
        random_value(pk, state, depth);
    }
}

static void random_value(msgpack_packer *pk, uint64_t *state, unsigned depth)
{
    uint64_t bits = msg_random_next(state) << 20 ^ msg_random_next(state);
    uint64_t kind = msg_random_next(state) % (depth > 0 ? 10 : 8);
    if (kind == 0) {
        msgpack_pack_nil(pk);
    } else if (kind == 1) {
        if (bits & 1)
            msgpack_pack_true(pk);
        else
            msgpack_pack_false(pk);
    } else if (kind <= 3) {
        msgpack_pack_int64(pk, (int64_t)bits >> (bits % 64));
    } else if (kind == 4) {
        msgpack_pack_uint64(pk, bits >> 1);
    } else if (kind == 5) {
        size_t len = bits % 20;
        msgpack_pack_bin(pk, len);
        msgpack_pack_bin_body(pk, "01234567890123456789", len);
    } else if (kind <= 7) {
        random_text(pk, state, false);
    } else if (kind == 8) {
        size_t items = bits % (bits % 16 == 0 ? 40 : 5);
        msgpack_pack_array(pk, items);
        for (size_t i = 0; i < items; i++)
            random_value(pk, state, depth - 1);
    } else {
        random_pairs(pk, state, depth - 1);
    }
}

static size_t damage(uint64_t *state, uint8_t *bytes, size_t len, size_t cap)
{
    switch (msg_random_next(state) % 5) {
    case 0:
        bytes[msg_random_next(state) % len] ^= (uint8_t)(1u << msg_random_next(state) % 8);
        return len;
    case 1:
        bytes[msg_random_next(state) % len] = (uint8_t)(0xc0 + msg_random_next(state) % 32);
        return len;
    case 2:
        return msg_random_next(state) % len;
    case 3:
        if (len < cap)
            bytes[len++] = (uint8_t)msg_random_next(state);
        return len;
    default:
        return len;
    }
}

size_t msg_random_message(uint64_t *state, uint8_t *out, size_t cap)
{
    msgpack_sbuffer buffer;
    msgpack_sbuffer_init(&buffer);
    do {
        msgpack_packer pk;
        msgpack_packer_init(&pk, &buffer, msgpack_sbuffer_write);
        msgpack_sbuffer_clear(&buffer);
        random_pairs(&pk, state, 1 + (unsigned)(msg_random_next(state) % 5));
    } while (buffer.size > cap);
    memcpy(out, buffer.data, buffer.size);
    size_t len = buffer.size;
    msgpack_sbuffer_destroy(&buffer);
    return msg_random_next(state) % 3 == 0 ? damage(state, out, len, cap) : len;
}
