/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_OLDEST_H
#define SLUICE_PLUGIN_TELLING_OLDEST_H

#include <stdint.h>

/*
 * Who has waited longest in a queue, and which of its reservations has been without a node for
 * longest. A queue's order is by priority first, so its head need not be the oldest. But of each
 * priority the first is, and of these there are few:
 *
 *     priority   9  9  9  |  5  5  |  0  0  0  0
 *                ▲           ▲        ▲            one of them is the oldest
 *
 * To find the first of a lower priority costs a look at each kind (size_class.h), and at each line
 * in which several wait and the first comes before that. At most so many of both are looked at, and
 * likewise so many reservations: beyond that somebody older may have been passed over.
 */
enum { OLDEST_LOOKS = 1024 };

struct engine;

/* When who waits longest came into the queue; 0: nobody waits. Its own claims, not those below it;
 * workloads, too. */
int64_t oldest_waiting(const struct engine *e, uint32_t queue);
int64_t oldest_waiting_local(const struct engine *e, uint32_t local_queue);

/* When the oldest reservation of a pod that has no node yet was made; 0: there is none. What is
 * held for members of a gang that are still to come is one, too. Not workloads: nodes are their
 * pods' matter. */
int64_t oldest_unplaced(const struct engine *e, uint32_t queue);

#endif
