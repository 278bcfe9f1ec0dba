/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_details.h"

#include "plugin/queues/queue_tree.h"
#include "plugin/state.h"

size_t workload_counts_size(const struct demand *demand)
{
    return demand->set_count * sizeof(uint32_t) + demand->need_count * sizeof(uint16_t);
}

void workload_free_counts(struct engine *e, uint32_t *counts, const struct demand *demand)
{
    const uint16_t *flavors;

    if (counts == NULL)
        return;
    flavors = (const void *)(counts + demand->set_count);
    for (uint32_t i = 0; i < demand->need_count; i++)
        flavor_unref(e, flavors[i]);
    mem_free(&e->mem, counts, workload_counts_size(demand));
}

void workload_release_details(struct engine *e, struct workload_details *d)
{
    workload_free_counts(e, d->counts, d->demand == 0 ? NULL : demand_at(e, d->demand));
    for (uint32_t i = 0; i < d->check_count; i++)
        intern_unref(&e->names, d->checks[i]);
    preemption_gates_drop(&e->names, &d->gates);
    demand_unref(e, d->demand);
    intern_unref(&e->names, d->uid);
    intern_unref(&e->names, d->job);
    intern_unref(&e->names, d->unsupported);
    intern_unref(&e->names, d->target_cause);
    intern_unref(&e->names, d->text);
    queue_drop_unused(e, d->queue);
    local_queue_drop(e, d->local_queue);
}

/* The flavors that the admission names, by pod set and resource; what it does not name nobody
 * counts. */
static int read_granted(struct engine *e, const struct workload_facts *facts,
                        struct workload_details *d)
{
    const struct demand *demand = demand_at(e, d->demand);
    uint16_t *flavors = (uint16_t *)(void *)(d->counts + demand->set_count);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        const struct granted_facts *granted = NULL;

        for (uint32_t g = 0; g < facts->granted_count; g++) {
            if (text_same(facts->granted[g].name, demand->set_details[s].name))
                granted = &facts->granted[g];
        }
        if (granted == NULL)
            continue;
        d->counts[s] = (uint32_t)granted->count;
        for (uint32_t i = 0; i < demand->sets[s].need_count; i++) {
            struct text resource = name_text(e, demand->sets[s].needs[i].resource);
            int error = 0;

            for (uint32_t k = 0; k < granted->flavor_count && error == 0; k++) {
                if (text_same(granted->flavors[k].resource, resource))
                    error = flavor_get(e, granted->flavors[k].flavor,
                                       &flavors[demand->set_details[s].at + i]);
            }
            if (error < 0)
                return error;
        }
    }
    return 0;
}

static int make_counts(struct engine *e, struct workload_details *d)
{
    const struct demand *demand = demand_at(e, d->demand);
    uint16_t *flavors;

    d->counts = mem_zalloc(&e->mem, workload_counts_size(demand));
    if (d->counts == NULL)
        return ENGINE_NO_MEMORY;
    flavors = (uint16_t *)(void *)(d->counts + demand->set_count);
    for (uint32_t i = 0; i < demand->need_count; i++)
        flavors[i] = FLAVOR_NONE;
    return 0;
}

static int read_names(struct engine *e, const struct workload_facts *facts,
                      struct workload_details *d)
{
    int error = name_get(e, facts->uid, &d->uid);

    if (error == 0)
        error = name_get(e, facts->job, &d->job);
    if (error == 0)
        error = name_get(e, facts->unsupported, &d->unsupported);
    if (error == 0)
        error = name_get(e, facts->conditions[CONDITION_TARGET].reason, &d->target_cause);
    for (uint32_t i = 0; i < facts->check_count && error == 0; i++) {
        error = name_get(e, facts->checks[i].name, &d->checks[i]);
        d->check_count += error == 0;
    }
    if (error == 0)
        error = preemption_gates_get(&e->names, facts->gates, facts->gate_count, facts->stray_gates,
                                     &d->gates);
    return error;
}

int workload_read_details(struct engine *e, const struct workload_facts *facts,
                          struct workload_details *d)
{
    int error = read_names(e, facts, d);
    bool gated;

    if (error == 0)
        error = local_queue_get(e, facts->space, facts->queue, &d->local_queue);
    if (error == 0)
        error = demand_text(e, facts, &d->text);
    d->granted = facts->conditions[CONDITION_RESERVED].is_true && facts->has_admission;
    if (error == 0 && d->granted)
        error = queue_get(e, QUEUE_CLUSTER, facts->granted_queue, &d->queue);
    else if (error == 0)
        d->queue = local_queue_at(e, d->local_queue)->queue;
    gated = e->config.preemption_gates && preemption_gates_closed(&d->gates) != 0;
    if (error == 0)
        error = demand_get(e, d->queue, d->text, gated, facts->yields, &d->demand);
    if (error == 0)
        error = make_counts(e, d);
    return error == 0 && d->granted ? read_granted(e, facts, d) : error;
}
