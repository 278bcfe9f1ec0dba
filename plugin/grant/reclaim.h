/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_RECLAIM_H
#define SLUICE_PLUGIN_GRANT_RECLAIM_H

#include "plugin/base/amount.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The guard against those that evict each other for ever, for pods and workloads alike.
 *
 * A claim that borrows may take others' room by priority. What it borrows its owners can reclaim
 * from any priority, where their queue says so:
 *
 *   the victim, if its queue would hold it within the share again, without those of the queue that
 *   it may send away, sends the borrower away, the borrower comes back for the victim, and so on;
 *
 *   so does somebody else who waits, in whatever queue that would hold it within its share: and
 *   the victim may take it from that one, in a ring of three.
 *
 * Nobody is sent away for whom it would end like that. Who could never be admitted, as it asks
 * besides for what its queue has nothing of, takes nothing back and is not counted, whatever of
 * that is within the share.
 */
struct claim_need;
struct engine;

/* What the victim used of something that the borrower asks for. */
struct reclaim_amount {
    uint16_t flavor;
    uint32_t resource;
    wide used;
    wide arrives; /* what it would come back with, and as few pods as it may have; is used up */
};

/* Whether the victim would take the room back at once. It is away, in what is used later, as those
 * of its unit are; `common` is the lowest queue above both. Looks at those of its queue that would
 * go before it. */
bool reclaim_takes_back(struct engine *e, uint32_t victim, uint32_t common,
                        struct reclaim_amount *amounts, uint32_t count);

/* Whether somebody waits, in another queue of the tree than the borrower's, who could reclaim what
 * this one asks for. Looks at all queues of the tree, and of each at the first that ask. */
bool reclaim_is_awaited(struct engine *e, uint32_t borrower, const struct claim_need *asked,
                        uint32_t count);

#endif
