/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_BORROW_H
#define SLUICE_PLUGIN_CAPACITY_BORROW_H

#include "plugin/base/amount.h"

#include <stdbool.h>
#include <stdint.h>

struct engine;

/* From how far up a queue of Kueue's borrows if it uses so much more: 0 if its own quota covers it,
 * else the height of the lowest cohort whose quota does; the root's if none does. A cohort without
 * cohorts has height 1, and each other is one higher than the highest of its cohorts. So that what
 * is nearer can be taken first.
 *
 * So it is now or, if that is farther, once all that is under way has happened (promise.h): what is
 * promised comes first.
 *
 * *ret_reclaims: there are others above from whom quota can come back. */
uint32_t borrow_height(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                       wide amount, bool *ret_reclaims);

/* The latter alone. */
uint32_t borrow_height_later(const struct engine *e, uint32_t queue, uint16_t flavor,
                             uint32_t resource, wide amount);

#endif
