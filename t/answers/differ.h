/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ANSWERS_DIFFER_H
#define SLUICE_T_ANSWERS_DIFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hooks/call.h"

/* In what two answers to one request differ, compared as decoded messages. */
enum { DIFFERENCE_TEXT = 400 };

struct difference {
    char path[200]; /* keys and indices from the top of the answer: "effects.3.patch.gates", or
                       "result" where one of the two is an error of another code */
    char was[DIFFERENCE_TEXT];
    char is[DIFFERENCE_TEXT];
};

/* What a call returned, and the buffer that it was given. */
struct reply_seen {
    int64_t result;
    const uint8_t *bytes;
};

/* Called for each difference, in the order of the older answer. */
typedef void differ_found(void *context, const struct difference *difference);

/* An array that is longer in one of them differs in its path, and in those items that both have. */
void differ(struct reply_seen was, struct reply_seen is, differ_found *found, void *context);

enum { QUESTION_NAME = 48 };

/* A call's name in lists and reports: the hook, and of inspect also what it asks for, as
 * "inspect.pod". */
void question_name(enum hook_id hook, const uint8_t *request, size_t len, char ret[QUESTION_NAME]);

/* False: the answer tells of the build, and not of the engine's decisions: a digest, memory, the
 * recording. */
bool question_is_compared(const char *name);

/* Which object a request is about, as "pod default/p u1": what of kind, namespace, name and uid it
 * has. */
enum { QUESTION_SUBJECT = 400 };
void question_subject(const uint8_t *request, size_t len, char ret[QUESTION_SUBJECT]);

#endif
