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

int workload_model_parent(const struct workload_model *model, int node)
{
    return model->parents[node];
}

int workload_model_root(const struct workload_model *model, int node)
{
    while (workload_model_parent(model, node) >= 0)
        node = workload_model_parent(model, node);
    return node;
}

int workload_model_order(const struct workload_model *model, int node, int group, int ret[FLAVORS])
{
    return world_group_order(workload_model_shown(model, node)->step.v, group, ret);
}

int workload_model_group(const struct workload_model *model, int node, int resource)
{
    const struct workload_shown *shown = workload_model_shown(model, node);
    int group = shown->is ? (int)shown->step.v[QUEUE_GROUP + resource] - 1 : -1, order[FLAVORS];

    return group >= 0 && workload_model_order(model, node, group, order) > 0 ? group : -1;
}

/* One of the numbers that the object says of a cell: UNSAID if it does not. */
static int64_t said(const struct workload_model *model, int node, struct workload_cell cell,
                    int field)
{
    int group = workload_model_group(model, node, cell.resource), order[FLAVORS], count;

    if (group < 0)
        return UNSAID;
    count = workload_model_order(model, node, group, order);
    for (int n = 0; n < count; n++)
        if (order[n] == cell.flavor)
            return workload_model_shown(model, node)
                ->step.v[field + cell.flavor * RESOURCES + cell.resource];
    return UNSAID;
}

static bool says(const struct workload_model *model, int node, struct workload_cell cell)
{
    return said(model, node, cell, QUEUE_NOMINAL) != UNSAID;
}

static wide kept(const struct workload_model *model, int node, struct workload_cell cell);

static wide share(const struct workload_model *model, int node, struct workload_cell cell)
{
    wide sum = says(model, node, cell) ? said(model, node, cell, QUEUE_NOMINAL) : 0;

    for (int child = 0; child < WORKLOAD_NODES; child++)
        if (workload_model_parent(model, child) == node)
            sum += share(model, child, cell) - kept(model, child, cell);
    return sum;
}

static wide kept(const struct workload_model *model, int node, struct workload_cell cell)
{
    int64_t lending = said(model, node, cell, QUEUE_LENDING);

    return lending == UNSAID ? 0 : wide_max(0, share(model, node, cell) - lending);
}

/* Who is in a cycle hangs nowhere. */
void workload_model_count(struct workload_model *model)
{
    for (int node = 0; node < WORKLOAD_NODES; node++) {
        model->cycles[node] = in_cycle(model, node);
        model->parents[node] = model->cycles[node] ? -1 : wanted_parent(model, node);
    }
    for (int node = 0; node < WORKLOAD_NODES; node++)
        for (int flavor = 0; flavor < FLAVORS; flavor++)
            for (int r = 0; r < RESOURCES; r++) {
                const struct workload_cell cell = {flavor, r};

                model->shares[node][flavor][r] = share(model, node, cell);
                model->kept[node][flavor][r] = kept(model, node, cell);
                model->bounds[node][flavor][r] = said(model, node, cell, QUEUE_BORROWING);
            }
}

wide workload_model_share(const struct workload_model *model, int node, struct workload_cell cell)
{
    return model->shares[node][cell.flavor][cell.resource];
}

wide workload_model_kept(const struct workload_model *model, int node, struct workload_cell cell)
{
    return model->kept[node][cell.flavor][cell.resource];
}

wide workload_model_usage(const struct workload_model *model, int node, struct workload_cell cell,
                          bool later)
{
    wide usage = 0;

    for (int n = 0; n < LOADS && kind_of(node) == QUEUE_CLUSTER; n++) {
        const struct model_load *workload = &model->workloads[n];

        if (workload->known && workload_model_queue_of(model, n) == node &&
            (later ? workload_model_holds_later(workload) : workload_model_holds(workload)))
            usage += workload_model_amount(workload, cell.flavor, cell.resource);
    }
    for (int child = 0; child < WORKLOAD_NODES; child++)
        if (workload_model_parent(model, child) == node)
            usage += wide_max(0, workload_model_usage(model, child, cell, later) -
                                     workload_model_kept(model, child, cell));
    return usage;
}

/* Its own ceiling; false: there is none. */
static bool ceiling(const struct workload_model *model, int node, struct workload_cell cell,
                    wide *ret)
{
    int64_t borrowing = model->bounds[node][cell.flavor][cell.resource];

    *ret = workload_model_share(model, node, cell);
    if (workload_model_parent(model, node) < 0)
        return true;
    if (borrowing == UNSAID)
        return false;
    *ret += borrowing;
    return true;
}

wide workload_model_room(const struct workload_model *model, int node, struct workload_cell cell,
                         bool later)
{
    wide usage = workload_model_usage(model, node, cell, later), room, most;
    int parent = workload_model_parent(model, node);

    if (parent < 0)
        return workload_model_share(model, node, cell) - usage;
    room = wide_max(0, workload_model_kept(model, node, cell) - usage) +
           workload_model_room(model, parent, cell, later);
    return ceiling(model, node, cell, &most) ? wide_min(room, most - usage) : room;
}

wide workload_model_room_ever(const struct workload_model *model, int node,
                              struct workload_cell cell)
{
    int parent = workload_model_parent(model, node);
    wide room, most;

    if (parent < 0)
        return workload_model_share(model, node, cell);
    room = workload_model_kept(model, node, cell) + workload_model_room_ever(model, parent, cell);
    return ceiling(model, node, cell, &most) ? wide_min(room, most) : room;
}

/* Of cohorts, one above the other. */
static int cohorts_below(const struct workload_model *model, int node)
{
    int height = 0;

    for (int child = 0; child < WORKLOAD_NODES; child++) {
        int over = 1;

        if (workload_model_parent(model, child) != node)
            continue;
        if (kind_of(child) == QUEUE_COHORT)
            over += cohorts_below(model, child);
        height = over > height ? over : height;
    }
    return height;
}

int workload_model_height(const struct workload_model *model, int node, struct workload_cell cell,
                          wide amount, bool later, bool *ret_reclaims)
{
    int parent = workload_model_parent(model, node);

    *ret_reclaims = parent >= 0;
    if (parent < 0 || workload_model_usage(model, node, cell, later) + amount <=
                          workload_model_share(model, node, cell))
        return 0;
    do {
        amount -= wide_max(0, workload_model_kept(model, node, cell) -
                                  workload_model_usage(model, node, cell, later));
        node = parent;
        parent = workload_model_parent(model, node);
    } while (parent >= 0 && workload_model_usage(model, node, cell, later) + amount >
                                workload_model_share(model, node, cell));
    *ret_reclaims = parent >= 0;
    return cohorts_below(model, node);
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
    for (int up = node; up >= 0; up = workload_model_parent(model, up))
        if (model->cycles[up])
            return false;
    for (int r = 0; r < RESOURCES; r++) {
        int group = workload_model_group(model, node, r), order[FLAVORS];
        int count = group < 0 ? 0 : workload_model_order(model, node, group, order);

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
