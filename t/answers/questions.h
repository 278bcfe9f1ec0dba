/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ANSWERS_QUESTIONS_H
#define SLUICE_T_ANSWERS_QUESTIONS_H

#include "hooks/call.h"

/*
 * What a person could ask about everything that was shown: a recording has only the calls that
 * change something, and what can be inspected shall stay the same, too.
 */
enum { QUESTIONS = 4096, QUESTION_BYTES = 1024 };

struct question {
    const char *what;
    bool holding;
    char kind[16], namespace[72], name[260], uid[72];
};

struct questions {
    uint32_t count;
    uint32_t latest; /* the first about the object that was shown last */
    uint32_t about;  /* how many are about that object */
    struct question list[QUESTIONS];
};

/* Begins with what can be asked about nothing in particular. */
void questions_begin(struct questions *questions);

/* The object of a request can be asked about from here on. */
void questions_take(struct questions *questions, enum hook_id hook, const uint8_t *request,
                    size_t len);

/* The request of one of them; its length. */
size_t questions_put(const struct questions *questions, uint32_t index, int64_t now,
                     uint8_t out[QUESTION_BYTES]);

#endif
