/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_STOP_NOTICE_H
#define SLUICE_PLUGIN_PODS_STOP_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Claims learn, a slice at a time, that queues above them stop or no longer stop what was granted:
 * their effects follow, their time to be used begins anew, each that waits for such a queue says so
 * once, and so does the status of its group. A claim that was granted what the tree that its queue
 * is in by now has nothing of gives it back. Until a claim has learned it nothing wrong can happen
 * to it: whoever is asked about a claim asks its queues, and its timers look at them when they end.
 */
enum { STOP_NOTICE_SLICE = 256 };

struct stop_notice {
    uint64_t seen; /* of the changes that queues count: if there were more, all are to be looked at,
                      from `at` on (queue_stops_changed) */
    uint32_t at;   /* the record to look at next */
    uint32_t left; /* how many are to be looked at */
};

struct engine;

/* One slice. */
void stop_notice_some(struct engine *e);

/* Whether claims are left that may not know. */
bool stop_notice_is_due(const struct engine *e);

#endif
