/* SPDX-License-Identifier: Apache-2.0 */
#include "notes.h"

#include "plugin/pods/assembly.h"
#include "plugin/pods/claim_time.h"
#include "plugin/pods/group_member.h"
#include "plugin/queues/queue_tree.h"
#include "plugin/queues/root_nodes.h"
#include "plugin/state.h"
#include "plugin/telling/group_effects.h"
#include "plugin/workloads/workload_settle.h"

void note_claim_changes(struct engine *e, uint32_t claim)
{
    group_count(e, claim, -1);
}

void note_claim_changed(struct engine *e, uint32_t claim)
{
    group_count(e, claim, 1);
}

void note_claim_reserved_no_more(struct engine *e, uint32_t claim)
{
    demote_forget(e, claim);
}

void note_claim_allocated(struct engine *e, uint32_t claim)
{
    assembly_leaves_permit(e, claim);
}

void note_claim_uncounted(struct engine *e, uint32_t claim)
{
    demote_uncounted(e, claim);
}

void note_claim_deadline(struct engine *e, uint32_t claim)
{
    claim_set_timer(e, claim);
}

void note_claim_goes(struct engine *e, uint32_t claim)
{
    group_leave(e, claim);
}

void note_workload(struct engine *e, uint32_t workload)
{
    workload_settle(e, workload);
}

void note_group(struct engine *e, uint32_t group)
{
    group_sync_effects(e, group);
}

void note_queue_unused(struct engine *e, uint32_t queue)
{
    queue_drop_unused(e, queue);
}

void note_tree_changes(struct engine *e)
{
    demote_restart(e);
}

void note_queue_goes(struct engine *e, uint32_t queue)
{
    demote_forget_queue(e, queue);
}

void note_queue_leaf(struct engine *e, uint32_t queue)
{
    assembly_queue_changed(e);
    if (queue_at(e, queue)->reserved != 0)
        queue_stops_changed(e);
}

int note_node_comes(struct engine *e, const struct node *node)
{
    return root_reserve_nodes(e, node);
}

void note_nodes_changed(struct engine *e, const struct node *before, const struct node *after)
{
    root_change_nodes(e, before, after);
}
