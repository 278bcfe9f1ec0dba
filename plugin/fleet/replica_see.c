/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_state.h"
#include "loss.h"
#include "phase.h"

/* What workers say of their copies. */

/* What the worker says about preemption, as this manager sees it now. */
static void note_gate(struct fleet *f, uint32_t id, const struct replica_facts *facts)
{
    struct replica *r = replica_at(f, id);
    bool opens = facts->open && !replica_is(r, REPLICA_OPEN);
    uint64_t uid = replica_uid_hash(facts->uid);

    replica_set(r, REPLICA_GATED, facts->gated);
    replica_set(r, REPLICA_BLOCKED, facts->blocked);
    replica_set(r, REPLICA_OPEN, facts->open);
    if (!facts->open)
        replica_set(r, REPLICA_UNEXPLAINED, false);
    if (!opens)
        return;
    if (replica_is(r, REPLICA_ASKED) && r->opened_uid == uid) {
        replica_set(r, REPLICA_ASKED, false);
        phase_opened(f, id);
        return;
    }
    r->opened = f->now;
    r->opened_uid = uid;
    replica_set(r, REPLICA_UNEXPLAINED, true);
    dispatch_set(dispatch_at(f, r->dispatch), DISPATCH_UNEXPLAINED, true);
}

static void note_signal(struct fleet *f, uint32_t id, const struct replica_facts *facts)
{
    struct replica *r = replica_at(f, id);
    bool noted = r->noted != 0 && r->noted_uid == replica_uid_hash(facts->uid);

    replica_set(r, REPLICA_SIGNALS, facts->signals);
    if (facts->signals && r->signal == 0)
        r->signal = noted ? r->noted : f->now;
    if (!facts->signals) {
        r->signal = 0;
        r->noted = noted ? 0 : r->noted;
    }
}

static void take(struct fleet *f, uint32_t id, const struct replica_facts *facts, uint32_t uid,
                 uint32_t origin)
{
    struct replica *r = replica_at(f, id);

    if (!replica_is(r, REPLICA_THERE) || r->uid != uid) {
        phase_lose(f, id);
        outbox_forget(f->outbox, EFFECT_OF_REPLICA, id);
        replica_clear(f, id);
    } else {
        intern_unref(&f->names, r->uid);
        intern_unref(&f->names, r->origin);
    }
    r->uid = uid;
    r->origin = origin;
    r->version = facts->resource_version;
    replica_set(r, REPLICA_THERE, true);
    replica_set(r, REPLICA_MADE, false);
    replica_set(r, REPLICA_RESERVED, facts->reserved);
    replica_set(r, REPLICA_ADMITTED, facts->admitted);
    replica_set(r, REPLICA_EVICTED, facts->evicted);
    replica_set(r, REPLICA_FINISHED, facts->finished);
    replica_set(r, REPLICA_DELETED, facts->deleted);
    if (!facts->admitted)
        r->admitted = 0;
    else if (r->admitted == 0)
        r->admitted = f->synced ? f->now : 1;
    replica_check_origin(f, id);
    note_gate(f, id, facts);
    note_signal(f, id, facts);
}

/* A message that is older than what is known. Not while the worker is not connected: it may come
 * back with an older state, and that is then how it is. */
static bool is_stale(const struct fleet *f, uint32_t id, const struct replica_facts *facts)
{
    const struct replica *r = replica_at(f, id);

    return facts->resource_version != 0 && facts->resource_version <= r->version &&
           worker_at(f, r->worker)->connected;
}

int fleet_see_replica(struct fleet *f, const struct replica_facts *facts)
{
    uint32_t dispatch, id, uid = 0, origin = 0;
    int error = dispatch_get(f, facts->space, facts->name, &dispatch);

    if (error < 0)
        return error;
    error = replica_get(f, dispatch, facts->worker, &id);
    if (error < 0) {
        dispatch_release(f, dispatch);
        return error;
    }
    if (!is_stale(f, id, facts)) {
        if (fleet_intern(f, facts->uid, &uid) < 0 || fleet_intern(f, facts->origin, &origin) < 0) {
            intern_unref(&f->names, uid);
            replica_release(f, id);
            dispatch_release(f, dispatch);
            return ENGINE_NO_MEMORY;
        }
        take(f, id, facts, uid, origin);
        replica_look_again(f, id);
    }
    fleet_tick(f);
    return 0;
}

void fleet_lose_replica(struct fleet *f, struct text worker, struct text space, struct text name,
                        struct text uid)
{
    uint32_t dispatch = dispatch_find(f, space, name);
    uint32_t id = dispatch == 0 ? 0 : replica_find(f, dispatch, worker);

    if (id != 0 && replica_is(replica_at(f, id), REPLICA_THERE) &&
        (uid.len == 0 || text_same(uid, fleet_text(f, replica_at(f, id)->uid))))
        replica_forget(f, id);
    fleet_tick(f);
}
