/* SPDX-License-Identifier: Apache-2.0 */
#include "replica.h"

#include "dispatch.h"
#include "orchestrator.h"
#include "state.h"
#include "worker.h"

static int compare_workers(const struct engine *e, uint32_t a, uint32_t b)
{
    return text_compare(name_text(e, worker_at(e, replica_at(e, a)->worker)->name),
                        name_text(e, worker_at(e, replica_at(e, b)->worker)->name));
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
    const struct engine *e = ctx;
    uint32_t da = replica_at(e, a)->dispatch, db = replica_at(e, b)->dispatch;

    return da == db ? compare_workers(e, a, b) < 0 : dispatch_before(e, da, db);
}

uint64_t replica_uid_hash(struct text uid)
{
    return hash_bytes64(uid.at, uid.len, 1);
}

uint32_t replica_find(const struct engine *e, uint32_t dispatch, struct text worker)
{
    uint32_t at = dispatch_at(e, dispatch)->places;

    while (at != 0) {
        const struct replica *r = replica_at(e, at);
        int order = text_compare(worker, name_text(e, worker_at(e, r->worker)->name));

        if (order == 0)
            return at;
        at = order < 0 ? r->place.left : r->place.right;
    }
    return 0;
}

int replica_get(struct engine *e, uint32_t dispatch, struct text name, uint32_t *ret_replica)
{
    uint32_t id = replica_find(e, dispatch, name), worker;
    int error;

    if (id == 0) {
        if (slab_reserve(&e->replicas, 1) < 0 ||
            heap_reserve(&e->replica_timers, slab_end(&e->replicas) + 1) < 0)
            return ENGINE_NO_MEMORY;
        error = worker_get(e, name, &worker);
        if (error < 0)
            return error;
        id = slab_take(&e->replicas);
        *replica_at(e, id) =
            (struct replica){.dispatch = dispatch, .worker = worker, .rank = RANK_NONE};
        tree_insert(&replicas_by_place, e, &dispatch_at(e, dispatch)->places, id);
        worker_enter(e, worker, id);
    }
    *ret_replica = id;
    return 0;
}

static void set_rank(struct engine *e, uint32_t id, enum replica_rank rank, int64_t by)
{
    struct replica *r = replica_at(e, id);
    uint32_t *root = &dispatch_at(e, r->dispatch)->ranked;

    if (r->rank == rank && r->ranked_by == by)
        return;
    if (r->rank != RANK_NONE)
        tree_remove(&replicas_by_rank, e, root, id);
    r->rank = (uint8_t)rank;
    r->ranked_by = by;
    if (rank != RANK_NONE)
        tree_insert(&replicas_by_rank, e, root, id);
}

void replica_release(struct engine *e, uint32_t id)
{
    struct replica *r = replica_at(e, id);
    uint32_t dispatch = r->dispatch;

    if ((r->flags & (REPLICA_THERE | REPLICA_NOMINATED | REPLICA_BOUND)) != 0)
        return;
    dispatch_keep_opening(e, id);
    set_rank(e, id, RANK_NONE, 0);
    outbox_forget(e, EFFECT_OF_REPLICA, id);
    heap_clear(&e->replica_timers, id);
    worker_leave(e, id);
    tree_remove(&replicas_by_place, e, &dispatch_at(e, dispatch)->places, id);
    intern_unref(&e->names, r->uid);
    intern_unref(&e->names, r->origin);
    worker_unref(e, r->worker);
    slab_give(&e->replicas, id);
}

/* Signals, is closed, and would be able to preempt if it were opened. */
static bool is_candidate(const struct engine *e, const struct replica *r)
{
    const uint16_t wanted = REPLICA_THERE | REPLICA_NOMINATED | REPLICA_GATED | REPLICA_SIGNALS;
    const uint16_t unwanted = REPLICA_OPEN | REPLICA_BLOCKED | REPLICA_RESERVED | REPLICA_ADMITTED |
                              REPLICA_FINISHED | REPLICA_DELETED | REPLICA_STRANGER;

    return replica_is(r, wanted) && (r->flags & unwanted) == 0 &&
           worker_at(e, r->worker)->connected;
}

/* Who cannot be reached for so long is not waited for any more, whatever was admitted there. */
static int64_t given_up_at(const struct engine *e, const struct replica *r)
{
    const struct worker *worker = worker_at(e, r->worker);

    return worker->connected ? INT64_MAX : worker->lost + e->config.worker_lost_timeout;
}

void replica_rank(struct engine *e, uint32_t id)
{
    const struct replica *r = replica_at(e, id);
    bool counts = replica_is(r, REPLICA_THERE | REPLICA_NOMINATED) &&
                  (r->flags & (REPLICA_DELETED | REPLICA_STRANGER)) == 0;

    if (counts && replica_is(r, REPLICA_ADMITTED) && e->now < given_up_at(e, r))
        set_rank(e, id, RANK_ADMITTED, r->admitted);
    else if (counts && replica_is(r, REPLICA_RESERVED) && worker_at(e, r->worker)->connected)
        set_rank(e, id, RANK_RESERVED, 0);
    else if (is_candidate(e, r))
        set_rank(e, id, RANK_CANDIDATE, r->signal > r->opened ? r->signal : r->opened);
    else
        set_rank(e, id, RANK_NONE, 0);
}

static void clear(struct engine *e, uint32_t id)
{
    struct replica *r = replica_at(e, id);

    intern_unref(&e->names, r->uid);
    intern_unref(&e->names, r->origin);
    r->uid = r->origin = 0;
    r->flags &= REPLICA_NOMINATED | REPLICA_BOUND | REPLICA_ASKED;
    r->version = r->signal = r->admitted = 0;
}

void replica_forget(struct engine *e, uint32_t id)
{
    uint32_t dispatch = replica_at(e, id)->dispatch;

    orchestrator_lose(e, id);
    clear(e, id);
    outbox_forget(e, EFFECT_OF_REPLICA, id);
    heap_clear(&e->replica_timers, id);
    replica_rank(e, id);
    outbox_sync(e, EFFECT_OF_REPLICA, id);
    orchestrator_todo(e, dispatch);
    replica_release(e, id);
    dispatch_release(e, dispatch);
}

void replica_look_again(struct engine *e, uint32_t id)
{
    const struct worker *worker = worker_at(e, replica_at(e, id)->worker);

    if (!worker->connected)
        replica_set(replica_at(e, id), REPLICA_MADE, false);
    replica_rank(e, id);
    outbox_sync(e, EFFECT_OF_REPLICA, id);
    replica_set_timer(e, id);
    orchestrator_todo(e, replica_at(e, id)->dispatch);
}

void replica_want(struct engine *e, uint32_t id, bool nominated, bool bound)
{
    struct replica *r = replica_at(e, id);

    if (replica_is(r, REPLICA_NOMINATED) == nominated && replica_is(r, REPLICA_BOUND) == bound)
        return;
    replica_set(r, REPLICA_NOMINATED, nominated);
    replica_set(r, REPLICA_BOUND, bound);
    replica_look_again(e, id);
}

void replica_check_origin(struct engine *e, uint32_t id)
{
    struct replica *r = replica_at(e, id);
    const struct dispatch *d = dispatch_at(e, r->dispatch);

    replica_set(r, REPLICA_STRANGER,
                r->origin != 0 && dispatch_is(d, DISPATCH_KNOWN) && r->origin != d->uid);
}

/* What the worker says about preemption, as this manager sees it now. */
static void note_gate(struct engine *e, uint32_t id, const struct replica_facts *facts)
{
    struct replica *r = replica_at(e, id);
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
        orchestrator_opened(e, id);
        return;
    }
    r->opened = e->now;
    r->opened_uid = uid;
    replica_set(r, REPLICA_UNEXPLAINED, true);
    dispatch_set(dispatch_at(e, r->dispatch), DISPATCH_UNEXPLAINED, true);
}

static void note_signal(struct engine *e, uint32_t id, const struct replica_facts *facts)
{
    struct replica *r = replica_at(e, id);
    bool noted = r->noted != 0 && r->noted_uid == replica_uid_hash(facts->uid);

    replica_set(r, REPLICA_SIGNALS, facts->signals);
    if (facts->signals && r->signal == 0)
        r->signal = noted ? r->noted : e->now;
    if (!facts->signals) {
        r->signal = 0;
        r->noted = noted ? 0 : r->noted;
    }
}

static void take(struct engine *e, uint32_t id, const struct replica_facts *facts, uint32_t uid,
                 uint32_t origin)
{
    struct replica *r = replica_at(e, id);

    if (!replica_is(r, REPLICA_THERE) || r->uid != uid) {
        orchestrator_lose(e, id);
        outbox_forget(e, EFFECT_OF_REPLICA, id);
        clear(e, id);
    } else {
        intern_unref(&e->names, r->uid);
        intern_unref(&e->names, r->origin);
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
        r->admitted = e->synced ? e->now : 1;
    replica_check_origin(e, id);
    note_gate(e, id, facts);
    note_signal(e, id, facts);
}

/* A message that is older than what is known. Not while the worker is not connected: it may come
 * back with an older state, and that is then how it is. */
static bool is_stale(const struct engine *e, uint32_t id, const struct replica_facts *facts)
{
    const struct replica *r = replica_at(e, id);

    return facts->resource_version != 0 && facts->resource_version <= r->version &&
           worker_at(e, r->worker)->connected;
}

int engine_see_replica(struct engine *e, const struct replica_facts *facts)
{
    uint32_t dispatch, id, uid = 0, origin = 0;
    int error = dispatch_get(e, facts->space, facts->name, &dispatch);

    if (error < 0)
        return error;
    error = replica_get(e, dispatch, facts->worker, &id);
    if (error < 0) {
        dispatch_release(e, dispatch);
        return error;
    }
    if (!is_stale(e, id, facts)) {
        if (name_get(e, facts->uid, &uid) < 0 || name_get(e, facts->origin, &origin) < 0) {
            intern_unref(&e->names, uid);
            replica_release(e, id);
            dispatch_release(e, dispatch);
            return ENGINE_NO_MEMORY;
        }
        take(e, id, facts, uid, origin);
        replica_look_again(e, id);
    }
    engine_tick(e);
    return 0;
}

void engine_lose_replica(struct engine *e, struct text worker, struct text space, struct text name,
                         struct text uid)
{
    uint32_t dispatch = dispatch_find(e, space, name);
    uint32_t id = dispatch == 0 ? 0 : replica_find(e, dispatch, worker);

    if (id != 0 && replica_is(replica_at(e, id), REPLICA_THERE) &&
        (uid.len == 0 || text_same(uid, name_text(e, replica_at(e, id)->uid))))
        replica_forget(e, id);
    engine_tick(e);
}

void replica_set_timer(struct engine *e, uint32_t id)
{
    const struct replica *r = replica_at(e, id);
    int64_t due = outbox_due(e, EFFECT_OF_REPLICA, id);
    int64_t at = due == 0 ? INT64_MAX : due;

    if (r->rank == RANK_ADMITTED && given_up_at(e, r) < at)
        at = given_up_at(e, r);
    if (at == INT64_MAX)
        heap_clear(&e->replica_timers, id);
    else
        heap_set(&e->replica_timers, id, at);
}

void replica_expire(struct engine *e, uint32_t id)
{
    const struct replica *r = replica_at(e, id);

    outbox_expire(e, EFFECT_OF_REPLICA, id);
    if (r->rank == RANK_ADMITTED && given_up_at(e, r) <= e->now)
        replica_look_again(e, id);
    else
        replica_set_timer(e, id);
}
