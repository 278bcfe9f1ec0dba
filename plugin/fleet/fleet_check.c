/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"
#include "fleet_state.h"

/* What must always hold of a fleet. */

static const char *check_replica(const struct fleet *f, uint32_t id)
{
    const struct replica *r = replica_at(f, id);
    const struct dispatch *d = dispatch_at(f, r->dispatch);

    if ((r->flags & (REPLICA_THERE | REPLICA_NOMINATED | REPLICA_BOUND)) == 0)
        return "a replica is there, or a place for one";
    if ((r->rank == RANK_NONE) != (r->link.size == 0))
        return "a replica with a rank is among its workload's ranked ones";
    if (r->rank == RANK_CANDIDATE && !replica_is(r, REPLICA_SIGNALS | REPLICA_GATED))
        return "who may be opened signals, and is gated";
    if (replica_find(f, r->dispatch, worker_name(f, r->worker)) != id)
        return "a replica is found by its cluster";
    if (replica_is(r, REPLICA_THERE) != (r->uid != 0))
        return "what is there has a uid";
    if ((r->effects.wanted & 1u << REPLICA_OPEN_GATE) != 0 && f->config.orchestrated &&
        (d->phase != PHASE_OPENING || d->target != id))
        return "one gate of a workload is opened at a time";
    return NULL;
}

static const char *check_dispatch(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);

    if (!tree_check(&replicas_by_place, f, d->places))
        return "replicas stand in order of their clusters";
    if (!tree_check(&replicas_by_rank, f, d->ranked))
        return "replicas stand in order of their ranks";
    if (!dispatch_is(d, DISPATCH_KNOWN) && d->places == 0)
        return "a workload that is not known has replicas";
    if ((d->phase == PHASE_OPENING || d->phase == PHASE_WRITING) != (d->target != 0))
        return "who is opened is a replica";
    if (d->target != 0 && replica_at(f, d->target)->dispatch != id)
        return "who is opened is the workload's own";
    if (d->past > d->counted)
        return "what counts includes the past";
    return dispatch_find(f, fleet_text(f, d->space), fleet_text(f, d->name)) == id
               ? NULL
               : "a workload is found by its name";
}

static const char *check_worker(const struct fleet *f, uint32_t id)
{
    const struct worker *worker = worker_at(f, id);
    uint32_t count = 0;

    for (uint32_t at = worker->replicas.first; at != 0; at = replica_at(f, at)->peers.next) {
        if (replica_at(f, at)->worker != id || ++count > worker->count)
            return "a worker's list holds its replicas";
    }
    if (count != worker->count)
        return "a worker's replicas are counted";
    return worker->connected && !worker->known ? "who is connected is known" : NULL;
}

const char *fleet_check(const struct fleet *f)
{
    const char *broken = outbox_check(f->outbox, f, !fleet_more(f));

    if (broken == NULL && !(heap_check(&f->dispatch_timers, &f->dispatches) &&
                            heap_check(&f->replica_timers, &f->replicas)))
        broken = "who has a timer is there"; /* whoever goes takes it along */

    for (uint32_t id = 0; broken == NULL && slab_step(&f->workers, &id);)
        broken = check_worker(f, id);
    for (uint32_t id = 0; broken == NULL && slab_step(&f->dispatches, &id);)
        broken = check_dispatch(f, id);
    for (uint32_t id = 0; broken == NULL && slab_step(&f->replicas, &id);)
        broken = check_replica(f, id);
    if (broken == NULL && !tree_check(&dispatches_by_name, f, f->dispatches_in_order))
        broken = "workloads stand in order of namespace and name";
    return broken;
}
