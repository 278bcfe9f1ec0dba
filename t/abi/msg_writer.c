/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/msg/writer.h"

#include <stdlib.h>
#include <string.h>

#include "abi/msg/reader.h"
#include "t/kit/msg_oracle.h"
#include "t/kit/msg_random.h"
#include "t/kit/tap.h"

static const struct msg_limits defaults = {.bytes = MSG_BYTES_DEFAULT, .depth = MSG_DEPTH_DEFAULT};

static void put_everything(struct msg_writer *w)
{
    msg_put_map(w, 8);
    msg_put_key(w, "t");
    msg_put_bool(w, true);
    msg_put_key(w, "f");
    msg_put_bool(w, false);
    msg_put_key(w, "n");
    msg_put_nil(w);
    msg_put_key(w, "i");
    msg_put_int(w, -300);
    msg_put_key(w, "s");
    msg_put_str(w, "caf\xc3\xa9");
    msg_put_key(w, "e");
    msg_put_text(w, NULL, 0);
    msg_put_key(w, "b");
    msg_put_bin(w, (const uint8_t *)"\0\xff", 2);
    msg_put_key(w, "a");
    msg_put_array(w, 2);
    msg_put_int(w, 7);
    msg_put_bin(w, NULL, 0);
}

static const char everything[] = "\x88\xa1t\xc3\xa1"
                                 "f\xc2\xa1n\xc0\xa1i\xd1\xfe\xd4\xa1s\xa5"
                                 "caf"
                                 "\xc3\xa9\xa1"
                                 "e\xa0\xa1"
                                 "b\xc4\x02\0\xff\xa1"
                                 "a\x92\x07\xc4\0";

static void test_golden(void)
{
    uint8_t out[128];
    struct msg_writer w;
    msg_writer_init(&w, out, sizeof(out));
    put_everything(&w);
    is_int(msg_writer_length(&w), sizeof(everything) - 1, "length");
    ok(msg_writer_fits(&w), "it fits");
    ok(memcmp(out, everything, sizeof(everything) - 1) == 0, "every type as it should be");
    is_int(msg_check(out, msg_writer_length(&w), &defaults, NULL), 0, "and it is a message");
}

static void int_is(int64_t value, const char *bytes, size_t len)
{
    uint8_t out[16];
    struct msg_writer w;
    msg_writer_init(&w, out, sizeof(out));
    msg_put_int(&w, value);
    ok(w.length == len && memcmp(out, bytes, len) == 0, "the shortest form of %lld",
       (long long)value);
}

#define INT(value, bytes) int_is(value, bytes, sizeof(bytes) - 1)

static void test_integers(void)
{
    INT(0, "\x00");
    INT(127, "\x7f");
    INT(128, "\xcc\x80");
    INT(256, "\xcd\x01\x00");
    INT(65536, "\xce\x00\x01\x00\x00");
    INT(INT64_C(1) << 32, "\xcf\x00\x00\x00\x01\x00\x00\x00\x00");
    INT(INT64_MAX, "\xcf\x7f\xff\xff\xff\xff\xff\xff\xff");
    INT(-1, "\xff");
    INT(-32, "\xe0");
    INT(-33, "\xd0\xdf");
    INT(-129, "\xd1\xff\x7f");
    INT(-32769, "\xd2\xff\xff\x7f\xff");
    INT(INT64_MIN, "\xd3\x80\x00\x00\x00\x00\x00\x00\x00");
}

static void test_counts_and_lengths(void)
{
    static const struct {
        uint32_t count;
        size_t array;
        size_t map;
        size_t text;
        size_t bin;
    } heads[] = {{0, 1, 1, 1, 2},   {15, 1, 1, 1, 2},    {16, 3, 3, 1, 2},
                 {31, 3, 3, 1, 2},  {32, 3, 3, 2, 2},    {255, 3, 3, 2, 2},
                 {256, 3, 3, 3, 3}, {65535, 3, 3, 3, 3}, {65536, 5, 5, 5, 5}};
    static char text[65536];
    memset(text, 'x', sizeof(text));
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        struct msg_writer w;
        uint32_t n = heads[i].count;
        msg_writer_init(&w, NULL, 0);
        msg_put_array(&w, n);
        is_int(w.length, heads[i].array, "head of an array of %u", n);
        msg_writer_init(&w, NULL, 0);
        msg_put_map(&w, n);
        is_int(w.length, heads[i].map, "head of a map of %u", n);
        msg_writer_init(&w, NULL, 0);
        msg_put_text(&w, text, n);
        is_int(w.length, heads[i].text + n, "text of %u", n);
        msg_writer_init(&w, NULL, 0);
        msg_put_bin(&w, (const uint8_t *)text, n);
        is_int(w.length, heads[i].bin + n, "binary of %u", n);
    }
}

static void test_every_capacity(void)
{
    const size_t whole = sizeof(everything) - 1;
    int wrong = 0;
    for (size_t cap = 0; cap <= whole + 2; cap++) {
        uint8_t *out = malloc(cap + 8);
        memset(out, 0xee, cap + 8);
        struct msg_writer w;
        msg_writer_init(&w, out, cap);
        put_everything(&w);
        wrong += msg_writer_length(&w) != whole;
        wrong += msg_writer_fits(&w) != (cap >= whole);
        wrong += memcmp(out + cap, "\xee\xee\xee\xee\xee\xee\xee\xee", 8) != 0;
        wrong += cap >= whole && memcmp(out, everything, whole) != 0;
        free(out);
    }
    is_int(wrong, 0, "the needed length is the same, and nothing beyond is touched, for any room");
}

static void put_row(struct msg_writer *w, int64_t n)
{
    msg_put_map(w, 2);
    msg_put_key(w, "n");
    msg_put_int(w, n);
    msg_put_key(w, "name");
    msg_put_str(w, "a-queue");
}

/* {rows: [...], more: bool}: as many of 100 rows as fit, and room is kept for what follows. */
static uint32_t fill(struct msg_writer *w, size_t kept)
{
    uint32_t n = 0;
    msg_put_map(w, 2);
    msg_put_key(w, "rows");
    size_t rows = msg_put_array_later(w);
    while (n < 100) {
        size_t mark = msg_writer_mark(w);
        put_row(w, n);
        if (msg_writer_length(w) + kept > w->cap) {
            msg_writer_rewind(w, mark);
            break;
        }
        n++;
    }
    msg_set_count(w, rows, n);
    msg_put_key(w, "more");
    msg_put_bool(w, n < 100);
    return n;
}

static void test_fill_what_fits(void)
{
    int wrong = 0;
    uint32_t most = 0;
    for (size_t cap = 0; cap < 2200; cap++) {
        uint8_t *out = malloc(cap > 0 ? cap : 1);
        struct msg_writer w;
        msg_writer_init(&w, out, cap);
        uint32_t n = fill(&w, 6);
        if (!msg_writer_fits(&w)) {
            wrong += n != 0 || cap >= 17;
        } else {
            struct msg_reader r;
            struct msg_map map;
            struct msg_array rows = {.left = 0};
            struct msg_text key;
            wrong += msg_check(out, w.length, &defaults, NULL) != 0;
            msg_reader_init(&r, out, w.length);
            msg_open_map(&r, &map);
            msg_next_key(&r, &map, &key);
            msg_open_array(&r, &rows);
            wrong += rows.left != n || n < most;
            wrong += n < 100 && cap - w.length > 20;
            most = n;
        }
        free(out);
    }
    is_int(wrong, 0, "an answer of whole rows, as many as there is room for");
    is_int(most, 100, "up to all of them");
}

static void test_later(void)
{
    uint8_t out[64];
    struct msg_writer w;
    msg_writer_init(&w, out, sizeof(out));
    size_t outer = msg_put_map_later(&w);
    msg_put_key(&w, "a");
    size_t inner = msg_put_array_later(&w);
    msg_put_int(&w, 1);
    msg_set_count(&w, inner, 1);
    msg_set_count(&w, outer, 1);
    static const char want[] = "\xdf\0\0\0\x01\xa1"
                               "a\xdd\0\0\0\x01\x01";
    ok(w.length == sizeof(want) - 1 && memcmp(out, want, w.length) == 0, "counts that come later");
    msg_set_count(&w, outer, 0x01020304);
    ok(memcmp(out + 1, "\x01\x02\x03\x04", 4) == 0, "in the order of the wire");

    msg_writer_init(&w, out, sizeof(out));
    msg_put_array_later(&w);
    ok(w.length == 5 && memcmp(out, "\xdd\0\0\0\0", 5) == 0, "until then it is empty");

    int wrong = 0;
    for (size_t cap = 0; cap < 6; cap++) {
        memset(out, 0xee, sizeof(out));
        msg_writer_init(&w, out, cap);
        msg_set_count(&w, msg_put_map_later(&w), 9);
        wrong += out[cap] != 0xee || (cap < 5 && out[0] != 0xee);
    }
    is_int(wrong, 0, "a count that was not stored is not set");

    msg_writer_init(&w, NULL, 0);
    msg_set_count(&w, msg_put_map_later(&w), 9);
    is_int(w.length, 5, "measuring without a buffer");
}

/* Each mark takes back exactly what came after it, beyond the capacity too. */
static void test_rewind(void)
{
    uint8_t out[8];
    struct msg_writer w;
    msg_writer_init(&w, out, sizeof(out));
    msg_put_array(&w, 2);
    size_t outer = msg_writer_mark(&w);
    msg_put_str(&w, "long enough for it");
    size_t beyond = msg_writer_mark(&w);
    msg_put_int(&w, 1);
    msg_writer_rewind(&w, beyond);
    ok(msg_writer_length(&w) == beyond && !msg_writer_fits(&w), "still too long");
    msg_writer_rewind(&w, outer);
    ok(msg_writer_fits(&w), "fits again");
    msg_put_str(&w, "ab");
    msg_put_str(&w, "cd");
    ok(w.length == 7 && memcmp(out,
                               "\x92\xa2"
                               "ab\xa2"
                               "cd",
                               7) == 0,
       "and takes what is shorter");
}

static void put_random(struct msg_writer *w, uint64_t *state, unsigned depth)
{
    static const char text[] = "0123456789012345678901234567890123456789";
    uint64_t bits = msg_random_next(state) << 20 ^ msg_random_next(state);
    uint32_t n = (uint32_t)(bits % 20);
    switch (msg_random_next(state) % (depth > 0 ? 8 : 5)) {
    case 0:
        msg_put_int(w, (int64_t)bits >> bits % 64);
        break;
    case 1:
        msg_put_bool(w, bits & 1);
        break;
    case 2:
        msg_put_nil(w);
        break;
    case 3:
        msg_put_text(w, text, bits % sizeof(text));
        break;
    case 4:
        msg_put_bin(w, (const uint8_t *)text, bits % sizeof(text));
        break;
    case 5:
        msg_put_array(w, n);
        for (uint32_t i = 0; i < n; i++)
            put_random(w, state, depth - 1);
        break;
    default:
        msg_put_map(w, n);
        for (uint32_t i = 0; i < n; i++) {
            msg_put_text(w, text, i);
            put_random(w, state, depth - 1);
        }
        break;
    }
}

static void test_random(void)
{
    static uint8_t out[1 << 16];
    uint64_t state = 4711;
    int wrong = 0;
    int whole = 0;
    for (int i = 0; i < 2000; i++) {
        struct msg_writer w;
        msg_writer_init(&w, out, sizeof(out));
        msg_put_map(&w, 1);
        msg_put_key(&w, "k");
        put_random(&w, &state, 4);
        if (!msg_writer_fits(&w))
            continue;
        whole++;
        wrong += msg_check(out, w.length, &defaults, NULL) != 0;
        wrong += !msg_oracle_accepts(out, w.length, MSG_DEPTH_DEFAULT);
        wrong += msg_oracle_read(out, w.length) != NULL;
    }
    is_int(wrong, 0, "%d random answers are messages to msgpack-c and to the reader", whole);
    ok(whole > 1000, "most of them fit");
}

int main(void)
{
    test_golden();
    test_integers();
    test_counts_and_lengths();
    test_every_capacity();
    test_fill_what_fits();
    test_later();
    test_rewind();
    test_random();
    return tap_done();
}
