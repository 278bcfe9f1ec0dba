/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_HEADROOM_H
#define SLUICE_PLUGIN_ORDER_HEADROOM_H

#include "plugin/base/amount.h"

#include <stdbool.h>
#include <stdint.h>

/* What the tree of queues has left: the one place where a claim is measured against ceilings. */

/* More than any sum of amounts. */
#define HEADROOM_UNLIMITED ((wide)1 << 120)

struct engine;

/* Of nothing there is enough, however deep in debt a queue is. */
static inline bool headroom_holds(wide room, wide amount)
{
    return amount == 0 || amount <= room;
}

/* What there is room for at a queue, in one of these senses. */
typedef wide headroom_function(const struct engine *e, uint32_t queue, uint16_t flavor,
                               uint32_t resource);

/* How much more a claim could ask for at this queue: the least of all ceilings on the way to the
 * root, where what is kept and unused on the way down helps. Below 0 for who is in debt. For what
 * holds something now (headroom_present), for what will once all that is under way has happened
 * (headroom_later), and for who takes nobody's promised room: the least of both. */
wide headroom_now(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);
wide headroom_present(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);
wide headroom_later(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);

/* What one queue alone has left for a claim of this leaf: its ceiling less its usage, and less what
 * is set aside for a head that is guarded there; later, of the leaf itself, no more than its share,
 * while somebody is promised room within that. */
wide headroom_left(const struct engine *e, uint32_t where, uint32_t leaf, uint16_t flavor,
                   uint32_t resource, bool later);

/* For a claim that was granted before, at a restart: as at a shrink (demote.h) only what arrives at
 * a queue counts there, and the debt of those above takes nothing of what is kept. */
wide headroom_again(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);

/* The room, had nobody used anything: what no release can ever exceed. */
wide headroom_ever(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);

/* The same, as far as people wrote it: the sum of the nodes, where that is a ceiling, does not
 * count. And the queue whose ceiling it is, or the one that was asked about if none is. */
wide headroom_written(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);
wide headroom_written_by(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                         uint32_t *ret_queue);

#endif
