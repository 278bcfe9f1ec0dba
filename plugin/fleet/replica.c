/* SPDX-License-Identifier: Apache-2.0 */
#include "replica.h"

#include "fleet_state.h"

static int compare_workers(const void *ctx, uint32_t a, uint32_t b)
{
    return text_compare(worker_name(ctx, replica_at(ctx, a)->worker),
                        worker_name(ctx, replica_at(ctx, b)->worker));
}

static struct tree_link *place_link(const void *ctx, uint32_t id)
{
    return &replica_at(ctx, id)->place;
}

const struct tree_type replicas_by_place = {place_link, compare_workers, NULL};

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

int replica_compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct fleet *f = ctx;
    uint32_t da = replica_at(f, a)->dispatch, db = replica_at(f, b)->dispatch;

    return da == db ? compare_workers(f, a, b) : dispatches_by_name.compare(f, da, db);
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
        int order = text_compare(worker, worker_name(f, r->worker));

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

void replica_clear(struct fleet *f, uint32_t id)
{
    struct replica *r = replica_at(f, id);

    intern_unref(&f->names, r->uid);
    intern_unref(&f->names, r->origin);
    r->uid = r->origin = 0;
    r->flags &= REPLICA_NOMINATED | REPLICA_BOUND | REPLICA_ASKED;
    r->version = r->signal = r->admitted = 0;
}

void replica_look_again(struct fleet *f, uint32_t id)
{
    const struct worker *worker = worker_at(f, replica_at(f, id)->worker);

    if (!worker->connected)
        replica_set(replica_at(f, id), REPLICA_MADE, false);
    replica_rank(f, id);
    outbox_sync(f->outbox, EFFECT_OF_REPLICA, id);
    replica_set_timer(f, id);
    dispatch_todo(f, replica_at(f, id)->dispatch);
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
                r->origin != 0 && dispatch_is(d, DISPATCH_KNOWN) && r->origin != d->said.uid);
}

void replica_set_timer(struct fleet *f, uint32_t id)
{
    const struct replica *r = replica_at(f, id);
    int64_t at = outbox_due(f->outbox, EFFECT_OF_REPLICA, id);

    if (r->rank == RANK_ADMITTED && given_up_at(f, r) < at)
        at = given_up_at(f, r);
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
