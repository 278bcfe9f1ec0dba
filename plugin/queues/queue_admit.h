/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_ADMIT_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_ADMIT_H

#include "plugin/base/facts.h"

#include <stdbool.h>

/*
 * What is wrong with a queue of Volcano's that somebody creates, changes or deletes:
 *
 *   its amounts     contradict each other, or those above, beside or below it (queue_amounts.h)
 *   its parent      does not exist, is a descendant, is too deep for it (at most 8 levels), or has
 *                   pods, which only a queue with none below it grants anything
 *   when it goes    it is root or default, or has children or claims
 *
 * Every refusal names the field and both amounts. What the tree holds already is not judged anew,
 * but where the change meets it.
 */
enum { QUEUE_REFUSAL_MAX = 900 };

struct engine;

/* Whether it is allowed; if not, why not. */
bool engine_admit_queue(const struct engine *e, const struct queue_facts *queue,
                        char ret_reason[QUEUE_REFUSAL_MAX]);
bool engine_admit_queue_deletion(const struct engine *e, struct text name,
                                 char ret_reason[QUEUE_REFUSAL_MAX]);

#endif
