/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/msg/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/msg/writer.h"
#include "t/kit/msg_oracle.h"
#include "t/kit/msg_random.h"
#include "t/kit/tap.h"

static const struct msg_limits defaults = {.bytes = MSG_BYTES_DEFAULT, .depth = MSG_DEPTH_DEFAULT};

/* The bytes alone on the heap, so that the address sanitizer sees a step beyond them. */
static int check_exact(const uint8_t *bytes, size_t len, const struct msg_limits *limits,
                       size_t *ret_at)
{
    uint8_t *exact = malloc(len > 0 ? len : 1);
    memcpy(exact, bytes, len);
    int error = msg_check(exact, len, limits, ret_at);
    free(exact);
    return error;
}

static void verdict_is(const char *bytes, size_t len, int want, size_t want_at, const char *name)
{
    size_t at = 9999;
    int error = check_exact((const uint8_t *)bytes, len, &defaults, &at);
    ok(error == want && at == (want < 0 ? want_at : 9999), "%s: %s, at %zu", name,
       msg_error_text(error), at);
    is_int(msg_oracle_accepts((const uint8_t *)bytes, len, MSG_DEPTH_DEFAULT), want == 0,
           "%s: the oracle agrees", name);
}

#define ACCEPTED(bytes, name) verdict_is(bytes, sizeof(bytes) - 1, 0, 0, name)
#define REFUSED(bytes, error, at, name) verdict_is(bytes, sizeof(bytes) - 1, error, at, name)

static void test_golden(void)
{
    ACCEPTED("\x80", "the empty map");
    ACCEPTED("\x81\xa1k\x01", "one key");
    ACCEPTED("\x82\xa1k\x01\xa1l\x02", "two keys");
    ACCEPTED("\x81\xa0\xc0", "an empty key with nil");
    ACCEPTED("\x82\xa1k\x81\xa1k\x01\xa1l\x81\xa1k\x01", "a key again in another map");
    ACCEPTED("\x81\xa1k\xc4\x02\xff\xfe", "binary that is no UTF-8");
    ACCEPTED("\xdf\0\0\0\x01\xdb\0\0\0\x01k\xdd\0\0\0\0", "the longest forms");
    ACCEPTED("\x81\xa1k\xcf\x7f\xff\xff\xff\xff\xff\xff\xff", "INT64_MAX");
    ACCEPTED("\x81\xa1k\xac\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa2\0\x7f\x01", "UTF-8 of all lengths");

    REFUSED("", MSG_TRUNCATED, 0, "no bytes");
    REFUSED("\x90", MSG_NOT_A_MAP, 0, "an array");
    REFUSED("\xa1k", MSG_NOT_A_MAP, 0, "text");
    REFUSED("\xdd\x10\0\0\0", MSG_NOT_A_MAP, 0, "an array of 2^28 items");
    REFUSED("\x81\xa1k\xdd\x10\0\0\0", MSG_TRUNCATED, 3, "the same within a map");
    REFUSED("\xdf\x10\0\0\0", MSG_TRUNCATED, 0, "a map of 2^28 pairs");
    REFUSED("\x81\xa1k\xdb\xff\xff\xff\xff", MSG_TRUNCATED, 3, "text of 4 GiB");
    REFUSED("\x80\x80", MSG_TRAILING, 1, "a second map");
    REFUSED("\x81\xa1k\x01\0", MSG_TRAILING, 4, "a byte too many");
    REFUSED("\x81\x01\x01", MSG_KEY_NOT_TEXT, 1, "a number as a key");
    REFUSED("\x81\xc4\x01k\x01", MSG_KEY_NOT_TEXT, 1, "binary as a key");
    REFUSED("\x81\x80\x01", MSG_KEY_NOT_TEXT, 1, "a map as a key");
    REFUSED("\x82\xa1k\x01\xa1k\x02", MSG_KEY_TWICE, 5, "a key twice");
    REFUSED("\x82\xa1k\x01\xd9\x01k\x02", MSG_KEY_TWICE, 6, "a key twice, in another form");
    REFUSED("\x82\xa0\x01\xa0\x02", MSG_KEY_TWICE, 4, "the empty key twice");
    REFUSED("\x83\xa1k\x81\xa1k\x01\xa1l\x02\xa1k\x03", MSG_KEY_TWICE, 11,
            "a key twice around a map");
    REFUSED("\x81\xa1k\xd4\x01\x02", MSG_EXT, 3, "an extension");
    REFUSED("\x81\xa1k\xcb\x3f\xf0\0\0\0\0\0\0", MSG_NO_INTEGER, 3, "a float");
    REFUSED("\x81\xa1k\x91\xca\x3f\xf0\0\0", MSG_NO_INTEGER, 4, "a float in an array");
    REFUSED("\x81\xa1k\xd6\xff\0\0\0\0", MSG_EXT, 3, "a timestamp");
    REFUSED("\x81\xcb\x3f\xf0\0\0\0\0\0\0\x01", MSG_NO_INTEGER, 1, "a float as a key");
    REFUSED("\x81\xa1k\xc1", MSG_NO_VALUE, 3, "the byte that begins no value");
    REFUSED("\x81\xa1k\xcf\x80\0\0\0\0\0\0\0", MSG_INTEGER, 3, "INT64_MAX + 1");
}

static void test_utf8(void)
{
    static const struct {
        const char *text;
        const char *name;
    } bad[] = {
        {"\x80", "a continuation alone"},
        {"\xc3", "a character that is cut"},
        {"\xc0\x80", "zero in two bytes"},
        {"\xc1\xbf", "DEL in two bytes"},
        {"\xe0\x9f\xbf", "U+07FF in three bytes"},
        {"\xf0\x8f\xbf\xbf", "U+FFFF in four bytes"},
        {"\xed\xa0\x80", "the first surrogate"},
        {"\xed\xbf\xbf", "the last surrogate"},
        {"\xf4\x90\x80\x80", "U+110000"},
        {"\xf8\x88\x80\x80\x80", "five bytes"},
        {"\xff", "ff"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int missed = 0;
        for (size_t before = 0; before < 40; before++) {
            for (size_t after = 0; after < 10; after++) {
                char text[64];
                size_t len = before + strlen(bad[i].text) + after;
                memset(text, 'a', sizeof(text));
                memcpy(text + before, bad[i].text, strlen(bad[i].text));

                uint8_t message[160];
                struct msg_writer w;
                msg_writer_init(&w, message, sizeof(message));
                msg_put_map(&w, 1);
                msg_put_key(&w, "k");
                msg_put_text(&w, text, len);
                missed += check_exact(message, w.length, &defaults, NULL) != MSG_NOT_UTF8;

                msg_writer_init(&w, message, sizeof(message));
                msg_put_map(&w, 1);
                msg_put_text(&w, text, len);
                msg_put_nil(&w);
                missed += check_exact(message, w.length, &defaults, NULL) != MSG_NOT_UTF8;
            }
        }
        is_int(missed, 0, "%s is refused in values and keys, whatever is around it", bad[i].name);
    }
}

/* {k: {k: ... {}}} or, from the second level on, arrays. */
static size_t nested(uint8_t *out, unsigned levels, bool arrays)
{
    struct msg_writer w;
    msg_writer_init(&w, out, 256);
    for (unsigned i = 1; i <= levels; i++) {
        bool is_last = i == levels;
        if (arrays && i > 1) {
            msg_put_array(&w, !is_last);
        } else {
            msg_put_map(&w, !is_last);
            if (!is_last)
                msg_put_key(&w, "k");
        }
    }
    return w.length;
}

static void test_depth(void)
{
    uint8_t bytes[256];
    for (int arrays = 0; arrays < 2; arrays++) {
        const char *what = arrays ? "arrays" : "maps";
        for (unsigned limit = 1; limit <= 40; limit++) {
            const struct msg_limits limits = {.bytes = 256, .depth = limit};
            unsigned most = limit < MSG_DEPTH_MAX ? limit : MSG_DEPTH_MAX;
            size_t len = nested(bytes, most, arrays);
            is_int(check_exact(bytes, len, &limits, NULL), 0, "%u %s at limit %u", most, what,
                   limit);
            size_t at = 0;
            len = nested(bytes, most + 1, arrays);
            is_int(check_exact(bytes, len, &limits, &at), MSG_DEPTH, "%u %s at limit %u", most + 1,
                   what, limit);
            is_int(at, len - 1, "and the innermost is to blame");
        }
    }
    memset(bytes, 0x91, 40);
    memcpy(bytes, "\x81\xa1k", 3);
    is_int(check_exact(bytes, 40, &defaults, NULL), MSG_DEPTH, "headers alone nest too deep");
    const struct msg_limits none = {.bytes = 256, .depth = 0};
    is_int(check_exact((const uint8_t *)"\x80", 1, &none, NULL), MSG_DEPTH, "no depth, no message");
}

static void test_length(void)
{
    const struct msg_limits four = {.bytes = 4, .depth = 16};
    is_int(check_exact((const uint8_t *)"\x81\xa1k\x01", 4, &four, NULL), 0, "as long as allowed");
    size_t at = 9;
    is_int(check_exact((const uint8_t *)"\x81\xa1k\xa1k", 5, &four, &at), MSG_TOO_LONG,
           "a byte longer");
    is_int(at, 0, "no byte of it is to blame");
}

/* A map of n keys of 8 hex digits; the one at `twin` is the same as the one at 0. */
static void put_keys(struct msg_writer *w, unsigned n, unsigned twin, const char *around)
{
    msg_put_map(w, n);
    for (unsigned i = 0; i < n; i++) {
        char key[80];
        snprintf(key, sizeof(key), "%s%08x%s", around, i == twin ? 0 : i * 2654435761u, around);
        msg_put_key(w, key);
        msg_put_int(w, i);
    }
}

static void test_many_keys(void)
{
    static uint8_t bytes[1 << 18];
    struct msg_writer w;
    const char *const arounds[] = {"", "example.org/a-long-prefix-and-suffix/"};
    const unsigned counts[] = {2, 15, 16, 17, 18, 33, 100, 1000, MSG_KEYS_MAX};
    for (size_t a = 0; a < 2; a++) {
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            unsigned n = counts[c];
            msg_writer_init(&w, bytes, sizeof(bytes));
            put_keys(&w, n, 0, arounds[a]);
            is_int(check_exact(bytes, w.length, &defaults, NULL), 0, "%u keys '%s'", n, arounds[a]);
            int missed = 0;
            for (unsigned twin = 1; twin<n; twin += n> 40 ? n / 13 : 1) {
                msg_writer_init(&w, bytes, sizeof(bytes));
                put_keys(&w, n, twin, arounds[a]);
                size_t at = 0;
                missed += check_exact(bytes, w.length, &defaults, &at) != MSG_KEY_TWICE;
                size_t prefix = strlen(arounds[a]);
                missed += memcmp(bytes + at + prefix, "00000000", 8) != 0 || at < 10;
            }
            is_int(missed, 0, "one of %u keys '%s' twice, anywhere, is found", n, arounds[a]);
        }
    }

    msg_writer_init(&w, bytes, sizeof(bytes));
    put_keys(&w, MSG_KEYS_MAX + 1, 0, "");
    is_int(check_exact(bytes, w.length, &defaults, NULL), MSG_KEYS, "too many keys in one map");

    msg_writer_init(&w, bytes, sizeof(bytes));
    msg_put_map(&w, 2);
    msg_put_key(&w, "a");
    put_keys(&w, MSG_KEYS_MAX - 2, 0, "");
    msg_put_key(&w, "b");
    put_keys(&w, MSG_KEYS_MAX - 2, 0, "");
    is_int(check_exact(bytes, w.length, &defaults, NULL), 0, "maps side by side do not add up");

    msg_writer_init(&w, bytes, sizeof(bytes));
    msg_put_map(&w, 1);
    msg_put_key(&w, "a");
    put_keys(&w, MSG_KEYS_MAX, 0, "");
    size_t at = 0;
    is_int(check_exact(bytes, w.length, &defaults, &at), MSG_KEYS, "maps within maps do");
    is_int(at, 3, "and the inner one is to blame");
}

static void test_cuts(void)
{
    uint8_t bytes[4096];
    uint64_t state = 7;
    int messages = 0;
    int wrong = 0;
    while (messages < 200) {
        size_t len = msg_random_message(&state, bytes, sizeof(bytes));
        if (check_exact(bytes, len, &defaults, NULL) < 0)
            continue;
        messages++;
        for (size_t cut = 0; cut < len; cut++) {
            size_t at = 0;
            int error = check_exact(bytes, cut, &defaults, &at);
            wrong += error != MSG_TRUNCATED || at > cut;
        }
    }
    is_int(wrong, 0, "%d messages, cut at each byte, are truncated", messages);
}

static void test_random(void)
{
    enum { MESSAGES = 30000 };
    uint8_t bytes[2048];
    uint64_t state = 20240229;
    int accepted = 0;
    int wrong = 0;
    for (int i = 0; i < MESSAGES; i++) {
        size_t len = msg_random_message(&state, bytes, sizeof(bytes));
        int error = check_exact(bytes, len, &defaults, NULL);
        accepted += error == 0;
        if ((error == 0) != msg_oracle_accepts(bytes, len, defaults.depth)) {
            tap_diag("message %d: %s", i, msg_error_text(error));
            wrong++;
        }
    }
    is_int(wrong, 0, "the oracle has the same opinion of %d random messages", MESSAGES);
    ok(accepted > MESSAGES / 3 && accepted < MESSAGES * 9 / 10, "%d of them are right", accepted);
}

static void test_error_texts(void)
{
    int same = 0;
    for (int a = 0; a >= MSG_INVALID; a--) {
        for (int b = 0; b > a; b--)
            same += strcmp(msg_error_text(a), msg_error_text(b)) == 0;
        same += strcmp(msg_error_text(a), msg_error_text(1)) == 0;
    }
    is_int(same, 0, "each error has a text of its own");
}

int main(void)
{
    test_golden();
    test_utf8();
    test_depth();
    test_length();
    test_many_keys();
    test_cuts();
    test_random();
    test_error_texts();
    return tap_done();
}
