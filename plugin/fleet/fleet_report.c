/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"
#include "fleet_state.h"
#include "orchestrator.h"
#include "plan.h"
#include "plugin/base/sentence.h"

/* What a person sees of all clusters together. */

bool fleet_next_dispatch(const struct fleet *f, uint32_t *cursor)
{
    return tree_step(&dispatches_by_name, f, f->dispatches_in_order, &f->dispatches, cursor);
}

uint32_t fleet_find_dispatch(const struct fleet *f, struct text space, struct text name)
{
    return dispatch_find(f, space, name);
}

/* Whom it was kept for may have gone since it was decided about. */
static enum plan plan_seen(const struct fleet *f, uint32_t id)
{
    enum plan plan = plan_now(f, id);

    return plan == PLAN_KEEP && plan_winner(f, id) == 0 ? PLAN_WAIT : plan;
}

static const char *state_of(const struct fleet *f, uint32_t id)
{
    static const char *const phases[] = {
        [PHASE_REST] = "Dispatched",
        [PHASE_NOTING] = "Patient",
        [PHASE_WRITING] = "Writing",
        [PHASE_OPENING] = "Opening",
    };
    const struct dispatch *d = dispatch_at(f, id);

    switch (plan_seen(f, id)) {
    case PLAN_WAIT:
        return dispatch_is(d, DISPATCH_KNOWN) ? "NotReady" : "Unknown";
    case PLAN_NONE:
        return dispatch_is(d, DISPATCH_KNOWN) ? "Held" : "LeftBehind";
    case PLAN_KEEP:
        return "Admitted";
    case PLAN_ONE:
        return "Bound";
    default:
        return phases[d->phase];
    }
}

/* Nobody may be opened next: nobody asks, or only who would be opened in vain. */
static void say_no_candidate(const struct fleet *f, uint32_t id, struct sentence *say)
{
    uint32_t at = 0;

    while (fleet_next_replica(f, id, &at) &&
           !replica_is(replica_at(f, at), REPLICA_SIGNALS | REPLICA_BLOCKED))
        continue;
    if (at == 0) {
        sentence_str(say, "no worker asks to preempt");
        return;
    }
    sentence_named(say, "", worker_name(f, replica_at(f, at)->worker),
                   " asks to preempt, but a gate that is not ours is closed there");
}

static void say_candidate(const struct fleet *f, uint32_t id, int64_t now, struct sentence *say)
{
    uint32_t first = plan_first(f, id);
    int64_t wait = orchestrator_deadline(f, id);

    if (first == 0) {
        say_no_candidate(f, id, say);
        return;
    }

    struct text name = worker_name(f, replica_at(f, first)->worker);

    if (replica_at(f, first)->rank == RANK_RESERVED) {
        sentence_named(say, "", name, " has reserved quota: nobody is to preempt");
        return;
    }
    sentence_named(say, "", name, " may preempt next");
    if (wait != INT64_MAX && wait > now) {
        sentence_str(say, ", in ");
        sentence_span(say, wait - now);
    }
}

static void say_state(const struct fleet *f, uint32_t id, int64_t now, struct sentence *say)
{
    const struct dispatch *d = dispatch_at(f, id);
    enum plan plan = plan_seen(f, id);

    if (dispatch_is(d, DISPATCH_BAD_TIMEOUT))
        sentence_str(say, "its annotation " ORCHESTRATOR_TIMEOUT
                          " is no span of time such as 5m, the configured one is used; ");
    if (plan == PLAN_ANY && plan_gates(f, id, NULL) < 0)
        sentence_str(say,
                     "it has so many preemption gates that ours cannot be added: take one away");
    else if (d->phase == PHASE_OPENING || d->phase == PHASE_WRITING) {
        sentence_named(say, "", worker_name(f, replica_at(f, d->target)->worker),
                       d->phase == PHASE_OPENING ? ": its gate is being opened"
                                                 : ": written down before its gate is opened");
    } else if (plan == PLAN_ANY) {
        say_candidate(f, id, now, say);
    } else if (plan == PLAN_KEEP) {
        sentence_named(say, "", worker_name(f, replica_at(f, plan_winner(f, id))->worker),
                       " admitted it first");
    } else if (plan == PLAN_NONE && dispatch_is(d, DISPATCH_KNOWN)) {
        sentence_str(say, "it holds no quota, or is over: no cluster has a copy");
    }
}

void fleet_report_dispatch(const struct fleet *f, uint32_t id, int64_t now,
                           struct dispatch_report *ret)
{
    const struct dispatch *d = dispatch_at(f, id);
    int64_t next = orchestrator_deadline(f, id);
    struct sentence say = sentence_in(ret->message, sizeof(ret->message));

    *ret = (struct dispatch_report){
        .uid = fleet_text(f, d->said.uid),
        .space = fleet_text(f, d->space),
        .name = fleet_text(f, d->name),
        .cluster = d->said.cluster == 0 ? text_of("") : worker_name(f, d->said.cluster),
        .known = dispatch_is(d, DISPATCH_KNOWN),
        .state = state_of(f, id),
        .timeout = d->timeout != 0 ? d->timeout : f->config.preemption_timeout,
        .counted = d->counted,
        .next = next == INT64_MAX ? 0 : next,
    };
    say_state(f, id, now, &say);
    for (uint32_t at = 0; fleet_next_replica(f, id, &at);) {
        ret->replicas += replica_is(replica_at(f, at), REPLICA_THERE);
        ret->signals += replica_is(replica_at(f, at), REPLICA_SIGNALS);
        ret->open += replica_is(replica_at(f, at), REPLICA_OPEN);
    }
}

bool fleet_next_replica(const struct fleet *f, uint32_t id, uint32_t *cursor)
{
    return tree_step(&replicas_by_place, f, dispatch_at(f, id)->places, &f->replicas, cursor);
}

static const char *gate_of(const struct replica *r)
{
    if (!replica_is(r, REPLICA_GATED))
        return "none";
    if (replica_is(r, REPLICA_BLOCKED))
        return "blocked";
    return replica_is(r, REPLICA_OPEN) ? "open" : "closed";
}

void fleet_report_replica(const struct fleet *f, uint32_t id, struct replica_report *ret)
{
    const struct replica *r = replica_at(f, id);
    const struct worker *worker = worker_at(f, r->worker);

    *ret = (struct replica_report){
        .cluster = fleet_text(f, worker->name),
        .uid = fleet_text(f, r->uid),
        .connected = worker->connected,
        .nominated = replica_is(r, REPLICA_NOMINATED),
        .there = replica_is(r, REPLICA_THERE),
        .reserved = replica_is(r, REPLICA_RESERVED),
        .admitted = replica_is(r, REPLICA_ADMITTED),
        .evicted = replica_is(r, REPLICA_EVICTED),
        .deleted = replica_is(r, REPLICA_DELETED),
        .gate = gate_of(r),
        .signal = r->signal,
        .opened = r->opened,
    };
}

bool fleet_next_cluster(const struct fleet *f, uint32_t *cursor)
{
    return slab_step(&f->workers, cursor);
}

void fleet_report_cluster(const struct fleet *f, uint32_t id, struct worker_report *ret)
{
    const struct worker *worker = worker_at(f, id);

    ret->name = fleet_text(f, worker->name);
    ret->known = worker->known;
    ret->connected = worker->connected;
    ret->since = worker->connected ? 0 : worker->lost;
    ret->replicas = worker->count;
}
