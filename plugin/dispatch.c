/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch.h"

#include "duration.h"
#include "openings.h"
#include "orchestrator.h"
#include "replica.h"
#include "state.h"
#include "worker.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &dispatch_at(ctx, id)->link;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;
    int order = text_compare(name_text(e, dispatch_at(e, a)->space),
                             name_text(e, dispatch_at(e, b)->space));

    return order != 0 ? order
                      : text_compare(name_text(e, dispatch_at(e, a)->name),
                                     name_text(e, dispatch_at(e, b)->name));
}

const struct tree_type dispatches_by_name = {link_of, compare, NULL};

bool dispatch_before(const void *ctx, uint32_t a, uint32_t b)
{
    return compare(ctx, a, b) < 0;
}

struct name_question {
    const struct engine *e;
    struct text space, name;
};

static bool same_name(const void *ctx, uint32_t id)
{
    const struct name_question *q = ctx;
    const struct dispatch *d = dispatch_at(q->e, id);

    return text_same(name_text(q->e, d->name), q->name) &&
           text_same(name_text(q->e, d->space), q->space);
}

static uint32_t name_hash(struct text space, struct text name)
{
    return hash_bytes(name.at, name.len, hash_bytes(space.at, space.len, 0));
}

uint32_t dispatch_find(const struct engine *e, struct text space, struct text name)
{
    struct name_question q = {e, space, name};

    return index_find(&e->dispatches_by_name, name_hash(space, name), same_name, &q);
}

int dispatch_get(struct engine *e, struct text space, struct text name, uint32_t *ret_dispatch)
{
    uint32_t id = dispatch_find(e, space, name);
    struct dispatch d = {0};

    if (id != 0) {
        *ret_dispatch = id;
        return 0;
    }
    if (slab_count(&e->dispatches) >= e->config.max_workloads)
        return ENGINE_FULL_WORKLOADS;
    if (slab_reserve(&e->dispatches, 1) < 0 || index_reserve(&e->dispatches_by_name) < 0 ||
        heap_reserve(&e->dispatch_timers, slab_end(&e->dispatches) + 1) < 0 ||
        name_get(e, space, &d.space) < 0 || name_get(e, name, &d.name) < 0) {
        intern_unref(&e->names, d.space);
        return ENGINE_NO_MEMORY;
    }
    id = slab_take(&e->dispatches);
    d.orphaned = e->now;
    *dispatch_at(e, id) = d;
    index_put(&e->dispatches_by_name, name_hash(space, name), id);
    tree_insert(&dispatches_by_name, e, &e->dispatches_in_order, id);
    *ret_dispatch = id;
    return 0;
}

static void release_gates(struct engine *e, const uint32_t *gates, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        intern_unref(&e->names, gates[i]);
}

void dispatch_release(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);

    if (dispatch_is(d, DISPATCH_KNOWN) || d->places != 0)
        return;
    orchestrator_drop(e, id);
    outbox_forget(e, EFFECT_OF_WORKLOAD, id);
    heap_clear(&e->dispatch_timers, id);
    index_drop(&e->dispatches_by_name, name_hash(name_text(e, d->space), name_text(e, d->name)),
               id);
    tree_remove(&dispatches_by_name, e, &e->dispatches_in_order, id);
    intern_unref(&e->names, d->uid);
    intern_unref(&e->names, d->space);
    intern_unref(&e->names, d->name);
    release_gates(e, d->gates, d->gate_count);
    worker_unref(e, d->cluster);
    slab_give(&e->dispatches, id);
}

void dispatch_keep_opening(struct engine *e, uint32_t replica)
{
    const struct replica *r = replica_at(e, replica);
    struct dispatch *d = dispatch_at(e, r->dispatch);

    orchestrator_lose(e, replica);
    if (r->opened != 0 && d->counted > d->past)
        d->past = d->counted;
    if (d->fresh == replica)
        d->fresh = 0;
}

/* Nothing that the workload said holds any more. What was opened for it is another one's past. */
static void empty(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);
    uint32_t at = tree_first(&replicas_by_place, e, d->places);

    orchestrator_rest(e, id);
    outbox_forget(e, EFFECT_OF_WORKLOAD, id);
    intern_unref(&e->names, d->uid);
    release_gates(e, d->gates, d->gate_count);
    worker_unref(e, d->cluster);
    d->uid = d->cluster = d->gate_count = 0;
    d->flags &= DISPATCH_TODO;
    d->version = d->timeout = d->noted = 0;
    d->memory = 0;
    d->fresh = 0;
    d->counted = d->past = 0;
    for (; at != 0; at = tree_next(&replicas_by_place, e, at)) {
        struct replica *r = replica_at(e, at);

        r->opened = r->noted = 0;
        replica_set(r, REPLICA_ASKED | REPLICA_UNEXPLAINED, false);
        if (replica_is(r, REPLICA_OPEN)) { /* it is as if this were its first sight */
            r->opened = e->now;
            r->opened_uid = replica_uid_hash(name_text(e, r->uid));
            replica_set(r, REPLICA_UNEXPLAINED, true);
            dispatch_set(d, DISPATCH_UNEXPLAINED, true);
        }
        replica_rank(e, at);
    }
}

static void nominate_none(struct engine *e, uint32_t id)
{
    uint32_t at = tree_first(&replicas_by_place, e, dispatch_at(e, id)->places), next;

    for (; at != 0; at = next) {
        next = tree_next(&replicas_by_place, e, at);
        replica_want(e, at, false, false);
        replica_release(e, at);
    }
}

void dispatch_forget(struct engine *e, uint32_t id)
{
    empty(e, id);
    dispatch_at(e, id)->orphaned = e->now - ORPHAN_NANOSECONDS; /* it is known to be gone */
    nominate_none(e, id);
    orchestrator_todo(e, id);
    dispatch_release(e, id);
}

void engine_lose_workload(struct engine *e, struct text space, struct text name, struct text uid)
{
    uint32_t id = dispatch_find(e, space, name);

    if (id != 0 && dispatch_is(dispatch_at(e, id), DISPATCH_KNOWN) &&
        (uid.len == 0 || text_same(uid, name_text(e, dispatch_at(e, id)->uid))))
        dispatch_forget(e, id);
    engine_tick(e);
}

/* What the record needs; without memory, nothing is held. */
struct details {
    uint32_t uid, cluster;
    uint32_t gate_count;
    uint32_t gates[FACTS_MAX_PREEMPTION_GATES];
};

static void release_details(struct engine *e, const struct details *details)
{
    intern_unref(&e->names, details->uid);
    release_gates(e, details->gates, details->gate_count);
    worker_unref(e, details->cluster);
}

static int read_details(struct engine *e, const struct workload_facts *facts, uint32_t id,
                        struct details *ret)
{
    int error = name_get(e, facts->uid, &ret->uid);
    uint32_t replica;

    for (uint32_t i = 0; i < facts->gate_count && error == 0; i++)
        error = name_get(e, facts->gates[i], &ret->gates[ret->gate_count++]);
    if (facts->cluster.len > 0 && error == 0)
        error = worker_get(e, facts->cluster, &ret->cluster);
    if (facts->cluster.len > 0 && error == 0)
        error = replica_get(e, id, facts->cluster, &replica);
    for (uint32_t i = 0; i < facts->nominated_count && error == 0; i++)
        error = replica_get(e, id, facts->nominated[i], &replica);
    return error;
}

/* Whether one of the first that it nominates is this one. */
static bool names(const struct workload_facts *facts, uint32_t first, struct text worker)
{
    for (uint32_t i = 0; i < first; i++) {
        if (text_same(facts->nominated[i], worker))
            return true;
    }
    return false;
}

static void take_places(struct engine *e, uint32_t id, const struct workload_facts *facts)
{
    uint32_t at = tree_first(&replicas_by_place, e, dispatch_at(e, id)->places), next;

    for (; at != 0; at = next) {
        struct text worker = name_text(e, worker_at(e, replica_at(e, at)->worker)->name);
        bool stranger = replica_is(replica_at(e, at), REPLICA_STRANGER);

        next = tree_next(&replicas_by_place, e, at);
        replica_check_origin(e, at);
        if (stranger != replica_is(replica_at(e, at), REPLICA_STRANGER))
            replica_look_again(e, at);
        replica_want(e, at, names(facts, facts->nominated_count, worker),
                     text_same(worker, facts->cluster));
        outbox_sync(e, EFFECT_OF_REPLICA, at); /* its gates may be others */
        replica_release(e, at);
    }
}

static void take(struct engine *e, uint32_t id, const struct workload_facts *facts,
                 const struct details *details)
{
    struct dispatch *d = dispatch_at(e, id);
    int64_t timeout = 0;

    if (dispatch_is(d, DISPATCH_KNOWN) && d->uid != details->uid)
        empty(e, id);
    release_details(e, &(struct details){.uid = d->uid, .cluster = d->cluster});
    release_gates(e, d->gates, d->gate_count);
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
    take_places(e, id, facts);
    openings_read(e, id, facts->memory);
    orchestrator_todo(e, id);
}

static void release_place(struct engine *e, uint32_t id, struct text worker)
{
    uint32_t replica = worker.len == 0 ? 0 : replica_find(e, id, worker);

    if (replica != 0)
        replica_release(e, replica);
}

/* The last that was taken is given back first, so that the next ones get the ids that they would
 * have had: a call that failed leaves nothing behind, not even an order. */
static void release_places(struct engine *e, uint32_t id, const struct workload_facts *facts)
{
    for (uint32_t i = facts->nominated_count; i-- > 0;) {
        struct text worker = facts->nominated[i];

        if (!names(facts, i, worker) && !text_same(worker, facts->cluster))
            release_place(e, id, worker);
    }
    release_place(e, id, facts->cluster);
}

int engine_see_workload(struct engine *e, const struct workload_facts *facts)
{
    struct details details = {0};
    uint32_t id;
    int error = dispatch_get(e, facts->space, facts->name, &id);

    if (error < 0)
        return error;

    const struct dispatch *d = dispatch_at(e, id);
    bool stale = dispatch_is(d, DISPATCH_KNOWN) && facts->resource_version != 0 &&
                 facts->resource_version <= d->version;

    if (!stale) {
        error = read_details(e, facts, id, &details);
        if (error < 0) {
            release_details(e, &details);
            release_places(e, id, facts);
            dispatch_release(e, id);
            return error;
        }
        take(e, id, facts, &details);
    }
    engine_tick(e);
    return 0;
}

void dispatch_set_timer(struct engine *e, uint32_t id)
{
    int64_t at = orchestrator_deadline(e, id), due = outbox_due(e, EFFECT_OF_WORKLOAD, id);

    if (due != 0 && due < at)
        at = due;
    if (at == INT64_MAX)
        heap_clear(&e->dispatch_timers, id);
    else
        heap_set(&e->dispatch_timers, id, at);
}

/* A writing whose lease ran out may still be carried out, and its ack still come. */
void dispatch_expire(struct engine *e, uint32_t id)
{
    struct dispatch *d = dispatch_at(e, id);

    if (outbox_runs_out(e, EFFECT_OF_WORKLOAD, id, DISPATCH_WRITE_MEMORY))
        dispatch_set(d, DISPATCH_DOUBT, true);
    outbox_expire(e, EFFECT_OF_WORKLOAD, id);
    orchestrator_expire(e, id);
}
