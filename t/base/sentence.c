/* SPDX-License-Identifier: Apache-2.0 */

/* Messages for people: always terminated, cut off between characters, names of others as data,
 * amounts and spans as people write them. */
#include "plugin/base/sentence.h"
#include "t/kit/tap.h"

#include <stdio.h>

static char out[64];

static struct sentence into(size_t cap)
{
    memset(out, '#', sizeof(out));
    return sentence_in(out, cap);
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

    sentence_number(&say, "", value, "");
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

static char big[1024];

static const char *named(size_t cap, const char *name)
{
    struct sentence say;

    memset(big, '#', sizeof(big));
    say = sentence_in(big, cap);
    sentence_named(&say, "queue ", text_of(name), " is");
    return big;
}

static void test_names(void)
{
    char name[400], want[500];

    is_str(named(64, "team-a"), "queue team-a is", "a name is said as it is");
    is_str(named(64, ""), "queue  is", "so is none");
    is_str(named(64, "a b"), "queue \"a b\" is", "one with a space in quotes");
    is_str(named(64, "a\x1b[2J\n"), "queue \"a\\x1b[2J\\n\" is", "controls are escaped");
    is_str(named(64, "a\" is"), "queue \"a\\\" is\" is", "a quote ends nothing");
    is_str(named(11, "a\x1b[2J"), "queue \"a", "an escape is not halved at the end");
    is_str(named(12, "a\x1b[2J"), "queue \"a", "nor a byte later");
    is_str(named(13, "a\x1b[2J"), "queue \"a\\x1b", "and is there where it has room");
    memset(name, 'n', sizeof(name));
    name[253] = '\0';
    snprintf(want, sizeof(want), "queue %s is", name);
    is_str(named(1000, name), want, "the longest name that Kubernetes has is said as a whole");
    name[253] = 'n';
    name[254] = '\0';
    snprintf(want, sizeof(want), "queue %.253s... is", name);
    is_str(named(1000, name), want, "a longer one is not");
    name[100] = '\n';
    name[252] = '\0';
    snprintf(want, sizeof(want), "queue \"%.100s\\n%.151s\" is", name, name + 101);
    is_str(named(1000, name), want, "escapes count as long as they are");
    name[252] = 'n';
    name[253] = '\0';
    snprintf(want, sizeof(want), "queue \"%.100s\\n%.151s\"... is", name, name + 101);
    is_str(named(1000, name), want, "and then something else is left out");
}

static const char *phrased(const char *phrase)
{
    struct sentence say = into(sizeof(out));

    sentence_phrase(&say, text_of(phrase));
    return out;
}

static void test_phrases(void)
{
    is_str(phrased("it is \"odd\""), "it is \"odd\"", "a phrase has spaces and quotes");
    is_str(phrased("so\nit is\x07"), "so\\nit is\\x07", "but is one line, and rings no bell");
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
    test_names();
    test_phrases();
    test_numbers();
    test_amounts();
    test_spans();
    return tap_done();
}
