/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_GUARD_H
#define SLUICE_PLUGIN_ORDER_GUARD_H

#include <stdint.h>

/*
 * The guard of a queue's head: so that big claims do not starve behind small ones.
 *
 * A head that has been passed over for longer than the configuration allows stops its queue, as in
 * a fifo queue, and where it is refused what it asks for is set aside: others get what is left
 * beyond that, and what is kept for them, so that what is released gathers until the head fits. A
 * head that could never fit is not guarded.
 */

struct engine;

/* A claim of the queue was granted; its head may have been passed over. */
void guard_after_grant(struct engine *e, uint32_t queue, uint32_t claim);

/* The queue's head may be another one. */
void guard_review(struct engine *e, uint32_t queue);

/* The head has been passed over for long enough. */
void guard_begin(struct engine *e, uint32_t queue);

/* What refuses the guarded heads below this queue may have changed. */
void guard_point_below(struct engine *e, uint32_t queue);

/* Afterwards the next queue that comes to be can have a guarded head. Negative on error. */
int guard_reserve(struct engine *e);

/* The queue goes. */
void guard_forget(struct engine *e, uint32_t queue);

/* The queue is about to hang elsewhere: nothing stays set aside above it for heads below. */
void guard_unhang(struct engine *e, uint32_t queue);

const char *guard_check(const struct engine *e, uint32_t queue);

#endif
