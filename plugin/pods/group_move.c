/* SPDX-License-Identifier: Apache-2.0 */
#include "group_move.h"

#include "group.h"
#include "place.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/claim_make.h"
#include "plugin/order/fit.h"
#include "plugin/queues/queue_tree.h"
#include "plugin/state.h"
#include "pod_settle.h"
#include "regrant.h"
#include "stamp.h"

struct group_move {
    uint32_t claim, line;
    char *text;
    uint32_t flavor_count; /* that its stamp names */
    uint16_t flavors[FACTS_MAX_NEEDS];
    bool made, restoring;
    bool keeps; /* its place, unless there is room where it is to go */
};

/* Whether the member has its node, and was granted nowhere, by all that is written. */
static bool is_only_bound(const struct engine *e, uint32_t claim)
{
    return claim_at(e, claim)->node != 0 && !claim_member(e, claim)->own.stamped;
}

static bool is_bound(const struct engine *e, uint32_t claim)
{
    return (claim_at(e, claim)->flags & CLAIM_BOUND) != 0;
}

/* Whether the queue that the member, or its group, names is not for its namespace. */
static bool is_barred(const struct engine *e, uint32_t claim, const struct group_place *place)
{
    return place->queue != 0 ? place->not_selected : claim_member(e, claim)->own.not_selected;
}

/* The queue that it, or its group, names, as far as that is known. */
static uint32_t find_named(const struct engine *e, uint32_t claim, const struct group_place *place)
{
    const struct member_own *own = &claim_member(e, claim)->own;

    return place->queue != 0 ? place->queue
                             : queue_find(e, (enum queue_kind)own->kind, name_text(e, own->queue));
}

/* Whether the member takes room in a queue that it may not use, and was granted nowhere. Who runs
 * in another one than it names takes none there. */
static bool is_stray(const struct engine *e, uint32_t claim, const struct group_place *place)
{
    return is_only_bound(e, claim) && is_barred(e, claim, place) &&
           (!place_is_kept(e, claim, is_bound(e, claim)) ||
            find_named(e, claim, place) == claim_queue(e, claim));
}

/* Whether the member stays where it is, whichever queue its group names. */
static bool is_settled(const struct engine *e, uint32_t claim, const struct group_place *place)
{
    if (is_stray(e, claim, place))
        return false;
    if (place_is_kept(e, claim, is_bound(e, claim)))
        return !place->known || place->ours || is_barred(e, claim, place);
    return is_bound(e, claim) &&
           ((place->known && place->ours) || claim_member(e, claim)->own.stamped);
}

/* Where the member belongs. */
static int find_queue(struct engine *e, uint32_t claim, const struct group_place *place,
                      uint32_t *ret_queue)
{
    const struct member_own *own = &claim_member(e, claim)->own;

    *ret_queue = is_stray(e, claim, place) ? e->queues.default_queue : place->queue;
    return *ret_queue != 0
               ? 0
               : queue_get(e, (enum queue_kind)own->kind, name_text(e, own->queue), ret_queue);
}

static int read_move(struct engine *e, uint32_t claim, uint32_t queue, bool keeps,
                     struct group_moves *moves)
{
    struct group_move *move = &moves->move[moves->count];
    const struct member_own *own = &claim_member(e, claim)->own;
    int error = line_get_like(e, claim_at(e, claim)->line, queue, &move->line);

    if (error < 0) {
        queue_drop_unused(e, queue);
        return error;
    }
    moves->count++;
    move->claim = claim;
    move->keeps = keeps;
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
    for (uint32_t claim = group->claims.first; claim != 0 && error == 0;
         claim = member_after(e, claim)) {
        bool keeps = place_is_kept(e, claim, is_bound(e, claim)) && !is_stray(e, claim, place);
        uint32_t to;

        if (is_settled(e, claim, place))
            continue;
        error = find_queue(e, claim, place, &to);
        if (error == 0 && to != claim_queue(e, claim))
            error = read_move(e, claim, to, keeps, ret);
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

        if (move->made)
            continue;
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
                                       claim->queued,
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

/* Whether there is room where it is to go, beside what it holds where it is. */
static bool has_room(const struct engine *e, const struct group_move *move)
{
    uint16_t flavors[FACTS_MAX_NEEDS];

    return queue_stops(e, line_queue(e, line_at(e, move->line))) == REASON_NONE &&
           fit_line(e, move->line, flavors);
}

/* Without a stamp that tells where it counts a later leader would believe its pod, or its group. */
static void note_words(struct engine *e, uint32_t id)
{
    const struct group *group = group_at(e, id);
    struct group_place place = {group->ours ? 0 : group->home, group->known, group->ours,
                                group->not_selected};

    for (uint32_t at = group->claims.first; at != 0; at = member_after(e, at)) {
        uint32_t named = find_named(e, at, &place);

        if (claim_member(e, at)->own.stamped || !is_bound(e, at))
            continue;
        if (is_only_bound(e, at) && is_barred(e, at, &place))
            named = e->queues.default_queue;
        claim_set_flag(claim_at(e, at), CLAIM_MOVED, named != claim_queue(e, at));
        outbox_sync(&e->outbox, EFFECT_OF_POD, at);
    }
}

/* First those that run, as far as there is room: nobody is granted what they take. And nobody is
 * granted anything while others still hold what they are about to give back: they would count to
 * the gang's minimum. Who stays keeps what it was granted. */
void group_make_moves(struct engine *e, uint32_t id, struct group_moves *moves)
{
    for (int allocated = 1; allocated >= 0; allocated--) {
        for (uint32_t i = 0; i < moves->count; i++) {
            struct group_move *move = &moves->move[i];

            if (move->made || (allocated && claim_at(e, move->claim)->state != CLAIM_ALLOCATED))
                continue;
            if (!move->keeps || has_room(e, move))
                make_move(e, move);
        }
    }
    for (uint32_t i = 0; i < moves->count; i++) {
        if (moves->move[i].restoring)
            claim_to_restore(e, moves->move[i].claim);
        else
            pod_settle(e, moves->move[i].claim);
    }
    group_drop_moves(e, moves);
    note_words(e, id);
}

/* It has what it was granted, or lost that since it was last seen. */
static bool may_be_elsewhere(const struct engine *e, const struct claim *claim)
{
    return claim_holds(claim) || member_at(e, claim->member)->own.held ||
           (claim->flags & (CLAIM_KEEPS_TURN | CLAIM_RESTORING)) != 0;
}

const char *group_check_moves(const struct engine *e, uint32_t id)
{
    const struct group *group = group_at(e, id);
    struct group_place place = {group->home, group->known, group->ours, group->not_selected};

    for (uint32_t claim = group->claims.first; claim != 0; claim = member_after(e, claim)) {
        if (!may_be_elsewhere(e, claim_at(e, claim)) &&
            find_named(e, claim, &place) != claim_queue(e, claim))
            return "a member that holds nothing is in its group's queue, or in its own";
    }
    return NULL;
}
