/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_QUANTITY_H
#define SLUICE_PLUGIN_BASE_QUANTITY_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kubernetes' quantities as text: "1500m", "0.5", "16Gi", "1E3" (an exponent), "1E" (exa).
 *
 *   [+-] digits [. digits] [ n u m k M G T P E | Ki Mi Gi Ti Pi Ei | e[+-]digits | E[+-]digits ]
 *
 * Exactly what Kubernetes accepts is accepted, with its oddities: "." and "M" are a 0, "Pi" is
 * not. */

/* Reads text as thousandths (milli) or as whole units. What is finer is rounded away from 0, as
 * Kubernetes does: who asks for something gets something. What is larger than AMOUNT_MAX is
 * AMOUNT_MAX, on either side of 0. Negative quantities are read: whether they make sense is for the
 * caller to say. Needs no memory; the time grows with len alone. False: it is no quantity, and
 * *ret_amount is as it was. */
bool quantity_parse(const char *text, size_t len, bool milli, int64_t *ret_amount);

/* A decimal number that fits in an int64_t; a sign may stand before it. */
bool quantity_parse_whole(struct text text, int64_t *ret);

/* Enough for any text that quantity_format writes, and its NUL. */
enum { QUANTITY_TEXT_MAX = 24 };

/* Writes an amount the way people write it: thousandths as "1500m", or "2" when they are whole;
 * units with the largest binary suffix that divides them ("16Gi"), or plain. Reading it again gives
 * the same amount. NUL-terminated; returns the length. */
size_t quantity_format(int64_t amount, bool milli, char out[QUANTITY_TEXT_MAX]);

#endif
