/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_queue.h"

#include "plugin/claims/workload.h"
#include "plugin/grant/workload_promise.h"
#include "plugin/state.h"

struct check_question {
    const struct engine *e;
    uint32_t name;
};

static bool check_same(const void *ctx, uint32_t id)
{
    const struct check_question *q = ctx;

    return check_at(q->e, id)->name == q->name;
}

static uint32_t check_find(const struct engine *e, uint32_t name)
{
    struct check_question q = {e, name};

    return index_find(&e->checks_by_name, hash_bytes(&name, sizeof(name), 17), check_same, &q);
}

/* One that asks for no flavor that it could be of counts all the same. */
enum cluster_queue_fault cluster_queue_check_fault(const struct engine *e,
                                                   const struct cluster_queue_check *check)
{
    uint32_t id = check_find(e, check->name);

    if (id == 0)
        return CLUSTER_QUEUE_CHECK_MISSING;
    return check_at(e, id)->active ? CLUSTER_QUEUE_READY : CLUSTER_QUEUE_CHECK_INACTIVE;
}

static enum cluster_queue_fault
fault_of_checks(const struct engine *e, const struct cluster_queue *cluster, struct text *ret_what)
{
    for (uint32_t i = 0; i < cluster->check_count; i++) {
        enum cluster_queue_fault fault = cluster_queue_check_fault(e, &cluster->checks[i]);

        if (fault == CLUSTER_QUEUE_READY)
            continue;
        *ret_what = name_text(e, cluster->checks[i].name);
        return fault;
    }
    return CLUSTER_QUEUE_READY;
}

enum cluster_queue_fault cluster_queue_fault(const struct engine *e, uint32_t id,
                                             struct text *ret_what)
{
    const struct queue *queue;

    *ret_what = (struct text){"", 0};
    if (id == 0 || !queue_at(e, id)->known)
        return CLUSTER_QUEUE_UNKNOWN;
    queue = queue_at(e, id);
    for (uint32_t up = id; up != 0; up = queue_at(e, up)->parent) {
        if (queue_at(e, up)->misplaced)
            return CLUSTER_QUEUE_CYCLE;
    }
    if (queue->deleted || cluster_queue_stop(e, id) != LIFE_RUNS)
        return CLUSTER_QUEUE_STOPPED;
    for (uint32_t g = 0; g < queue->group_count; g++) {
        for (uint32_t k = 0; k < queue->groups[g].flavor_count; k++) {
            if (!flavor_usable(e, queue->groups[g].flavors[k])) {
                *ret_what = flavor_name(e, queue->groups[g].flavors[k]);
                return CLUSTER_QUEUE_FLAVOR_MISSING;
            }
        }
    }
    return fault_of_checks(e, &queue->cluster, ret_what);
}

enum life_stop cluster_queue_stop(const struct engine *e, uint32_t id)
{
    if (id == 0 || !queue_at(e, id)->known)
        return LIFE_MISSING;
    switch ((enum queue_state)queue_at(e, id)->state) {
    case QUEUE_HOLD:
        return LIFE_HOLDS;
    case QUEUE_HOLD_AND_DRAIN:
        return LIFE_DRAINS;
    default:
        return LIFE_RUNS;
    }
}

/* Something changed in this queue, now that e->workload_changes is one more. Returns the cluster of
 * its root, which is to say for whom; NULL: workloads are not admitted there. */
static struct cluster_queue *count_change(struct engine *e, uint32_t id)
{
    uint32_t root;

    if (!engine_admits(e) || id == 0 || queue_at(e, id)->kind == QUEUE_VOLCANO)
        return NULL;
    root = queue_root(e, id);
    queue_todo(e, TODO_WORKLOADS, root);
    e->workload_changes++;
    return &queue_at(e, root)->cluster;
}

void cluster_queue_changed(struct engine *e, uint32_t id)
{
    struct cluster_queue *root = count_change(e, id);

    if (root != NULL)
        root->change = e->workload_changes;
}

static bool exceeds_share(const struct queue *queue)
{
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        if (queue->cells[i].later > queue->cells[i].share)
            return true;
    }
    return false;
}

/* From anybody else's: a root's share is all that there is. */
static bool borrows(const struct engine *e, uint32_t id)
{
    for (; id != 0 && queue_at(e, id)->parent != 0; id = queue_at(e, id)->parent) {
        if (exceeds_share(queue_at(e, id)))
            return true;
    }
    return false;
}

void cluster_queue_borrows_more(struct engine *e, uint32_t id)
{
    struct cluster_queue *root = borrows(e, id) ? count_change(e, id) : NULL;

    if (root != NULL)
        root->excess = e->workload_changes;
}

void cluster_queue_took_room(struct engine *e, uint32_t id)
{
    struct cluster_queue *root = count_change(e, id);

    if (root != NULL)
        root->taken = e->workload_changes;
}

void cluster_queue_is_deserted(struct engine *e, uint32_t id)
{
    struct cluster_queue *root = count_change(e, id);

    if (root != NULL)
        root->deserted = e->workload_changes;
}

static bool has_choosers(const struct queue *queue)
{
    bool tries_next = queue->cluster.preempts_last || queue->borrows_last;

    for (uint32_t g = 0; g < queue->group_count; g++) {
        const struct queue_group *group = &queue->groups[g];

        if (group->flavor_count > 1 &&
            (queue->cluster.choosers > 0 || (tries_next && group->resource_count > 1)))
            return true;
    }
    return false;
}

uint64_t cluster_queue_change(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    const struct cluster_queue *root = &queue_at(e, queue_root(e, id))->cluster;
    uint64_t change = root->change > 0 ? root->change : 1;

    if (queue->preempts.reclaim != PREEMPT_NEVER && root->excess > change)
        change = root->excess;
    if (root->taken > change && has_choosers(queue))
        change = root->taken;
    if (root->deserted > change && queue->preempts.while_borrowing)
        change = root->deserted;
    return change;
}

void cluster_queue_has_newcomer(struct engine *e, uint32_t id)
{
    if (engine_admits(e) && id != 0)
        queue_todo(e, TODO_WORKLOADS, queue_root(e, id));
}

void workloads_look_again(struct engine *e)
{
    e->workloads_left = slab_end(&e->workloads) - 1;
}

void cluster_queues_changed(struct engine *e)
{
    if (!engine_admits(e))
        return;
    e->placements++;
    for (uint32_t id = 1; id < slab_end(&e->queues); id++) {
        if (slab_live(&e->queues, id) && queue_at(e, id)->parent == 0)
            cluster_queue_changed(e, id);
    }
    workloads_look_again(e);
}

void cluster_queue_edited(struct engine *e, uint32_t id)
{
    if (!engine_admits(e) || queue_at(e, id)->kind == QUEUE_VOLCANO)
        return;
    e->placements++;
    cluster_queue_changed(e, id);
    workloads_look_again(e);
}

void cluster_queue_count(struct engine *e, uint32_t id, int holding, int waiting)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        queue_at(e, id)->cluster.below += (uint32_t)holding;
        queue_at(e, id)->cluster.waiting_below += (uint32_t)waiting;
    }
}

bool cluster_queue_is_to_ask(const struct engine *e, uint32_t id)
{
    const struct queue *root = queue_at(e, queue_root(e, id));

    return root->is_todo[TODO_WORKLOADS] && root->cluster.waiting_below > 0;
}

static int read_check(struct engine *e, const struct queue_check_facts *facts,
                      struct cluster_queue_check *check)
{
    int error = name_get(e, facts->name, &check->name);

    for (uint32_t i = 0; i < facts->flavor_count && error == 0; i++) {
        error = flavor_get(e, facts->flavors[i], &check->flavors[i]);
        check->flavor_count += error == 0;
    }
    return error;
}

int cluster_queue_read_checks(struct engine *e, const struct queue_facts *facts,
                              struct cluster_queue_check **ret)
{
    int error = 0;

    *ret = mem_zalloc(&e->mem, facts->check_count * sizeof(**ret));
    if (facts->check_count > 0 && *ret == NULL)
        return ENGINE_NO_MEMORY;
    for (uint32_t i = 0; i < facts->check_count && error == 0; i++)
        error = read_check(e, &facts->checks[i], &(*ret)[i]);
    return error;
}

void cluster_queue_free_checks(struct engine *e, struct cluster_queue_check *checks, uint32_t count)
{
    for (uint32_t i = 0; i < count && checks != NULL; i++) {
        intern_unref(&e->names, checks[i].name);
        for (uint32_t k = 0; k < checks[i].flavor_count; k++)
            flavor_unref(e, checks[i].flavors[k]);
    }
    mem_free(&e->mem, checks, count * sizeof(*checks));
}

void cluster_queue_forget(struct engine *e, uint32_t id)
{
    struct cluster_queue *cluster = &queue_at(e, id)->cluster;

    workload_promise_end_of_queue(e, id);
    cluster_queue_free_checks(e, cluster->checks, cluster->check_count);
    cluster->checks = NULL;
    cluster->check_count = 0;
    cluster->preempts_last = cluster->borrows_least = false;
}

int check_see(struct engine *e, struct text name, bool active)
{
    struct check_record record = {.active = active};
    uint32_t id = check_find(e, intern_find(&e->names, name.at, name.len));

    if (id == 0 && slab_count(&e->checks) >= e->config.max_queues)
        return ENGINE_FULL_QUEUES;
    if (slab_reserve(&e->checks, 1) < 0 || index_reserve(&e->checks_by_name) < 0 ||
        name_get(e, name, &record.name) < 0)
        return ENGINE_NO_MEMORY;
    if (id != 0) {
        intern_unref(&e->names, record.name);
        check_at(e, id)->active = active;
    } else {
        id = slab_take(&e->checks);
        *check_at(e, id) = record;
        index_put(&e->checks_by_name, hash_bytes(&record.name, sizeof(record.name), 17), id);
    }
    cluster_queues_changed(e);
    return 0;
}

void check_lose(struct engine *e, struct text name)
{
    uint32_t id = check_find(e, intern_find(&e->names, name.at, name.len));

    if (id != 0) {
        index_drop(&e->checks_by_name,
                   hash_bytes(&check_at(e, id)->name, sizeof(check_at(e, id)->name), 17), id);
        intern_unref(&e->names, check_at(e, id)->name);
        slab_give(&e->checks, id);
        cluster_queues_changed(e);
    }
}
