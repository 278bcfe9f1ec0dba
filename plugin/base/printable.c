/* SPDX-License-Identifier: Apache-2.0 */
#include "printable.h"

#include <stdint.h>

/* The characters beyond ASCII that are escaped, in order: Unicode's categories Cc, Cf, Co, Zl, Zp
 * and Zs, what a font draws nothing for, and selectors of variants. */
static const struct {
    uint32_t first, last;
} escaped[] = {
    {0x80, 0xa0},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},
    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
    {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},
    {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164},   {0xe000, 0xf8ff},
    {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}, {0xf0000, 0x10ffff},
};

static bool is_printable(uint32_t character)
{
    if (character < 0x80)
        return character >= ' ' && character != 0x7f;
    if ((character & 0xfffe) == 0xfffe)
        return false;
    for (size_t i = 0; i < sizeof(escaped) / sizeof(escaped[0]); i++)
        if (character <= escaped[i].last)
            return character < escaped[i].first;
    return true;
}

/* The length of the first character; 0: it is no UTF-8. */
static size_t character_of(struct text text, uint32_t *ret_character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t head = (uint8_t)text.at[0];
    size_t len = head < 0x80   ? 1
                 : head < 0xc2 ? 0
                 : head < 0xe0 ? 2
                 : head < 0xf0 ? 3
                 : head < 0xf5 ? 4
                               : 0;
    uint32_t character = len < 2 ? head : head & (0x7fU >> len);

    if (len == 0 || len > text.len)
        return 0;
    for (size_t i = 1; i < len; i++) {
        if (((uint8_t)text.at[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | ((uint8_t)text.at[i] & 0x3f);
    }
    if (character < least[len] || character > 0x10ffff || (character & ~0x7ffU) == 0xd800)
        return 0;
    *ret_character = character;
    return len;
}

static size_t escape(char *out, char kind, uint32_t value, size_t digits)
{
    static const char hex[] = "0123456789abcdef";

    out[0] = '\\';
    out[1] = kind;
    for (size_t i = 0; i < digits; i++)
        out[2 + i] = hex[value >> 4 * (digits - 1 - i) & 15];
    return 2 + digits;
}

size_t printable_take(struct text *rest, bool quoted, char out[PRINTABLE_MAX])
{
    uint32_t character = 0;
    size_t len = character_of(*rest, &character);
    const char *at = rest->at;
    size_t taken = len == 0 ? 1 : len;

    rest->at += taken;
    rest->len -= taken;
    if (len == 0)
        return escape(out, 'x', (uint8_t)*at, 2);
    if (character == '\n' || character == '\t' || character == '\r')
        return escape(out, *at == '\n' ? 'n' : *at == '\t' ? 't' : 'r', 0, 0);
    if (quoted && (character == '"' || character == '\\'))
        return escape(out, *at, 0, 0);
    if (is_printable(character)) {
        memcpy(out, at, len);
        return len;
    }
    if (character < 0x80)
        return escape(out, 'x', character, 2);
    return character < 0x10000 ? escape(out, 'u', character, 4) : escape(out, 'U', character, 8);
}

bool printable_is_bare(struct text name)
{
    while (name.len > 0) {
        uint32_t character = (uint8_t)*name.at;
        size_t len = character < 0x80 ? 1 : character_of(name, &character);

        if (len == 0 || character == ' ' || character == '"' || character == '\\' ||
            !is_printable(character))
            return false;
        name.at += len;
        name.len -= len;
    }
    return true;
}
