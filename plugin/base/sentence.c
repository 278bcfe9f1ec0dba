/* SPDX-License-Identifier: Apache-2.0 */
#include "sentence.h"

#include "printable.h"
#include "quantity.h"

#include <stdbool.h>

struct sentence sentence_in(char *out, size_t cap)
{
    out[0] = '\0';
    return (struct sentence){out, cap, 0};
}

static bool continues_a_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static void sentence_append(struct sentence *say, struct text text)
{
    size_t room = say->cap - 1 - say->len, len = text.len;

    if (len > room) {
        len = room;
        while (len > 0 && continues_a_character(text.at[len]))
            len--;
        say->cap = say->len + len + 1; /* nothing follows what was cut off */
    }
    if (len > 0)
        memcpy(say->out + say->len, text.at, len);
    say->len += len;
    say->out[say->len] = '\0';
}

void sentence_str(struct sentence *say, const char *s)
{
    sentence_append(say, text_of(s));
}

/* So much of it as has room in most bytes when it is shown; an escape is there as a whole. False:
 * something is left out. */
static bool sentence_shown(struct sentence *say, struct text text, bool quoted, size_t most)
{
    char piece[PRINTABLE_MAX];
    size_t shown = 0;

    while (text.len > 0) {
        size_t len = printable_take(&text, quoted, piece);

        if (len > most - shown)
            return false;
        if (len > say->cap - 1 - say->len) {
            say->cap = say->len + 1; /* nothing follows what was cut off */
            return false;
        }
        sentence_append(say, (struct text){piece, len});
        shown += len;
    }
    return true;
}

void sentence_text(struct sentence *say, struct text name)
{
    bool bare = printable_is_bare(name), whole;

    if (bare && name.len <= SENTENCE_NAME_MAX) {
        sentence_append(say, name);
        return;
    }
    sentence_str(say, bare ? "" : "\"");
    whole = sentence_shown(say, name, !bare, SENTENCE_NAME_MAX);
    sentence_str(say, bare ? "" : "\"");
    sentence_str(say, whole ? "" : "...");
}

void sentence_named(struct sentence *say, const char *before, struct text name, const char *behind)
{
    sentence_str(say, before);
    sentence_text(say, name);
    sentence_str(say, behind);
}

void sentence_phrase(struct sentence *say, struct text phrase)
{
    sentence_shown(say, phrase, false, SIZE_MAX);
}

void sentence_number(struct sentence *say, const char *before, int64_t number, const char *behind)
{
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        digits[--at] = '-';
    sentence_str(say, before);
    sentence_append(say, (struct text){digits + at, sizeof(digits) - at});
    sentence_str(say, behind);
}

void sentence_count(struct sentence *sentence, const char *before, uint32_t count,
                    const char *behind)
{
    if (count > 0)
        sentence_number(sentence, before, count, behind);
}

void sentence_amount(struct sentence *say, struct text resource, wide amount)
{
    bool bytes = text_is(resource, "memory") || text_is(resource, "ephemeral-storage") ||
                 (resource.len > 10 && memcmp(resource.at, "hugepages-", 10) == 0);
    char text[QUANTITY_TEXT_MAX];

    if (!bytes && !text_is(resource, "cpu")) {
        sentence_number(say, "", amount_clamp(amount), "");
        return;
    }
    quantity_format(amount_clamp(amount), !bytes, text);
    sentence_str(say, text);
}

void sentence_span(struct sentence *say, int64_t nanoseconds)
{
    static const struct {
        int64_t size;
        const char *name;
    } units[] = {
        {INT64_C(86400000000000), "d"}, {INT64_C(3600000000000), "h"}, {INT64_C(60000000000), "m"},
        {INT64_C(1000000000), "s"},     {INT64_C(1000000), "ms"},
    };
    int said = 0;

    if (nanoseconds < 0)
        nanoseconds = 0;

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && said < 2; i++) {
        int64_t count = nanoseconds / units[i].size;

        if (count == 0) {
            said = said > 0 ? 2 : 0;
            continue;
        }
        sentence_number(say, "", count, units[i].name);
        nanoseconds -= count * units[i].size;
        said++;
    }
    if (said == 0)
        sentence_str(say, "0s");
}
