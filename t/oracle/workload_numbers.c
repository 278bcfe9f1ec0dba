/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_model.h"

static enum queue_kind kind_of(int node)
{
    return node < QUEUE_NAMES ? QUEUE_COHORT : QUEUE_CLUSTER;
}

const struct workload_shown *workload_model_shown(const struct workload_model *model, int node)
{
    return &model->scenery->queues[kind_of(node)][node % QUEUE_NAMES];
}

static int wanted_parent(const struct workload_model *model, int node)
{
    const struct workload_shown *shown = workload_model_shown(model, node);

    return shown->is ? (int)shown->step.v[QUEUE_PARENT] - 1 : -1;
}

static bool in_cycle(const struct workload_model *model, int node)
{
    int at = wanted_parent(model, node);

    for (int n = 0; at >= 0 && at != node && n < WORKLOAD_NODES; n++)
        at = wanted_parent(model, at);
    return at == node;
}

int workload_model_root(const struct workload_model *model, int node)
{
    while (model->parents[node] >= 0)
        node = model->parents[node];
    return node;
}

static int order_of(const struct workload_model *model, int node, int group, int ret[FLAVORS])
{
    return world_group_order(workload_model_shown(model, node)->step.v, group, ret);
}

int workload_model_group(const struct workload_model *model, int node, int resource)
{
    const struct workload_shown *shown = workload_model_shown(model, node);

    return shown->is ? naive_group_of(shown->step.v, resource) : -1;
}

/* One of the numbers that the object says of a cell: UNSAID if it does not. */
static int64_t said(const struct workload_model *model, int node, int cell, int field)
{
    int group = workload_model_group(model, node, cell % RESOURCES), order[FLAVORS], count;

    if (group < 0)
        return UNSAID;
    count = order_of(model, node, group, order);
    for (int n = 0; n < count; n++)
        if (order[n] == cell / RESOURCES)
            return workload_model_shown(model, node)->step.v[field + cell];
    return UNSAID;
}

static wide kept(const struct workload_model *model, int node, int cell);

static wide share(const struct workload_model *model, int node, int cell)
{
    int64_t nominal = said(model, node, cell, QUEUE_NOMINAL);
    wide sum = nominal == UNSAID ? 0 : nominal;

    for (int child = 0; child < WORKLOAD_NODES; child++)
        if (model->parents[child] == node)
            sum += share(model, child, cell) - kept(model, child, cell);
    return sum;
}

static wide kept(const struct workload_model *model, int node, int cell)
{
    int64_t lending = said(model, node, cell, QUEUE_LENDING);

    return lending == UNSAID ? 0 : wide_max(0, share(model, node, cell) - lending);
}

static void count_quota(const struct workload_model *model, int node, int cell,
                        struct naive_quota *ret)
{
    int64_t borrowing = said(model, node, cell, QUEUE_BORROWING);
    bool root = model->parents[node] < 0;

    ret->share = share(model, node, cell);
    ret->kept = kept(model, node, cell);
    ret->bounded = root || borrowing != UNSAID;
    ret->ceiling = ret->share + (root || borrowing == UNSAID ? 0 : borrowing);
}

/* Who is in a cycle hangs nowhere. */
void workload_model_count(struct workload_model *model)
{
    for (int node = 0; node < WORKLOAD_NODES; node++) {
        model->cycles[node] = in_cycle(model, node);
        model->parents[node] = model->cycles[node] ? -1 : wanted_parent(model, node);
    }
    for (int node = 0; node < WORKLOAD_NODES; node++)
        for (int cell = 0; cell < naive_cell(FLAVORS, 0); cell++)
            count_quota(model, node, cell, &model->quotas[node][cell]);
}

enum life_stop workload_model_stop(const struct workload_model *model, int node)
{
    static const enum life_stop stops[] = {LIFE_RUNS, LIFE_HOLDS, LIFE_DRAINS};

    if (node < 0 || !workload_model_shown(model, node)->is)
        return LIFE_MISSING;
    return stops[workload_model_shown(model, node)->step.v[QUEUE_STOP]];
}

/* Nothing of it is missing, and nothing stops it. */
bool workload_model_grants(const struct workload_model *model, int node)
{
    if (workload_model_stop(model, node) != LIFE_RUNS)
        return false;
    for (int up = node; up >= 0; up = model->parents[up])
        if (model->cycles[up])
            return false;
    for (int r = 0; r < RESOURCES; r++) {
        int group = workload_model_group(model, node, r), order[FLAVORS];
        int count = group < 0 ? 0 : order_of(model, node, group, order);

        for (int n = 0; n < count; n++)
            if (!model->scenery->flavors[order[n]].is)
                return false;
    }
    for (int n = 0; n < CHECKS; n++)
        if (workload_model_shown(model, node)->step.v[QUEUE_CHECKS + n] != 0 &&
            (!model->scenery->checks[n].is || model->scenery->checks[n].step.v[CHECK_INACTIVE]))
            return false;
    return true;
}
