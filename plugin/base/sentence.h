/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_SENTENCE_H
#define SLUICE_PLUGIN_BASE_SENTENCE_H

#include "amount.h"
#include "text.h"

#include <stddef.h>
#include <stdint.h>

/* Builds a message for a person in a fixed buffer: always terminated, cut off where it is full,
 * never inside a character. */
struct sentence {
    char *out;
    size_t cap, len;
};

void sentence_init(struct sentence *say, char *out, size_t cap);
void sentence_text(struct sentence *say, struct text text);
void sentence_str(struct sentence *say, const char *s);
void sentence_number(struct sentence *say, int64_t number);

/* So many of something, with words around it; of none nothing is said. */
void sentence_count(struct sentence *sentence, const char *before, uint32_t count,
                    const char *behind);

/* An amount the way Kubernetes writes it; what it is of decides the unit. */
void sentence_amount(struct sentence *say, struct text resource, wide amount);

/* A span of time, with the two units that matter: 1h30m, 2m5s, 300ms. */
void sentence_span(struct sentence *say, int64_t nanoseconds);

#endif
