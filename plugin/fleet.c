/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"

#include "openings.h"
#include "orchestrator.h"
#include "say.h"
#include "stance.h"
#include "state.h"

bool engine_next_workload(const struct engine *e, uint32_t *cursor)
{
    uint32_t next = *cursor == 0 ? tree_first(&dispatches_by_name, e, e->dispatches_in_order) : 0;

    if (*cursor != 0 && slab_live(&e->dispatches, *cursor))
        next = tree_next(&dispatches_by_name, e, *cursor);
    if (next != 0)
        *cursor = next;
    return next != 0;
}

uint32_t engine_find_workload(const struct engine *e, struct text space, struct text name)
{
    return dispatch_find(e, space, name);
}

/* Whom it was kept for may have gone since it was decided about. */
static enum stance stance_seen(const struct engine *e, uint32_t id)
{
    enum stance stance = stance_now(e, id);

    return stance == STANCE_KEEP && stance_winner(e, id) == 0 ? STANCE_WAIT : stance;
}

static const char *state_of(const struct engine *e, uint32_t id)
{
    static const char *const phases[] = {
        [PHASE_REST] = "Dispatched",
        [PHASE_NOTING] = "Patient",
        [PHASE_WRITING] = "Writing",
        [PHASE_OPENING] = "Opening",
    };
    const struct dispatch *d = dispatch_at(e, id);

    switch (stance_seen(e, id)) {
    case STANCE_WAIT:
        return dispatch_is(d, DISPATCH_KNOWN) ? "NotReady" : "Unknown";
    case STANCE_NONE:
        return dispatch_is(d, DISPATCH_KNOWN) ? "Held" : "LeftBehind";
    case STANCE_KEEP:
        return "Admitted";
    case STANCE_ONE:
        return "Bound";
    default:
        return phases[d->phase];
    }
}

/* Nobody may be opened next: nobody asks, or only who would be opened in vain. */
static void say_no_candidate(const struct engine *e, uint32_t id, struct say *say)
{
    uint32_t at = tree_first(&replicas_by_place, e, dispatch_at(e, id)->places);

    while (at != 0 && !(replica_is(replica_at(e, at), REPLICA_SIGNALS) &&
                        replica_is(replica_at(e, at), REPLICA_BLOCKED)))
        at = tree_next(&replicas_by_place, e, at);
    if (at == 0) {
        say_str(say, "no worker asks to preempt");
        return;
    }
    say_text(say, name_text(e, worker_at(e, replica_at(e, at)->worker)->name));
    say_str(say, " asks to preempt, but a gate that is not ours is closed there");
}

static void say_candidate(const struct engine *e, uint32_t id, int64_t now, struct say *say)
{
    uint32_t first = stance_first(e, id);
    int64_t wait = orchestrator_deadline(e, id);

    if (first == 0) {
        say_no_candidate(e, id, say);
        return;
    }

    struct text name = name_text(e, worker_at(e, replica_at(e, first)->worker)->name);

    if (replica_at(e, first)->rank == RANK_RESERVED) {
        say_text(say, name);
        say_str(say, " has reserved quota: nobody is to preempt");
        return;
    }
    say_text(say, name);
    say_str(say, " may preempt next");
    if (wait != INT64_MAX && wait > now) {
        say_str(say, ", in ");
        say_span(say, wait - now);
    }
}

static void say_state(const struct engine *e, uint32_t id, int64_t now, struct say *say)
{
    const struct dispatch *d = dispatch_at(e, id);
    enum stance stance = stance_seen(e, id);

    if (dispatch_is(d, DISPATCH_BAD_TIMEOUT))
        say_str(say, "its annotation " ORCHESTRATOR_TIMEOUT
                     " is no span of time such as 5m, the configured one is used; ");
    if (stance == STANCE_ANY && stance_gates(e, id, NULL) < 0)
        say_str(say, "it has so many preemption gates that ours cannot be added: take one away");
    else if (d->phase == PHASE_OPENING || d->phase == PHASE_WRITING) {
        say_text(say, name_text(e, worker_at(e, replica_at(e, d->target)->worker)->name));
        say_str(say, d->phase == PHASE_OPENING ? ": its gate is being opened"
                                               : ": written down before its gate is opened");
    } else if (stance == STANCE_ANY) {
        say_candidate(e, id, now, say);
    } else if (stance == STANCE_KEEP) {
        say_text(say,
                 name_text(e, worker_at(e, replica_at(e, stance_winner(e, id))->worker)->name));
        say_str(say, " admitted it first");
    } else if (stance == STANCE_NONE && dispatch_is(d, DISPATCH_KNOWN)) {
        say_str(say, "it holds no quota, or is over: no cluster has a copy");
    }
}

void engine_report_workload(const struct engine *e, uint32_t id, int64_t now,
                            struct dispatch_report *ret)
{
    const struct dispatch *d = dispatch_at(e, id);
    uint32_t at = tree_first(&replicas_by_place, e, d->places);
    int64_t next = orchestrator_deadline(e, id);
    struct say say;

    *ret = (struct dispatch_report){
        .uid = name_text(e, d->uid),
        .space = name_text(e, d->space),
        .name = name_text(e, d->name),
        .cluster = d->cluster == 0 ? text_of("") : name_text(e, worker_at(e, d->cluster)->name),
        .known = dispatch_is(d, DISPATCH_KNOWN),
        .state = state_of(e, id),
        .timeout = d->timeout != 0 ? d->timeout : e->config.preemption_timeout,
        .counted = d->counted,
        .next = next == INT64_MAX ? 0 : next,
    };
    say_init(&say, ret->message, sizeof(ret->message));
    say_state(e, id, now, &say);
    for (; at != 0; at = tree_next(&replicas_by_place, e, at)) {
        ret->replicas += replica_is(replica_at(e, at), REPLICA_THERE);
        ret->signals += replica_is(replica_at(e, at), REPLICA_SIGNALS);
        ret->open += replica_is(replica_at(e, at), REPLICA_OPEN);
    }
}

bool engine_next_replica(const struct engine *e, uint32_t id, uint32_t *cursor)
{
    uint32_t next =
        *cursor == 0 ? tree_first(&replicas_by_place, e, dispatch_at(e, id)->places) : 0;

    if (*cursor != 0 && slab_live(&e->replicas, *cursor))
        next = tree_next(&replicas_by_place, e, *cursor);
    if (next != 0)
        *cursor = next;
    return next != 0;
}

static const char *gate_of(const struct replica *r)
{
    if (!replica_is(r, REPLICA_GATED))
        return "none";
    if (replica_is(r, REPLICA_BLOCKED))
        return "blocked";
    return replica_is(r, REPLICA_OPEN) ? "open" : "closed";
}

void engine_report_replica(const struct engine *e, uint32_t id, struct replica_report *ret)
{
    const struct replica *r = replica_at(e, id);
    const struct worker *worker = worker_at(e, r->worker);

    *ret = (struct replica_report){
        .cluster = name_text(e, worker->name),
        .uid = name_text(e, r->uid),
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

bool engine_next_cluster(const struct engine *e, uint32_t *cursor)
{
    uint32_t id = *cursor + 1;

    while (id < slab_end(&e->workers) && !slab_live(&e->workers, id))
        id++;
    if (id >= slab_end(&e->workers))
        return false;
    *cursor = id;
    return true;
}

void engine_report_cluster(const struct engine *e, uint32_t id, struct worker_report *ret)
{
    const struct worker *worker = worker_at(e, id);

    ret->name = name_text(e, worker->name);
    ret->known = worker->known;
    ret->connected = worker->connected;
    ret->since = worker->connected ? 0 : worker->lost;
    ret->replicas = worker->count;
}

size_t engine_memory_text(const struct engine *e, uint32_t workload, char *out, size_t cap)
{
    return openings_write(e, workload, out, cap);
}

uint32_t engine_count_workloads(const struct engine *e)
{
    uint32_t dispatched = slab_count(&e->dispatches), held = slab_count(&e->loads);

    return dispatched > held ? dispatched : held;
}

uint32_t engine_count_clusters(const struct engine *e)
{
    return slab_count(&e->workers);
}

static const char *check_replica(const struct engine *e, uint32_t id)
{
    const struct replica *r = replica_at(e, id);
    const struct dispatch *d = dispatch_at(e, r->dispatch);

    if ((r->flags & (REPLICA_THERE | REPLICA_NOMINATED | REPLICA_BOUND)) == 0)
        return "a replica is there, or a place for one";
    if ((r->rank == RANK_NONE) != (r->link.size == 0))
        return "a replica with a rank is among its workload's ranked ones";
    if (r->rank == RANK_CANDIDATE && !replica_is(r, REPLICA_SIGNALS | REPLICA_GATED))
        return "who may be opened signals, and is gated";
    if (replica_find(e, r->dispatch, name_text(e, worker_at(e, r->worker)->name)) != id)
        return "a replica is found by its cluster";
    if (replica_is(r, REPLICA_THERE) != (r->uid != 0))
        return "what is there has a uid";
    if ((r->effects.wanted & 1u << REPLICA_OPEN_GATE) != 0 && e->config.orchestrated &&
        (d->phase != PHASE_OPENING || d->target != id))
        return "one gate of a workload is opened at a time";
    return NULL;
}

static const char *check_dispatch(const struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);

    if (!tree_check(&replicas_by_place, e, d->places))
        return "replicas stand in order of their clusters";
    if (!tree_check(&replicas_by_rank, e, d->ranked))
        return "replicas stand in order of their ranks";
    if (!dispatch_is(d, DISPATCH_KNOWN) && d->places == 0)
        return "a workload that is not known has replicas";
    if ((d->phase == PHASE_OPENING || d->phase == PHASE_WRITING) != (d->target != 0))
        return "who is opened is a replica";
    if (d->target != 0 && replica_at(e, d->target)->dispatch != id)
        return "who is opened is the workload's own";
    if (d->past > d->counted)
        return "what counts includes the past";
    return dispatch_find(e, name_text(e, d->space), name_text(e, d->name)) == id
               ? NULL
               : "a workload is found by its name";
}

static const char *check_worker(const struct engine *e, uint32_t id)
{
    const struct worker *worker = worker_at(e, id);
    uint32_t count = 0;

    for (uint32_t at = worker->first; at != 0; at = replica_at(e, at)->next) {
        if (replica_at(e, at)->worker != id || ++count > worker->count)
            return "a worker's list holds its replicas";
    }
    if (count != worker->count)
        return "a worker's replicas are counted";
    return worker->connected && !worker->known ? "who is connected is known" : NULL;
}

const char *fleet_check(const struct engine *e)
{
    const char *broken = NULL;

    for (uint32_t id = 1; id < slab_end(&e->workers) && broken == NULL; id++)
        broken = slab_live(&e->workers, id) ? check_worker(e, id) : NULL;
    for (uint32_t id = 1; id < slab_end(&e->dispatches) && broken == NULL; id++)
        broken = slab_live(&e->dispatches, id) ? check_dispatch(e, id) : NULL;
    for (uint32_t id = 1; id < slab_end(&e->replicas) && broken == NULL; id++)
        broken = slab_live(&e->replicas, id) ? check_replica(e, id) : NULL;
    if (broken == NULL && !tree_check(&dispatches_by_name, e, e->dispatches_in_order))
        broken = "workloads stand in order of namespace and name";
    return broken;
}
