/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch.h"

#include "fleet_state.h"
#include "orchestrator.h"
#include "plugin/base/duration.h"
#include "preemption_memory.h"
#include "replica.h"
#include "worker.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &dispatch_at(ctx, id)->link;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct fleet *f = ctx;
    int order = text_compare(fleet_text(f, dispatch_at(f, a)->space),
                             fleet_text(f, dispatch_at(f, b)->space));

    return order != 0 ? order
                      : text_compare(fleet_text(f, dispatch_at(f, a)->name),
                                     fleet_text(f, dispatch_at(f, b)->name));
}

const struct tree_type dispatches_by_name = {link_of, compare, NULL};

bool dispatch_before(const void *ctx, uint32_t a, uint32_t b)
{
    return compare(ctx, a, b) < 0;
}

struct name_question {
    const struct fleet *f;
    struct text space, name;
};

static bool same_name(const void *ctx, uint32_t id)
{
    const struct name_question *q = ctx;
    const struct dispatch *d = dispatch_at(q->f, id);

    return text_same(fleet_text(q->f, d->name), q->name) &&
           text_same(fleet_text(q->f, d->space), q->space);
}

static uint32_t name_hash(struct text space, struct text name)
{
    return hash_bytes(name.at, name.len, hash_bytes(space.at, space.len, 0));
}

uint32_t dispatch_find(const struct fleet *f, struct text space, struct text name)
{
    struct name_question q = {f, space, name};

    return index_find(&f->dispatches_by_name, name_hash(space, name), same_name, &q);
}

int dispatch_get(struct fleet *f, struct text space, struct text name, uint32_t *ret_dispatch)
{
    uint32_t id = dispatch_find(f, space, name);
    struct dispatch d = {0};

    if (id != 0) {
        *ret_dispatch = id;
        return 0;
    }
    if (slab_count(&f->dispatches) >= f->config.max_dispatches)
        return ENGINE_FULL_WORKLOADS;
    if (slab_reserve(&f->dispatches, 1) < 0 || index_reserve(&f->dispatches_by_name) < 0 ||
        heap_reserve(&f->dispatch_timers, slab_end(&f->dispatches) + 1) < 0 ||
        fleet_intern(f, space, &d.space) < 0 || fleet_intern(f, name, &d.name) < 0) {
        intern_unref(&f->names, d.space);
        return ENGINE_NO_MEMORY;
    }
    id = slab_take(&f->dispatches);
    d.orphaned = f->now;
    *dispatch_at(f, id) = d;
    index_put(&f->dispatches_by_name, name_hash(space, name), id);
    tree_insert(&dispatches_by_name, f, &f->dispatches_in_order, id);
    *ret_dispatch = id;
    return 0;
}

static void release_gates(struct fleet *f, const uint32_t *gates, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        intern_unref(&f->names, gates[i]);
}

void dispatch_release(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (dispatch_is(d, DISPATCH_KNOWN) || d->places != 0)
        return;
    orchestrator_drop(f, id);
    outbox_forget(f->outbox, EFFECT_OF_DISPATCH, id);
    heap_clear(&f->dispatch_timers, id);
    index_drop(&f->dispatches_by_name, name_hash(fleet_text(f, d->space), fleet_text(f, d->name)),
               id);
    tree_remove(&dispatches_by_name, f, &f->dispatches_in_order, id);
    intern_unref(&f->names, d->uid);
    intern_unref(&f->names, d->space);
    intern_unref(&f->names, d->name);
    release_gates(f, d->gates, d->gate_count);
    worker_unref(f, d->cluster);
    slab_give(&f->dispatches, id);
}

void dispatch_keep_opening(struct fleet *f, uint32_t replica)
{
    const struct replica *r = replica_at(f, replica);
    struct dispatch *d = dispatch_at(f, r->dispatch);

    orchestrator_lose(f, replica);
    if (r->opened != 0 && d->counted > d->past)
        d->past = d->counted;
    if (d->fresh == replica)
        d->fresh = 0;
}

/* Nothing that the workload said holds any more. What was opened for it is another one's past. */
static void empty(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);
    uint32_t at = tree_first(&replicas_by_place, f, d->places);

    orchestrator_rest(f, id);
    outbox_forget(f->outbox, EFFECT_OF_DISPATCH, id);
    intern_unref(&f->names, d->uid);
    release_gates(f, d->gates, d->gate_count);
    worker_unref(f, d->cluster);
    d->uid = d->cluster = d->gate_count = 0;
    d->flags &= DISPATCH_TODO;
    d->version = d->timeout = d->noted = 0;
    d->memory = 0;
    d->fresh = 0;
    d->counted = d->past = 0;
    for (; at != 0; at = tree_next(&replicas_by_place, f, at)) {
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
    empty(f, id);
    dispatch_at(f, id)->orphaned = f->now - ORPHAN_NANOSECONDS; /* it is known to be gone */
    nominate_none(f, id);
    orchestrator_todo(f, id);
    dispatch_release(f, id);
}

void fleet_lose_dispatch(struct fleet *f, struct text space, struct text name, struct text uid)
{
    uint32_t id = dispatch_find(f, space, name);

    if (id != 0 && dispatch_is(dispatch_at(f, id), DISPATCH_KNOWN) &&
        (uid.len == 0 || text_same(uid, fleet_text(f, dispatch_at(f, id)->uid))))
        dispatch_forget(f, id);
    fleet_tick(f);
}

/* What the record needs; without memory, nothing is held. */
struct details {
    uint32_t uid, cluster;
    uint32_t gate_count;
    uint32_t gates[FACTS_MAX_PREEMPTION_GATES];
};

static void release_details(struct fleet *f, const struct details *details)
{
    intern_unref(&f->names, details->uid);
    release_gates(f, details->gates, details->gate_count);
    worker_unref(f, details->cluster);
}

static int read_details(struct fleet *f, const struct dispatch_facts *facts, uint32_t id,
                        struct details *ret)
{
    int error = fleet_intern(f, facts->uid, &ret->uid);
    uint32_t replica;

    for (uint32_t i = 0; i < facts->gate_count && error == 0; i++)
        error = fleet_intern(f, facts->gates[i], &ret->gates[ret->gate_count++]);
    if (facts->cluster.len > 0 && error == 0)
        error = worker_get(f, facts->cluster, &ret->cluster);
    if (facts->cluster.len > 0 && error == 0)
        error = replica_get(f, id, facts->cluster, &replica);
    for (uint32_t i = 0; i < facts->nominated_count && error == 0; i++)
        error = replica_get(f, id, facts->nominated[i], &replica);
    return error;
}

/* Whether one of the first that it nominates is this one. */
static bool names(const struct dispatch_facts *facts, uint32_t first, struct text worker)
{
    for (uint32_t i = 0; i < first; i++) {
        if (text_same(facts->nominated[i], worker))
            return true;
    }
    return false;
}

static void take_places(struct fleet *f, uint32_t id, const struct dispatch_facts *facts)
{
    uint32_t at = tree_first(&replicas_by_place, f, dispatch_at(f, id)->places), next;

    for (; at != 0; at = next) {
        struct text worker = fleet_text(f, worker_at(f, replica_at(f, at)->worker)->name);
        bool stranger = replica_is(replica_at(f, at), REPLICA_STRANGER);

        next = tree_next(&replicas_by_place, f, at);
        replica_check_origin(f, at);
        if (stranger != replica_is(replica_at(f, at), REPLICA_STRANGER))
            replica_look_again(f, at);
        replica_want(f, at, names(facts, facts->nominated_count, worker),
                     text_same(worker, facts->cluster));
        outbox_sync(f->outbox, EFFECT_OF_REPLICA, at); /* its gates may be others */
        replica_release(f, at);
    }
}

static void take(struct fleet *f, uint32_t id, const struct dispatch_facts *facts,
                 const struct details *details)
{
    struct dispatch *d = dispatch_at(f, id);
    int64_t timeout = 0;

    if (dispatch_is(d, DISPATCH_KNOWN) && d->uid != details->uid)
        empty(f, id);
    release_details(f, &(struct details){.uid = d->uid, .cluster = d->cluster});
    release_gates(f, d->gates, d->gate_count);
    d->uid = details->uid;
    d->cluster = details->cluster;
    d->gate_count = (uint8_t)details->gate_count;
    memcpy(d->gates, details->gates, sizeof(d->gates));
    d->version = facts->resource_version;
    dispatch_set(d, DISPATCH_BAD_TIMEOUT,
                 facts->timeout.len > 0 && !duration_parse(facts->timeout, &timeout));
    d->timeout = timeout;
    dispatch_set(d, DISPATCH_KNOWN, true);
    dispatch_set(d, DISPATCH_RESERVED, facts->reserved);
    dispatch_set(d, DISPATCH_READY, facts->ready);
    dispatch_set(d, DISPATCH_OVER, facts->over);
    dispatch_set(d, DISPATCH_AWAITS | DISPATCH_BOUND | DISPATCH_RETRIED, false);
    take_places(f, id, facts);
    preemption_memory_read(f, id, facts->memory);
    orchestrator_todo(f, id);
}

static void release_place(struct fleet *f, uint32_t id, struct text worker)
{
    uint32_t replica = worker.len == 0 ? 0 : replica_find(f, id, worker);

    if (replica != 0)
        replica_release(f, replica);
}

/* The last that was taken is given back first, so that the next ones get the ids that they would
 * have had: a call that failed leaves nothing behind, not even an order. */
static void release_places(struct fleet *f, uint32_t id, const struct dispatch_facts *facts)
{
    for (uint32_t i = facts->nominated_count; i-- > 0;) {
        struct text worker = facts->nominated[i];

        if (!names(facts, i, worker) && !text_same(worker, facts->cluster))
            release_place(f, id, worker);
    }
    release_place(f, id, facts->cluster);
}

int fleet_see_dispatch(struct fleet *f, const struct dispatch_facts *facts)
{
    struct details details = {0};
    uint32_t id;
    int error = dispatch_get(f, facts->space, facts->name, &id);

    if (error < 0)
        return error;

    const struct dispatch *d = dispatch_at(f, id);
    bool stale = dispatch_is(d, DISPATCH_KNOWN) && facts->resource_version != 0 &&
                 facts->resource_version <= d->version;

    if (!stale) {
        error = read_details(f, facts, id, &details);
        if (error < 0) {
            release_details(f, &details);
            release_places(f, id, facts);
            dispatch_release(f, id);
            return error;
        }
        take(f, id, facts, &details);
    }
    fleet_tick(f);
    return 0;
}

void dispatch_set_timer(struct fleet *f, uint32_t id)
{
    int64_t at = orchestrator_deadline(f, id), due = outbox_due(f->outbox, EFFECT_OF_DISPATCH, id);

    if (due != 0 && due < at)
        at = due;
    if (at == INT64_MAX)
        heap_clear(&f->dispatch_timers, id);
    else
        heap_set(&f->dispatch_timers, id, at);
}

/* A writing whose lease ran out may still be carried out, and its ack still come. */
void dispatch_expire(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (outbox_runs_out(f->outbox, EFFECT_OF_DISPATCH, id, DISPATCH_WRITE_MEMORY))
        dispatch_set(d, DISPATCH_DOUBT, true);
    outbox_expire(f->outbox, EFFECT_OF_DISPATCH, id);
    orchestrator_expire(f, id);
}
