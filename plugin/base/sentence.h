/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_SENTENCE_H
#define SLUICE_PLUGIN_BASE_SENTENCE_H

#include "amount.h"
#include "text.h"

#include <stddef.h>
#include <stdint.h>

/* Builds a message for a person in a fixed buffer: always terminated, cut off where it is full,
 * never inside a character. What others wrote is data in it, and never more than that. */
struct sentence {
    char *out;
    size_t cap, len;
};

/* How much of one name is shown, in bytes: as long as a name in Kubernetes may be. */
enum { SENTENCE_NAME_MAX = 253 };

/* An empty one in these bytes. */
struct sentence sentence_in(char *out, size_t cap);

/* Words of our own. */
void sentence_str(struct sentence *say, const char *s);

/* A name that others chose, as printable.h says, in quotes where that tells where it ends. Behind
 * one that is too long there are three dots. */
void sentence_text(struct sentence *say, struct text name);

/* The same with words of ours around it. */
void sentence_named(struct sentence *say, const char *before, struct text name, const char *behind);

/* Words of others, without quotes. */
void sentence_phrase(struct sentence *say, struct text phrase);

/* A number with words of ours around it. */
void sentence_number(struct sentence *say, const char *before, int64_t number, const char *behind);

/* The same of something that is counted; of none nothing is said. */
void sentence_count(struct sentence *sentence, const char *before, uint32_t count,
                    const char *behind);

/* An amount the way Kubernetes writes it; what it is of decides the unit. */
void sentence_amount(struct sentence *say, struct text resource, wide amount);

/* A span of time, with the two units that matter: 1h30m, 2m5s, 300ms. */
void sentence_span(struct sentence *say, int64_t nanoseconds);

#endif
