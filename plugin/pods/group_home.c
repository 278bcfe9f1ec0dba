/* SPDX-License-Identifier: Apache-2.0 */
#include "group_home.h"

#include "plugin/claims/claim_change.h"
#include "plugin/claims/claim_make.h"
#include "plugin/order/fit.h"
#include "plugin/queues/queue_tree.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "pod.h"
#include "regrant.h"
#include "stamp.h"

/* One that somebody made may get pods at any time. One that we made has lost those that it was made
 * for: its owner wants none any more. */
static bool is_left(const struct group *group)
{
    return group->home != 0 && !group_is_over(group) && (!group->ours || group->members > 0);
}

void group_count_home(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    bool counts = is_left(group);

    if (counts == group->counts)
        return;
    group->counts = counts;
    queue_count_groups(e, group->home, counts ? 1 : -1);
}

void group_set_home(struct engine *e, uint32_t id, uint32_t queue)
{
    struct group *group = group_at(e, id);
    uint32_t before = group->home;

    if (queue != 0)
        queue_at(e, queue)->wanted_by++;
    if (group->counts)
        queue_count_groups(e, before, -1);
    group->counts = false;
    group->home = queue;
    group_count_home(e, id);
    if (before == 0)
        return;
    queue_at(e, before)->wanted_by--;
    queue_drop_unused(e, before);
}

int group_read_own(struct engine *e, const struct pod_facts *pod, struct member_own *ret)
{
    bool asks = group_is_asked(pod);

    *ret = (struct member_own){.kind = pod->queue_kind,
                               .minimum = asks ? pod->minimum : 0,
                               .superseded = asks && pod->controller.supersedes,
                               .stamped = stamp_names_queue(pod),
                               .not_selected = pod->not_selected};
    if (name_get(e, pod_queue_name(pod), &ret->queue) == 0 &&
        name_get(e, pod->stamped_flavors, &ret->flavors) == 0 &&
        (!asks || name_get(e, pod->priority_class, &ret->priority_class) == 0))
        return 0;
    group_drop_own(e, ret);
    return ENGINE_NO_MEMORY;
}

void group_drop_own(struct engine *e, struct member_own *own)
{
    intern_unref(&e->names, own->queue);
    intern_unref(&e->names, own->flavors);
    intern_unref(&e->names, own->priority_class);
    *own = (struct member_own){0};
}

void group_note_own(struct engine *e, uint32_t claim, struct member_own *own)
{
    struct member *member = member_at(e, claim_at(e, claim)->member);
    struct member_own before = member->own;

    member->own = *own;
    *own = before;
}

struct group_move {
    uint32_t claim, line;
    char *text;
    uint32_t flavor_count; /* that its stamp names */
    uint16_t flavors[FACTS_MAX_NEEDS];
    bool made, restoring;
};

/* Whether the member stays where it was granted, whichever queue its group names. */
static bool is_settled(const struct engine *e, uint32_t claim, const struct group_place *place)
{
    return (claim_at(e, claim)->flags & CLAIM_BOUND) != 0 &&
           (place->known ? place->ours : member_at(e, claim_at(e, claim)->member)->own.stamped);
}

/* Whether the member runs in a queue that it may not use, and was granted nowhere. */
static bool is_stray(const struct engine *e, uint32_t claim, const struct group_place *place)
{
    const struct member_own *own = &member_at(e, claim_at(e, claim)->member)->own;

    return claim_at(e, claim)->node != 0 && !own->stamped &&
           (place->queue != 0 ? place->not_selected : own->not_selected);
}

/* Where the member belongs. */
static int find_queue(struct engine *e, uint32_t claim, const struct group_place *place,
                      uint32_t *ret_queue)
{
    const struct member_own *own = &member_at(e, claim_at(e, claim)->member)->own;

    *ret_queue = is_stray(e, claim, place) ? e->queues.default_queue : place->queue;
    return *ret_queue != 0
               ? 0
               : queue_get(e, (enum queue_kind)own->kind, name_text(e, own->queue), ret_queue);
}

static int read_move(struct engine *e, uint32_t claim, uint32_t queue, struct group_moves *moves)
{
    struct group_move *move = &moves->move[moves->count];
    const struct member_own *own = &member_at(e, claim_at(e, claim)->member)->own;
    int error = line_get_like(e, claim_at(e, claim)->line, queue, &move->line);

    if (error < 0) {
        queue_drop_unused(e, queue);
        return error;
    }
    moves->count++;
    move->claim = claim;
    move->text = claim_new_text(e, claim, move->line);
    if (move->text == NULL)
        return ENGINE_NO_MEMORY;
    if (queue_at(e, queue)->kind != QUEUE_CLUSTER || own->flavors == 0)
        return 0;
    return stamp_read(e, name_text(e, own->flavors), move->line, move->flavors,
                      &move->flavor_count);
}

int group_read_moves(struct engine *e, uint32_t id, const struct group_place *place,
                     struct group_moves *ret)
{
    const struct group *group = group_at(e, id);
    int error = 0;

    *ret = (struct group_moves){0};
    if (group->members == 0)
        return 0;
    ret->move = mem_zalloc(&e->mem, group->members * sizeof(*ret->move));
    if (ret->move == NULL)
        return ENGINE_NO_MEMORY;
    ret->cap = group->members;
    for (uint32_t claim = group->first; claim != 0 && error == 0; claim = member_after(e, claim)) {
        uint32_t to;

        if (is_settled(e, claim, place))
            continue;
        error = find_queue(e, claim, place, &to);
        if (error == 0 && to != claim_queue(e, claim))
            error = read_move(e, claim, to, ret);
    }
    return error;
}

static void drop_flavors(struct engine *e, const struct group_move *move)
{
    for (uint32_t i = 0; i < move->flavor_count; i++)
        flavor_unref(e, move->flavors[i]);
}

void group_drop_moves(struct engine *e, struct group_moves *moves)
{
    for (uint32_t i = 0; i < moves->count; i++) {
        const struct group_move *move = &moves->move[i];

        drop_flavors(e, move);
        mem_free(&e->mem, move->text, claim_text_size(e, move->claim, move->line));
        line_unref(e, move->line);
    }
    mem_free(&e->mem, moves->move, moves->cap * sizeof(*moves->move));
    *moves = (struct group_moves){0};
}

static void make_move(struct engine *e, struct group_move *move)
{
    const struct claim *claim = claim_at(e, move->claim);
    const struct claim_terms demand = {claim->priority,
                                       claim->created,
                                       move->line,
                                       move->text,
                                       move->flavor_count > 0 ? move->flavors : NULL,
                                       false};

    move->restoring = (claim->flags & CLAIM_RESTORING) != 0;
    if (member_at(e, claim->member)->own.stamped)
        claim_set_flag(claim_at(e, move->claim), CLAIM_MOVED, true);
    regrant(e, move->claim, &demand);
    drop_flavors(e, move);
    move->made = true;
}

/* First those that take their room whether or not it is there: nobody is granted what they take.
 * And nobody is granted anything while others still hold what they are about to give back: they
 * would count to the gang's minimum. */
void group_make_moves(struct engine *e, struct group_moves *moves)
{
    for (int allocated = 1; allocated >= 0; allocated--) {
        for (uint32_t i = 0; i < moves->count; i++) {
            struct group_move *move = &moves->move[i];

            if (move->made || (allocated && claim_at(e, move->claim)->state != CLAIM_ALLOCATED))
                continue;
            make_move(e, move);
        }
    }
    for (uint32_t i = 0; i < moves->count; i++) {
        if (moves->move[i].restoring)
            claim_to_restore(e, moves->move[i].claim);
        else
            pod_settle(e, moves->move[i].claim);
    }
    moves->count = 0;
}

void group_note_queue(struct engine *e, uint32_t id, uint32_t claim)
{
    struct group *group = group_at(e, id);

    if (group->first != 0 && claim_queue(e, group->first) != claim_queue(e, claim))
        group->spread = true;
}

void group_candidates_changed(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    uint32_t queue = group->first == 0 ? 0 : claim_queue(e, group->first);

    if (queue == 0)
        return;
    queue_candidates_changed(e, queue);
    if (!group->spread)
        return;
    group->spread = false;
    for (uint32_t at = group->first; at != 0; at = member_after(e, at)) {
        if (claim_queue(e, at) == queue)
            continue;
        group->spread = true;
        queue_candidates_changed(e, claim_queue(e, at));
    }
}

const char *group_check_home(const struct engine *e, uint32_t id)
{
    const struct group *group = group_at(e, id);
    struct group_place place = {group->home, group->known, group->ours, group->not_selected};

    if ((group->home != 0) != (group->known && group->queue != 0))
        return "a group that is there has the queue that it names";
    if (group->counts != is_left(group))
        return "a group is left in its queue until it is over";
    for (uint32_t claim = group->first; claim != 0; claim = member_after(e, claim)) {
        const struct member_own *own = &member_at(e, claim_at(e, claim)->member)->own;
        uint32_t queue = place.queue;

        if (is_settled(e, claim, &place))
            continue;
        if (is_stray(e, claim, &place))
            queue = e->queues.default_queue;
        else if (queue == 0)
            queue = queue_find(e, (enum queue_kind)own->kind, name_text(e, own->queue));
        if (claim_queue(e, claim) != queue)
            return "a member is in its group's queue, or in its own";
    }
    return NULL;
}

/* Where its stamp says that it was granted; 0: it has lost that since, or the stamp tells
 * nothing. */
static int find_granted(struct engine *e, uint32_t claim, const struct pod_facts *pod,
                        uint32_t *ret_queue)
{
    bool remembers = claim != 0 && e->synced && e->leads && pod->node.len == 0;

    *ret_queue = 0;
    if (!stamp_names_queue(pod))
        return 0;
    if (claim != 0 && claim_holds(claim_at(e, claim))) {
        *ret_queue = claim_queue(e, claim);
        return 0;
    }
    return remembers && (claim_at(e, claim)->flags & CLAIM_RESTORING) == 0
               ? 0
               : queue_get(e, pod->stamped_kind, pod->stamped_queue, ret_queue);
}

/* Of a group that we made: where it was granted, as far as that is known. */
static bool holds_place(const struct engine *e, uint32_t id, uint32_t claim)
{
    return claim != 0 && claim_group(e, claim_at(e, claim)) == id &&
           claim_holds(claim_at(e, claim));
}

static int find_queue_of(struct engine *e, uint32_t id, uint32_t claim, const struct pod_facts *pod,
                         uint32_t *ret_queue)
{
    struct text name = pod_queue_name(pod);
    enum queue_kind kind = pod->queue_kind;
    bool known = id != 0 && group_at(e, id)->known;
    bool ours = known && group_at(e, id)->ours && pod->node.len > 0;
    bool not_selected = pod->not_selected;
    int error = 0;

    *ret_queue = 0;
    if (ours && holds_place(e, id, claim))
        *ret_queue = claim_queue(e, claim);
    else if (id == 0 || (pod->node.len > 0 && (ours || !known)))
        error = find_granted(e, claim, pod, ret_queue);
    if (error < 0 || *ret_queue != 0)
        return error;
    if (!ours && group_names_queue(e, id, &name)) {
        kind = QUEUE_VOLCANO;
        not_selected = group_at(e, id)->not_selected;
    }
    if (not_selected && pod->node.len > 0 && !stamp_names_queue(pod)) {
        *ret_queue = e->queues.default_queue;
        return 0;
    }
    return queue_get(e, kind, name, ret_queue);
}

static int find_line(struct engine *e, const struct pod_facts *pod, uint32_t queue,
                     uint32_t *ret_line)
{
    /* Its group may name another kind of queue by now than it does, or no more. */
    bool flavored = pod->queue_kind == QUEUE_CLUSTER || queue_at(e, queue)->kind == QUEUE_CLUSTER;
    bool bare = flavored && pod->gates.ours == 0;
    int error = line_get(e, queue, &pod->requests, bare, ret_line);

    if (error < 0)
        queue_drop_unused(e, queue);
    return error;
}

/* Who was granted stays in its queue, unless the one that it names by now has room for it. */
static int try_named(struct engine *e, uint32_t claim, const struct pod_facts *pod,
                     uint32_t *ret_line)
{
    uint32_t line, queue = queue_find(e, pod->queue_kind, pod_queue_name(pod));
    uint16_t flavors[FACTS_MAX_NEEDS];
    int error;

    if (claim == 0 || !claim_holds(claim_at(e, claim)) || !engine_grants(e) || queue == 0 ||
        queue == claim_queue(e, claim) || queue_stops(e, queue) != REASON_NONE)
        return 0;
    error = find_line(e, pod, queue, &line);
    if (error == 0 && fit_line(e, line, flavors)) {
        uint32_t stays = *ret_line;

        *ret_line = line;
        line = stays;
    }
    if (error == 0)
        line_unref(e, line);
    return error;
}

int group_find_line(struct engine *e, uint32_t id, uint32_t claim, const struct pod_facts *pod,
                    uint32_t *ret_line)
{
    uint32_t queue;
    int error = find_queue_of(e, id, claim, pod, &queue);

    if (error == 0)
        error = find_line(e, pod, queue, ret_line);
    if (error < 0 || id != 0 || !stamp_names_queue(pod))
        return error;
    return try_named(e, claim, pod, ret_line);
}

bool group_names_queue(const struct engine *e, uint32_t id, struct text *ret_queue)
{
    if (id == 0 || group_at(e, id)->queue == 0)
        return false;
    *ret_queue = name_text(e, group_at(e, id)->queue);
    return true;
}
