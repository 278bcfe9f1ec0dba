/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/msg/reader.h"

#include <stdlib.h>
#include <string.h>

#include "abi/msg/writer.h"
#include "t/kit/msg_oracle.h"
#include "t/kit/msg_random.h"
#include "t/kit/tap.h"

static const struct msg_limits defaults = {.bytes = MSG_BYTES_DEFAULT, .depth = MSG_DEPTH_DEFAULT};
static const char *const removals[] = {"onBind", "onAdmission", NULL};

/* A reader at the value of {"k": value}. */
static void at_value(struct msg_reader *r, const struct msg_writer *w)
{
    struct msg_map map;
    struct msg_text key;
    msg_reader_init(r, w->out, w->length);
    msg_open_map(r, &map);
    msg_next_key(r, &map, &key);
}

static void test_wants(void)
{
    static const char *const one[] = {"only", NULL};
    static const char *const many[] = {
        "AdmissionOfTheFirst",  "AdmissionOfTheSecond",  "AdmissionOfTheThird",
        "AdmissionOfTheFourth", "AdmissionOfTheFifth",   "AdmissionOfTheSixth",
        "AdmissionOfTheLast",   "NeverAtAllAndNotLater", NULL};
    uint8_t room[16];
    struct msg_writer w;
    struct msg_reader r;
    struct msg_text text;
    struct msg_bin bin;
    int64_t integer;
    int word;
    msg_writer_init(&w, room, sizeof(room));
    msg_put_map(&w, 1);
    msg_put_key(&w, "k");
    msg_put_nil(&w);

#define WANT(call, wanted)                                                                         \
    at_value(&r, &w);                                                                              \
    ok(!(call) && r.error == MSG_TYPE, #call);                                                     \
    is_str(r.fault.want, wanted, "wants " wanted)
    WANT(msg_get_int(&r, INT64_MIN, INT64_MAX, &integer), "an integer");
    WANT(msg_get_int(&r, 0, INT64_MAX, &integer), "an integer of at least 0");
    WANT(msg_get_int(&r, INT64_MIN, -1, &integer), "an integer of at most -1");
    WANT(msg_get_text(&r, 0, SIZE_MAX, &text), "text");
    WANT(msg_get_text(&r, 0, 63, &text), "text of at most 63 bytes");
    WANT(msg_get_text(&r, 1, SIZE_MAX, &text), "text of at least 1 byte");
    WANT(msg_get_bin(&r, 4, 4, &bin), "binary of 4 bytes");
    WANT(msg_get_enum(&r, one, &word), "only");
    WANT(msg_get_enum(&r, many, &word),
         "one of AdmissionOfTheFirst, AdmissionOfTheSecond, AdmissionOfTheThird, "
         "AdmissionOfTheFourth, AdmissionOfTheFifth, AdmissionOfTheSixth, AdmissionOfTheLast, ...");
#undef WANT
}

static void test_limits_are_inclusive(void)
{
    uint8_t room[600];
    char text[300];
    memset(text, 'x', sizeof(text));
    int wrong = 0;
    for (size_t len = 0; len < 300; len++) {
        struct msg_writer w;
        msg_writer_init(&w, room, sizeof(room));
        msg_put_map(&w, 1);
        msg_put_key(&w, "k");
        msg_put_text(&w, text, len);
        for (int off = -1; off <= 1; off++) {
            struct msg_reader r;
            struct msg_text got = {.len = 7777};
            at_value(&r, &w);
            size_t max = len + (size_t)(off + 1) - 1;
            bool read = msg_get_text(&r, 0, max, &got);
            wrong += len > 0 && read != (off >= 0);
            wrong += len > 0 && got.len != (read ? len : 7777);
            at_value(&r, &w);
            wrong += len > 0 && msg_get_text(&r, max, 300, &got) != (off <= 0);
        }
    }
    is_int(wrong, 0, "text at the limits of its length");

    const int64_t integers[] = {
        INT64_MIN, -129, -128, -33, -32,   -1,    0,          1,
        127,       128,  255,  256, 65535, 65536, UINT32_MAX, INT64_C(1) << 32,
        INT64_MAX};
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        int64_t n = integers[i];
        struct msg_writer w;
        struct msg_reader r;
        int64_t got = 42;
        msg_writer_init(&w, room, sizeof(room));
        msg_put_map(&w, 1);
        msg_put_key(&w, "k");
        msg_put_int(&w, n);
        at_value(&r, &w);
        ok(msg_get_int(&r, n, n, &got) && got == n, "%lld from itself to itself", (long long)n);
        got = 42;
        if (n < INT64_MAX) {
            at_value(&r, &w);
            ok(!msg_get_int(&r, n + 1, INT64_MAX, &got) && got == 42 && r.error == MSG_RANGE,
               "%lld is below the next", (long long)n);
        }
        if (n > INT64_MIN) {
            at_value(&r, &w);
            ok(!msg_get_int(&r, INT64_MIN, n - 1, &got) && got == 42 && r.error == MSG_RANGE,
               "%lld is above the one before", (long long)n);
        }
    }
}

static void test_sticky(void)
{
    static const char message[] = "\x83\xa1"
                                  "a\x01\xa1"
                                  "b\xa1x\xa1"
                                  "c\x92\x01\x02";
    struct msg_reader r;
    struct msg_map map = {.left = 99};
    struct msg_array array;
    struct msg_text key;
    struct msg_text text = {.at = "old", .len = 3};
    struct msg_bin bin = {.at = (const uint8_t *)"old", .len = 3};
    int64_t integer = 5;
    bool truth = true;
    int word = 6;

    msg_reader_init(&r, (const uint8_t *)message, sizeof(message) - 1);
    msg_open_map(&r, &map);
    msg_next_key(&r, &map, &key);
    ok(!msg_get_text(&r, 0, 9, &text), "the first error");
    struct msg_reader first = r;

    struct msg_text last_key = key;
    ok(!msg_next_key(&r, &map, &key) && key.at == last_key.at, "the loop over the map ends");
    ok(!msg_get_int(&r, 0, 9, &integer) && integer == 5, "no integer");
    ok(!msg_get_text(&r, 0, 9, &text) && msg_text_is(text, "old"), "no text");
    ok(!msg_get_bin(&r, 0, 9, &bin) && bin.len == 3, "no binary");
    ok(!msg_get_bool(&r, &truth) && truth, "no truth value");
    ok(!msg_get_enum(&r, removals, &word) && word == 6, "no word");
    ok(!msg_get_nil(&r), "no nil");
    is_int(msg_peek_type(&r), MSG_NOTHING, "nothing to be seen");
    ok(!msg_open_map(&r, &map) && !msg_next_key(&r, &map, &key), "no map, and its loop ends");
    ok(!msg_open_array(&r, &array) && !msg_next_item(&r, &array), "no array, and its loop ends");
    msg_skip_value(&r);
    msg_skip_unknown(&r);
    msg_fail(&r, MSG_INVALID, "something else");
    msg_require(&r, false, "d");
    ok(r.error == MSG_TYPE && strcmp(r.fault.path, first.fault.path) == 0 &&
           strcmp(r.fault.value, first.fault.value) == 0 &&
           strcmp(r.fault.want, first.fault.want) == 0,
       "the first error stays");
    is_str(r.fault.path, "a", "at its path");
}

static void test_array_loop_ends(void)
{
    struct msg_reader r;
    struct msg_array outer;
    struct msg_array inner;
    int64_t integer;
    int rounds = 0;
    msg_reader_init(&r, (const uint8_t *)"\x93\x92\x01\xc0\x91\x02\x90", 7);
    msg_open_array(&r, &outer);
    while (msg_next_item(&r, &outer)) {
        msg_open_array(&r, &inner);
        while (msg_next_item(&r, &inner)) {
            rounds++;
            msg_get_int(&r, 0, 9, &integer);
        }
    }
    is_int(rounds, 2, "an error ends the loops around it");
    is_str(r.fault.path, "[0][1]", "the path of arrays in arrays");
}

static void test_nil_and_peek(void)
{
    static const char message[] = "\x99\xc0\xc2\x05\xcb\0\0\0\0\0\0\0\0\xa1x\xc4\x01x\x90\x80\xd3"
                                  "\xff\xff\xff\xff\xff\xff\xff\xff";
    static const enum msg_type types[] = {MSG_NIL, MSG_BOOL,  MSG_INT, MSG_FLOAT, MSG_TEXT,
                                          MSG_BIN, MSG_ARRAY, MSG_MAP, MSG_INT};
    struct msg_reader r;
    struct msg_array array;
    size_t i = 0;
    msg_reader_init(&r, (const uint8_t *)message, sizeof(message) - 1);
    msg_open_array(&r, &array);
    while (msg_next_item(&r, &array)) {
        is_int(msg_peek_type(&r), types[i], "type of item %zu", i);
        if (!msg_get_nil(&r))
            msg_skip_value(&r);
        i++;
    }
    ok(i == 9 && r.error == 0 && r.at == r.end, "only the nil is read as nil");
    is_int(msg_peek_type(&r), MSG_NOTHING, "nothing at the end");
}

/* Arrays within each other, one more than there can be, at an index of the outermost. */
static void deep_path_ends(uint8_t index, const char *want)
{
    uint8_t bytes[MSG_DEPTH_MAX + 32];
    struct msg_reader r;
    struct msg_array arrays[MSG_DEPTH_MAX + 1];
    memset(bytes, 0x91, sizeof(bytes));
    bytes[0] = (uint8_t)(0x91 + index);
    memset(bytes + 1, 0xc0, index);
    msg_reader_init(&r, bytes, sizeof(bytes));
    int opened = 0;
    while (opened <= MSG_DEPTH_MAX && msg_open_array(&r, &arrays[opened])) {
        msg_next_item(&r, &arrays[opened]);
        while (msg_get_nil(&r))
            msg_next_item(&r, &arrays[opened]);
        opened++;
    }
    is_int(opened, MSG_DEPTH_MAX, "as many levels as the path has room for");
    is_int(r.error, MSG_DEPTH, "and no more");
    is_str(r.fault.path + strlen(r.fault.path) - strlen(want), want, "the end of its path");
}

static void test_deep_maps(void)
{
    uint8_t bytes[2 * (MSG_DEPTH_MAX + 1)];
    struct msg_reader r;
    struct msg_map maps[MSG_DEPTH_MAX + 1];
    struct msg_text key;
    for (size_t i = 0; i < sizeof(bytes); i += 2)
        memcpy(bytes + i, "\x81\xa0", 2);
    msg_reader_init(&r, bytes, sizeof(bytes));
    int opened = 0;
    while (opened <= MSG_DEPTH_MAX && msg_open_map(&r, &maps[opened])) {
        msg_next_key(&r, &maps[opened], &key);
        opened++;
    }
    is_int(opened, MSG_DEPTH_MAX, "maps: as many levels as the path has room for");
    is_int(r.error, MSG_TRUNCATED, "the last is cut off here");

    uint8_t whole[sizeof(bytes) + 1];
    memcpy(whole, bytes, sizeof(bytes));
    whole[sizeof(bytes)] = 0xc0;
    msg_reader_init(&r, whole, sizeof(whole));
    for (opened = 0; opened <= MSG_DEPTH_MAX && msg_open_map(&r, &maps[opened]); opened++)
        msg_next_key(&r, &maps[opened], &key);
    is_int(opened, MSG_DEPTH_MAX, "and whole ones");
    is_int(r.error, MSG_DEPTH, "nest too deep");
}

static void test_deep(void)
{
    deep_path_ends(0, "[0][0][0]");
    deep_path_ends(9, "[0][0][0]");
    deep_path_ends(10, "[0][0][0...");
}

static void test_random(void)
{
    enum { MESSAGES = 20000 };
    uint8_t bytes[2048];
    uint64_t state = 99;
    int read = 0;
    int wrong = 0;
    for (int i = 0; i < MESSAGES; i++) {
        size_t len = msg_random_message(&state, bytes, sizeof(bytes));
        uint8_t *exact = malloc(len + 1);
        memcpy(exact, bytes, len);
        if (msg_check(exact, len, &defaults, NULL) == 0) {
            read++;
            const char *differs = msg_oracle_read(exact, len);
            if (differs) {
                tap_diag("message %d: %s", i, differs);
                wrong++;
            }
        }
        free(exact);
    }
    is_int(wrong, 0, "%d random messages read as msgpack-c reads them", read);
    ok(read > MESSAGES / 3, "enough of them");
}

int main(void)
{
    test_wants();
    test_limits_are_inclusive();
    test_sticky();
    test_array_loop_ends();
    test_nil_and_peek();
    test_deep();
    test_deep_maps();
    test_random();
    return tap_done();
}
