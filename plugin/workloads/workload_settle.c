/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_settle.h"

#include "plugin/claims/claim_change.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/workload_change.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "workload_refusal.h"

static bool has_flavor(const struct engine *e, uint32_t id, uint16_t flavor)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);

    for (uint32_t i = 0; i < demand->need_count; i++) {
        if (flavors[i] == flavor)
            return true;
    }
    return false;
}

/* One that is for some flavors alone is wanted of who was assigned one of them. */
static bool is_wanted(const struct engine *e, uint32_t id, const struct cluster_queue_check *check)
{
    for (uint32_t i = 0; i < check->flavor_count; i++) {
        if (workload_holds(e, id) && has_flavor(e, id, check->flavors[i]))
            return true;
    }
    return check->flavor_count == 0;
}

bool workload_wants_check(const struct engine *e, uint32_t id, uint32_t check)
{
    uint32_t queue = claim_queue(e, id);

    return queue != 0 && is_wanted(e, id, &queue_at(e, queue)->cluster.checks[check]);
}

/* The place of a check in what its object lists; its count: it is not there. */
static uint32_t place_of(const struct workload *workload, uint32_t name)
{
    uint32_t i = 0;

    while (i < workload->check_count && workload->checks[i] != name)
        i++;
    return i;
}

static void judge_checks(const struct engine *e, uint32_t id, struct workload_life *life)
{
    const struct workload *workload = workload_at(e, id);
    const struct queue *queue = claim_queue(e, id) == 0 ? NULL : queue_at(e, claim_queue(e, id));
    uint32_t wanted = 0;

    life->checks_listed = life->checks_ready = true;
    for (uint32_t i = 0; queue != NULL && i < queue->cluster.check_count; i++) {
        uint32_t at = place_of(workload, queue->cluster.checks[i].name);

        if (!is_wanted(e, id, &queue->cluster.checks[i]))
            continue;
        wanted++;
        if (at == workload->check_count)
            life->checks_listed = false;
        if (at == workload->check_count || workload->check_states[at] != CHECK_READY)
            life->checks_ready = false;
    }
    if (wanted != workload->check_count)
        life->checks_listed = false;
    for (uint32_t i = 0; i < workload->check_count; i++) {
        life->retry = life->retry || workload->check_states[i] == CHECK_RETRY;
        life->rejected = life->rejected || workload->check_states[i] == CHECK_REJECTED;
    }
}

void workload_find_life(const struct engine *e, uint32_t id, struct workload_life *ret)
{
    const struct workload *workload = workload_at(e, id);
    const struct local_queue *local = local_queue_at(e, workload->local_queue);

    *ret = (struct workload_life){
        .active = workload_is(workload, WORKLOAD_ACTIVE),
        .deleted = workload_is(workload, WORKLOAD_DELETED),
        .finished = workload_is(workload, WORKLOAD_FINISHED),
        .reserved = workload_is(workload, WORKLOAD_RESERVED),
        .admitted = workload_is(workload, WORKLOAD_ADMITTED),
        .evicted = workload_is(workload, WORKLOAD_EVICTED),
        .deactivation_target = workload_is(workload, WORKLOAD_TARGET),
        .evicted_why = (enum life_reason)workload->evicted_why,
        .on_hold = (enum life_reason)workload->on_hold,
        .pending_why = (enum life_reason)workload->pending_why,
        .requeue_at = workload->requeue_at,
        .has_requeue_state = workload_is(workload, WORKLOAD_REQUEUES),
        .retry_at = workload->retry_at,
        .gates_want_status = preemption_gates_want_status(&workload->gates),
        .job_stopped = workload_is(workload, WORKLOAD_STOPPED),
        .admission_gated = workload_is(workload, WORKLOAD_GATED_BY),
        .local_queue = (enum life_stop)local->stop,
        .cluster_queue = cluster_queue_stop(e, claim_queue(e, id)),
    };
    if (!local->known || (workload->unsupported != 0 && !ret->admission_gated))
        ret->local_queue = LIFE_MISSING;
    judge_checks(e, id, ret);
}

/* Who was reserved by us has its checks, and the end of its wait, written with the reservation. */
static bool goes_with_reservation(enum life_write write)
{
    return write == LIFE_WRITE_NOTHING || write == LIFE_WRITE_CHECKS || write == LIFE_WRITE_PENDING;
}

static uint8_t choose_write(const struct engine *e, uint32_t id, const struct life_step *step)
{
    const struct workload *workload = workload_at(e, id);
    bool evicts = claim_is_victim(claim_at(e, id)) && workload_is(workload, WORKLOAD_RESERVED) &&
                  !workload_is(workload, WORKLOAD_EVICTED);

    if (workload_is(workload, WORKLOAD_FINISHED) || workload_is(workload, WORKLOAD_DELETED))
        return LIFE_WRITE_NOTHING;
    if (workload_is(workload, WORKLOAD_ASSUMED) && goes_with_reservation(step->write))
        return claim_is_victim(claim_at(e, id)) ? LIFE_WRITE_NOTHING : WORKLOAD_WRITE_RESERVE;
    if (evicts && (goes_with_reservation(step->write) || step->write == LIFE_WRITE_ADMIT))
        return LIFE_WRITE_EVICT;
    if (step->write != LIFE_WRITE_NOTHING)
        return (uint8_t)step->write;
    if (workload_is(workload, WORKLOAD_BLOCKED) && !workload_is(workload, WORKLOAD_SIGNALS))
        return WORKLOAD_WRITE_SIGNAL;
    if (!workload_is(workload, WORKLOAD_BLOCKED) && workload_is(workload, WORKLOAD_SIGNALS))
        return WORKLOAD_WRITE_CLEAR_SIGNAL;
    return LIFE_WRITE_NOTHING;
}

static void choose(struct engine *e, uint32_t id, const struct workload_life *life)
{
    struct workload *workload = workload_at(e, id);
    enum life_reason why;
    bool tells = workload_refusal_wants(e, id, &why);

    workload->step = workload_life_step(life, e->now, &workload->wake);
    workload->writes = choose_write(e, id, &workload->step);
    if (workload->writes == LIFE_WRITE_EVICT && workload->step.write != LIFE_WRITE_EVICT)
        workload->step = (struct life_step){.write = LIFE_WRITE_EVICT, .reason = LIFE_PREEMPTED};
    if (workload->writes == LIFE_WRITE_NOTHING && tells) {
        workload->writes = LIFE_WRITE_PENDING;
        workload->step = (struct life_step){.write = LIFE_WRITE_PENDING, .reason = why};
    }
    outbox_sync(&e->outbox, EFFECT_OF_WORKLOAD, id);
    workload_set_timer(e, id);
}

/* What its object does not say, and may hold it. */
static enum claim_state state_of(const struct engine *e, uint32_t id,
                                 const struct workload_life *life, bool *ret_finished)
{
    const struct workload *workload = workload_at(e, id);
    const struct local_queue *local = local_queue_at(e, workload->local_queue);
    enum claim_state state = workload_life_state(life, e->now, ret_finished);

    if (state == CLAIM_WAITING &&
        (workload->unsupported != 0 || !local->selected || claim_queue(e, id) == 0))
        return CLAIM_HELD;
    return state;
}

/* Who does not ask for room says what it said; who has some, nothing. */
static void forget_signal(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);

    workload_set(workload, WORKLOAD_BLOCKED,
                 !workload_holds(e, id) && workload_is(workload, WORKLOAD_SIGNALS));
    if (workload_is(workload, WORKLOAD_BLOCKED))
        demand_set_signals(e, workload->demand, true);
}

void workload_settle(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);
    struct claim *claim = claim_at(e, id);
    struct workload_life life;
    enum claim_state state;
    bool finished, held, ran;

    /* Of a reservation that is not made any more no object will say anything. */
    if (workload_must_give_way(e, id))
        workload_give_up(e, id);
    held = workload_holds(e, id);
    ran = workload_runs(e, id);
    workload_find_life(e, id, &life);
    state = state_of(e, id, &life, &finished);
    if (workload_is(workload, WORKLOAD_ASSUMED) && state == CLAIM_WAITING)
        state = CLAIM_RESERVED;
    else if (workload_is(workload, WORKLOAD_ASSUMED))
        workload_retract(e, id);
    if (state != CLAIM_WAITING)
        promise_end(e, id);
    if (finished == workload_is(workload, WORKLOAD_PLACED) || claim->state != (uint8_t)state) {
        workload_take_out(e, id);
        if (finished || (state != CLAIM_RESERVED && state != CLAIM_ALLOCATED))
            promise_lose_victim(e, id);
        claim->state = (uint8_t)state;
        if (!finished)
            workload_put_in(e, id);
        if (held && !workload_holds(e, id)) {
            workload_set_flavors(e, id, NULL);
            if (claim_queue(e, id) != 0)
                queue_todo(e, TODO_DIRTY, queue_root(e, claim_queue(e, id)));
        } else if (state == CLAIM_WAITING) {
            cluster_queue_has_newcomer(e, claim_queue(e, id));
        }
        workload_find_life(e, id, &life); /* which checks it wants may be others now */
    }
    if (held && !workload_holds(e, id))
        workload_count_release(e, id);
    if (ran && !workload_holds(e, id) && claim_queue(e, id) != 0)
        queue_note_run_time(e, claim_queue(e, id), e->now - claim->stamp);
    if (state != CLAIM_WAITING || !engine_grants(e))
        forget_signal(e, id);
    choose(e, id, &life);
}

void workload_set_timer(struct engine *e, uint32_t id)
{
    int64_t wake = workload_at(e, id)->wake, at = outbox_due(&e->outbox, EFFECT_OF_WORKLOAD, id);

    claim_wake_at(e, id, wake != 0 && wake < at ? wake : at);
}

void workload_expire(struct engine *e, uint32_t id)
{
    outbox_expire(&e->outbox, EFFECT_OF_WORKLOAD, id);
    workload_settle(e, id);
}

/* From where the last slice ended: so changes that never end keep nobody waiting. */
uint32_t workload_sweep_some(struct engine *e, uint32_t budget)
{
    struct claims_room *claims = &e->claims;

    for (; budget > 0 && claims->workloads_left > 0; claims->workloads_left--) {
        claims->workloads_at =
            claims->workloads_at + 1 < slab_end(&claims->workloads) ? claims->workloads_at + 1 : 1;
        if (!slab_live(&claims->workloads, claims->workloads_at))
            continue;
        workload_settle(e, workload_in_place(e, claims->workloads_at));
        budget--;
    }
    return budget;
}

void workload_begin(struct engine *e)
{
    cluster_queues_changed(e);
    for (uint32_t id = workload_next(e, 0); id != 0; id = workload_next(e, id)) {
        workload_refusal_seen(e, id, true);
        workload_settle(e, id);
    }
}

/* What was decided, and is not seen, is another leader's to decide again. */
void workload_end(struct engine *e)
{
    for (uint32_t id = workload_next(e, 0); id != 0; id = workload_next(e, id)) {
        outbox_forget(&e->outbox, EFFECT_OF_WORKLOAD, id);
        workload_set(workload_at(e, id), WORKLOAD_AWAITS, false);
        workload_give_up(e, id);
        if (claim_is_victim(claim_at(e, id))) {
            workload_take_out(e, id);
            promise_lose_victim(e, id);
            workload_put_in(e, id);
        }
        workload_settle(e, id);
    }
}
