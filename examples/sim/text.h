/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_TEXT_H
#define SLUICE_SIM_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* A text as JSON, quotes included; as what XML allows between tags and in attributes. */
void text_json(FILE *out, const char *text);
void text_xml(FILE *out, const char *text);

/* Whether the words, of which the last is NULL, have it. */
bool text_is_one_of(const char *text, const char *const *words);

/* Words, in lines of at most width columns that begin with the indent. */
void text_wrap(FILE *out, const char *text, const char *indent, size_t width);

#endif
