/* SPDX-License-Identifier: Apache-2.0 */

/* What of a text may be shown: letters of all scripts as they are, and nothing that does something
 * to a terminal, turns the direction of a text, or is not seen. */
#include "plugin/base/printable.h"
#include "t/kit/tap.h"

#include <stdint.h>

static char out[4096];

static const char *shown_of(const char *at, size_t len, bool quoted)
{
    struct text rest = {at, len};
    size_t end = 0;

    while (rest.len > 0)
        end += printable_take(&rest, quoted, out + end);
    out[end] = '\0';
    return out;
}

static const char *shown(const char *text)
{
    return shown_of(text, strlen(text), false);
}

static void test_what_is_seen(void)
{
    is_str(shown("team-a.b/c_D: 1,5"), "team-a.b/c_D: 1,5", "ASCII is shown as it is");
    is_str(shown("Z\xc3\xbcrich \xe6\x9d\xb1\xe4\xba\xac \xd7\x90 \xf0\x9f\x90\xa2"),
           "Z\xc3\xbcrich \xe6\x9d\xb1\xe4\xba\xac \xd7\x90 \xf0\x9f\x90\xa2",
           "so are letters and signs of all scripts");
    is_str(shown("a\"b\\c"), "a\"b\\c", "and quotes and backslashes outside of quotes");
    is_str(shown_of("a\"b\\c", 5, true), "a\\\"b\\\\c", "which are escaped within");
}

static void test_what_is_not(void)
{
    is_str(shown("\n\r\t\x1b[31m\x7f"), "\\n\\r\\t\\x1b[31m\\x7f", "controls are escaped");
    is_str(shown_of("a\0b", 3, false), "a\\x00b", "also in the middle");
    is_str(shown("\xc2\x85\xc2\x9b"), "\\u0085\\u009b", "and those above ASCII");
    is_str(shown("a\xe2\x80\xaegnp"), "a\\u202egnp", "what turns the direction is");
    is_str(shown("\xe2\x81\xa6\xe2\x81\xa9"), "\\u2066\\u2069", "in all of its forms");
    is_str(shown("\xe2\x80\xa8\xe2\x80\xa9"), "\\u2028\\u2029", "other ends of lines are");
    is_str(shown("\xe2\x80\x8b\xef\xbb\xbf\xc2\xad"), "\\u200b\\ufeff\\u00ad",
           "what nobody sees is");
    is_str(shown("a\xc2\xa0\xe3\x80\x80"), "a\\u00a0\\u3000", "other spaces are");
    is_str(shown("\xf3\xa0\x80\x81\xf4\x8f\xbf\xbd"), "\\U000e0001\\U0010fffd",
           "tags and private characters are");
    is_str(shown("\xef\xbf\xbf\xf0\x9f\xbf\xbe"), "\\uffff\\U0001fffe", "and what is no character");
}

static void test_no_utf_8(void)
{
    is_str(shown("\xff\xc3"), "\\xff\\xc3", "bytes that begin nothing, or nothing whole");
    is_str(shown("\xc0\xaf\xe0\x80\xaf"), "\\xc0\\xaf\\xe0\\x80\\xaf", "overlong forms");
    is_str(shown("\xed\xa0\x80"), "\\xed\\xa0\\x80", "halves of a pair");
    is_str(shown("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80", "beyond the last character");
}

static void test_bare(void)
{
    ok(printable_is_bare(text_of("team-a")), "a name of Kubernetes needs no quotes");
    ok(printable_is_bare(text_of("\xe6\x9d\xb1\xe4\xba\xac")), "nor one in another script");
    ok(printable_is_bare(text_of("")), "nor none");
    ok(!printable_is_bare(text_of("a b")), "one with a space does");
    ok(!printable_is_bare(text_of("\"a")), "one with a quote does");
    ok(!printable_is_bare(text_of("a\\")), "one with a backslash does");
    ok(!printable_is_bare(text_of("a\n")), "one with a control does");
    ok(!printable_is_bare(text_of("a\xc3")), "one that is no UTF-8 does");
}

static bool is_quiet(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

/* A million texts of bytes by chance: what is shown is ASCII without controls, or characters that
 * stay as they are when they are shown again. */
static void test_by_chance(void)
{
    uint64_t chance = UINT64_C(0x9e3779b97f4a7c15);
    size_t bad = 0, longest = 0;

    for (int i = 0; i < 1000000; i++) {
        char name[16], first[sizeof(name) * PRINTABLE_MAX + 1];
        size_t len = (size_t)(chance >> 32) % sizeof(name);

        for (size_t k = 0; k < len; k++) {
            static const char odd[] =
                "\x1b\n\xe2\x80\xae\xc2\x9b\xf3\xa0\x81\xef\xbb\xbf\xff\"\\a ";

            chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407;
            name[k] = chance >> 63 ? odd[(chance >> 40) % (sizeof(odd) - 1)] : (char)(chance >> 48);
        }
        shown_of(name, len, false);
        memcpy(first, out, strlen(out) + 1);
        longest = strlen(first) > longest ? strlen(first) : longest;
        bad += !is_quiet(first) || strcmp(shown(first), first) != 0;
    }
    is_int(bad, 0, "a million texts: no control, and nothing to escape in what was escaped");
    ok(longest > 15 && longest <= 15 * PRINTABLE_MAX, "none longer than it may be");
}

int main(void)
{
    test_what_is_seen();
    test_what_is_not();
    test_no_utf_8();
    test_bare();
    test_by_chance();
    return tap_done();
}
