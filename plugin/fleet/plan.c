/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include "fleet_state.h"
#include "orchestrator.h"

uint32_t plan_first(const struct fleet *f, uint32_t id)
{
    return tree_first(&replicas_by_rank, f, dispatch_at(f, id)->ranked);
}

bool plan_is_first(const struct fleet *f, uint32_t id, enum replica_rank rank)
{
    uint32_t first = plan_first(f, id);

    return first != 0 && replica_at(f, first)->rank == rank;
}

enum plan plan_now(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);

    return d->plan == PLAN_ONE && d->said.cluster == 0 ? PLAN_WAIT : (enum plan)d->plan;
}

static enum plan plan_of(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);

    if (!dispatch_is(d, DISPATCH_KNOWN))
        return f->now - d->orphaned < ORPHAN_NANOSECONDS ? PLAN_WAIT : PLAN_NONE;
    if (!dispatch_is(d, DISPATCH_RESERVED) || dispatch_is(d, DISPATCH_OVER))
        return PLAN_NONE;
    if (d->said.cluster != 0)
        return PLAN_ONE;
    if (!dispatch_is(d, DISPATCH_READY))
        return PLAN_NONE;
    return plan_is_first(f, id, RANK_ADMITTED) ? PLAN_KEEP : PLAN_ANY;
}

void plan_make(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);
    enum plan plan = plan_of(f, id);

    if (d->plan == plan)
        return;
    d->plan = (uint8_t)plan;
    for (uint32_t at = 0; fleet_next_replica(f, id, &at);) {
        if (!replica_is(replica_at(f, at), REPLICA_THERE))
            replica_set(replica_at(f, at), REPLICA_MADE, false);
        outbox_sync(f->outbox, EFFECT_OF_REPLICA, at);
        replica_set_timer(f, at);
    }
}

static int64_t retry_at(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);
    const struct worker *worker;
    const struct replica *r;

    if (plan_now(f, id) != PLAN_ONE)
        return INT64_MAX;
    worker = worker_at(f, d->said.cluster);
    if (!worker->connected)
        return worker->lost + f->config.worker_lost_timeout;
    r = replica_at(f, replica_find(f, id, fleet_text(f, worker->name)));
    if (!replica_is(r, REPLICA_THERE) || replica_is(r, REPLICA_STRANGER))
        return 0;
    return replica_is(r, REPLICA_EVICTED) && (r->flags & (REPLICA_ADMITTED | REPLICA_FINISHED)) == 0
               ? 0
               : INT64_MAX;
}

bool plan_wants_retry(const struct fleet *f, uint32_t id)
{
    return retry_at(f, id) <= f->now;
}

uint32_t plan_winner(const struct fleet *f, uint32_t id)
{
    return dispatch_at(f, id)->plan == PLAN_KEEP && plan_is_first(f, id, RANK_ADMITTED)
               ? plan_first(f, id)
               : 0;
}

int64_t plan_deadline(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);

    return plan_now(f, id) == PLAN_WAIT ? d->orphaned + ORPHAN_NANOSECONDS : retry_at(f, id);
}

bool plan_wants_create(const struct fleet *f, uint32_t replica)
{
    const struct replica *r = replica_at(f, replica);

    return plan_now(f, r->dispatch) == PLAN_ANY && replica_is(r, REPLICA_NOMINATED) &&
           (r->flags & (REPLICA_THERE | REPLICA_MADE)) == 0 && worker_at(f, r->worker)->connected &&
           plan_gates(f, r->dispatch, NULL) >= 0;
}

bool plan_wants_delete(const struct fleet *f, uint32_t replica)
{
    const struct replica *r = replica_at(f, replica);
    const struct dispatch *d = dispatch_at(f, r->dispatch);
    enum plan plan = plan_now(f, r->dispatch);

    if (!replica_is(r, REPLICA_THERE) || replica_is(r, REPLICA_DELETED) ||
        !worker_at(f, r->worker)->connected || plan == PLAN_WAIT)
        return false;
    if (plan == PLAN_NONE || replica_is(r, REPLICA_STRANGER))
        return true;
    return plan == PLAN_ONE ? r->worker != d->said.cluster : !replica_is(r, REPLICA_NOMINATED);
}

int plan_gates(const struct fleet *f, uint32_t id,
               struct text ret_gates[FACTS_MAX_PREEMPTION_GATES])
{
    const struct dispatch *d = dispatch_at(f, id);
    struct text gates[FACTS_MAX_PREEMPTION_GATES + 1];
    int count = 0;

    if (!f->config.orchestrated)
        return 0;
    gates[count++] = text_of(ORCHESTRATOR_GATE);
    for (uint32_t i = 0; i < d->said.gate_count; i++) {
        if (!text_is(fleet_text(f, d->said.gates[i]), ORCHESTRATOR_GATE))
            gates[count++] = fleet_text(f, d->said.gates[i]);
    }
    if (count > FACTS_MAX_PREEMPTION_GATES)
        return -1;
    if (ret_gates != NULL)
        memcpy(ret_gates, gates, (size_t)count * sizeof(*gates));
    return count;
}
