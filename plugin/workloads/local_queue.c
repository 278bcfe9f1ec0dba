/* SPDX-License-Identifier: Apache-2.0 */
#include "local_queue.h"

#include "plugin/claims/workload_change.h"
#include "plugin/queues/queue_tree.h"
#include "plugin/state.h"
#include "workload_settle.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &local_queue_at(ctx, id)->link;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;
    const struct local_queue *x = local_queue_at(e, a), *y = local_queue_at(e, b);
    int order = text_compare(name_text(e, x->space), name_text(e, y->space));

    return order != 0 ? order : text_compare(name_text(e, x->name), name_text(e, y->name));
}

const struct tree_type local_queues_by_name = {link_of, compare, NULL};

uint32_t local_queue_find(const struct engine *e, struct text space, struct text name)
{
    return directory_find(&e->workloads.local_queues_by_name, space, name);
}

int local_queue_get(struct engine *e, struct text space, struct text name, uint32_t *ret_id)
{
    uint32_t id = local_queue_find(e, space, name);
    struct local_queue local = {.stop = LIFE_MISSING};

    if (id != 0) {
        *ret_id = id;
        return 0;
    }
    if (slab_reserve(&e->workloads.local_queues, 1) < 0 ||
        index_reserve(&e->workloads.local_queues_by_name.index) < 0 ||
        name_get(e, space, &local.space) < 0 || name_get(e, name, &local.name) < 0) {
        intern_unref(&e->names, local.space);
        return ENGINE_NO_MEMORY;
    }
    id = slab_take(&e->workloads.local_queues);
    *local_queue_at(e, id) = local;
    directory_put(&e->workloads.local_queues_by_name, id);
    tree_insert(&local_queues_by_name, e, &e->workloads.local_queues_in_order, id);
    *ret_id = id;
    return 0;
}

bool local_queue_step(const struct engine *e, uint32_t id, uint32_t *workload)
{
    *workload = *workload == 0 ? local_queue_at(e, id)->loads.last
                               : workload_at(e, *workload)->local_peers.prev;
    return *workload != 0;
}

static void set_queue(struct engine *e, uint32_t id, uint32_t queue)
{
    uint32_t before = local_queue_at(e, id)->queue;

    local_queue_at(e, id)->queue = queue;
    queue_hold(e, queue);
    queue_let_go(e, before);
}

void local_queue_drop(struct engine *e, uint32_t id)
{
    struct local_queue *local;

    if (id == 0 || local_queue_at(e, id)->known || local_queue_at(e, id)->loads.last != 0)
        return;
    local = local_queue_at(e, id);
    set_queue(e, id, 0);
    tree_remove(&local_queues_by_name, e, &e->workloads.local_queues_in_order, id);
    directory_drop(&e->workloads.local_queues_by_name, id);
    intern_unref(&e->names, local->uid);
    intern_unref(&e->names, local->space);
    intern_unref(&e->names, local->name);
    slab_give(&e->workloads.local_queues, id);
}

/* The demands of its workloads in another ClusterQueue, each in hand; negative on error. Those that
 * hold quota stay where they hold it. */
static int get_demands(struct engine *e, uint32_t id, uint32_t queue)
{
    for (uint32_t at = 0; local_queue_step(e, id, &at);) {
        const struct demand *demand = demand_at(e, workload_at(e, at)->demand);

        if (demand_get(e, queue, demand->text, demand->gated, demand->yields,
                       &workload_at(e, at)->other_demand) < 0)
            return ENGINE_NO_MEMORY;
    }
    return 0;
}

static void drop_demands(struct engine *e, uint32_t id)
{
    for (uint32_t at = 0; local_queue_step(e, id, &at);) {
        demand_unref(e, workload_at(e, at)->other_demand);
        workload_at(e, at)->other_demand = 0;
    }
}

static void move_loads(struct engine *e, uint32_t id)
{
    for (uint32_t at = 0; local_queue_step(e, id, &at);) {
        uint32_t demand = workload_at(e, at)->demand, to = workload_at(e, at)->other_demand;

        if (workload_is(workload_at(e, at), WORKLOAD_RESERVED))
            continue;
        workload_give_up(e, at);
        workload_take_out(e, at);
        queue_hold(e, demand_at(e, to)->queue);
        if (demand_at(e, demand)->queue != 0)
            queue_at(e, demand_at(e, demand)->queue)->wanted_by--;
        workload_at(e, at)->demand = to;
        workload_at(e, at)->other_demand = demand;
        workload_put_in(e, at);
    }
}

static void settle(struct engine *e, uint32_t id)
{
    for (uint32_t at = 0; local_queue_step(e, id, &at);)
        workload_settle(e, at);
    if (local_queue_at(e, id)->queue != 0)
        cluster_queue_changed(e, local_queue_at(e, id)->queue);
}

/* All of its workloads that hold nothing are idle while it does not run. */
static void set_stop(struct engine *e, uint32_t id, enum life_stop stop)
{
    struct local_queue *local = local_queue_at(e, id);

    if (local->stop == stop)
        return;
    for (uint32_t at = 0; local_queue_step(e, id, &at);)
        workload_count_idle(e, at, -1);
    local->stop = (uint8_t)stop;
    for (uint32_t at = 0; local_queue_step(e, id, &at);)
        workload_count_idle(e, at, 1);
}

static int take(struct engine *e, uint32_t id, const struct local_queue_facts *facts,
                uint32_t queue, uint32_t uid)
{
    struct local_queue *local = local_queue_at(e, id);
    bool moves = local->queue != queue;

    if (moves && get_demands(e, id, queue) < 0) {
        drop_demands(e, id);
        return ENGINE_NO_MEMORY;
    }
    intern_unref(&e->names, local->uid);
    local->uid = uid;
    local->version = facts->version;
    limit_count(&e->queues, LIMITED_LOCAL_QUEUES, &local->known, true);
    local->selected = facts->selected;
    set_stop(e, id,
             facts->stop == QUEUE_HOLD             ? LIFE_HOLDS
             : facts->stop == QUEUE_HOLD_AND_DRAIN ? LIFE_DRAINS
                                                   : LIFE_RUNS);
    if (moves) {
        move_loads(e, id);
        drop_demands(e, id);
        set_queue(e, id, queue);
    }
    settle(e, id);
    return 0;
}

int local_queue_see(struct engine *e, const struct local_queue_facts *facts)
{
    uint32_t id = local_queue_find(e, facts->space, facts->name), queue = 0, uid = 0;
    int error =
        id != 0 && local_queue_at(e, id)->known ? 0 : limit_has_room(e, LIMITED_LOCAL_QUEUES);

    if (error == 0)
        error = local_queue_get(e, facts->space, facts->name, &id);
    if (error < 0)
        return error;

    const struct local_queue *local = local_queue_at(e, id);

    if (local->known && facts->version != 0 && facts->version < local->version &&
        text_same(facts->uid, name_text(e, local->uid)))
        return SEEN_BEFORE;
    error = queue_get(e, QUEUE_CLUSTER, facts->queue, &queue);
    if (error == 0)
        error = name_get(e, facts->uid, &uid);
    if (error == 0)
        error = take(e, id, facts, queue, uid);
    if (error < 0) {
        intern_unref(&e->names, uid);
        queue_drop_unused(e, queue);
        local_queue_drop(e, id);
        return error;
    }
    return SEEN_ANEW;
}

/* Its workloads stay in their ClusterQueue, and are held there. */
void local_queue_lose(struct engine *e, struct text space, struct text name)
{
    uint32_t id = local_queue_find(e, space, name);

    if (id != 0 && local_queue_at(e, id)->known) {
        limit_count(&e->queues, LIMITED_LOCAL_QUEUES, &local_queue_at(e, id)->known, false);
        set_stop(e, id, LIFE_MISSING);
        settle(e, id);
        local_queue_drop(e, id);
    }
}
