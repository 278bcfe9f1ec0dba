/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_QUEUE_COUNT_H
#define SLUICE_PLUGIN_RECORDS_QUEUE_COUNT_H

#include "queue.h"

/* What a queue counts of itself and of all below it. */

/* So many claims more in this state, in the queue and all above it. */
void queue_count(struct engine *e, uint32_t queue, enum claim_state state, int more);

/* So many PodGroups more that name the queue are left. */
void queue_count_groups(struct engine *e, uint32_t queue, int more);

/* All that a queue counts begins (1) or ceases (-1) to count in those above it. */
void queue_count_below(struct engine *e, uint32_t queue, int sign);

/* Claims at and below this queue are promised something, or (negative) no longer. */
void queue_count_promised(struct engine *e, uint32_t queue, int more);

/* So many more workloads of the queue hold, or are promised, something; so many more wait. */
void queue_count_workloads(struct engine *e, uint32_t queue, int holding, int waiting);

/* One of its claims gave back what it held, on a node, for so many nanoseconds. */
void queue_note_run_time(struct engine *e, uint32_t queue, int64_t nanoseconds);

/* Neither a claim nor a PodGroup that is not over is left in the queue or below it, as far as can
 * be known. */
bool queue_is_empty(const struct engine *e, uint32_t queue);

#endif
