/* SPDX-License-Identifier: Apache-2.0 */
#include "replica.h"

#include "dispatch.h"
#include "fleet_state.h"
#include "orchestrator.h"
#include "worker.h"

static int compare_workers(const struct fleet *f, uint32_t a, uint32_t b)
{
    return text_compare(fleet_text(f, worker_at(f, replica_at(f, a)->worker)->name),
                        fleet_text(f, worker_at(f, replica_at(f, b)->worker)->name));
}

static struct tree_link *place_link(const void *ctx, uint32_t id)
{
    return &replica_at(ctx, id)->place;
}

static int compare_places(const void *ctx, uint32_t a, uint32_t b)
{
    return compare_workers(ctx, a, b);
}

const struct tree_type replicas_by_place = {place_link, compare_places, NULL};

static struct tree_link *rank_link(const void *ctx, uint32_t id)
{
    return &replica_at(ctx, id)->link;
}

/* Ties go by the name of the cluster. */
static int compare_ranks(const void *ctx, uint32_t a, uint32_t b)
{
    const struct replica *ra = replica_at(ctx, a), *rb = replica_at(ctx, b);

    if (ra->rank != rb->rank)
        return ra->rank < rb->rank ? -1 : 1;
    if (ra->ranked_by != rb->ranked_by)
        return ra->ranked_by < rb->ranked_by ? -1 : 1;
    return compare_workers(ctx, a, b);
}

const struct tree_type replicas_by_rank = {rank_link, compare_ranks, NULL};

bool replica_before(const void *ctx, uint32_t a, uint32_t b)
{
    const struct fleet *f = ctx;
    uint32_t da = replica_at(f, a)->dispatch, db = replica_at(f, b)->dispatch;

    return da == db ? compare_workers(f, a, b) < 0 : dispatch_before(f, da, db);
}

uint64_t replica_uid_hash(struct text uid)
{
    return hash_bytes64(uid.at, uid.len, 1);
}

uint32_t replica_find(const struct fleet *f, uint32_t dispatch, struct text worker)
{
    uint32_t at = dispatch_at(f, dispatch)->places;

    while (at != 0) {
        const struct replica *r = replica_at(f, at);
        int order = text_compare(worker, fleet_text(f, worker_at(f, r->worker)->name));

        if (order == 0)
            return at;
        at = order < 0 ? r->place.left : r->place.right;
    }
    return 0;
}

int replica_get(struct fleet *f, uint32_t dispatch, struct text name, uint32_t *ret_replica)
{
    uint32_t id = replica_find(f, dispatch, name), worker;
    int error;

    if (id == 0) {
        if (slab_reserve(&f->replicas, 1) < 0 ||
            heap_reserve(&f->replica_timers, slab_end(&f->replicas) + 1) < 0)
            return ENGINE_NO_MEMORY;
        error = worker_get(f, name, &worker);
        if (error < 0)
            return error;
        id = slab_take(&f->replicas);
        *replica_at(f, id) =
            (struct replica){.dispatch = dispatch, .worker = worker, .rank = RANK_NONE};
        tree_insert(&replicas_by_place, f, &dispatch_at(f, dispatch)->places, id);
        worker_enter(f, worker, id);
    }
    *ret_replica = id;
    return 0;
}

static void set_rank(struct fleet *f, uint32_t id, enum replica_rank rank, int64_t by)
{
    struct replica *r = replica_at(f, id);
    uint32_t *root = &dispatch_at(f, r->dispatch)->ranked;

    if (r->rank == rank && r->ranked_by == by)
        return;
    if (r->rank != RANK_NONE)
        tree_remove(&replicas_by_rank, f, root, id);
    r->rank = (uint8_t)rank;
    r->ranked_by = by;
    if (rank != RANK_NONE)
        tree_insert(&replicas_by_rank, f, root, id);
}

void replica_release(struct fleet *f, uint32_t id)
{
    struct replica *r = replica_at(f, id);
    uint32_t dispatch = r->dispatch;

    if ((r->flags & (REPLICA_THERE | REPLICA_NOMINATED | REPLICA_BOUND)) != 0)
        return;
    dispatch_keep_opening(f, id);
    set_rank(f, id, RANK_NONE, 0);
    outbox_forget(f->outbox, EFFECT_OF_REPLICA, id);
    heap_clear(&f->replica_timers, id);
    worker_leave(f, id);
    tree_remove(&replicas_by_place, f, &dispatch_at(f, dispatch)->places, id);
    intern_unref(&f->names, r->uid);
    intern_unref(&f->names, r->origin);
    worker_unref(f, r->worker);
    slab_give(&f->replicas, id);
}

/* Signals, is closed, and would be able to preempt if it were opened. */
static bool is_candidate(const struct fleet *f, const struct replica *r)
{
    const uint16_t wanted = REPLICA_THERE | REPLICA_NOMINATED | REPLICA_GATED | REPLICA_SIGNALS;
    const uint16_t unwanted = REPLICA_OPEN | REPLICA_BLOCKED | REPLICA_RESERVED | REPLICA_ADMITTED |
                              REPLICA_FINISHED | REPLICA_DELETED | REPLICA_STRANGER;

    return replica_is(r, wanted) && (r->flags & unwanted) == 0 &&
           worker_at(f, r->worker)->connected;
}

/* Who cannot be reached for so long is not waited for any more, whatever was admitted there. */
static int64_t given_up_at(const struct fleet *f, const struct replica *r)
{
    const struct worker *worker = worker_at(f, r->worker);

    return worker->connected ? INT64_MAX : worker->lost + f->config.worker_lost_timeout;
}

void replica_rank(struct fleet *f, uint32_t id)
{
    const struct replica *r = replica_at(f, id);
    bool counts = replica_is(r, REPLICA_THERE | REPLICA_NOMINATED) &&
                  (r->flags & (REPLICA_DELETED | REPLICA_STRANGER)) == 0;

    if (counts && replica_is(r, REPLICA_ADMITTED) && f->now < given_up_at(f, r))
        set_rank(f, id, RANK_ADMITTED, r->admitted);
    else if (counts && replica_is(r, REPLICA_RESERVED) && worker_at(f, r->worker)->connected)
        set_rank(f, id, RANK_RESERVED, 0);
    else if (is_candidate(f, r))
        set_rank(f, id, RANK_CANDIDATE, r->signal > r->opened ? r->signal : r->opened);
    else
        set_rank(f, id, RANK_NONE, 0);
}

static void clear(struct fleet *f, uint32_t id)
{
    struct replica *r = replica_at(f, id);

    intern_unref(&f->names, r->uid);
    intern_unref(&f->names, r->origin);
    r->uid = r->origin = 0;
    r->flags &= REPLICA_NOMINATED | REPLICA_BOUND | REPLICA_ASKED;
    r->version = r->signal = r->admitted = 0;
}

void replica_forget(struct fleet *f, uint32_t id)
{
    uint32_t dispatch = replica_at(f, id)->dispatch;

    orchestrator_lose(f, id);
    clear(f, id);
    outbox_forget(f->outbox, EFFECT_OF_REPLICA, id);
    heap_clear(&f->replica_timers, id);
    replica_rank(f, id);
    outbox_sync(f->outbox, EFFECT_OF_REPLICA, id);
    orchestrator_todo(f, dispatch);
    replica_release(f, id);
    dispatch_release(f, dispatch);
}

void replica_look_again(struct fleet *f, uint32_t id)
{
    const struct worker *worker = worker_at(f, replica_at(f, id)->worker);

    if (!worker->connected)
        replica_set(replica_at(f, id), REPLICA_MADE, false);
    replica_rank(f, id);
    outbox_sync(f->outbox, EFFECT_OF_REPLICA, id);
    replica_set_timer(f, id);
    orchestrator_todo(f, replica_at(f, id)->dispatch);
}

void replica_want(struct fleet *f, uint32_t id, bool nominated, bool bound)
{
    struct replica *r = replica_at(f, id);

    if (replica_is(r, REPLICA_NOMINATED) == nominated && replica_is(r, REPLICA_BOUND) == bound)
        return;
    replica_set(r, REPLICA_NOMINATED, nominated);
    replica_set(r, REPLICA_BOUND, bound);
    replica_look_again(f, id);
}

void replica_check_origin(struct fleet *f, uint32_t id)
{
    struct replica *r = replica_at(f, id);
    const struct dispatch *d = dispatch_at(f, r->dispatch);

    replica_set(r, REPLICA_STRANGER,
                r->origin != 0 && dispatch_is(d, DISPATCH_KNOWN) && r->origin != d->uid);
}

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
        orchestrator_opened(f, id);
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
        orchestrator_lose(f, id);
        outbox_forget(f->outbox, EFFECT_OF_REPLICA, id);
        clear(f, id);
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

void replica_set_timer(struct fleet *f, uint32_t id)
{
    const struct replica *r = replica_at(f, id);
    int64_t due = outbox_due(f->outbox, EFFECT_OF_REPLICA, id);
    int64_t at = due == 0 ? INT64_MAX : due;

    if (r->rank == RANK_ADMITTED && given_up_at(f, r) < at)
        at = given_up_at(f, r);
    if (at == INT64_MAX)
        heap_clear(&f->replica_timers, id);
    else
        heap_set(&f->replica_timers, id, at);
}

void replica_expire(struct fleet *f, uint32_t id)
{
    const struct replica *r = replica_at(f, id);

    outbox_expire(f->outbox, EFFECT_OF_REPLICA, id);
    if (r->rank == RANK_ADMITTED && given_up_at(f, r) <= f->now)
        replica_look_again(f, id);
    else
        replica_set_timer(f, id);
}
