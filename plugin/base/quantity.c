/* SPDX-License-Identifier: Apache-2.0 */
#include "quantity.h"

#include "amount.h"

#include <string.h>

/* (whole . part) * 10^ten * 2^two; no leading zeros in whole, both may be empty. */
struct number {
    bool negative;
    const char *whole;
    size_t whole_len;
    const char *part;
    size_t part_len;
    int64_t ten;
    uint32_t two;
};

static const struct {
    char text[3];
    int8_t ten;
    uint8_t two;
} suffixes[] = {
    {"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
    {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
    {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
};

static size_t count_digits(const char *text, size_t len)
{
    size_t n = 0;

    while (n < len && text[n] >= '0' && text[n] <= '9')
        n++;
    return n;
}

bool quantity_parse_whole(struct text text, int64_t *ret)
{
    bool negative = text.len > 0 && text.at[0] == '-';
    size_t at = text.len > 0 && (negative || text.at[0] == '+') ? 1 : 0;
    int64_t number = 0;

    if (at == text.len)
        return false;
    for (; at < text.len; at++) {
        int64_t digit = text.at[at] - '0';

        /* Counted down, as there is one more below 0 than above. */
        if (digit < 0 || digit > 9 || number < (INT64_MIN + digit) / 10)
            return false;
        number = number * 10 - digit;
    }
    if (!negative && number == INT64_MIN)
        return false;
    *ret = negative ? number : -number;
    return true;
}

static bool read_suffix(const char *text, size_t len, struct number *number)
{
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (len == strlen(suffixes[i].text) && memcmp(text, suffixes[i].text, len) == 0) {
            number->ten = suffixes[i].ten;
            number->two = suffixes[i].two;
            return true;
        }
    }
    if (*text != 'e' && *text != 'E')
        return false;
    if (!quantity_parse_whole((struct text){text + 1, len - 1}, &number->ten))
        return false;
    /* Kubernetes looks at the lower 32 bits only. So must we: both have to count the same. */
    number->ten = (int32_t)(uint32_t)(uint64_t)number->ten;
    return true;
}

/* Without any digits Kubernetes reads a 0 where its short way serves; what is too large or too fine
 * for that is refused. */
static bool read_number(const char *text, size_t len, struct number *ret_number)
{
    struct number number = {0};
    size_t at = 0;

    if (len == 0)
        return false;
    if (text[0] == '-' || text[0] == '+') {
        number.negative = text[0] == '-';
        at++;
    }

    size_t first = at;

    while (at < len && text[at] == '0')
        at++;

    bool has_digits = at > first;

    number.whole = text + at;
    number.whole_len = count_digits(text + at, len - at);
    at += number.whole_len;
    if (at < len && text[at] == '.') {
        at++;
        number.part = text + at;
        number.part_len = count_digits(text + at, len - at);
        at += number.part_len;
    }

    has_digits = has_digits || number.whole_len > 0 || number.part_len > 0;

    if (!read_suffix(text + at, len - at, &number))
        return false;
    if (!has_digits && (number.two >= 50 || number.ten < -9))
        return false;
    *ret_number = number;
    return true;
}

static int64_t append_digit(int64_t value, char digit)
{
    if (value > AMOUNT_MAX / 10)
        return AMOUNT_MAX;
    return amount_clamp((wide)value * 10 + (digit - '0'));
}

static char digit_at(const struct number *number, size_t i)
{
    return i < number->whole_len ? number->whole[i] : number->part[i - number->whole_len];
}

/* Rounded up. The digits are one row; `ten` says where the point is in it, or how many zeros
 * follow. */
static int64_t decimal_value(const struct number *number, int64_t ten)
{
    size_t len = number->whole_len + number->part_len;
    size_t cut = ten >= 0 ? 0 : (size_t)-ten < len ? (size_t)-ten : len;
    int64_t value = 0;
    bool rest = false;

    for (size_t i = 0; i < len - cut; i++)
        value = append_digit(value, digit_at(number, i));
    for (size_t i = len - cut; i < len && !rest; i++)
        rest = digit_at(number, i) != '0';
    for (; ten > 0 && value > 0 && value < AMOUNT_MAX; ten--)
        value = append_digit(value, '0');
    return amount_clamp((wide)value + rest);
}

/* 0.digits * factor, rounded up: a long multiplication from the right, in groups of nine digits,
 * of which only what is carried over the point is kept. [factor < 2^70] */
static wide fraction_of(const char *digits, size_t len, wide factor)
{
    enum { GROUP = 9, GROUP_BASE = 1000000000 };
    wide carry = 0;
    bool rest = false;

    for (size_t end = len, start; end > 0; end = start) {
        wide group = 0;

        start = (end - 1) / GROUP * GROUP;
        for (size_t i = start; i < start + GROUP; i++)
            group = group * 10 + (i < end ? digits[i] - '0' : 0);
        carry += group * factor;
        rest = rest || carry % GROUP_BASE != 0;
        carry /= GROUP_BASE;
    }
    return carry + rest;
}

/* Rounded up. */
static int64_t binary_value(const struct number *number, wide factor)
{
    int64_t whole = 0;

    for (size_t i = 0; i < number->whole_len; i++)
        whole = append_digit(whole, number->whole[i]);
    if (whole > AMOUNT_MAX / factor)
        return AMOUNT_MAX;
    return amount_clamp(whole * factor + fraction_of(number->part, number->part_len, factor));
}

bool quantity_parse(const char *text, size_t len, bool milli, int64_t *ret_amount)
{
    struct number number;
    int64_t value;

    if (!read_number(text, len, &number))
        return false;

    if (number.two > 0)
        value = binary_value(&number, ((wide)1 << number.two) * (milli ? 1000 : 1));
    else
        value = decimal_value(&number, number.ten + (milli ? 3 : 0) - (int64_t)number.part_len);
    *ret_amount = number.negative ? -value : value;
    return true;
}

size_t quantity_format(int64_t amount, bool milli, char out[QUANTITY_TEXT_MAX])
{
    static const char binary[][3] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    uint64_t value = amount < 0 ? 0 - (uint64_t)amount : (uint64_t)amount;
    const char *suffix = "";

    if (milli && value % 1000 == 0) {
        value /= 1000;
    } else if (milli) {
        suffix = "m";
    } else {
        size_t power = 0;

        for (; value != 0 && value % 1024 == 0; value /= 1024)
            power++;
        suffix = binary[power];
    }

    char text[QUANTITY_TEXT_MAX];
    char *end = text + sizeof(text);
    char *first = end - strlen(suffix);

    memcpy(first, suffix, strlen(suffix));
    do {
        *--first = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    if (amount < 0)
        *--first = '-';

    memcpy(out, first, (size_t)(end - first));
    out[end - first] = '\0';
    return (size_t)(end - first);
}
