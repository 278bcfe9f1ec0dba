/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_MSG_LINE_H
#define SLUICE_MSG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A short text for people, written piece by piece into `out`. The first piece that would make it
 * longer than `cap` bytes, and all after it, are left out; then it ends with "...".
 *
 *     struct msg_line line = {.out = buffer, .cap = sizeof(buffer) - 4};
 */
struct msg_line {
    char *out; /* has room for cap bytes, the three dots, the closing text and a zero byte */
    size_t cap;
    size_t len;
    bool cut;
};

/* One piece: all of it or nothing. */
void msg_line_add(struct msg_line *line, const char *text, size_t len);

/* Text of our own; each word is a piece. */
void msg_line_words(struct msg_line *line, const char *words);
void msg_line_number(struct msg_line *line, uint64_t number);
void msg_line_integer(struct msg_line *line, int64_t integer);

/*
 * Text of the host's, each character a piece. Quotes and backslashes get a backslash; what is not
 * printable, and bytes that are not UTF-8, are written as plugin/base/printable.h says.
 */
void msg_line_foreign(struct msg_line *line, const char *text, size_t len);

/* The dots if it was cut, then the closing text and the zero byte. */
void msg_line_end(struct msg_line *line, const char *closing);

#endif
