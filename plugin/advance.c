/* SPDX-License-Identifier: Apache-2.0 */
#include "advance.h"

#include "contest.h"
#include "fit.h"
#include "gang.h"
#include "group_effects.h"
#include "guard.h"
#include "command_effects.h"
#include "orchestrator.h"
#include "outbox.h"
#include "pod.h"
#include "queue_life.h"
#include "state.h"

/* Whether giving back what a queue below holds lowers the usage up here: what is kept for somebody
 * on the way does not arrive. */
static bool arrives_at(const struct engine *e, uint32_t id, uint32_t top, uint16_t flavor,
                       uint32_t resource)
{
    for (; id != top; id = queue_at(e, id)->parent) {
        const struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);

        if (cell != NULL && cell->usage <= cell->kept)
            return false;
    }
    return true;
}

static bool uses_exceeded(const struct engine *e, uint32_t claim, uint32_t top)
{
    const struct line *line = line_at(e, claim_at(e, claim)->line);

    for (uint32_t i = 0; i < line->count; i++) {
        uint16_t flavor = claim_flavors(claim_at(e, claim))[i];
        const struct cell *cell = quota_cell(queue_at(e, top), flavor, line_resource(e, line, i));

        if (cell != NULL && cell->bounded && cell->usage > cell->ceiling &&
            arrives_at(e, line->queue, top, flavor, line_resource(e, line, i)))
            return true;
    }
    return false;
}

/* The newest reserved claim at or below a queue that uses what `top` has too little of. Recursion
 * is as deep as the tree of queues. */
static uint32_t newest_to_demote(const struct engine *e, uint32_t id, uint32_t top)
{
    uint32_t newest = tree_last(&claims_by_stamp, e, queue_at(e, id)->reserved);

    while (newest != 0 && !uses_exceeded(e, newest, top))
        newest = tree_prev(&claims_by_stamp, e, newest);
    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        uint32_t other = newest_to_demote(e, child, top);

        if (other != 0 && (newest == 0 || claims_by_stamp.compare(e, other, newest) > 0))
            newest = other;
    }
    return newest;
}

/* What goes from a queue may be enough for those above it. */
static uint32_t deepest_over(const struct engine *e)
{
    uint32_t deepest = e->todo[TODO_OVER].first, most = queue_depth(e, deepest);

    for (uint32_t id = queue_at(e, deepest)->todo[TODO_OVER].next; id != 0;
         id = queue_at(e, id)->todo[TODO_OVER].next) {
        if (queue_depth(e, id) > most) {
            deepest = id;
            most = queue_depth(e, id);
        }
    }
    return deepest;
}

/* A gang as a whole. Returns how much of the budget that took. */
static uint32_t take_back(struct engine *e, uint32_t claim, uint32_t budget)
{
    struct queue *queue = queue_at(e, claim_queue(e, claim));
    uint32_t count = gang_demote(e, claim);

    if (count == 0) {
        claim_to_rest(e, claim);
        count = 1;
    }
    queue->totals.demoted += count;
    group_settle(e);
    return count < budget ? count : budget;
}

static uint32_t demote(struct engine *e, uint32_t budget)
{
    while (budget > 0 && e->todo[TODO_OVER].first != 0) {
        uint32_t queue = deepest_over(e);
        uint32_t claim = newest_to_demote(e, queue, queue);

        if (claim == 0) {
            queue_done(e, TODO_OVER, queue);
            continue;
        }
        budget -= take_back(e, claim, budget);
    }
    return budget;
}

bool advance_fits_again(struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    uint16_t flavors[FACTS_MAX_NEEDS];
    bool stamped = queue_at(e, line->queue)->kind == QUEUE_VOLCANO;

    for (uint32_t i = 0; i < line->count; i++)
        stamped = stamped || claim_flavors(claim)[i] != 0;
    if (!stamped) {
        if (!fit_line(e, claim->line, flavors))
            return false;
        claim_set_flavors(e, id, flavors);
        return true;
    }
    claim_guess_flavors(e, id);
    return fit_in(e, claim->line, claim_flavors(claim));
}

void advance_restore(struct engine *e, uint32_t id)
{
    if (claim_at(e, id)->group != 0)
        gang_restore(e, id);
    else
        advance_restore_alone(e, id);
    group_settle(e);
}

void advance_restore_alone(struct engine *e, uint32_t id)
{
    /* Also where its queue is suspended, or not known any more: that takes nothing away. */
    if (advance_fits_again(e, id)) {
        if (claim_at(e, id)->flags & CLAIM_UNSCHEDULABLE) /* in a cycle before the restart */
            claim_set_flag(claim_at(e, id), CLAIM_SEEN_IN_CYCLE, true);
        claim_change(e, id, CLAIM_RESERVED, REASON_NONE);
        return;
    }
    claim_set_flavors(e, id, NULL);
    claim_to_rest(e, id);
}

static uint32_t restore(struct engine *e, uint32_t budget)
{
    while (budget > 0 && e->restoring != 0) {
        advance_restore(e, tree_first(&claims_by_stamp, e, e->restoring));
        budget--;
    }
    return budget;
}

/* Who waits below a queue is in the contests of all that are above it. */
static uint32_t topmost_dirty(const struct engine *e, uint32_t id)
{
    uint32_t topmost = id;

    for (; id != 0; id = queue_at(e, id)->parent) {
        if (queue_at(e, id)->is_todo[TODO_DIRTY])
            topmost = id;
    }
    return topmost;
}

static uint32_t grant(struct engine *e, uint32_t budget)
{
    uint16_t flavors[FACTS_MAX_NEEDS];

    while (budget > 0 && e->todo[TODO_DIRTY].first != 0) {
        uint32_t queue = topmost_dirty(e, e->todo[TODO_DIRTY].first), claim;

        guard_point_below(e, queue);
        claim = contest_winner(e, queue, flavors);
        if (claim == 0) {
            queue_done(e, TODO_DIRTY, queue);
            continue;
        }
        claim_grant(e, claim, flavors);
        group_settle(e);
        budget--;
    }
    return budget;
}

static uint32_t expire(struct engine *e, uint32_t budget)
{
    int64_t at;
    uint32_t id;

    while (budget > 0 && heap_min(&e->timers, &at, &id) && at <= e->now) {
        claim_expire(e, id);
        budget--;
    }
    /* While earlier grants are being restored, a status would tell of what is over in a moment. */
    while (budget > 0 && e->restoring == 0 && heap_min(&e->queue_timers, &at, &id) &&
           at <= e->now) {
        queue_expire(e, id);
        budget--;
    }
    while (budget > 0 && heap_min(&e->commands.timers, &at, &id) && at <= e->now) {
        command_expire(e, id);
        budget--;
    }
    while (budget > 0 && heap_min(&e->group_timers, &at, &id) && at <= e->now) {
        group_expire(e, id);
        budget--;
    }
    while (budget > 0 && heap_min(&e->guard_timers, &at, &id) && at <= e->now) {
        guard_begin(e, id);
        budget--;
    }
    return budget;
}

void advance(struct engine *e)
{
    uint32_t budget = expire(e, ADVANCE_SLICE);

    command_some(e, ADVANCE_SLICE);
    queue_settle_some(e, ADVANCE_SLICE);
    tell_some(e);
    orchestrator_advance(e);
    group_settle(e);
    budget = demote(e, budget);
    if (!e->synced || !e->leads)
        return;
    budget = restore(e, budget);
    if (e->restoring == 0 && e->todo[TODO_STATE].first == 0)
        grant(e, budget);
}

void advance_guess_again(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->claims) && slab_count(&e->flavors) > 0; id++) {
        if (slab_live(&e->claims, id) && claim_at(e, id)->state == CLAIM_ALLOCATED &&
            claim_guess_flavors(e, id))
            contest_refresh(e, claim_queue(e, id));
    }
}

void advance_begin(struct engine *e)
{
    orchestrator_begin(e);
    advance_guess_again(e);
    gang_begin(e);
    for (uint32_t id = 1; id < slab_end(&e->claims); id++) {
        if (slab_live(&e->claims, id)) {
            outbox_sync(e, EFFECT_OF_POD, id);
            claim_set_timer(e, id);
        }
    }
    for (uint32_t id = 1; id < slab_end(&e->groups); id++) {
        if (slab_live(&e->groups, id))
            group_sync_effects(e, id);
    }
    for (uint32_t id = 1; id < slab_end(&e->queues); id++) {
        if (!slab_live(&e->queues, id))
            continue;
        if (queue_at(e, id)->parent == 0)
            queue_todo(e, TODO_DIRTY, id);
        queue_settle_later(e, id);
        queue_begin_status(e, id);
    }
}

void advance_end(struct engine *e)
{
    orchestrator_end(e);
    for (uint32_t id = 1; id < slab_end(&e->groups); id++) {
        if (slab_live(&e->groups, id)) {
            outbox_forget(e, EFFECT_OF_GROUP, id);
            group_sync_effects(e, id);
        }
    }
    for (uint32_t id = 1; id < slab_end(&e->claims); id++) {
        if (slab_live(&e->claims, id) && (claim_at(e, id)->flags & CLAIM_GANG) == 0) {
            outbox_forget(e, EFFECT_OF_POD, id);
            pod_settle(e, id);
        }
    }
    for (uint32_t id = 1; id < slab_end(&e->queues); id++) {
        if (slab_live(&e->queues, id))
            queue_stand_by(e, id);
    }
    command_stand_by(e);
}

void engine_tick(struct engine *e)
{
    advance(e);
}

bool engine_more(const struct engine *e)
{
    int64_t at;

    if (orchestrator_more(e) || e->todo[TODO_OVER].first != 0 || e->todo[TODO_STATE].first != 0 ||
        e->tell.left > 0 || (e->commands.waiting != 0 && queue_rules(e)) ||
        (e->synced && e->leads && (e->restoring != 0 || e->todo[TODO_DIRTY].first != 0)))
        return true;
    at = engine_next(e);
    return at != 0 && at <= e->now;
}

int64_t engine_next(const struct engine *e)
{
    const struct heap *const heaps[] = {&e->timers, &e->group_timers, &e->queue_timers,
                                        &e->commands.timers, &e->guard_timers};
    int64_t next = 0, at;
    uint32_t id;

    for (size_t i = 0; i < sizeof(heaps) / sizeof(heaps[0]); i++) {
        if (heap_min(heaps[i], &at, &id) && (next == 0 || at < next))
            next = at;
    }
    at = orchestrator_next(e);
    return next == 0 || (at != 0 && at < next) ? at : next;
}
