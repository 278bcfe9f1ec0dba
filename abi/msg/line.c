/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include <string.h>

#include "plugin/base/printable.h"

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

void msg_line_foreign(struct msg_line *line, const char *text, size_t len)
{
    struct text rest = {text, len};
    char piece[PRINTABLE_MAX];

    while (rest.len > 0 && !line->cut) {
        size_t shown = printable_take(&rest, true, piece);
        msg_line_add(line, piece, shown);
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
