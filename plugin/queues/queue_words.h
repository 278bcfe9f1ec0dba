/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_WORDS_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_WORDS_H

#include "plugin/records/queue_status.h"

#include <stdbool.h>
#include <stdint.h>

/* What the status of a queue says, as hashes: they tell whether its object says the same. */
struct engine;

struct queue_words queue_words_of(const struct engine *e, uint32_t queue);

/* The counts are others than those that were written last. */
bool queue_counts_differ(const struct engine *e, uint32_t queue);

#endif
