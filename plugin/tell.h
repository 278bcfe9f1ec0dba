/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELL_H
#define SLUICE_PLUGIN_TELL_H

#include <stdint.h>

/*
 * Claims learn, a slice at a time, that queues above them stop or no longer stop what was granted:
 * their effects follow, their time to be used begins anew, each that waits for such a queue says so
 * once, and so does the status of its group. Until a claim has learned it nothing wrong can happen
 * to it: whoever is asked about a claim asks its queues, and its timers look at them when they end.
 */
enum { TELL_SLICE = 256 };

struct tell {
    uint32_t at;   /* the record to look at next */
    uint32_t left; /* how many are to be looked at */
};

struct engine;

/* Something changed for claims of some queue. Who was granted what the tree that it is in now has
 * nothing of gives it back. */
void tell_claims(struct engine *e);

/* One slice. */
void tell_some(struct engine *e);

#endif
