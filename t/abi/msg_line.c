/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/msg/line.h"

#include <string.h>

#include "t/kit/tap.h"

static char text[64];

static struct msg_line line_of(size_t cap)
{
    memset(text, '#', sizeof(text));
    return (struct msg_line){.out = text, .cap = cap};
}

static void test_numbers(void)
{
    struct msg_line line = line_of(60);
    msg_line_number(&line, 0);
    msg_line_words(&line, " ");
    msg_line_number(&line, UINT64_MAX);
    msg_line_words(&line, " ");
    msg_line_integer(&line, INT64_MIN);
    msg_line_end(&line, "");
    is_str(text, "0 18446744073709551615 -9223372036854775808", "numbers");
}

static void test_foreign(void)
{
    struct msg_line line = line_of(60);
    const char foreign[] = "a\"\\\n\t\x1b\x7f\0\xc3\xa9\xff\xc2\x85\xed\xa0\x80z";
    msg_line_foreign(&line, foreign, sizeof(foreign) - 1);
    msg_line_end(&line, "\"");
    is_str(text, "a\\\"\\\\\\n\\t\\x1b\\x7f\\x00\xc3\xa9\\xff\\u0085\\xed\\xa0\\x80z\"",
           "quotes, control characters and what is no UTF-8 are escaped");
}

static void cut_is(size_t cap, const char *foreign, const char *want)
{
    struct msg_line line = line_of(cap);
    msg_line_foreign(&line, foreign, strlen(foreign));
    msg_line_words(&line, "x");
    msg_line_end(&line, "\"");
    is_str(text, want, "%zu bytes of %s", cap, foreign);
    ok(strlen(text) <= cap + 4, "and no more than was promised");
}

static void test_cuts(void)
{
    cut_is(4, "abc", "abcx\"");
    cut_is(3, "abc", "abc...\"");
    cut_is(2, "abc", "ab...\"");
    cut_is(0, "abc", "...\"");
    cut_is(4, "abc\xc3\xa9", "abc...\"");
    cut_is(5, "ab\xf0\x9f\x90\xa2", "ab...\"");
    cut_is(4, "ab\n", "ab\\n...\"");
    cut_is(3, "ab\n", "ab...\"");
    cut_is(3, "ab\"", "ab...\"");

    struct msg_line line = line_of(12);
    msg_line_words(&line, "one of these words");
    msg_line_words(&line, "!");
    msg_line_end(&line, "");
    is_str(text, "one of these...", "words are cut between words, and nothing follows a cut");
}

int main(void)
{
    test_numbers();
    test_foreign();
    test_cuts();
    return tap_done();
}
