/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_PRINTABLE_H
#define SLUICE_PLUGIN_BASE_PRINTABLE_H

#include "text.h"

/*
 * What a stranger wrote, as a terminal, a log or a page may show it: every character of it is seen,
 * and does nothing else.
 *
 * Letters, marks, digits, punctuation and symbols of all scripts, and the space, are shown as they
 * are. Controls, characters that turn the direction of others, spaces of other widths, characters
 * that nobody sees, and bytes that are no UTF-8 are written as Go and C write them: \n, \x1b,
 * \u202e, \U000e0001.
 */

/* The longest that one character becomes. */
enum { PRINTABLE_MAX = 10 };

/* Takes the first character off a text that has one, and writes how it is shown, without a zero
 * byte; returns how long that is. Between quotes a quote and a backslash are escaped, too. */
size_t printable_take(struct text *rest, bool quoted, char out[PRINTABLE_MAX]);

/* Whether a name is shown without quotes. Where a space, a quote, a backslash or what has to be
 * escaped is in it, quotes say where it ends: so no part of it passes for a word of the sentence
 * that it is in. */
bool printable_is_bare(struct text name);

#endif
