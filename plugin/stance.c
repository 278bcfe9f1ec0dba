/* SPDX-License-Identifier: Apache-2.0 */
#include "stance.h"

#include "orchestrator.h"
#include "state.h"

uint32_t stance_first(const struct engine *e, uint32_t id)
{
    return tree_first(&replicas_by_rank, e, dispatch_at(e, id)->ranked);
}

bool stance_is_first(const struct engine *e, uint32_t id, enum replica_rank rank)
{
    uint32_t first = stance_first(e, id);

    return first != 0 && replica_at(e, first)->rank == rank;
}

enum stance stance_now(const struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);

    return d->stance == STANCE_ONE && d->cluster == 0 ? STANCE_WAIT : (enum stance)d->stance;
}

static enum stance stance_of(const struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);

    if (!dispatch_is(d, DISPATCH_KNOWN))
        return e->now - d->orphaned < ORPHAN_NANOSECONDS ? STANCE_WAIT : STANCE_NONE;
    if (!dispatch_is(d, DISPATCH_RESERVED) || dispatch_is(d, DISPATCH_OVER))
        return STANCE_NONE;
    if (d->cluster != 0)
        return STANCE_ONE;
    if (!dispatch_is(d, DISPATCH_READY))
        return STANCE_NONE;
    return stance_is_first(e, id, RANK_ADMITTED) ? STANCE_KEEP : STANCE_ANY;
}

void stance_take(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);
    enum stance stance = stance_of(e, id);
    uint32_t at = tree_first(&replicas_by_place, e, d->places);

    if (d->stance == stance)
        return;
    d->stance = (uint8_t)stance;
    for (; at != 0; at = tree_next(&replicas_by_place, e, at)) {
        if (!replica_is(replica_at(e, at), REPLICA_THERE))
            replica_set(replica_at(e, at), REPLICA_MADE, false);
        outbox_sync(e, EFFECT_OF_REPLICA, at);
        replica_set_timer(e, at);
    }
}

static int64_t retry_at(const struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);
    const struct worker *worker;
    const struct replica *r;

    if (stance_now(e, id) != STANCE_ONE)
        return INT64_MAX;
    worker = worker_at(e, d->cluster);
    if (!worker->connected)
        return worker->lost + e->config.worker_lost_timeout;
    r = replica_at(e, replica_find(e, id, name_text(e, worker->name)));
    if (!replica_is(r, REPLICA_THERE) || replica_is(r, REPLICA_STRANGER))
        return 0;
    return replica_is(r, REPLICA_EVICTED) && (r->flags & (REPLICA_ADMITTED | REPLICA_FINISHED)) == 0
               ? 0
               : INT64_MAX;
}

bool stance_wants_retry(const struct engine *e, uint32_t id)
{
    return retry_at(e, id) <= e->now;
}

uint32_t stance_winner(const struct engine *e, uint32_t id)
{
    return dispatch_at(e, id)->stance == STANCE_KEEP && stance_is_first(e, id, RANK_ADMITTED)
               ? stance_first(e, id)
               : 0;
}

int64_t stance_deadline(const struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);

    return stance_now(e, id) == STANCE_WAIT ? d->orphaned + ORPHAN_NANOSECONDS : retry_at(e, id);
}

bool stance_wants_create(const struct engine *e, uint32_t replica)
{
    const struct replica *r = replica_at(e, replica);

    return stance_now(e, r->dispatch) == STANCE_ANY && replica_is(r, REPLICA_NOMINATED) &&
           (r->flags & (REPLICA_THERE | REPLICA_MADE)) == 0 && worker_at(e, r->worker)->connected &&
           stance_gates(e, r->dispatch, NULL) >= 0;
}

bool stance_wants_delete(const struct engine *e, uint32_t replica)
{
    const struct replica *r = replica_at(e, replica);
    const struct dispatch *d = dispatch_at(e, r->dispatch);
    enum stance stance = stance_now(e, r->dispatch);

    if (!replica_is(r, REPLICA_THERE) || replica_is(r, REPLICA_DELETED) ||
        !worker_at(e, r->worker)->connected || stance == STANCE_WAIT)
        return false;
    if (stance == STANCE_NONE || replica_is(r, REPLICA_STRANGER))
        return true;
    return stance == STANCE_ONE ? r->worker != d->cluster : !replica_is(r, REPLICA_NOMINATED);
}

int stance_gates(const struct engine *e, uint32_t id,
                 struct text ret_gates[FACTS_MAX_PREEMPTION_GATES])
{
    const struct dispatch *d = dispatch_at(e, id);
    struct text gates[FACTS_MAX_PREEMPTION_GATES + 1];
    int count = 0;

    if (!e->config.orchestrated)
        return 0;
    gates[count++] = text_of(ORCHESTRATOR_GATE);
    for (uint32_t i = 0; i < d->gate_count; i++) {
        if (!text_is(name_text(e, d->gates[i]), ORCHESTRATOR_GATE))
            gates[count++] = name_text(e, d->gates[i]);
    }
    if (count > FACTS_MAX_PREEMPTION_GATES)
        return -1;
    if (ret_gates != NULL)
        memcpy(ret_gates, gates, (size_t)count * sizeof(*gates));
    return count;
}
