/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ADMIT_H
#define SLUICE_PLUGIN_ADMIT_H

#include "plugin/base/facts.h"
#include "plugin/queues/queue_admit.h"

#include <stdbool.h>

/* What a webhook asks about an object that somebody creates, changes or deletes; about a queue:
 * queue_admit.h. */
struct engine;

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
