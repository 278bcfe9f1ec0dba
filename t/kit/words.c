/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "t/kit/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void words_cut(const char *step, struct words *ret)
{
    char *rest;

    ret->count = 0;
    snprintf(ret->text, sizeof(ret->text), "%s", step);
    for (char *word = strtok_r(ret->text, " \n", &rest); word != NULL && ret->count < WORDS_MAX;
         word = strtok_r(NULL, " \n", &rest)) {
        char *value = strchr(word, '=');

        if (value != NULL)
            *value++ = '\0';
        ret->word[ret->count] = word;
        ret->value[ret->count++] = value == NULL ? word + strlen(word) : value;
    }
}

bool words_has(const struct words *words, const char *name)
{
    for (int i = 1; i < words->count; i++) {
        if (strcmp(words->word[i], name) == 0)
            return true;
    }
    return false;
}

char *words_value_of(const struct words *words, const char *name, char *otherwise)
{
    for (int i = 1; i < words->count; i++) {
        if (strcmp(words->word[i], name) == 0)
            return words->value[i];
    }
    return otherwise;
}

int64_t words_number_of(const struct words *words, const char *name, int64_t otherwise)
{
    char none[] = "";
    const char *value = words_value_of(words, name, none);

    return *value == '\0' ? otherwise : strtoll(value, NULL, 10);
}

struct text words_text(const char *s)
{
    return *s == '\0' ? (struct text){NULL, 0} : text_of(s);
}
