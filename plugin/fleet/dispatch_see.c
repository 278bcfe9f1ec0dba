/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_state.h"
#include "loss.h"
#include "plugin/base/duration.h"
#include "preemption_memory.h"

/* The manager's workloads as they are seen. */

/* Negative on error, and what there is of it is to be released. */
static int read_details(struct fleet *f, const struct dispatch_facts *facts, uint32_t id,
                        struct dispatch_details *ret)
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

static void take_places(struct fleet *f, uint32_t id, const struct dispatch_facts *facts)
{
    uint32_t at = tree_first(&replicas_by_place, f, dispatch_at(f, id)->places), next;

    for (; at != 0; at = next) {
        struct text worker = worker_name(f, replica_at(f, at)->worker);
        bool stranger = replica_is(replica_at(f, at), REPLICA_STRANGER);

        next = tree_next(&replicas_by_place, f, at);
        replica_check_origin(f, at);
        if (stranger != replica_is(replica_at(f, at), REPLICA_STRANGER))
            replica_look_again(f, at);
        replica_want(f, at, text_among(worker, facts->nominated, facts->nominated_count),
                     text_same(worker, facts->cluster));
        outbox_sync(f->outbox, EFFECT_OF_REPLICA, at); /* its gates may be others */
        replica_release(f, at);
    }
}

static void take(struct fleet *f, uint32_t id, const struct dispatch_facts *facts,
                 const struct dispatch_details *details)
{
    struct dispatch *d = dispatch_at(f, id);
    int64_t timeout = 0;

    if (dispatch_is(d, DISPATCH_KNOWN) && d->said.uid != details->uid)
        dispatch_empty(f, id);
    dispatch_release_details(f, &d->said);
    d->said = *details;
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
    dispatch_todo(f, id);
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

        if (!text_among(worker, facts->nominated, i) && !text_same(worker, facts->cluster))
            release_place(f, id, worker);
    }
    release_place(f, id, facts->cluster);
}

int fleet_see_dispatch(struct fleet *f, const struct dispatch_facts *facts)
{
    struct dispatch_details details = {0};
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
            dispatch_release_details(f, &details);
            release_places(f, id, facts);
            dispatch_release(f, id);
            return error;
        }
        take(f, id, facts, &details);
    }
    fleet_tick(f);
    return 0;
}

void fleet_lose_dispatch(struct fleet *f, struct text space, struct text name, struct text uid)
{
    uint32_t id = dispatch_find(f, space, name);

    if (id != 0 && dispatch_is(dispatch_at(f, id), DISPATCH_KNOWN) &&
        (uid.len == 0 || text_same(uid, fleet_text(f, dispatch_at(f, id)->said.uid))))
        dispatch_forget(f, id);
    fleet_tick(f);
}
