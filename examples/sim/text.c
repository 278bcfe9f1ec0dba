/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/base/printable.h"

/* A longer line is cut off: no sentence of ours is. */
enum { LONGEST_LINE = 16 << 10 };

void text_put(FILE *out, const char *text, size_t len)
{
    struct text rest = {text, len};
    char piece[PRINTABLE_MAX];

    while (rest.len > 0)
        fwrite(piece, 1, printable_take(&rest, false, piece), out);
}

void text_say(FILE *out, const char *format, ...)
{
    char line[LONGEST_LINE];
    size_t len = strlen(format);
    bool ends = len > 0 && format[len - 1] == '\n';
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    len = strlen(line);
    text_put(out, line, ends && len > 0 && line[len - 1] == '\n' ? len - 1 : len);
    if (ends)
        fputc('\n', out);
}

const char *text_name(struct arena *arena, const char *name)
{
    return printable_is_bare(text_of(name)) ? name : text_quoted(arena, name);
}

const char *text_quoted(struct arena *arena, const char *text)
{
    struct text rest = text_of(text);
    char *shown = arena_get(arena, PRINTABLE_MAX * rest.len + sizeof("\"\""));
    char *end = shown;

    *end++ = '"';
    while (rest.len > 0)
        end += printable_take(&rest, true, end);
    *end = '"';
    return shown;
}

/* An escape of printable.h, as JSON has it. */
static void put_json_escape(FILE *out, const char *piece, size_t len, bool is_text)
{
    char digits[9] = "";
    unsigned long character;

    if (len == 2) {
        fwrite(piece, 1, len, out);
        return;
    }
    memcpy(digits, piece + 2, len - 2);
    character = strtoul(digits, NULL, 16);
    if (!is_text) /* a byte that JSON has no word for */
        fputs("\\ufffd", out);
    else if (character < 0x10000)
        fprintf(out, "\\u%04lx", character);
    else
        fprintf(out, "\\u%04lx\\u%04lx", 0xd7c0 + (character >> 10), 0xdc00 + (character & 0x3ff));
}

void text_json(FILE *out, const char *text)
{
    struct text rest = text_of(text);
    char piece[PRINTABLE_MAX];

    fputc('"', out);
    while (rest.len > 0) {
        const char *at = rest.at;
        size_t len = printable_take(&rest, true, piece);
        if (piece[0] != '\\')
            fwrite(piece, 1, len, out);
        else
            put_json_escape(out, piece, len, rest.at > at + 1 || (unsigned char)*at < 0x80);
    }
    fputc('"', out);
}

void text_xml(FILE *out, const char *text)
{
    struct text rest = text_of(text);
    char piece[PRINTABLE_MAX];

    while (rest.len > 0) {
        size_t len = printable_take(&rest, false, piece);
        if (len == 1 && strchr("<>&\"'", piece[0]))
            fprintf(out, "&#%d;", piece[0]);
        else
            fwrite(piece, 1, len, out);
    }
}

bool text_is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(*words, text) == 0)
            return true;
    return false;
}

void text_wrap(FILE *out, const char *text, const char *indent, size_t width)
{
    size_t column = 0;

    while (*text) {
        size_t blanks = strspn(text, " \n\t");
        size_t word = strcspn(text + blanks, " \n\t");
        if (word == 0)
            break;
        if (column > 0 && column + 1 + word <= width) {
            column += 1 + word;
            fputc(' ', out);
        } else {
            if (column > 0)
                fputc('\n', out);
            column = strlen(indent) + word;
            fputs(indent, out);
        }
        text_put(out, text + blanks, word);
        text += blanks + word;
    }
    if (column > 0)
        fputc('\n', out);
}
