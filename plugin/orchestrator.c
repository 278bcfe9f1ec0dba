/* SPDX-License-Identifier: Apache-2.0 */
#include "orchestrator.h"

#include "dispatch.h"
#include "openings.h"
#include "replica.h"
#include "stance.h"
#include "state.h"
#include "worker.h"

enum { ORCHESTRATOR_SLICE = 64 };

void orchestrator_todo(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);

    if (dispatch_is(d, DISPATCH_TODO))
        return;
    dispatch_set(d, DISPATCH_TODO, true);
    d->prev_todo = e->last_dispatch;
    d->next_todo = 0;
    if (e->last_dispatch != 0)
        dispatch_at(e, e->last_dispatch)->next_todo = id;
    else
        e->first_dispatch = id;
    e->last_dispatch = id;
}

void orchestrator_drop(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);

    if (!dispatch_is(d, DISPATCH_TODO))
        return;
    dispatch_set(d, DISPATCH_TODO, false);
    if (d->prev_todo != 0)
        dispatch_at(e, d->prev_todo)->next_todo = d->next_todo;
    else
        e->first_dispatch = d->next_todo;
    if (d->next_todo != 0)
        dispatch_at(e, d->next_todo)->prev_todo = d->prev_todo;
    else
        e->last_dispatch = d->prev_todo;
}

bool orchestrator_leads(const struct engine *e)
{
    return e->synced && e->leads;
}

static void count(struct dispatch *d, int64_t until)
{
    if (until > d->counted)
        d->counted = until;
}

int64_t orchestrator_blocked_until(const struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);
    int64_t timeout = d->timeout != 0 ? d->timeout : e->config.preemption_timeout;

    return d->counted == 0 ? 0 : d->counted + timeout;
}

/* Nobody is preempting, and nobody is to: the wait for a worker that needs no victims. */
static int64_t patient_until(const struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);

    if (e->config.prefer_no_preemption == 0 || d->counted != 0)
        return 0;
    return replica_at(e, stance_first(e, id))->signal + e->config.prefer_no_preemption;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool may_open(const struct engine *e, uint32_t id)
{
    return e->config.orchestrated && orchestrator_leads(e) && stance_now(e, id) == STANCE_ANY &&
           stance_is_first(e, id, RANK_CANDIDATE);
}

static void set_phase(struct engine *e, uint32_t id, enum phase phase, uint32_t target)
{
    struct dispatch *d = dispatch_at(e, id);
    uint32_t before = d->target;

    d->phase = (uint8_t)phase;
    d->target = target;
    if (before != 0) {
        outbox_sync(e, EFFECT_OF_REPLICA, before);
        replica_set_timer(e, before);
    }
    if (target != 0 && target != before) {
        outbox_sync(e, EFFECT_OF_REPLICA, target);
        replica_set_timer(e, target);
    }
}

static bool under_way(const struct engine *e, uint32_t replica)
{
    return (replica_at(e, replica)->effects.leased & 1u << REPLICA_OPEN_GATE) != 0;
}

/* What may still be carried out counts until it may not any more. */
void orchestrator_rest(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);

    if (d->phase == PHASE_OPENING) {
        int64_t until = d->opening + OPENINGS_WINDOW;

        count(d, under_way(e, d->target) || until < e->now ? until : e->now);
    }
    set_phase(e, id, PHASE_REST, 0);
}

void orchestrator_lose(struct engine *e, uint32_t replica)
{
    uint32_t id = replica_at(e, replica)->dispatch;

    if (dispatch_at(e, id)->target == replica)
        orchestrator_rest(e, id);
}

static void begin_opening(struct engine *e, uint32_t id, uint32_t replica, int64_t at)
{
    struct dispatch *d = dispatch_at(e, id);
    struct replica *r = replica_at(e, replica);

    r->opened = at;
    r->opened_uid = replica_uid_hash(name_text(e, r->uid));
    replica_set(r, REPLICA_ASKED, true);
    replica_rank(e, replica);
    d->opening = at;
    d->fresh = 0;
    set_phase(e, id, PHASE_OPENING, replica);
}

void orchestrator_opened(struct engine *e, uint32_t replica)
{
    uint32_t id = replica_at(e, replica)->dispatch;
    struct dispatch *d = dispatch_at(e, id);

    if (d->phase == PHASE_OPENING && d->target == replica) {
        count(d, e->now < d->opening + OPENINGS_WINDOW ? e->now : d->opening + OPENINGS_WINDOW);
        set_phase(e, id, PHASE_REST, 0);
    }
    orchestrator_todo(e, id);
}

void orchestrator_written(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);
    bool doubt = dispatch_is(d, DISPATCH_DOUBT);

    dispatch_set(d, DISPATCH_DOUBT, false);
    orchestrator_todo(e, id);
    if (doubt) { /* which of two writings was it? The object will say. */
        dispatch_set(d, DISPATCH_AWAITS, true);
        orchestrator_rest(e, id);
    } else if (d->phase == PHASE_NOTING) {
        d->noted = d->opening;
        orchestrator_rest(e, id);
    } else if (d->phase == PHASE_WRITING && e->now <= d->opening + OPENINGS_WINDOW) {
        if (d->fresh == d->target || orchestrator_blocked_until(e, id) <= e->now) {
            begin_opening(e, id, d->target, d->opening);
            return;
        }
        count(d, d->opening + OPENINGS_WINDOW);
        orchestrator_rest(e, id);
    }
}

bool orchestrator_wants_open(const struct engine *e, uint32_t replica)
{
    const struct replica *r = replica_at(e, replica);
    const struct dispatch *d = dispatch_at(e, r->dispatch);

    if (!e->config.orchestrated)
        return replica_is(r, REPLICA_THERE | REPLICA_GATED) &&
               (r->flags & (REPLICA_OPEN | REPLICA_DELETED)) == 0 &&
               worker_at(e, r->worker)->connected && stance_now(e, r->dispatch) == STANCE_ANY;
    return d->phase == PHASE_OPENING && d->target == replica &&
           e->now <= d->opening + OPENINGS_WINDOW && r->rank == RANK_CANDIDATE;
}

int64_t orchestrator_open_until(const struct engine *e, uint32_t replica)
{
    const struct dispatch *d = dispatch_at(e, replica_at(e, replica)->dispatch);

    return e->config.orchestrated ? d->opening + OPENINGS_WINDOW : 0;
}

/* Open gates that no opening explains count from when they were seen. */
static void count_unexplained(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);
    uint32_t at = tree_first(&replicas_by_place, e, d->places);

    if (!dispatch_is(d, DISPATCH_UNEXPLAINED))
        return;
    dispatch_set(d, DISPATCH_UNEXPLAINED, false);
    for (; at != 0; at = tree_next(&replicas_by_place, e, at)) {
        struct replica *r = replica_at(e, at);

        if (replica_is(r, REPLICA_UNEXPLAINED))
            count(d, r->opened);
        replica_set(r, REPLICA_UNEXPLAINED, false);
    }
}

/* The opening that is under way goes on while it is needed. */
static void go_on_opening(struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);

    if (d->phase == PHASE_OPENING &&
        (!may_open(e, id) || replica_at(e, d->target)->rank != RANK_CANDIDATE ||
         e->now > d->opening + OPENINGS_WINDOW))
        orchestrator_rest(e, id);
}

/* What another manager wrote down and perhaps never carried out is written anew, and carried out:
 * nobody else can have been opened meanwhile. 0: there is none. */
static uint32_t take_over(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);
    const struct replica *r = d->fresh == 0 ? NULL : replica_at(e, d->fresh);

    if (r != NULL && (r->rank != RANK_CANDIDATE || e->now > r->opened + OPENINGS_WINDOW ||
                      r->opened_uid != replica_uid_hash(name_text(e, r->uid))))
        d->fresh = 0;
    return d->fresh;
}

/* What is under way is answered before anything else is written. */
static bool is_writing(const struct dispatch *d)
{
    return dispatch_is(d, DISPATCH_AWAITS) ||
           (d->effects.leased & 1u << DISPATCH_WRITE_MEMORY) != 0;
}

static void choose(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);
    const struct replica *first;

    if (d->phase == PHASE_OPENING || is_writing(d))
        return;
    if (!may_open(e, id) || (take_over(e, id) == 0 && orchestrator_blocked_until(e, id) > e->now)) {
        orchestrator_rest(e, id);
        return;
    }
    first = replica_at(e, stance_first(e, id));
    if (patient_until(e, id) <= e->now) {
        d->opening = e->now;
        set_phase(e, id, PHASE_WRITING, d->fresh != 0 ? d->fresh : stance_first(e, id));
    } else if (d->noted != first->signal) {
        d->opening = first->signal;
        set_phase(e, id, PHASE_NOTING, 0);
    } else {
        orchestrator_rest(e, id);
    }
}

static void decide(struct engine *e, uint32_t id)
{
    count_unexplained(e, id);
    stance_take(e, id);
    go_on_opening(e, id);
    choose(e, id);
    outbox_sync(e, EFFECT_OF_WORKLOAD, id);
    dispatch_set_timer(e, id);
}

static int64_t sooner(int64_t a, int64_t b, int64_t now)
{
    return b > now && b < a ? b : a;
}

int64_t orchestrator_deadline(const struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);
    int64_t at = INT64_MAX;

    if (!orchestrator_leads(e))
        return at;
    at = sooner(at, stance_deadline(e, id), e->now);
    if (d->phase == PHASE_OPENING)
        at = sooner(at, d->opening + OPENINGS_WINDOW + 1, e->now);
    else if (may_open(e, id))
        at = sooner(at, later(orchestrator_blocked_until(e, id), patient_until(e, id)), e->now);
    return at;
}

void orchestrator_expire(struct engine *e, uint32_t id)
{
    if (orchestrator_leads(e))
        decide(e, id);
    else
        dispatch_set_timer(e, id);
}

static uint32_t expire(struct engine *e, uint32_t budget)
{
    int64_t at;
    uint32_t id;

    while (budget > 0 && heap_min(&e->replica_timers, &at, &id) && at <= e->now) {
        replica_expire(e, id);
        budget--;
    }
    while (budget > 0 && heap_min(&e->dispatch_timers, &at, &id) && at <= e->now) {
        dispatch_expire(e, id);
        budget--;
    }
    return budget;
}

/* Nobody is decided about while it is not yet clear who can be reached. */
void orchestrator_advance(struct engine *e)
{
    uint32_t budget = worker_sweep(e, expire(e, ORCHESTRATOR_SLICE));

    while (budget > 0 && orchestrator_leads(e) && !worker_sweeps(e) && e->first_dispatch != 0) {
        uint32_t id = e->first_dispatch;

        orchestrator_drop(e, id);
        decide(e, id);
        budget--;
    }
}

bool orchestrator_more(const struct engine *e)
{
    int64_t next = orchestrator_next(e);

    return worker_sweeps(e) || (orchestrator_leads(e) && e->first_dispatch != 0) ||
           (next != 0 && next <= e->now);
}

int64_t orchestrator_next(const struct engine *e)
{
    int64_t dispatches = INT64_MAX, replicas = INT64_MAX;
    uint32_t id;

    heap_min(&e->dispatch_timers, &dispatches, &id);
    heap_min(&e->replica_timers, &replicas, &id);
    dispatches = dispatches < replicas ? dispatches : replicas;
    return dispatches == INT64_MAX ? 0 : dispatches;
}

void orchestrator_begin(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->dispatches); id++) {
        if (slab_live(&e->dispatches, id))
            orchestrator_todo(e, id);
    }
    for (uint32_t id = 1; id < slab_end(&e->replicas); id++) {
        if (slab_live(&e->replicas, id))
            outbox_sync(e, EFFECT_OF_REPLICA, id);
    }
}

void orchestrator_end(struct engine *e)
{
    const uint16_t ours = DISPATCH_DOUBT | DISPATCH_AWAITS | DISPATCH_BOUND | DISPATCH_RETRIED;

    for (uint32_t id = 1; id < slab_end(&e->dispatches); id++) {
        if (!slab_live(&e->dispatches, id))
            continue;
        orchestrator_rest(e, id);
        outbox_forget(e, EFFECT_OF_WORKLOAD, id);
        dispatch_set(dispatch_at(e, id), ours, false);
        dispatch_set_timer(e, id);
    }
    for (uint32_t id = 1; id < slab_end(&e->replicas); id++) {
        if (!slab_live(&e->replicas, id))
            continue;
        outbox_forget(e, EFFECT_OF_REPLICA, id);
        replica_set(replica_at(e, id), REPLICA_MADE, false);
        replica_set_timer(e, id);
    }
}
