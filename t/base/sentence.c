/* SPDX-License-Identifier: Apache-2.0 */

/* Messages for people: always terminated, cut off between characters, amounts and spans as people
 * write them. */
#include "plugin/base/sentence.h"
#include "t/kit/tap.h"

static char out[64];

static struct sentence into(size_t cap)
{
    struct sentence say;

    memset(out, '#', sizeof(out));
    sentence_init(&say, out, cap);
    return say;
}

static const char *span(int64_t nanoseconds)
{
    struct sentence say = into(sizeof(out));

    sentence_span(&say, nanoseconds);
    return out;
}

static const char *amount(const char *resource, wide value)
{
    struct sentence say = into(sizeof(out));

    sentence_amount(&say, text_of(resource), value);
    return out;
}

static const char *number(int64_t value)
{
    struct sentence say = into(sizeof(out));

    sentence_number(&say, value);
    return out;
}

static const char *cut(size_t cap, const char *first, const char *second)
{
    struct sentence say = into(cap);

    sentence_str(&say, first);
    sentence_str(&say, second);
    return out;
}

static void test_pieces(void)
{
    is_str(cut(64, "", ""), "", "nothing is said: an empty text");
    is_str(cut(64, "queue ", "a"), "queue a", "pieces follow each other");
    is_str(cut(5, "queue", " a"), "queu", "the last byte is for the end");
    is_str(cut(6, "queue", " a"), "queue", "what has no room is left out");
    is_str(cut(1, "queue", "a"), "", "room for the end alone");
    ok(out[1] == '#', "and nothing is written behind it");
}

/* Characters of 2, 3 and 4 bytes. */
static void test_characters(void)
{
    is_str(cut(4, "ab\xc3\xa9", ""), "ab", "a character of two bytes is not halved");
    is_str(cut(5, "ab\xc3\xa9", ""), "ab\xc3\xa9", "and is there where it has room");
    is_str(cut(5, "ab\xe2\x82\xac", ""), "ab", "nor one of three bytes, after its second");
    is_str(cut(4, "ab\xe2\x82\xac", ""), "ab", "nor after its first");
    is_str(cut(6, "ab\xf0\x9f\x98\x80", ""), "ab", "nor one of four");
    is_str(cut(3, "\xf0\x9f\x98\x80", ""), "", "nor where it is the first");
    is_str(cut(5, "ab\xe2\x82\xac", "x"), "ab", "nothing follows what was cut off");
}

static void test_numbers(void)
{
    is_str(number(0), "0", "nothing");
    is_str(number(-7), "-7", "less than nothing");
    is_str(number(INT64_MAX), "9223372036854775807", "the largest number");
    is_str(number(INT64_MIN), "-9223372036854775808", "the smallest number");
}

static void test_amounts(void)
{
    is_str(amount("cpu", 1500), "1500m", "cpu is counted in thousandths");
    is_str(amount("cpu", 2000), "2", "and said whole where it is whole");
    is_str(amount("memory", INT64_C(16) << 30), "16Gi", "memory with the suffix of bytes");
    is_str(amount("ephemeral-storage", 1024), "1Ki", "so is storage");
    is_str(amount("hugepages-2Mi", INT64_C(4) << 20), "4Mi", "and huge pages");
    is_str(amount("hugepages-", 1024), "1024", "of a size that has a name");
    is_str(amount("pods", 1024), "1024", "what is counted is said plainly");
    is_str(amount("pods", (wide)1 << 100), "4611686018427387904", "no more than an amount can be");
}

static void test_spans(void)
{
    is_str(span(0), "0s", "no time");
    is_str(span(999999), "0s", "less than is worth saying");
    is_str(span(300 * INT64_C(1000000)), "300ms", "milliseconds");
    is_str(span(INT64_C(1500000000)), "1s500ms", "two units");
    is_str(span(INT64_C(125000000000)), "2m5s", "minutes and seconds");
    is_str(span(INT64_C(5400000000000)), "1h30m", "hours and minutes");
    is_str(span(INT64_C(3605000000000)), "1h", "the third unit does not matter");
    is_str(span(INT64_C(90061000000000)), "1d1h", "nor do the third and fourth");
    is_str(span(-INT64_C(1500000000)), "0s", "time that is over");
}

int main(void)
{
    test_pieces();
    test_characters();
    test_numbers();
    test_amounts();
    test_spans();
    return tap_done();
}
