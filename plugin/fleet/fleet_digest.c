/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"
#include "fleet_state.h"
#include "plugin/base/mix.h"

/* The sum of a hash for each object, so that no order matters; over names, never ids. */

static uint64_t mix_name(const struct fleet *f, uint64_t hash, uint32_t name)
{
    return mix_text(hash, fleet_text(f, name));
}

static uint64_t digest_worker(const struct fleet *f, const struct worker *worker, bool timers)
{
    uint64_t hash = mix(mix(mix_name(f, 10, worker->name), worker->known), worker->connected);

    return timers ? mix(mix(hash, worker->sweeps), worker->connected ? 0 : worker->lost) : hash;
}

static uint64_t mix_dispatch(const struct fleet *f, uint64_t hash, const struct dispatch *d)
{
    return mix_name(f, mix_name(f, mix_name(f, hash, d->space), d->name), d->said.uid);
}

static uint64_t digest_dispatch(const struct fleet *f, uint32_t id, bool timers)
{
    const struct dispatch *d = dispatch_at(f, id);
    uint64_t hash = mix(mix_dispatch(f, 11, d), d->flags & DISPATCH_OBJECT);

    for (uint32_t i = 0; i < d->said.gate_count; i++)
        hash = mix_name(f, hash, d->said.gates[i]);
    hash = mix_name(f, mix(hash, d->timeout),
                    d->said.cluster == 0 ? 0 : worker_at(f, d->said.cluster)->name);
    if (!timers)
        return hash;
    hash = mix(mix(mix(mix(hash, d->flags), d->plan), d->phase), d->version);
    hash = mix(mix(mix(mix(hash, d->orphaned), d->counted), d->past), d->noted);
    hash = mix(mix(hash, (wide)d->memory), d->phase == PHASE_REST ? 0 : d->opening);
    if (d->target != 0)
        hash = mix_name(f, hash, worker_at(f, replica_at(f, d->target)->worker)->name);
    if (d->fresh != 0)
        hash = mix_name(f, mix(hash, 1), worker_at(f, replica_at(f, d->fresh)->worker)->name);
    return outbox_hash(f->outbox, &d->effects, hash);
}

static uint64_t digest_replica(const struct fleet *f, const struct replica *r, bool timers)
{
    uint64_t hash = mix_dispatch(f, 12, dispatch_at(f, r->dispatch));

    hash = mix_name(f, hash, worker_at(f, r->worker)->name);
    hash = mix_name(f, mix_name(f, hash, r->uid), r->origin);
    hash = mix(hash, r->flags & REPLICA_OBJECT);
    if (!timers)
        return hash;
    hash = mix(mix(mix(mix(hash, r->flags), r->rank), r->ranked_by), r->version);
    hash = mix(mix(mix(mix(hash, r->signal), r->admitted), r->opened), r->noted);
    hash = mix(mix(hash, (wide)r->opened_uid), (wide)r->noted_uid);
    return outbox_hash(f->outbox, &r->effects, hash);
}

uint64_t fleet_digest(const struct fleet *f, bool timers)
{
    uint64_t sum = mix(mix(9, f->synced), f->leads);

    for (uint32_t id = 0; slab_step(&f->workers, &id);)
        sum += digest_worker(f, worker_at(f, id), timers);
    for (uint32_t id = 0; slab_step(&f->dispatches, &id);)
        sum += digest_dispatch(f, id, timers);
    for (uint32_t id = 0; slab_step(&f->replicas, &id);)
        sum += digest_replica(f, replica_at(f, id), timers);
    return sum;
}
