/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_QUOTA_EDIT_H
#define SLUICE_PLUGIN_CLAIMS_QUOTA_EDIT_H

#include "plugin/capacity/quota.h"

/*
 * How the quota of a queue is edited: what its cells are, and what is counted in them by the claims
 * that are there (recount.h).
 */

/* One amount that a queue's own quota names. */
struct quota_amount {
    uint16_t flavor;
    uint32_t resource;
    wide share, ceiling, kept;
    bool has_ceiling, has_kept;
};

/* Makes room in the queue, and in `parent` and all above it, for `more` new cells beyond those that
 * the queue has. Negative on error. */
int quota_reserve(struct engine *e, uint32_t queue, uint32_t parent, uint32_t more);
int quota_reserve_cells(struct engine *e, uint32_t queue, uint32_t more); /* in this queue alone */

/* An edit takes the queue out of the tree, changes it, and puts it back:
 *   quota_detach; quota_name; and with the new parent set, quota_attach.
 * Between them the queue is nobody's child, and must not be in its parent's list of children.
 * [reserved] */
void quota_detach(struct engine *e, uint32_t queue);
void quota_name(struct engine *e, uint32_t queue, const struct quota_amount *amounts,
                uint32_t count);
void quota_attach(struct engine *e, uint32_t queue);

/* An edit that leaves the queue in its place does all of that in one step, whatever hangs below it.
 * [reserved] */
void quota_edit(struct engine *e, uint32_t queue, const struct quota_amount *amounts,
                uint32_t count);

/* The ceiling of a queue without parent grows or shrinks by an amount; at 0 it names it no longer.
 * [reserved for one] */
void quota_raise_ceiling(struct engine *e, uint32_t queue, uint32_t resource, wide more);

/* A cell is counted now: it limits, and passes up what it must. It may be gone afterwards. */
void quota_counted(struct engine *e, uint32_t queue, struct cell *cell);

#endif
