/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_see.h"

#include "plugin/claims/claim_make.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/workload_change.h"
#include "plugin/queues/queue_tree.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "wait_notice.h"
#include "workload_details.h"
#include "workload_refusal.h"
#include "workload_settle.h"

static struct list_link *peers_of(const void *ctx, uint32_t id)
{
    return &workload_at(ctx, id)->local_peers;
}

static void unlink_local(struct engine *e, uint32_t id)
{
    uint32_t local = workload_at(e, id)->local_queue;

    if (local == 0)
        return;
    list_remove(peers_of, e, &local_queue_at(e, local)->loads, id);
    workload_at(e, id)->local_queue = 0;
    local_queue_drop(e, local);
}

/* All that the record has hold of, but its name. [taken out] */
static void drop_details(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);
    uint32_t queue = workload->demand == 0 ? 0 : claim_queue(e, id);

    workload_free_counts(e, workload->counts,
                         workload->demand == 0 ? NULL : demand_at(e, workload->demand));
    workload->counts = NULL;
    for (uint32_t i = 0; i < workload->check_count; i++)
        intern_unref(&e->names, workload->checks[i]);
    preemption_gates_drop(&e->names, &workload->gates);
    intern_unref(&e->names, workload->uid);
    intern_unref(&e->names, workload->job);
    intern_unref(&e->names, workload->unsupported);
    intern_unref(&e->names, workload->target_cause);
    demand_unref(e, workload->demand);
    workload->demand = 0;
    workload->check_count = 0;
    queue_let_go(e, queue);
}

static void take_conditions(struct claim *claim, struct workload *workload,
                            const struct workload_facts *facts)
{
    const struct condition_facts *is = facts->conditions;
    bool signals = is[CONDITION_SIGNAL].is_true || is[CONDITION_SIGNAL_KEP].is_true;

    workload_set(workload, WORKLOAD_FINISHED, is[CONDITION_FINISHED].is_true);
    workload_set(workload, WORKLOAD_RESERVED,
                 is[CONDITION_RESERVED].is_true && facts->has_admission);
    workload_set(workload, WORKLOAD_ADMITTED, is[CONDITION_ADMITTED].is_true);
    workload_set(workload, WORKLOAD_EVICTED, is[CONDITION_EVICTED].is_true);
    workload_set(workload, WORKLOAD_TARGET, is[CONDITION_TARGET].is_true);
    workload_set(workload, WORKLOAD_SIGNALS, signals);
    workload->signal_since =
        is[CONDITION_SIGNAL].is_true ? is[CONDITION_SIGNAL].since : is[CONDITION_SIGNAL_KEP].since;
    workload->evicted_why = LIFE_NONE;
    if (is[CONDITION_EVICTED].is_true)
        workload->evicted_why = (uint8_t)life_reason_of(is[CONDITION_EVICTED].reason);
    workload->on_hold = workload->pending_why = LIFE_NONE;
    if (is[CONDITION_REQUEUED].is_false)
        workload->on_hold = (uint8_t)life_reason_of(is[CONDITION_REQUEUED].reason);
    if (is[CONDITION_RESERVED].is_false)
        workload->pending_why = (uint8_t)life_reason_of(is[CONDITION_RESERVED].reason);
    claim->queued = facts->created;
    if (workload->evicted_why == LIFE_ADMISSION_CHECK && is[CONDITION_EVICTED].since > 0)
        claim->queued = is[CONDITION_EVICTED].since;
    if (workload_is(workload, WORKLOAD_RESERVED))
        claim->stamp = is[CONDITION_RESERVED].since;
}

static void take_facts(struct claim *claim, struct workload *workload,
                       const struct workload_facts *facts)
{
    workload_set(workload, WORKLOAD_ACTIVE, facts->active);
    workload_set(workload, WORKLOAD_DELETED, facts->deleted);
    workload_set(workload, WORKLOAD_STOPPED, facts->job_stopped);
    claim_set_flag(claim, CLAIM_NEVER_PREEMPTS, facts->yields);
    workload_set(workload, WORKLOAD_GATED_BY, facts->admission_gated);
    workload_set(workload, WORKLOAD_REQUEUES, facts->has_requeue);
    workload->created = facts->created;
    claim->priority = facts->priority;
    workload->requeue_at = facts->requeue_at;
    workload->retry_at = 0;
    for (uint32_t i = 0; i < facts->check_count; i++) {
        workload->check_states[i] = (uint8_t)facts->checks[i].state;
        if (facts->checks[i].state == CHECK_RETRY && facts->checks[i].retry_at > workload->retry_at)
            workload->retry_at = facts->checks[i].retry_at;
    }
    claim->version = facts->version;
    take_conditions(claim, workload, facts);
}

/* What was decided still holds: it is the same workload, and asks for the same in the same queue,
 * and its object has not overtaken it. */
static bool keeps_decision(const struct engine *e, uint32_t id, const struct workload_details *d)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *old = workload->demand == 0 ? NULL : demand_at(e, workload->demand);
    const struct demand *new = demand_at(e, d->demand);

    if (old == NULL || d->granted || !workload_is(workload, WORKLOAD_PLACED) ||
        workload->uid != d->uid || old->queue != new->queue || old->text != new->text ||
        old->yields != new->yields)
        return false;
    return workload_is(workload, WORKLOAD_ASSUMED) ||
           (claim_is_promised(claim_at(e, id)) && !new->gated);
}

/* Victims of another workload are none of this one's, and its own go for nobody. */
static void begin_anew(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);

    outbox_forget(&e->outbox, EFFECT_OF_WORKLOAD, id);
    promise_lose_victim(e, id);
    wait_notice_drop(e, id);
    workload->flags = claim_at(e, id)->flags = 0;
    claim_at(e, id)->version = workload->wrote = 0;
}

/* What others notice of it. */
struct footprint {
    bool holds, runs, stays, leaves;
    int32_t priority;
    int64_t since, stamp;
    uint32_t queue; /* in which it holds quota */
    uint32_t hash;  /* of the quota that it holds */
};

static struct footprint footprint(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    struct footprint ret = {.holds = workload_holds(e, id),
                            .runs = workload_runs(e, id),
                            .stays = workload_counts_later(e, id),
                            .leaves = workload_is_leaving(workload),
                            .priority = claim_at(e, id)->priority,
                            .since = claim_at(e, id)->queued,
                            .stamp = claim_at(e, id)->stamp};

    if (!ret.holds)
        return ret;
    ret.queue = claim_queue(e, id);
    ret.hash =
        hash_bytes(workload->counts, workload_counts_size(demand_at(e, workload->demand)), 20);
    return ret;
}

/* Room is taken that was not, by what its object says; or was on its way to others, and is not. */
static bool takes_more(const struct footprint *was, const struct footprint *is)
{
    return is->holds && (!was->holds || was->queue != is->queue || was->hash != is->hash ||
                         (is->stays && !was->stays));
}

/* Room comes: it holds less, or goes; or it may be sent away by others now. */
static bool leaves_more(const struct footprint *was, const struct footprint *is)
{
    return was->holds &&
           (!is->holds || (was->stays && !is->stays) || (!was->leaves && is->leaves) ||
            was->queue != is->queue || was->hash != is->hash || was->priority != is->priority ||
            was->since != is->since);
}

static void take(struct engine *e, uint32_t id, const struct workload_facts *facts,
                 struct workload_details *d)
{
    struct workload *workload = workload_at(e, id);
    struct footprint was = footprint(e, id), is;
    bool fresh = workload->demand == 0 || workload->uid != d->uid;
    bool keeps = keeps_decision(e, id, d);
    uint32_t before = workload->demand == 0 ? 0 : claim_queue(e, id), *counts = d->counts;

    queue_hold(e, before); /* where it was is looked at once more in the end */
    if (!keeps)
        workload_retract(e, id);
    if (workload->demand != 0)
        workload_take_out(e, id);
    if (fresh)
        begin_anew(e, id);
    if (keeps) {
        counts = workload->counts;
        workload->counts = d->counts;
    }
    queue_hold(e, d->queue);
    drop_details(e, id);
    if (workload->local_queue != d->local_queue) {
        unlink_local(e, id);
        workload->local_queue = d->local_queue;
        list_append(peers_of, e, &local_queue_at(e, d->local_queue)->loads, id);
    }
    workload->uid = d->uid;
    workload->job = d->job;
    workload->unsupported = d->unsupported;
    workload->target_cause = d->target_cause;
    workload->demand = d->demand;
    workload->counts = counts;
    workload->gates = d->gates;
    workload->check_count = (uint8_t)d->check_count;
    memcpy(workload->checks, d->checks, sizeof(workload->checks));
    intern_unref(&e->names, d->text);
    take_facts(claim_at(e, id), workload, facts);
    if (fresh)
        workload_set(workload, WORKLOAD_BLOCKED, workload_is(workload, WORKLOAD_SIGNALS));
    if (workload->wrote == 0 || facts->version == 0 || facts->version >= workload->wrote)
        workload_set(workload, WORKLOAD_AWAITS, false);
    workload_refusal_seen(e, id, fresh);
    if (keeps)
        workload_put_in(e, id);
    workload_settle(e, id);
    is = footprint(e, id);
    if (was.holds && !is.holds && !keeps && before != 0)
        queue_at(e, before)->totals.gave_up++;
    if (was.runs && !is.holds && before != 0)
        queue_note_run_time(e, before, e->now - was.stamp);
    if (is.holds && was.queue != is.queue)
        cluster_queue_borrows_more(e, is.queue);
    if (leaves_more(&was, &is) && before != 0)
        queue_todo(e, TODO_DIRTY, queue_root(e, before));
    if (takes_more(&was, &is)) /* others granted it that, or no longer evict it */
        cluster_queue_changed(e, is.queue);
    queue_let_go(e, before);
}

int workload_see(struct engine *e, const struct workload_facts *facts)
{
    struct workload_details details = {0};
    uint32_t id = workload_find(e, facts->space, facts->name);
    bool is_new = id == 0;
    int error;

    if (id != 0 && facts->version != 0 &&
        text_same(name_text(e, workload_at(e, id)->uid), facts->uid) &&
        (facts->version < claim_at(e, id)->version || facts->version < workload_at(e, id)->wrote))
        return SEEN_BEFORE;
    error = workload_read_details(e, facts, &details);
    if (error == 0 && is_new && slab_count(&e->claims.workloads) >= e->config.max_workloads)
        error = ENGINE_FULL_WORKLOADS;
    if (error == 0 && is_new)
        error = claim_create_workload(e, facts->space, facts->name, &id);
    if (error < 0) {
        workload_release_details(e, &details);
        return error;
    }
    take(e, id, facts, &details);
    return SEEN_ANEW;
}

void workload_destroy(struct engine *e, uint32_t id)
{
    uint32_t queue = claim_queue(e, id);
    bool held = workload_holds(e, id), ran = workload_runs(e, id);

    workload_retract(e, id);
    workload_take_out(e, id);
    promise_lose_victim(e, id);
    if (held && queue != 0) {
        queue_todo(e, TODO_DIRTY, queue_root(e, queue));
        workload_count_release(e, id);
    }
    if (ran && queue != 0)
        queue_note_run_time(e, queue, e->now - claim_at(e, id)->stamp);
    wait_notice_drop(e, id);
    drop_details(e, id);
    unlink_local(e, id);
    claim_destroy_workload(e, id);
}

void workload_lose(struct engine *e, struct text space, struct text name, struct text uid)
{
    uint32_t id = workload_find(e, space, name);

    if (id != 0 && (uid.len == 0 || text_same(uid, name_text(e, workload_at(e, id)->uid))))
        workload_destroy(e, id);
}

void workload_release_all(struct engine *e)
{
    for (uint32_t id = workload_next(e, 0); id != 0; id = workload_next(e, id))
        mem_free(&e->mem, workload_at(e, id)->counts,
                 workload_counts_size(demand_at(e, workload_at(e, id)->demand)));
    for (uint32_t id = 0; slab_step(&e->order.demands, &id);)
        demand_release(e, id);
}
