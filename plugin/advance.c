/* SPDX-License-Identifier: Apache-2.0 */
#include "advance.h"

#include "plugin/claims/promise.h"
#include "plugin/claims/rest.h"
#include "plugin/claims/stale_condition.h"
#include "plugin/grant/preempt.h"
#include "plugin/grant/review.h"
#include "plugin/grant/workload_next.h"
#include "plugin/order/contest.h"
#include "plugin/order/guard.h"
#include "plugin/pods/booking.h"
#include "plugin/pods/claim_expire.h"
#include "plugin/pods/claim_time.h"
#include "plugin/pods/gang.h"
#include "plugin/pods/group_member.h"
#include "plugin/pods/pod_settle.h"
#include "plugin/pods/restore.h"
#include "plugin/queues/command_effects.h"
#include "plugin/queues/queue_effects.h"
#include "plugin/queues/queue_life.h"
#include "plugin/queues/status_turn.h"
#include "plugin/telling/group_effects.h"
#include "plugin/workloads/wait_notice.h"
#include "plugin/workloads/workload_settle.h"
#include "state.h"

static uint32_t restore_some(struct engine *e, uint32_t budget)
{
    for (; budget > 0 && e->claims.restoring != 0; budget--)
        restore_claim(e, tree_first(&claims_by_stamp, e, e->claims.restoring));
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

    while (budget > 0 && e->queues.todo[TODO_DIRTY].first != 0) {
        uint32_t queue = topmost_dirty(e, e->queues.todo[TODO_DIRTY].first), claim;

        if (review_promises(e, queue_root(e, queue))) {
            group_settle(e);
            budget--;
            continue;
        }
        guard_point_below(e, queue);
        claim = contest_winner(e, queue, flavors);
        if (claim == 0) {
            queue_done(e, TODO_DIRTY, queue);
            continue;
        }
        if (workload_next_before(e, claim, flavors, &budget))
            continue;
        if (!preempt_instead(e, claim, &budget))
            claim_grant(e, claim, flavors);
        group_settle(e);
        budget -= budget > 0;
    }
    return budget;
}

static uint32_t expire(struct engine *e, uint32_t budget)
{
    uint32_t id;

    for (; budget > 0 && (id = heap_due(&e->claims.timers, e->now)) != 0; budget--) {
        if (claim_is_workload(e, id))
            workload_expire(e, id);
        else
            claim_expire(e, id, heap_when(&e->claims.timers, id));
    }
    /* While earlier grants are being restored, or counted, a status would tell of what is over in a
     * moment. */
    if (e->claims.restoring == 0 && e->claims.recount.cells == 0) {
        for (; budget > 0 && (id = heap_due(&e->queues.timers, e->now)) != 0; budget--)
            queue_expire(e, id);
        budget = status_turn_some(e, budget);
    }
    for (; budget > 0 && (id = heap_due(&e->queues.commands.timers, e->now)) != 0; budget--)
        command_expire(e, id);
    for (; budget > 0 && (id = heap_due(&e->pods.group_timers, e->now)) != 0; budget--)
        group_expire(e, id);
    for (; budget > 0 && (id = heap_due(&e->order.guard_timers, e->now)) != 0; budget--)
        guard_begin(e, id);
    rest_end(e);
    return wait_notice_some(e, budget);
}

/* Victims are found by what is used: that must be known. */
static bool may_preempt(const struct engine *e)
{
    return e->queues.todo[TODO_PREEMPT].first != 0 && e->claims.recount.cells == 0;
}

void engine_tick(struct engine *e)
{
    uint32_t budget = expire(e, ADVANCE_SLICE);

    command_some(e, ADVANCE_SLICE);
    queue_settle_some(e, ADVANCE_SLICE);
    stop_notice_some(e);
    group_settle(e);
    workload_sweep_some(e, ADVANCE_SLICE);
    recount_some(e);
    if (e->queues.todo[TODO_STATE].first == 0) /* one thing at a time: a call must not take long */
        budget = demote_some(e, budget);
    if (!e->synced || !e->leads)
        return;
    budget = restore_some(e, budget);
    while (budget > 0 && e->claims.restoring == 0 && e->queues.todo[TODO_STATE].first == 0 &&
           (e->queues.todo[TODO_DIRTY].first != 0 || may_preempt(e))) {
        budget = grant(e, budget);
        if (may_preempt(e))
            budget = preempt_some(e, budget);
    }
    if (e->claims.restoring == 0)
        workload_next_some(e, budget);
}

void advance_begin(struct engine *e)
{
    workload_begin(e);
    restore_guess_flavors(e);
    gang_begin(e);
    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (claim_is_of_pods(e, id)) {
            outbox_sync(&e->outbox, EFFECT_OF_POD, id);
            claim_set_timer(e, id);
        }
    }
    for (uint32_t id = 0; slab_step(&e->pods.groups, &id);)
        group_sync_effects(e, id);
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);) {
        if (queue_at(e, id)->parent == 0)
            queue_todo(e, TODO_DIRTY, id);
        queue_settle_later(e, id);
        queue_forget_status(queue_at(e, id));
        queue_note_change(e, id);
    }
}

void advance_end(struct engine *e)
{
    promise_end_all(e);
    workload_end(e);
    for (uint32_t id = 0; slab_step(&e->pods.groups, &id);) {
        booking_stand_by(e, id);
        outbox_forget(&e->outbox, EFFECT_OF_GROUP, id);
        group_sync_effects(e, id);
    }
    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (claim_is_pod(e, id)) {
            outbox_forget(&e->outbox, EFFECT_OF_POD, id);
            group_member_stand_by(e, id);
            stale_condition_forget(claim_at(e, id));
            pod_settle(e, id);
        }
    }
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);)
        queue_stand_by(e, id);
    command_stand_by(e);
}

bool engine_more(const struct engine *e)
{
    int64_t at;

    if (e->queues.todo[TODO_OVER].first != 0 || e->queues.todo[TODO_STATE].first != 0 ||
        stop_notice_is_due(e) || e->claims.recount.cells > 0 || e->claims.workloads_left > 0 ||
        (e->queues.commands.waiting != 0 && queue_rules(e)) ||
        (e->synced && e->leads &&
         (e->claims.restoring != 0 || e->queues.todo[TODO_DIRTY].first != 0 ||
          e->queues.todo[TODO_PREEMPT].first != 0 || e->queues.todo[TODO_WORKLOADS].first != 0)))
        return true;
    at = engine_next(e);
    return at != 0 && at <= e->now;
}

int64_t engine_next(const struct engine *e)
{
    const int64_t times[] = {e->claims.promises.rest,
                             wait_notice_deadline(e),
                             status_turn_deadline(e),
                             heap_earliest(&e->claims.timers),
                             heap_earliest(&e->pods.group_timers),
                             heap_earliest(&e->queues.timers),
                             heap_earliest(&e->queues.commands.timers),
                             heap_earliest(&e->order.guard_timers)};
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        if (times[i] != 0 && times[i] < next)
            next = times[i];
    }
    return next == INT64_MAX ? 0 : next;
}
