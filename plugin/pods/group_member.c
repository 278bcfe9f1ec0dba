/* SPDX-License-Identifier: Apache-2.0 */
#include "group_member.h"

#include "group_follow.h"
#include "plugin/base/asked_group.h"
#include "plugin/state.h"
#include "stamp.h"

int group_read_own(struct engine *e, const struct pod_facts *pod, struct member_own *ret)
{
    bool asks = asked_group_has(&e->config, pod);

    *ret = (struct member_own){.kind = pod->queue_kind,
                               .minimum = asks ? pod->minimum : 0,
                               .superseded = asks && pod->controller.supersedes,
                               .stamped = stamp_names_queue(pod),
                               .not_selected = pod->not_selected};
    if ((pod->composite_group.len == 0 || name_get(e, pod->native_group, &ret->part) == 0) &&
        name_get(e, pod_queue_name(pod), &ret->queue) == 0 &&
        name_get(e, pod->stamped_flavors, &ret->flavors) == 0 &&
        (!asks || name_get(e, pod->priority_class, &ret->priority_class) == 0))
        return 0;
    group_drop_own(&e->names, ret);
    return ENGINE_NO_MEMORY;
}

void group_drop_own(struct intern *names, struct member_own *own)
{
    intern_unref(names, own->queue);
    intern_unref(names, own->flavors);
    intern_unref(names, own->priority_class);
    intern_unref(names, own->part);
    *own = (struct member_own){0};
}

void group_note_own(struct engine *e, uint32_t claim, struct member_own *own)
{
    struct member *member = claim_member(e, claim);
    struct member_own before = member->own;

    if (before.part != own->part) {
        group_count_part(group_at(e, member->group), before.part, -1);
        group_count_part(group_at(e, member->group), own->part, 1);
        group_touch(e, member->group);
    }
    member->own = *own;
    *own = before;
}

void group_member_stand_by(struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if (claim->member != 0 && (claim_holds(claim) || (claim->flags & CLAIM_KEEPS_TURN) != 0))
        member_at(e, claim->member)->own.held = true;
}

static struct list_link *rank_link(const void *ctx, uint32_t claim)
{
    return &claim_member(ctx, claim)->by_rank;
}

/* [the claim has its place] */
static void link_member(struct engine *e, uint32_t claim)
{
    struct list *claims = &group_at(e, claim_group(e, claim_at(e, claim)))->claims;
    uint32_t prev = claims->last;

    while (prev != 0 && claim_compare_rank(e, claim, prev) < 0)
        prev = rank_link(e, prev)->prev;
    list_insert(rank_link, e, claims, prev, claim);
}

void group_join(struct engine *e, uint32_t id, uint32_t claim)
{
    uint32_t place = slab_take(&e->pods.members);
    struct group *group = group_at(e, id);

    *member_at(e, place) = (struct member){.group = id};
    claim_at(e, claim)->member = place;
    if (group->claims.first != 0 && claim_queue(e, group->claims.first) != claim_queue(e, claim))
        group->spread = true;
    link_member(e, claim);
    group->members++;
    group->stirred = e->now;
    group_count(e, claim, 1);
}

void group_leave(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    struct group *group;

    if (claim->member == 0)
        return;
    group = group_at(e, claim_group(e, claim));
    group_follow_leave(e, id);
    group_count(e, id, -1);
    list_remove(rank_link, e, &group->claims, id);
    group_count_part(group, claim_member(e, id)->own.part, -1);
    group->members--;
    group->stirred = e->now;
    group_drop_own(&e->names, &claim_member(e, id)->own);
    slab_give(&e->pods.members, claim->member);
    claim->member = 0;
}

void group_set_rank(struct engine *e, uint32_t id, int32_t priority, int64_t created)
{
    struct claim *claim = claim_at(e, id);
    bool listed = claim->member != 0;

    if (listed) {
        group_follow_leave(e, id);
        list_remove(rank_link, e, &group_at(e, claim_group(e, claim))->claims, id);
    }
    claim->priority = priority;
    claim->queued = created;
    if (!listed)
        return;
    link_member(e, id);
    follow_join(e, id);
    group_touch(e, claim_group(e, claim));
}

void group_count(struct engine *e, uint32_t id, int more)
{
    const struct claim *claim = claim_at(e, id);
    uint32_t one = (uint32_t)more;
    struct group *group;

    if (claim_group(e, claim) == 0 || (claim->flags & CLAIM_GANG))
        return;
    group = group_at(e, claim_group(e, claim));
    group->obeying += claim->flags & CLAIM_MANAGED ? one : 0;
    group->ready += group_is_ready(claim) ? one : 0;
    group->superseded += group_is_superseded(claim) ? one : 0;
    group->holding += claim_holds(claim) ? one : 0;
    group->reserved += claim->state == CLAIM_RESERVED ? one : 0;
    group->at_permit += claim->flags & CLAIM_AT_PERMIT ? one : 0;
    group_touch(e, claim_group(e, claim));
}

void group_set_flag(struct engine *e, uint32_t id, enum claim_flag flag, bool on)
{
    if (((claim_at(e, id)->flags & flag) != 0) == on)
        return;
    group_count(e, id, -1);
    claim_set_flag(claim_at(e, id), flag, on);
    group_count(e, id, 1);
}
