/* SPDX-License-Identifier: Apache-2.0 */
#include "assembly_turn.h"

#include "group.h"
#include "plugin/state.h"

int64_t assembly_lacks_nodes(const struct group *group)
{
    return group_lacks(group) + group->reserved;
}

bool assembly_concerns(const struct engine *e, const struct group *group)
{
    bool can_wait = engine_asks(e, EFFECT_ANSWER_PERMIT) && !e->config.observe_only;

    return can_wait && !group_is_native(group) && group->minimum > 1 && group->entry != 0;
}

bool assembly_is_under_way(const struct engine *e, const struct group *group)
{
    bool assembles = e->pods.assembling != 0 && group_at(e, e->pods.assembling) == group;

    return assembly_concerns(e, group) && group->mode == GROUP_WHOLE &&
           assembly_lacks_nodes(group) > (assembles ? 0 : 1);
}

bool assembly_has_turn(const struct engine *e, uint32_t id)
{
    uint32_t group = claim_group(e, claim_at(e, id));

    return group != 0 && e->pods.assembling == group && !group_at(e, group)->letting_go;
}

/* The group with which a reserved claim waits for a turn to assemble; NULL: it may go. */
static const struct group *gang_in_line(const struct engine *e, uint32_t id)
{
    uint32_t at = claim_group(e, claim_at(e, id));
    const struct group *group = at == 0 ? NULL : group_at(e, at);

    if (group == NULL || claim_at(e, id)->state != CLAIM_RESERVED || assembly_has_turn(e, id))
        return NULL;
    return assembly_is_under_way(e, group) || group->letting_go ? group : NULL;
}

bool assembly_finds_no_nodes(const struct engine *e, uint32_t id)
{
    const struct group *group = gang_in_line(e, id);

    return group != NULL && group->no_nodes;
}

enum reason assembly_holds(const struct engine *e, uint32_t id)
{
    const struct group *group = gang_in_line(e, id);

    if (group == NULL)
        return REASON_NONE;
    if (group->no_nodes && (claim_at(e, id)->flags & CLAIM_HEARD) == 0)
        return REASON_NONE; /* it will hear it in its cycle */
    return group->retry_at > e->now ? REASON_GROUP_BACKOFF : REASON_GROUP_TURN;
}

int64_t assembly_deadline(const struct engine *e, uint32_t entry)
{
    uint32_t id = claim_group(e, claim_at(e, entry));
    const struct group *group = group_at(e, id);

    if (e->pods.assembling == id)
        return group->turn_until;
    return group->in_line && group->retry_at > 0 ? group->retry_at : INT64_MAX;
}
