/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUE_ADMIT_H
#define SLUICE_PLUGIN_QUEUE_ADMIT_H

#include "facts.h"

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

/* Whether a command to a queue can do anything: its action is known, and its queue exists and has
 * an object. What the table, or a parent, makes of it shows when it is carried out. */
bool engine_admit_command(const struct engine *e, const struct command_facts *command,
                          char ret_reason[QUEUE_REFUSAL_MAX]);

/* Whether the queue of a pod that is created takes new ones: it, and those above it, are neither
 * Closed nor Closing. A pod's queue is that of its group, where that names one; a queue that is
 * Closing takes the pods of a PodGroup that somebody else made and that is left in it. */
bool engine_admit_to_queue(const struct engine *e, const struct pod_facts *pod,
                           char ret_reason[QUEUE_REFUSAL_MAX]);

/* Whether a PodGroup that is created can ever be: its minimum is none or a number of pods, and the
 * queue that it names takes new ones. */
bool engine_admit_group(const struct engine *e, const struct group_facts *group,
                        char ret_reason[QUEUE_REFUSAL_MAX]);

#endif
