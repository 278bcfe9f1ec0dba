/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_PROMISE_FIT_H
#define SLUICE_PLUGIN_GRANT_PROMISE_FIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether who is promised room (promise.h) will have it, and whether there is some for it now:
 * asked whenever promises are looked at again (review.h).
 */
struct assignment;
struct engine;

/* Whether it could be promised its room as well now, had it not been. */
bool promise_fit_later(struct engine *e, uint32_t claim);

/* Whether it need not wait any longer: its room has come. A workload gets no room that others are
 * promised, and may have as many pods in other flavors, if its queue does not rather preempt than
 * borrow farther: so its victims may stay. */
bool promise_fit_now(struct engine *e, uint32_t claim, struct assignment *ret_made);

#endif
