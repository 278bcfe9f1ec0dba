/* SPDX-License-Identifier: Apache-2.0 */
#include "assembly.h"

#include "assembly_turn.h"
#include "claim_time.h"
#include "group_member.h"
#include "plugin/state.h"

/* Whether the queue of its members lets granted ones go on. */
static bool may_go_on(const struct engine *e, const struct group *group)
{
    return group->claims.first != 0 && !queue_stops_granted(e, claim_queue(e, group->claims.first));
}

static void sync_members(struct engine *e, const struct group *group)
{
    for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id)) {
        if (!claim_holds(claim_at(e, id)))
            continue;
        outbox_sync(&e->outbox, EFFECT_OF_POD, id);
        claim_set_timer(e, id);
    }
}

static struct list_link *turn_link(const void *ctx, uint32_t id)
{
    return &group_at(ctx, id)->turn;
}

static void append(struct engine *e, uint32_t id)
{
    group_at(e, id)->in_line = true;
    list_append(turn_link, e, &e->pods.in_line, id);
}

static void unlist(struct engine *e, uint32_t id)
{
    if (!group_at(e, id)->in_line)
        return;
    group_at(e, id)->in_line = false;
    list_remove(turn_link, e, &e->pods.in_line, id);
}

/* Marks those that are only reserved. As parked: they may lie in the scheduler's queue of pods
 * without a node, and must be looked at again. */
static void mark_reserved(struct engine *e, const struct group *group, uint32_t flags)
{
    for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id)) {
        if (claim_at(e, id)->state == CLAIM_RESERVED)
            claim_at(e, id)->flags |= flags;
    }
}

static void take_turn(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);

    unlist(e, id);
    e->pods.assembling = id;
    group->turn_until = e->now + ASSEMBLY_SECONDS * SECOND;
    group->retry_at = 0;
    group->letting_go = group->no_nodes = false;
    for (uint32_t at = group->claims.first; at != 0; at = member_after(e, at))
        claim_set_flag(claim_at(e, at), CLAIM_HEARD, false);
    if (group->tries > 0)
        mark_reserved(e, group, CLAIM_PARKED);
    sync_members(e, group);
    claim_set_timer(e, group->entry);
}

static void next_turn(struct engine *e)
{
    uint32_t id = e->pods.in_line.first;

    if (e->pods.assembling != 0)
        return;
    while (id != 0 && (group_at(e, id)->retry_at > e->now || !may_go_on(e, group_at(e, id))))
        id = group_at(e, id)->turn.next;
    if (id != 0)
        take_turn(e, id);
}

static void end_turn(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);

    e->pods.assembling = 0;
    group->letting_go = false;
    if (assembly_is_under_way(e, group))
        append(e, id);
    sync_members(e, group);
    if (group->entry != 0)
        claim_set_timer(e, group->entry);
    next_turn(e);
}

/* The turn lasts until the nodes that its members hold are free. */
static void let_go(struct engine *e, uint32_t id, bool no_nodes)
{
    struct group *group = group_at(e, id);
    uint32_t doublings =
        group->tries < ASSEMBLY_BACKOFF_DOUBLINGS ? group->tries : ASSEMBLY_BACKOFF_DOUBLINGS;

    group->tries = (uint8_t)(group->tries + (group->tries < UINT8_MAX));
    group->retry_at = e->now + (ASSEMBLY_BACKOFF_SECONDS * SECOND << doublings);
    group->turn_until = e->now + ASSEMBLY_SECONDS * SECOND; /* for the host to do so */
    group->letting_go = true;
    group->no_nodes = no_nodes;
    if (no_nodes)
        mark_reserved(e, group, CLAIM_LACKS_NODE | CLAIM_PARKED);
    if (group->at_permit == 0)
        end_turn(e, id);
    else
        sync_members(e, group);
    if (group->entry != 0)
        claim_set_timer(e, group->entry);
}

void assembly_review(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    bool under_way = assembly_is_under_way(e, group);

    if (group->reserved == 0) /* who is granted its place anew has looked for no node yet */
        group->no_nodes = false;
    if (group->at_permit == 0)
        group->passed = false;
    else if (group->mode == GROUP_WHOLE && assembly_lacks_nodes(group) <= 0 && !group->letting_go &&
             !group->passed) {
        group->passed = true;
        group->tries = 0;
        sync_members(e, group);
    }
    if (e->pods.assembling != id) {
        if (under_way && !group->in_line) {
            append(e, id);
            claim_set_timer(e, group->entry); /* it may still have to pause */
            sync_members(e, group);
        } else if (!under_way) {
            unlist(e, id);
            sync_members(e, group);
        }
    } else if (group->passed || (group->at_permit == 0 && (group->letting_go || !under_way))) {
        end_turn(e, id);
    } else if (!group->letting_go && (!under_way || !may_go_on(e, group))) {
        let_go(e, id, false);
    }
    next_turn(e);
}

void assembly_forget(struct engine *e, uint32_t id)
{
    unlist(e, id);
    if (e->pods.assembling != id)
        return;
    e->pods.assembling = 0;
    next_turn(e);
}

void assembly_queue_changed(struct engine *e)
{
    uint32_t id = e->pods.assembling != 0 ? e->pods.assembling : e->pods.in_line.first;

    if (id != 0)
        group_touch(e, id);
}

void assembly_new_nodes(struct engine *e)
{
    for (uint32_t id = e->pods.in_line.first; id != 0; id = group_at(e, id)->turn.next) {
        group_at(e, id)->retry_at = 0;
        claim_set_timer(e, group_at(e, id)->entry);
    }
    next_turn(e);
}

void assembly_told(struct engine *e, uint32_t id)
{
    claim_set_flag(claim_at(e, id), CLAIM_HEARD, true);
    claim_set_flag(claim_at(e, id), CLAIM_LACKS_NODE, true);
    outbox_sync(&e->outbox, EFFECT_OF_POD, id);
}

void assembly_fail(struct engine *e, uint32_t id)
{
    uint32_t group = claim_group(e, claim_at(e, id));

    if (!assembly_has_turn(e, id) || !assembly_is_under_way(e, group_at(e, group)))
        return;
    claim_set_flag(claim_at(e, id), CLAIM_HEARD, true);
    let_go(e, group, true);
}

bool assembly_permit(struct engine *e, uint32_t id, int64_t *ret_until)
{
    struct claim *claim = claim_at(e, id);
    struct group *group;

    *ret_until = 0;
    if (claim_group(e, claim) == 0 || claim->state != CLAIM_ALLOCATED ||
        (claim->flags & CLAIM_BOUND) != 0)
        return true;
    group = group_at(e, claim_group(e, claim));
    if (!assembly_concerns(e, group) || group->mode != GROUP_WHOLE ||
        (assembly_lacks_nodes(group) <= 0 && !group->letting_go)) {
        assembly_leaves_permit(e, id);
        return true;
    }
    if (group->at_permit == 0)
        mark_reserved(e, group, CLAIM_PARKED);
    claim_set_flag(claim, CLAIM_HEARD, false);
    group_set_flag(e, id, CLAIM_AT_PERMIT, true);
    *ret_until = assembly_has_turn(e, id) ? group->turn_until : e->now + ASSEMBLY_SECONDS * SECOND;
    sync_members(e, group);
    return false;
}

bool assembly_answers(const struct engine *e, uint32_t id, bool *ret_allow)
{
    const struct claim *claim = claim_at(e, id);
    const struct group *group;

    *ret_allow = true;
    if ((claim->flags & CLAIM_AT_PERMIT) == 0 || (claim->flags & CLAIM_HEARD) != 0)
        return false;
    if (claim_group(e, claim) == 0)
        return true; /* it has left its gang, and waits for nobody any more */
    group = group_at(e, claim_group(e, claim));
    *ret_allow = group->passed;
    return group->passed || !assembly_has_turn(e, id);
}

/* Who was let go counts as waiting until its node is given back. */
void assembly_answered(struct engine *e, uint32_t id)
{
    uint32_t group = claim_group(e, claim_at(e, id));

    if ((claim_at(e, id)->flags & CLAIM_AT_PERMIT) == 0)
        return;
    if (group == 0 || group_at(e, group)->passed)
        assembly_leaves_permit(e, id);
    else
        claim_set_flag(claim_at(e, id), CLAIM_HEARD, true);
}

void assembly_leaves_permit(struct engine *e, uint32_t id)
{
    group_set_flag(e, id, CLAIM_AT_PERMIT, false);
}

void assembly_expire(struct engine *e, uint32_t entry)
{
    uint32_t id = claim_group(e, claim_at(e, entry));
    struct group *group = group_at(e, id);

    if (e->pods.assembling != id) {
        group->retry_at = 0;
        next_turn(e);
    } else if (!group->letting_go) {
        let_go(e, id, false);
    } else { /* in vain: nobody gave its node back in time */
        for (uint32_t at = group->claims.first; at != 0; at = member_after(e, at))
            assembly_leaves_permit(e, at);
        end_turn(e, id);
    }
    claim_set_timer(e, entry);
}

const char *assembly_check(const struct engine *e, bool is_due)
{
    uint32_t listed = 0;

    for (uint32_t id = e->pods.in_line.first; id != 0; id = group_at(e, id)->turn.next) {
        if (!group_at(e, id)->in_line || ++listed > slab_count(&e->pods.groups))
            return "the gangs that are to assemble are in line once";
        if (!assembly_is_under_way(e, group_at(e, id)) || id == e->pods.assembling)
            return "who is in line is to assemble, and has not its turn";
        if (e->pods.assembling == 0 && !is_due && group_at(e, id)->retry_at <= e->now &&
            may_go_on(e, group_at(e, id)))
            return "a gang that may assemble has its turn if no other has";
    }
    if (e->pods.assembling != 0 && !slab_live(&e->pods.groups, e->pods.assembling))
        return "the gang that assembles exists";
    return NULL;
}
