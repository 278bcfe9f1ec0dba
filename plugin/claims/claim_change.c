/* SPDX-License-Identifier: Apache-2.0 */
#include "claim_change.h"

#include "plugin/notes.h"
#include "plugin/order/contest.h"
#include "plugin/order/fit.h"
#include "plugin/order/guard.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "news.h"
#include "promise.h"
#include "stale_condition.h"

/* A head that goes lets the next one try, where nobody passes a head; and one that stops others
 * ends that. */
static void head_may_change(struct engine *e, uint32_t queue, uint32_t leaving)
{
    if (!queue_at(e, queue)->strict || queue_at(e, queue)->head != leaving)
        return;
    queue_todo(e, TODO_DIRTY, queue);
    if (queue_at(e, queue)->cluster.waiting != 0)
        cluster_queue_has_newcomer(e, queue);
}

static uint32_t *tree_of(struct engine *e, const struct claim *claim)
{
    struct queue *queue = queue_at(e, line_queue(e, line_at(e, claim->line)));

    return claim->state == CLAIM_RESERVED ? &queue->reserved : &queue->allocated;
}

static void charge(struct engine *e, uint32_t id, int reserved, int allocated)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);

    for (uint32_t i = 0; i < line_count(e, line); i++) {
        wide amount = line_amount(e, line, i);
        wide later = claim_counts_later(claim) ? (reserved + allocated) * amount : 0;
        uint32_t topmost =
            quota_charge(e, line_queue(e, line), claim_flavors(claim)[i], line_resource(e, line, i),
                         reserved * amount, allocated * amount, later, recount_has(e, id));

        if (reserved + allocated < 0)
            queue_todo(e, TODO_DIRTY, topmost);
    }
}

static void take_out(struct engine *e, uint32_t id)
{
    if (claim_at(e, id)->state == CLAIM_RESERVED)
        note_claim_reserved_no_more(e, id);
    tree_remove(&claims_by_stamp, e, tree_of(e, claim_at(e, id)), id);
}

/* Both return whether others can notice: usage, or the head of a line, is another. */
static bool leave(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    queue_count(e, claim_queue(e, id), (enum claim_state)claim->state, -1);
    switch (claim->state) {
    case CLAIM_HELD:
        if (claim->flags & CLAIM_RESTORING)
            claim_leave_restoring(e, id);
        return false;
    case CLAIM_WAITING:
        backlog_count(e, claim->line, -1);
        if (claim_waits_in_gang(claim)) {
            queue_at(e, claim_queue(e, id))->waiting_count--;
            return false;
        }
        head_may_change(e, claim_queue(e, id), id);
        return line_leave(e, id);
    default:
        take_out(e, id);
        removable_leave(e, id);
        charge(e, id, -(claim->state == CLAIM_RESERVED), -(claim->state == CLAIM_ALLOCATED));
        return true;
    }
}

static bool enter(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    queue_count(e, claim_queue(e, id), (enum claim_state)claim->state, 1);
    switch (claim->state) {
    case CLAIM_HELD:
        return false;
    case CLAIM_WAITING:
        backlog_count(e, claim->line, 1);
        if (claim_is_in_gang(e, id)) {
            queue_at(e, claim_queue(e, id))->waiting_count++;
            return false;
        }
        return line_join(e, id);
    default:
        tree_insert(&claims_by_stamp, e, tree_of(e, claim), id);
        charge(e, id, claim->state == CLAIM_RESERVED, claim->state == CLAIM_ALLOCATED);
        return true;
    }
}

/* Between reserved and allocated the usage stays as it is, also for a moment. */
static void move_holding(struct engine *e, uint32_t id, enum claim_state state)
{
    struct claim *claim = claim_at(e, id);
    int to_allocated = state == CLAIM_ALLOCATED ? 1 : -1;

    take_out(e, id);
    queue_count(e, claim_queue(e, id), (enum claim_state)claim->state, -1);
    queue_count(e, claim_queue(e, id), state, 1);
    claim->state = (uint8_t)state;
    tree_insert(&claims_by_stamp, e, tree_of(e, claim), id);
    charge(e, id, -to_allocated, to_allocated);
}

/* Usage, or the head of a line, is another. */
static void others_see(struct engine *e, uint32_t queue)
{
    guard_review(e, queue);
    contest_refresh(e, queue);
}

/* It may have been in the way of somebody who would borrow. */
static void note_leave(struct engine *e, uint32_t queue)
{
    if (queue_at(e, queue)->preempts.reclaim == PREEMPT_ANY)
        cluster_queue_asks_less(e, queue);
}

void claim_change(struct engine *e, uint32_t id, enum claim_state state, enum reason reason)
{
    struct claim *claim = claim_at(e, id);
    uint32_t queue = claim_queue(e, id);
    bool went = claim_goes(claim), held = claim_holds(claim);
    bool was_waiting = claim->state == CLAIM_WAITING;

    journal_change(e, id, state);
    news_note_grant(e, claim, state_holds(state));
    if (state != CLAIM_WAITING)
        promise_end(e, id);
    if (claim->state == state && claim->reason == reason && (claim->flags & CLAIM_RESTORING) == 0) {
        news_review(e, id);
        outbox_sync(&e->outbox, EFFECT_OF_POD, id);
        note_claim_deadline(e, id);
        return;
    }
    note_claim_changes(e, id);
    claim->reason = reason & 0x7fu;
    claim->since = e->now;
    if (claim_holds(claim) && state_holds(state)) {
        move_holding(e, id, state);
    } else {
        bool seen = leave(e, id);

        if (claim_holds(claim) && !state_holds(state)) {
            queue_at(e, queue)->totals.gave_up++;
            if (claim->state == CLAIM_ALLOCATED)
                queue_note_run_time(e, queue, e->now - claim->stamp);
            stale_condition_note_loss(e, claim);
            claim_set_flavors(e, id, NULL);
            claim_set_flag(claim, CLAIM_PARKED, true); /* it may lie where nobody looks again */
        }
        claim->state = (uint8_t)state;
        seen = enter(e, id) || seen;
        if (seen)
            others_see(e, queue);
        if (was_waiting)
            note_leave(e, queue);
        if (state == CLAIM_WAITING && queue_at(e, queue)->kind == QUEUE_CLUSTER)
            cluster_queue_asks_more(e, queue);
        if (!held && claim_holds(claim))
            cluster_queue_pod_holds(e, queue);
    }
    if (state != CLAIM_ALLOCATED)
        claim_set_flag(claim, CLAIM_AT_PERMIT, false);
    if (!state_holds(state))
        claim_set_flag(claim, CLAIM_HEARD, false);
    note_claim_changed(e, id);
    if (state != CLAIM_RESERVED)
        claim->flags &= ~(uint32_t)(CLAIM_SEEN_IN_CYCLE | CLAIM_LACKS_NODE);
    else
        claim_set_flag(claim, CLAIM_STOPPED, queue_stops_granted(e, queue));
    if (state == CLAIM_HELD)
        claim->flags &= ~(uint32_t)CLAIM_STOPPED;
    news_review(e, id);
    promise_note_change(e, id, went);
    queue_victims_changed(e, queue);
    outbox_sync(&e->outbox, EFFECT_OF_POD, id);
    note_claim_deadline(e, id);
}

void claim_set_stamp(struct engine *e, uint32_t id, int64_t stamp)
{
    struct claim *claim = claim_at(e, id);

    if (claim->stamp == stamp)
        return;
    if (claim_holds(claim))
        take_out(e, id);
    removable_leave(e, id);
    claim->stamp = stamp;
    if (claim_holds(claim))
        tree_insert(&claims_by_stamp, e, tree_of(e, claim), id);
    removable_review(e, id);
}

void claim_set_flavors(struct engine *e, uint32_t id, const uint16_t *flavors)
{
    struct claim *claim = claim_at(e, id);

    for (uint32_t i = 0; i < line_count(e, line_at(e, claim->line)); i++) {
        uint16_t next = flavors == NULL ? 0 : flavors[i];

        flavor_ref(e, next);
        flavor_unref(e, claim_flavors(claim)[i]);
        claim_flavors(claim)[i] = next;
    }
}

void claim_reserve(struct engine *e, uint32_t id, const uint16_t *flavors)
{
    struct claim *claim = claim_at(e, id);

    promise_end(e, id);
    claim_set_flavors(e, id, flavors);
    claim_set_flag(claim, CLAIM_GUESSED, false);
    if ((claim->flags & CLAIM_STAMPED) == 0)
        claim->stamp = e->now;
    claim_change(e, id, CLAIM_RESERVED, REASON_NONE);
    queue_count_grant(e, claim_queue(e, id), claim->queued);
}

static bool members_wait(const struct engine *e, uint32_t entry)
{
    return !group_at(e, claim_group(e, claim_at(e, entry)))->books;
}

void claim_enter_line(struct engine *e, uint32_t id)
{
    uint32_t queue = claim_queue(e, id);

    claim_at(e, id)->state = CLAIM_WAITING;
    claim_at(e, id)->reason = REASON_NONE;
    if (line_join(e, id))
        others_see(e, queue);
    queue_victims_changed(e, queue);
    if (members_wait(e, id))
        queue_at(e, queue)->waiting_count--; /* they are counted */
    else
        queue_count(e, queue, CLAIM_WAITING, 1);
}

void claim_leave_line(struct engine *e, uint32_t id)
{
    uint32_t queue = claim_queue(e, id);
    bool seen;

    promise_end(e, id);
    head_may_change(e, queue, id);
    seen = line_leave(e, id);
    if (members_wait(e, id))
        queue_at(e, queue)->waiting_count++;
    else
        queue_count(e, queue, CLAIM_WAITING, -1);
    claim_at(e, id)->state = CLAIM_HELD;
    claim_at(e, id)->reason = REASON_NOT_READY;
    if (seen)
        others_see(e, queue);
    note_leave(e, queue);
    queue_victims_changed(e, queue);
}

void claim_hold_entry(struct engine *e, uint32_t id, const uint16_t *flavors)
{
    struct claim *claim = claim_at(e, id);
    uint32_t queue = claim_queue(e, id);

    if (flavors == NULL)
        leave(e, id);
    claim_set_flavors(e, id, flavors);
    claim->state = flavors == NULL ? CLAIM_HELD : CLAIM_RESERVED;
    claim->reason = flavors == NULL ? REASON_NOT_READY : REASON_NONE;
    claim->since = e->now;
    claim->stamp = claim->queued;
    if (flavors != NULL)
        enter(e, id);
    others_see(e, queue);
    queue_victims_changed(e, queue);
    note_claim_deadline(e, id);
}

void claim_wake_at(struct engine *e, uint32_t id, int64_t at)
{
    heap_set(&e->claims.timers, id, at);
}

void claim_join_restoring(struct engine *e, uint32_t id)
{
    claim_set_flag(claim_at(e, id), CLAIM_RESTORING, true);
    tree_insert(&claims_by_stamp, e, &e->claims.restoring, id);
}

void claim_leave_restoring(struct engine *e, uint32_t id)
{
    tree_remove(&claims_by_stamp, e, &e->claims.restoring, id);
    claim_set_flag(claim_at(e, id), CLAIM_RESTORING, false);
}

void claim_to_restore(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    uint32_t count = line_count(e, line_at(e, claim->line));
    uint16_t flavors[FACTS_MAX_NEEDS];

    if (claim->flags & CLAIM_RESTORING)
        return;
    memcpy(flavors, claim_flavors(claim), count * sizeof(*flavors));
    for (uint32_t i = 0; i < count; i++)
        flavor_ref(e, flavors[i]);
    claim_change(e, id, CLAIM_HELD, REASON_NOT_READY);
    if (claim->flags & CLAIM_STAMPED) /* the stamp still names them */
        claim_set_flavors(e, id, flavors);
    for (uint32_t i = 0; i < count; i++)
        flavor_unref(e, flavors[i]);
    claim_join_restoring(e, id);
}

bool claim_guess_flavors(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    bool anew = (claim->flags & CLAIM_GUESSED) != 0;
    uint16_t flavors[FACTS_MAX_NEEDS];
    int reserved = claim->state == CLAIM_RESERVED, allocated = claim->state == CLAIM_ALLOCATED;

    fit_guess(e, id, anew, flavors);
    if (memcmp(flavors, claim_flavors(claim),
               line_count(e, line_at(e, claim->line)) * sizeof(*flavors)) == 0)
        return false;
    charge(e, id, -reserved, -allocated);
    removable_leave(e, id);
    claim_set_flavors(e, id, flavors);
    removable_review(e, id);
    charge(e, id, reserved, allocated);
    return true;
}

void claim_allocate(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    claim->timeouts = 0;
    note_claim_allocated(e, id);
    if (!claim_holds(claim)) {
        promise_end(e, id); /* it is counted in the flavors that were promised */
        claim_set_flag(claim, CLAIM_GUESSED, (claim->flags & CLAIM_STAMPED) == 0);
        claim_guess_flavors(e, id);
    }
    claim_change(e, id, CLAIM_ALLOCATED, REASON_NONE);
}
