/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_TEXT_H
#define SLUICE_SIM_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "examples/sim/arena.h"

/* Texts as they are told. What a story's documents say is data: no character of it does anything to
 * a terminal, a page or a line, as plugin/base/printable.h says. */

/* A line, or a part of one: a line break of the format's own is there at its end alone. */
void text_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Any text, however long, in one line that does not end here. */
void text_put(FILE *out, const char *text, size_t len);

/* A name for a cell of a table, in quotes where that tells where it ends; any text in quotes, which
 * is a scalar in YAML that means it exactly. */
const char *text_name(struct arena *arena, const char *name);
const char *text_quoted(struct arena *arena, const char *text);

/* A text as JSON, quotes included, which means what it says exactly; as what XML allows between
 * tags and in attributes. */
void text_json(FILE *out, const char *text);
void text_xml(FILE *out, const char *text);

/* Whether the words, of which the last is NULL, have it. */
bool text_is_one_of(const char *text, const char *const *words);

/* Words, in lines of at most width columns that begin with the indent. */
void text_wrap(FILE *out, const char *text, const char *indent, size_t width);

#endif
