/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_check.h"

#include "plugin/state.h"

static uint32_t check_find(const struct engine *e, struct text name)
{
    return directory_find(&e->queues.checks_by_name, text_of(""), name);
}

/* One that asks for no flavor that it could be of counts all the same. */
enum cluster_queue_fault cluster_queue_check_fault(const struct engine *e,
                                                   const struct cluster_queue_check *check)
{
    uint32_t id = check_find(e, name_text(e, check->name));

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
    struct text unasked;

    ret_what = ret_what == NULL ? &unasked : ret_what;
    *ret_what = (struct text){"", 0};
    if (id == 0 || !queue_at(e, id)->known)
        return CLUSTER_QUEUE_UNKNOWN;
    queue = queue_at(e, id);
    for (uint32_t up = id; up != 0; up = queue_at(e, up)->parent) {
        if (queue_is_misplaced(queue_at(e, up)))
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

int check_see(struct engine *e, struct text name, bool active)
{
    struct check_record record = {.active = active};
    uint32_t id = check_find(e, name);

    if (id == 0 && slab_count(&e->queues.checks) >= e->config.max_queues)
        return ENGINE_FULL_QUEUES;
    if (slab_reserve(&e->queues.checks, 1) < 0 ||
        index_reserve(&e->queues.checks_by_name.index) < 0 || name_get(e, name, &record.name) < 0)
        return ENGINE_NO_MEMORY;
    if (id != 0) {
        intern_unref(&e->names, record.name);
        check_at(e, id)->active = active;
    } else {
        id = slab_take(&e->queues.checks);
        *check_at(e, id) = record;
        directory_put(&e->queues.checks_by_name, id);
    }
    cluster_queues_changed(e);
    return 0;
}

void check_lose(struct engine *e, struct text name)
{
    uint32_t id = check_find(e, name);

    if (id != 0) {
        directory_drop(&e->queues.checks_by_name, id);
        intern_unref(&e->names, check_at(e, id)->name);
        slab_give(&e->queues.checks, id);
        cluster_queues_changed(e);
    }
}
