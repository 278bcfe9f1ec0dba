/* SPDX-License-Identifier: Apache-2.0 */
#include "orchestrator.h"

#include "dispatch.h"
#include "fleet_state.h"
#include "plan.h"
#include "preemption_memory.h"
#include "replica.h"
#include "worker.h"

enum { ORCHESTRATOR_SLICE = 64 };

void orchestrator_todo(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (dispatch_is(d, DISPATCH_TODO))
        return;
    dispatch_set(d, DISPATCH_TODO, true);
    d->prev_todo = f->last_dispatch;
    d->next_todo = 0;
    if (f->last_dispatch != 0)
        dispatch_at(f, f->last_dispatch)->next_todo = id;
    else
        f->first_dispatch = id;
    f->last_dispatch = id;
}

void orchestrator_drop(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (!dispatch_is(d, DISPATCH_TODO))
        return;
    dispatch_set(d, DISPATCH_TODO, false);
    if (d->prev_todo != 0)
        dispatch_at(f, d->prev_todo)->next_todo = d->next_todo;
    else
        f->first_dispatch = d->next_todo;
    if (d->next_todo != 0)
        dispatch_at(f, d->next_todo)->prev_todo = d->prev_todo;
    else
        f->last_dispatch = d->prev_todo;
}

bool orchestrator_leads(const struct fleet *f)
{
    return f->synced && f->leads;
}

static void count(struct dispatch *d, int64_t until)
{
    if (until > d->counted)
        d->counted = until;
}

int64_t orchestrator_blocked_until(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);
    int64_t timeout = d->timeout != 0 ? d->timeout : f->config.preemption_timeout;

    return d->counted == 0 ? 0 : d->counted + timeout;
}

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
    return f->config.orchestrated && orchestrator_leads(f) && plan_now(f, id) == PLAN_ANY &&
           plan_is_first(f, id, RANK_CANDIDATE);
}

static void set_phase(struct fleet *f, uint32_t id, enum phase phase, uint32_t target)
{
    struct dispatch *d = dispatch_at(f, id);
    uint32_t before = d->target;

    d->phase = (uint8_t)phase;
    d->target = target;
    if (before != 0) {
        outbox_sync(f->outbox, EFFECT_OF_REPLICA, before);
        replica_set_timer(f, before);
    }
    if (target != 0 && target != before) {
        outbox_sync(f->outbox, EFFECT_OF_REPLICA, target);
        replica_set_timer(f, target);
    }
}

static bool under_way(const struct fleet *f, uint32_t replica)
{
    return (replica_at(f, replica)->effects.leased & 1u << REPLICA_OPEN_GATE) != 0;
}

/* What may still be carried out counts until it may not any more. */
void orchestrator_rest(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (d->phase == PHASE_OPENING) {
        int64_t until = d->opening + OPENING_WINDOW;

        count(d, under_way(f, d->target) || until < f->now ? until : f->now);
    }
    set_phase(f, id, PHASE_REST, 0);
}

void orchestrator_lose(struct fleet *f, uint32_t replica)
{
    uint32_t id = replica_at(f, replica)->dispatch;

    if (dispatch_at(f, id)->target == replica)
        orchestrator_rest(f, id);
}

static void begin_opening(struct fleet *f, uint32_t id, uint32_t replica, int64_t at)
{
    struct dispatch *d = dispatch_at(f, id);
    struct replica *r = replica_at(f, replica);

    r->opened = at;
    r->opened_uid = replica_uid_hash(fleet_text(f, r->uid));
    replica_set(r, REPLICA_ASKED, true);
    replica_rank(f, replica);
    d->opening = at;
    d->fresh = 0;
    set_phase(f, id, PHASE_OPENING, replica);
}

void orchestrator_opened(struct fleet *f, uint32_t replica)
{
    uint32_t id = replica_at(f, replica)->dispatch;
    struct dispatch *d = dispatch_at(f, id);

    if (d->phase == PHASE_OPENING && d->target == replica) {
        count(d, f->now < d->opening + OPENING_WINDOW ? f->now : d->opening + OPENING_WINDOW);
        set_phase(f, id, PHASE_REST, 0);
    }
    orchestrator_todo(f, id);
}

void orchestrator_written(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);
    bool doubt = dispatch_is(d, DISPATCH_DOUBT);

    dispatch_set(d, DISPATCH_DOUBT, false);
    orchestrator_todo(f, id);
    if (doubt) { /* which of two writings was it? The object will say. */
        dispatch_set(d, DISPATCH_AWAITS, true);
        orchestrator_rest(f, id);
    } else if (d->phase == PHASE_NOTING) {
        d->noted = d->opening;
        orchestrator_rest(f, id);
    } else if (d->phase == PHASE_WRITING && f->now <= d->opening + OPENING_WINDOW) {
        if (d->fresh == d->target || orchestrator_blocked_until(f, id) <= f->now) {
            begin_opening(f, id, d->target, d->opening);
            return;
        }
        count(d, d->opening + OPENING_WINDOW);
        orchestrator_rest(f, id);
    }
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
    uint32_t at = tree_first(&replicas_by_place, f, d->places);

    if (!dispatch_is(d, DISPATCH_UNEXPLAINED))
        return;
    dispatch_set(d, DISPATCH_UNEXPLAINED, false);
    for (; at != 0; at = tree_next(&replicas_by_place, f, at)) {
        struct replica *r = replica_at(f, at);

        if (replica_is(r, REPLICA_UNEXPLAINED))
            count(d, r->opened);
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
        orchestrator_rest(f, id);
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
    if (!may_open(f, id) || (take_over(f, id) == 0 && orchestrator_blocked_until(f, id) > f->now)) {
        orchestrator_rest(f, id);
        return;
    }
    first = replica_at(f, plan_first(f, id));
    if (patient_until(f, id) <= f->now) {
        d->opening = f->now;
        set_phase(f, id, PHASE_WRITING, d->fresh != 0 ? d->fresh : plan_first(f, id));
    } else if (d->noted != first->signal) {
        d->opening = first->signal;
        set_phase(f, id, PHASE_NOTING, 0);
    } else {
        orchestrator_rest(f, id);
    }
}

static void decide(struct fleet *f, uint32_t id)
{
    count_unexplained(f, id);
    plan_make(f, id);
    go_on_opening(f, id);
    choose(f, id);
    outbox_sync(f->outbox, EFFECT_OF_DISPATCH, id);
    dispatch_set_timer(f, id);
}

static int64_t sooner(int64_t a, int64_t b, int64_t now)
{
    return b > now && b < a ? b : a;
}

int64_t orchestrator_deadline(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);
    int64_t at = INT64_MAX;

    if (!orchestrator_leads(f))
        return at;
    at = sooner(at, plan_deadline(f, id), f->now);
    if (d->phase == PHASE_OPENING)
        at = sooner(at, d->opening + OPENING_WINDOW + 1, f->now);
    else if (may_open(f, id))
        at = sooner(at, later(orchestrator_blocked_until(f, id), patient_until(f, id)), f->now);
    return at;
}

void orchestrator_expire(struct fleet *f, uint32_t id)
{
    if (orchestrator_leads(f))
        decide(f, id);
    else
        dispatch_set_timer(f, id);
}

static uint32_t expire(struct fleet *f, uint32_t budget)
{
    int64_t at;
    uint32_t id;

    while (budget > 0 && heap_min(&f->replica_timers, &at, &id) && at <= f->now) {
        replica_expire(f, id);
        budget--;
    }
    while (budget > 0 && heap_min(&f->dispatch_timers, &at, &id) && at <= f->now) {
        dispatch_expire(f, id);
        budget--;
    }
    return budget;
}

/* Nobody is decided about while it is not yet clear who can be reached. */
void orchestrator_advance(struct fleet *f)
{
    uint32_t budget = worker_sweep(f, expire(f, ORCHESTRATOR_SLICE));

    while (budget > 0 && orchestrator_leads(f) && !worker_sweeps(f) && f->first_dispatch != 0) {
        uint32_t id = f->first_dispatch;

        orchestrator_drop(f, id);
        decide(f, id);
        budget--;
    }
}

bool orchestrator_more(const struct fleet *f)
{
    int64_t next = orchestrator_next(f);

    return worker_sweeps(f) || (orchestrator_leads(f) && f->first_dispatch != 0) ||
           (next != 0 && next <= f->now);
}

int64_t orchestrator_next(const struct fleet *f)
{
    int64_t dispatches = INT64_MAX, replicas = INT64_MAX;
    uint32_t id;

    heap_min(&f->dispatch_timers, &dispatches, &id);
    heap_min(&f->replica_timers, &replicas, &id);
    dispatches = dispatches < replicas ? dispatches : replicas;
    return dispatches == INT64_MAX ? 0 : dispatches;
}

void orchestrator_begin(struct fleet *f)
{
    for (uint32_t id = 1; id < slab_end(&f->dispatches); id++) {
        if (slab_live(&f->dispatches, id))
            orchestrator_todo(f, id);
    }
    for (uint32_t id = 1; id < slab_end(&f->replicas); id++) {
        if (slab_live(&f->replicas, id))
            outbox_sync(f->outbox, EFFECT_OF_REPLICA, id);
    }
}

void orchestrator_end(struct fleet *f)
{
    const uint16_t ours = DISPATCH_DOUBT | DISPATCH_AWAITS | DISPATCH_BOUND | DISPATCH_RETRIED;

    for (uint32_t id = 1; id < slab_end(&f->dispatches); id++) {
        if (!slab_live(&f->dispatches, id))
            continue;
        orchestrator_rest(f, id);
        outbox_forget(f->outbox, EFFECT_OF_DISPATCH, id);
        dispatch_set(dispatch_at(f, id), ours, false);
        dispatch_set_timer(f, id);
    }
    for (uint32_t id = 1; id < slab_end(&f->replicas); id++) {
        if (!slab_live(&f->replicas, id))
            continue;
        outbox_forget(f->outbox, EFFECT_OF_REPLICA, id);
        replica_set(replica_at(f, id), REPLICA_MADE, false);
        replica_set_timer(f, id);
    }
}
