/* SPDX-License-Identifier: Apache-2.0 */
#include "assign.h"
#include "load.h"
#include "load_promise.h"
#include "load_refusal.h"
#include "wish.h"
#include "state.h"

static bool has_flavor(const struct engine *e, uint32_t id, uint16_t flavor)
{
    const struct load *load = load_at(e, id);
    const struct wish *wish = wish_at(e, load->wish);
    const uint16_t *flavors = load_flavors(load, wish->set_count);

    for (uint32_t i = 0; i < wish->need_count; i++) {
        if (flavors[i] == flavor)
            return true;
    }
    return false;
}

/* One that is for some flavors alone is wanted of who was assigned one of them. */
static bool is_wanted(const struct engine *e, uint32_t id, const struct bay_check *check)
{
    for (uint32_t i = 0; i < check->flavor_count; i++) {
        if (load_holds(load_at(e, id)) && has_flavor(e, id, check->flavors[i]))
            return true;
    }
    return check->flavor_count == 0;
}

bool load_wants_check(const struct engine *e, uint32_t id, uint32_t check)
{
    uint32_t queue = load_queue(e, id);

    return queue != 0 && is_wanted(e, id, &queue_at(e, queue)->bay.checks[check]);
}

/* The place of a check in what its object lists; its count: it is not there. */
static uint32_t place_of(const struct load *load, uint32_t name)
{
    uint32_t i = 0;

    while (i < load->check_count && load->checks[i] != name)
        i++;
    return i;
}

static void judge_checks(const struct engine *e, uint32_t id, struct workload_life *life)
{
    const struct load *load = load_at(e, id);
    const struct queue *queue = load_queue(e, id) == 0 ? NULL : queue_at(e, load_queue(e, id));
    uint32_t wanted = 0;

    life->checks_listed = life->checks_ready = true;
    for (uint32_t i = 0; queue != NULL && i < queue->bay.check_count; i++) {
        uint32_t at = place_of(load, queue->bay.checks[i].name);

        if (!is_wanted(e, id, &queue->bay.checks[i]))
            continue;
        wanted++;
        if (at == load->check_count)
            life->checks_listed = false;
        if (at == load->check_count || load->check_states[at] != CHECK_READY)
            life->checks_ready = false;
    }
    if (wanted != load->check_count)
        life->checks_listed = false;
    for (uint32_t i = 0; i < load->check_count; i++) {
        life->retry = life->retry || load->check_states[i] == CHECK_RETRY;
        life->rejected = life->rejected || load->check_states[i] == CHECK_REJECTED;
    }
}

void load_find_life(const struct engine *e, uint32_t id, struct workload_life *ret)
{
    const struct load *load = load_at(e, id);
    const struct local_queue *local = local_queue_at(e, load->local_queue);

    *ret = (struct workload_life){
        .active = load_is(load, LOAD_ACTIVE),
        .deleted = load_is(load, LOAD_DELETED),
        .finished = load_is(load, LOAD_FINISHED),
        .reserved = load_is(load, LOAD_RESERVED),
        .admitted = load_is(load, LOAD_ADMITTED),
        .evicted = load_is(load, LOAD_EVICTED),
        .deactivation_target = load_is(load, LOAD_TARGET),
        .evicted_why = (enum life_reason)load->evicted_why,
        .on_hold = (enum life_reason)load->on_hold,
        .pending_why = (enum life_reason)load->pending_why,
        .requeue_at = load->requeue_at,
        .has_requeue_state = load_is(load, LOAD_REQUEUES),
        .retry_at = load->retry_at,
        .gates_want_status = preemption_gates_want_status(&load->gates),
        .job_stopped = load_is(load, LOAD_STOPPED),
        .admission_gated = load_is(load, LOAD_GATED_BY),
        .local_queue = (enum life_stop)local->stop,
        .cluster_queue = bay_stop(e, load_queue(e, id)),
    };
    if (!local->known || (load->unsupported != 0 && !ret->admission_gated))
        ret->local_queue = LIFE_MISSING;
    judge_checks(e, id, ret);
}

/* Who was reserved by us has its checks, and the end of its wait, written with the reservation. */
static bool goes_with_reservation(enum life_write write)
{
    return write == LIFE_WRITE_NOTHING || write == LIFE_WRITE_CHECKS || write == LIFE_WRITE_PENDING;
}

static uint8_t choose_write(const struct load *load, const struct life_step *step)
{
    bool evicts =
        load_is(load, LOAD_VICTIM) && load_is(load, LOAD_RESERVED) && !load_is(load, LOAD_EVICTED);

    if (load_is(load, LOAD_FINISHED) || load_is(load, LOAD_DELETED))
        return LIFE_WRITE_NOTHING;
    if (load_is(load, LOAD_ASSUMED) && goes_with_reservation(step->write))
        return load_is(load, LOAD_VICTIM) ? LIFE_WRITE_NOTHING : LOAD_WRITE_RESERVE;
    if (evicts && (goes_with_reservation(step->write) || step->write == LIFE_WRITE_ADMIT))
        return LIFE_WRITE_EVICT;
    if (step->write != LIFE_WRITE_NOTHING)
        return (uint8_t)step->write;
    if (load_is(load, LOAD_BLOCKED) && !load_is(load, LOAD_SIGNALS))
        return LOAD_WRITE_SIGNAL;
    if (!load_is(load, LOAD_BLOCKED) && load_is(load, LOAD_SIGNALS))
        return LOAD_WRITE_CLEAR_SIGNAL;
    return LIFE_WRITE_NOTHING;
}

static void choose(struct engine *e, uint32_t id, const struct workload_life *life)
{
    struct load *load = load_at(e, id);
    bool evicts;

    load->step = workload_life_step(life, e->now, &load->wake);
    evicts = load->step.write != LIFE_WRITE_EVICT;
    load->writes = choose_write(load, &load->step);
    if (load->writes == LIFE_WRITE_EVICT && evicts)
        load->step = (struct life_step){.write = LIFE_WRITE_EVICT, .reason = LIFE_PREEMPTED};
    if (load->writes == LIFE_WRITE_NOTHING && load_refusal_wants(e, id)) {
        load->writes = LIFE_WRITE_PENDING;
        load->step =
            (struct life_step){.write = LIFE_WRITE_PENDING, .reason = load_refusal_reason(e, id)};
    }
    outbox_sync(&e->outbox, EFFECT_OF_LOAD, id);
    load_set_timer(e, id);
}

/* What its object does not say, and may hold it. */
static enum claim_state state_of(const struct engine *e, uint32_t id,
                                 const struct workload_life *life, bool *ret_finished)
{
    const struct load *load = load_at(e, id);
    const struct local_queue *local = local_queue_at(e, load->local_queue);
    enum claim_state state = workload_life_state(life, e->now, ret_finished);

    if (state == CLAIM_WAITING &&
        (load->unsupported != 0 || !local->selected || load_queue(e, id) == 0))
        return CLAIM_HELD;
    return state;
}

/* Who does not ask for room says what it said; who has some, nothing. */
static void forget_signal(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);

    load_set(load, LOAD_BLOCKED, !load_holds(load) && load_is(load, LOAD_SIGNALS));
    if (load_is(load, LOAD_BLOCKED))
        wish_set_signals(e, load->wish, true);
}

void load_settle(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    struct workload_life life;
    enum claim_state state;
    bool finished, held;

    load_promise_give_way(e, id);
    held = load_holds(load);
    load_find_life(e, id, &life);
    state = state_of(e, id, &life, &finished);
    if (load_is(load, LOAD_ASSUMED) && state == CLAIM_WAITING)
        state = CLAIM_RESERVED;
    else if (load_is(load, LOAD_ASSUMED))
        load_retract(e, id);
    if (state != CLAIM_WAITING)
        load_promise_end(e, id);
    if (finished == load_is(load, LOAD_PLACED) || load->state != (uint8_t)state) {
        load_take_out(e, id);
        if (finished || (state != CLAIM_RESERVED && state != CLAIM_ALLOCATED))
            load_promise_lose_victim(e, id);
        load->state = (uint8_t)state;
        if (!finished)
            load_put_in(e, id);
        if (held && !load_holds(load)) {
            load_set_flavors(e, id, NULL);
            if (load_queue(e, id) != 0)
                queue_todo(e, TODO_DIRTY, queue_root(e, load_queue(e, id)));
        } else if (state == CLAIM_WAITING) {
            bay_stir_newcomer(e, load_queue(e, id));
        }
        load_find_life(e, id, &life); /* which checks it wants may be others now */
    }
    if (held && !load_holds(load))
        load_count_release(e, id);
    if (state != CLAIM_WAITING || !engine_grants(e))
        forget_signal(e, id);
    choose(e, id, &life);
}

void load_set_timer(struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    int64_t at = load->wake, due = outbox_due(&e->outbox, EFFECT_OF_LOAD, id);

    if (due != 0 && (at == 0 || due < at))
        at = due;
    if (at == 0)
        heap_clear(&e->load_timers, id);
    else
        heap_set(&e->load_timers, id, at);
}

void load_expire(struct engine *e, uint32_t id)
{
    outbox_expire(&e->outbox, EFFECT_OF_LOAD, id);
    load_settle(e, id);
}

/* From where the last slice ended: so changes that never end keep nobody waiting. */
uint32_t load_sweep_some(struct engine *e, uint32_t budget)
{
    for (; budget > 0 && e->loads_left > 0; e->loads_left--) {
        e->loads_at = e->loads_at + 1 < slab_end(&e->loads) ? e->loads_at + 1 : 1;
        if (!slab_live(&e->loads, e->loads_at))
            continue;
        load_settle(e, e->loads_at);
        budget--;
    }
    return budget;
}

void load_begin(struct engine *e)
{
    bay_stir_all(e);
    for (uint32_t id = 1; id < slab_end(&e->loads); id++) {
        if (!slab_live(&e->loads, id))
            continue;
        load_refusal_seen(e, id, true);
        load_settle(e, id);
    }
}

/* What was decided, and is not seen, is another leader's to decide again. */
void load_end(struct engine *e)
{
    load_promise_end_all(e);
    for (uint32_t id = 1; id < slab_end(&e->loads); id++) {
        if (!slab_live(&e->loads, id))
            continue;
        outbox_forget(&e->outbox, EFFECT_OF_LOAD, id);
        load_set(load_at(e, id), LOAD_AWAITS, false);
        load_give_up(e, id);
        if (load_is(load_at(e, id), LOAD_VICTIM)) {
            load_take_out(e, id);
            load_promise_lose_victim(e, id);
            load_put_in(e, id);
        }
        load_settle(e, id);
    }
}
