/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include <string.h>

#include "wire.h"

void msg_line_add(struct msg_line *line, const char *text, size_t len)
{
    if (line->cut || len > line->cap - line->len) {
        line->cut = true;
        return;
    }
    memcpy(line->out + line->len, text, len);
    line->len += len;
}

void msg_line_words(struct msg_line *line, const char *words)
{
    while (*words != '\0') {
        size_t len = strcspn(words + 1, " ") + 1;
        msg_line_add(line, words, len);
        words += len;
    }
}

void msg_line_number(struct msg_line *line, uint64_t number)
{
    char digits[20];
    size_t first = sizeof(digits);
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    msg_line_add(line, digits + first, sizeof(digits) - first);
}

void msg_line_integer(struct msg_line *line, int64_t integer)
{
    if (integer < 0)
        msg_line_add(line, "-", 1);
    msg_line_number(line, integer < 0 ? UINT64_C(0) - (uint64_t)integer : (uint64_t)integer);
}

static void line_byte_escaped(struct msg_line *line, uint8_t byte)
{
    static const char hex[] = "0123456789abcdef";
    char escape[4] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    if (byte == '\n')
        msg_line_add(line, "\\n", 2);
    else if (byte == '\t')
        msg_line_add(line, "\\t", 2);
    else
        msg_line_add(line, escape, sizeof(escape));
}

void msg_line_foreign(struct msg_line *line, const char *text, size_t len)
{
    const uint8_t *at = (const uint8_t *)text;
    const uint8_t *end = at + len;
    while (at < end && !line->cut) {
        size_t character = msg_wire_character(at, end);
        bool is_c1_control = character == 2 && at[0] == 0xc2 && at[1] < 0xa0;
        if (character == 0 || at[0] < 0x20 || at[0] == 0x7f || is_c1_control) {
            line_byte_escaped(line, *at++);
            continue;
        }
        if (*at == '"' || *at == '\\')
            msg_line_add(line, *at == '"' ? "\\\"" : "\\\\", 2);
        else
            msg_line_add(line, (const char *)at, character);
        at += character;
    }
}

void msg_line_end(struct msg_line *line, const char *closing)
{
    if (line->cut) {
        memcpy(line->out + line->len, "...", 3);
        line->len += 3;
    }
    memcpy(line->out + line->len, closing, strlen(closing) + 1);
}
