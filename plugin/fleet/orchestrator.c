/* SPDX-License-Identifier: Apache-2.0 */
#include "orchestrator.h"

#include "fleet_state.h"
#include "loss.h"
#include "phase.h"
#include "plan.h"
#include "preemption_memory.h"

enum { ORCHESTRATOR_SLICE = 64 };

/* Nobody is preempting, and nobody is to: the wait for a worker that needs no victims. */
static int64_t patient_until(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);

    if (f->config.prefer_no_preemption == 0 || d->counted != 0)
        return 0;
    return replica_at(f, plan_first(f, id))->signal + f->config.prefer_no_preemption;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool may_open(const struct fleet *f, uint32_t id)
{
    return f->config.orchestrated && fleet_leads(f) && plan_now(f, id) == PLAN_ANY &&
           plan_is_first(f, id, RANK_CANDIDATE);
}

bool orchestrator_wants_open(const struct fleet *f, uint32_t replica)
{
    const struct replica *r = replica_at(f, replica);
    const struct dispatch *d = dispatch_at(f, r->dispatch);

    if (!f->config.orchestrated)
        return replica_is(r, REPLICA_THERE | REPLICA_GATED) &&
               (r->flags & (REPLICA_OPEN | REPLICA_DELETED)) == 0 &&
               worker_at(f, r->worker)->connected && plan_now(f, r->dispatch) == PLAN_ANY;
    return d->phase == PHASE_OPENING && d->target == replica &&
           f->now <= d->opening + OPENING_WINDOW && r->rank == RANK_CANDIDATE;
}

int64_t orchestrator_open_until(const struct fleet *f, uint32_t replica)
{
    const struct dispatch *d = dispatch_at(f, replica_at(f, replica)->dispatch);

    return f->config.orchestrated ? d->opening + OPENING_WINDOW : 0;
}

/* Open gates that no opening explains count from when they were seen. */
static void count_unexplained(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (!dispatch_is(d, DISPATCH_UNEXPLAINED))
        return;
    dispatch_set(d, DISPATCH_UNEXPLAINED, false);
    for (uint32_t at = 0; fleet_next_replica(f, id, &at);) {
        struct replica *r = replica_at(f, at);

        if (replica_is(r, REPLICA_UNEXPLAINED))
            dispatch_count(d, r->opened);
        replica_set(r, REPLICA_UNEXPLAINED, false);
    }
}

/* The opening that is under way goes on while it is needed. */
static void go_on_opening(struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);

    if (d->phase == PHASE_OPENING &&
        (!may_open(f, id) || replica_at(f, d->target)->rank != RANK_CANDIDATE ||
         f->now > d->opening + OPENING_WINDOW))
        phase_rest(f, id);
}

/* What another manager wrote down and perhaps never carried out is written anew, and carried out:
 * nobody else can have been opened meanwhile. 0: there is none. */
static uint32_t take_over(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);
    const struct replica *r = d->fresh == 0 ? NULL : replica_at(f, d->fresh);

    if (r != NULL && (r->rank != RANK_CANDIDATE || f->now > r->opened + OPENING_WINDOW ||
                      r->opened_uid != replica_uid_hash(fleet_text(f, r->uid))))
        d->fresh = 0;
    return d->fresh;
}

/* What is under way is answered before anything else is written. */
static bool is_writing(const struct dispatch *d)
{
    return dispatch_is(d, DISPATCH_AWAITS) ||
           (d->effects.leased & 1u << DISPATCH_WRITE_MEMORY) != 0;
}

static void choose(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);
    const struct replica *first;

    if (d->phase == PHASE_OPENING || is_writing(d))
        return;
    if (!may_open(f, id) || (take_over(f, id) == 0 && phase_blocked_until(f, id) > f->now)) {
        phase_rest(f, id);
        return;
    }
    first = replica_at(f, plan_first(f, id));
    if (patient_until(f, id) <= f->now) {
        d->opening = f->now;
        phase_set(f, id, PHASE_WRITING, d->fresh != 0 ? d->fresh : plan_first(f, id));
    } else if (d->noted != first->signal) {
        d->opening = first->signal;
        phase_set(f, id, PHASE_NOTING, 0);
    } else {
        phase_rest(f, id);
    }
}

static int64_t sooner(int64_t a, int64_t b, int64_t now)
{
    return b > now && b < a ? b : a;
}

int64_t orchestrator_deadline(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);
    int64_t at = INT64_MAX;

    if (!fleet_leads(f))
        return at;
    at = sooner(at, plan_deadline(f, id), f->now);
    if (d->phase == PHASE_OPENING)
        at = sooner(at, d->opening + OPENING_WINDOW + 1, f->now);
    else if (may_open(f, id))
        at = sooner(at, later(phase_blocked_until(f, id), patient_until(f, id)), f->now);
    return at;
}

void orchestrator_set_timer(struct fleet *f, uint32_t id)
{
    int64_t at = orchestrator_deadline(f, id), due = outbox_due(f->outbox, EFFECT_OF_DISPATCH, id);

    heap_set(&f->dispatch_timers, id, due < at ? due : at);
}

static void decide(struct fleet *f, uint32_t id)
{
    count_unexplained(f, id);
    plan_make(f, id);
    go_on_opening(f, id);
    choose(f, id);
    outbox_sync(f->outbox, EFFECT_OF_DISPATCH, id);
    orchestrator_set_timer(f, id);
}

/* A writing whose lease ran out may still be carried out, and its ack still come. */
static void expire_dispatch(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (outbox_runs_out(f->outbox, EFFECT_OF_DISPATCH, id, DISPATCH_WRITE_MEMORY))
        dispatch_set(d, DISPATCH_DOUBT, true);
    outbox_expire(f->outbox, EFFECT_OF_DISPATCH, id);
    if (fleet_leads(f))
        decide(f, id);
    else
        orchestrator_set_timer(f, id);
}

static uint32_t expire(struct fleet *f, uint32_t budget)
{
    uint32_t id;

    for (; budget > 0 && (id = heap_due(&f->replica_timers, f->now)) != 0; budget--)
        replica_expire(f, id);
    for (; budget > 0 && (id = heap_due(&f->dispatch_timers, f->now)) != 0; budget--)
        expire_dispatch(f, id);
    return budget;
}

/* Replicas of which it is to be asked anew whether they can be reached. */
static uint32_t sweep(struct fleet *f, uint32_t budget)
{
    uint32_t replica;

    for (; budget > 0 && (replica = worker_take_swept(f)) != 0; budget--) {
        if (worker_at(f, replica_at(f, replica)->worker)->known)
            replica_look_again(f, replica);
        else
            replica_forget(f, replica); /* nobody will say any more what is there */
    }
    return budget;
}

/* Nobody is decided about while it is not yet clear who can be reached. */
void fleet_tick(struct fleet *f)
{
    uint32_t budget = sweep(f, expire(f, ORCHESTRATOR_SLICE));

    for (; budget > 0 && fleet_leads(f) && !worker_sweeps(f) && f->todo.first != 0; budget--) {
        uint32_t id = f->todo.first;

        dispatch_drop_todo(f, id);
        decide(f, id);
    }
}

bool fleet_more(const struct fleet *f)
{
    int64_t next = fleet_next(f);

    return worker_sweeps(f) || (fleet_leads(f) && f->todo.first != 0) ||
           (next != 0 && next <= f->now);
}

int64_t fleet_next(const struct fleet *f)
{
    int64_t dispatches = heap_earliest(&f->dispatch_timers);
    int64_t replicas = heap_earliest(&f->replica_timers);
    int64_t next = dispatches < replicas ? dispatches : replicas;

    return next == INT64_MAX ? 0 : next;
}

void orchestrator_begin(struct fleet *f)
{
    for (uint32_t id = 0; slab_step(&f->dispatches, &id);)
        dispatch_todo(f, id);
    for (uint32_t id = 0; slab_step(&f->replicas, &id);)
        outbox_sync(f->outbox, EFFECT_OF_REPLICA, id);
}

void orchestrator_end(struct fleet *f)
{
    const uint16_t ours = DISPATCH_DOUBT | DISPATCH_AWAITS | DISPATCH_BOUND | DISPATCH_RETRIED;

    for (uint32_t id = 0; slab_step(&f->dispatches, &id);) {
        phase_rest(f, id);
        outbox_forget(f->outbox, EFFECT_OF_DISPATCH, id);
        dispatch_set(dispatch_at(f, id), ours, false);
        orchestrator_set_timer(f, id);
    }
    for (uint32_t id = 0; slab_step(&f->replicas, &id);) {
        outbox_forget(f->outbox, EFFECT_OF_REPLICA, id);
        replica_set(replica_at(f, id), REPLICA_MADE, false);
        replica_set_timer(f, id);
    }
}
