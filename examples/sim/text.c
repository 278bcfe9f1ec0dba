/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/text.h"

#include <string.h>

void text_json(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

void text_xml(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else
            fputc(c < 0x20 ? ' ' : c, out);
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
            column += (size_t)fprintf(out, " %.*s", (int)word, text + blanks);
        } else {
            if (column > 0)
                fputc('\n', out);
            column = (size_t)fprintf(out, "%s%.*s", indent, (int)word, text + blanks);
        }
        text += blanks + word;
    }
    if (column > 0)
        fputc('\n', out);
}
