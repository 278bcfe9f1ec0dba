/* SPDX-License-Identifier: Apache-2.0 */
#include "loss.h"

#include "fleet_state.h"
#include "phase.h"

void replica_release(struct fleet *f, uint32_t id)
{
    struct replica *r = replica_at(f, id);
    uint32_t dispatch = r->dispatch;

    if ((r->flags & (REPLICA_THERE | REPLICA_NOMINATED | REPLICA_BOUND)) != 0)
        return;
    phase_keep_opening(f, id);
    replica_rank(f, id);
    outbox_forget(f->outbox, EFFECT_OF_REPLICA, id);
    heap_clear(&f->replica_timers, id);
    worker_leave(f, id);
    tree_remove(&replicas_by_place, f, &dispatch_at(f, dispatch)->places, id);
    intern_unref(&f->names, r->uid);
    intern_unref(&f->names, r->origin);
    worker_unref(f, r->worker);
    slab_give(&f->replicas, id);
}

void replica_forget(struct fleet *f, uint32_t id)
{
    uint32_t dispatch = replica_at(f, id)->dispatch;

    phase_lose(f, id);
    replica_clear(f, id);
    outbox_forget(f->outbox, EFFECT_OF_REPLICA, id);
    heap_clear(&f->replica_timers, id);
    replica_rank(f, id);
    outbox_sync(f->outbox, EFFECT_OF_REPLICA, id);
    dispatch_todo(f, dispatch);
    replica_release(f, id);
    dispatch_release(f, dispatch);
}

void dispatch_empty(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    phase_rest(f, id);
    outbox_forget(f->outbox, EFFECT_OF_DISPATCH, id);
    dispatch_release_details(f, &d->said);
    d->said = (struct dispatch_details){0};
    d->flags &= DISPATCH_TODO;
    d->version = d->timeout = d->noted = d->counted = d->past = 0;
    d->memory = d->fresh = 0;
    for (uint32_t at = 0; fleet_next_replica(f, id, &at);) {
        struct replica *r = replica_at(f, at);

        r->opened = r->noted = 0;
        replica_set(r, REPLICA_ASKED | REPLICA_UNEXPLAINED, false);
        if (replica_is(r, REPLICA_OPEN)) { /* it is as if this were its first sight */
            r->opened = f->now;
            r->opened_uid = replica_uid_hash(fleet_text(f, r->uid));
            replica_set(r, REPLICA_UNEXPLAINED, true);
            dispatch_set(d, DISPATCH_UNEXPLAINED, true);
        }
        replica_rank(f, at);
    }
}

static void nominate_none(struct fleet *f, uint32_t id)
{
    uint32_t at = tree_first(&replicas_by_place, f, dispatch_at(f, id)->places), next;

    for (; at != 0; at = next) {
        next = tree_next(&replicas_by_place, f, at);
        replica_want(f, at, false, false);
        replica_release(f, at);
    }
}

void dispatch_forget(struct fleet *f, uint32_t id)
{
    dispatch_empty(f, id);
    dispatch_at(f, id)->orphaned = f->now - ORPHAN_NANOSECONDS; /* it is known to be gone */
    nominate_none(f, id);
    dispatch_todo(f, id);
    dispatch_release(f, id);
}
