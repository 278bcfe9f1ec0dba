/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_SAY_H
#define SLUICE_PLUGIN_SAY_H

#include "amount.h"
#include "text.h"

#include <stddef.h>
#include <stdint.h>

/* Builds a message for a person in a fixed buffer: always terminated, cut off where it is full,
 * never inside a character. */
struct say {
    char *out;
    size_t cap, len;
};

void say_init(struct say *say, char *out, size_t cap);
void say_text(struct say *say, struct text text);
void say_str(struct say *say, const char *s);
void say_number(struct say *say, int64_t number);

/* An amount the way Kubernetes writes it; what it is of decides the unit. */
void say_amount(struct say *say, struct text resource, wide amount);

/* A span of time, with the two units that matter: 1h30m, 2m5s, 300ms. */
void say_span(struct say *say, int64_t nanoseconds);

#endif
