/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include "plugin/state.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &workload_at(ctx, id)->link;
}

static struct tree_link *peer_of(const void *ctx, uint32_t id)
{
    return &workload_at(ctx, id)->peer;
}

/* Objects have uids of their own; messages may say the same one twice. */
static int compare_identity(const struct engine *e, const struct workload *x,
                            const struct workload *y)
{
    int order = text_compare(name_text(e, x->uid), name_text(e, y->uid));

    if (order == 0)
        order = text_compare(name_text(e, x->space), name_text(e, y->space));
    return order != 0 ? order : text_compare(name_text(e, x->name), name_text(e, y->name));
}

int workload_compare_rank(const struct engine *e, uint32_t a, uint32_t b)
{
    const struct workload *x = workload_at(e, a), *y = workload_at(e, b);

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->since != y->since)
        return x->since < y->since ? -1 : 1;
    return compare_identity(e, x, y);
}

static int compare_rank(const void *ctx, uint32_t a, uint32_t b)
{
    return workload_compare_rank(ctx, a, b);
}

static int compare_holders(const void *ctx, uint32_t a, uint32_t b)
{
    return holder_compare(ctx, holder_of_workload(a), holder_of_workload(b));
}

const struct tree_type workloads_by_rank = {peer_of, compare_rank, NULL};
const struct tree_type workloads_of_queue = {link_of, compare_rank, NULL};
const struct tree_type workloads_that_hold = {link_of, compare_holders, NULL};

bool workload_before(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;

    return compare_identity(e, workload_at(e, a), workload_at(e, b)) < 0;
}

struct name_question {
    const struct engine *e;
    struct text space, name;
};

static bool same_name(const void *ctx, uint32_t id)
{
    const struct name_question *q = ctx;
    const struct workload *workload = workload_at(q->e, id);

    return text_same(name_text(q->e, workload->name), q->name) &&
           text_same(name_text(q->e, workload->space), q->space);
}

uint32_t workload_name_hash(struct text space, struct text name)
{
    return hash_bytes(name.at, name.len, hash_bytes(space.at, space.len, 19));
}

uint32_t workload_find(const struct engine *e, struct text space, struct text name)
{
    struct name_question q = {e, space, name};

    return index_find(&e->claims.workloads_by_name, workload_name_hash(space, name), same_name, &q);
}

uint32_t workload_queue(const struct engine *e, uint32_t id)
{
    return demand_at(e, workload_at(e, id)->demand)->queue;
}

wide workload_need_amount(const struct workload *workload, const struct demand *demand,
                          uint32_t set, uint32_t need)
{
    return (wide)demand->asks[set].needs[need].amount * workload->counts[set];
}

/* With the pods that it holds, or with as few of them as it takes. */
static wide sum_of(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                   bool least)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);
    wide sum = 0;

    for (uint32_t s = 0; s < demand->set_count; s++) {
        const struct assign_set *set = &demand->asks[s];
        bool fewer = least && set->minimum < workload->counts[s];

        for (uint32_t i = 0; i < set->need_count; i++) {
            if (set->needs[i].resource == resource && flavors[demand->sets[s].at + i] == flavor)
                sum += fewer ? (wide)set->needs[i].amount * set->minimum
                             : workload_need_amount(workload, demand, s, i);
        }
    }
    return sum;
}

wide workload_amount(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    return sum_of(e, id, flavor, resource, false);
}

wide workload_least_amount(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    return sum_of(e, id, flavor, resource, true);
}
