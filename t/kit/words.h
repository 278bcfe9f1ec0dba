/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_WORDS_H
#define SLUICE_T_WORDS_H

#include "plugin/base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { WORDS_MAX = 24 };

/* A step cut into its words; a value stands behind the first = of its word, else it is empty. The
 * first word is what is to be done: no option. */
struct words {
    char text[2048];
    int count;
    char *word[WORDS_MAX], *value[WORDS_MAX];
};

void words_cut(const char *step, struct words *ret);

/* Options by their names. */
bool words_has(const struct words *words, const char *name);
char *words_value_of(const struct words *words, const char *name, char *otherwise);
int64_t words_number_of(const struct words *words, const char *name, int64_t otherwise);

/* No text if it is empty. */
struct text words_text(const char *s);

#endif
