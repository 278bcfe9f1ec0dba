/* SPDX-License-Identifier: Apache-2.0 */
#include "backlog.h"

#include "plugin/state.h"

static struct tree_link *backlog_link(const void *ctx, uint32_t id)
{
    return &backlog_at(ctx, id)->link;
}

static int compare_resources(const void *ctx, uint32_t a, uint32_t b)
{
    return text_compare(name_text(ctx, backlog_at(ctx, a)->resource),
                        name_text(ctx, backlog_at(ctx, b)->resource));
}

const struct tree_type backlog_by_resource = {backlog_link, compare_resources, NULL};

static uint32_t find(const struct engine *e, uint32_t queue, uint32_t resource)
{
    struct text name = name_text(e, resource);
    uint32_t at = queue_at(e, queue)->backlogs;

    while (at != 0 && backlog_at(e, at)->resource != resource) {
        int order = text_compare(name, name_text(e, backlog_at(e, at)->resource));

        at = order < 0 ? backlog_at(e, at)->link.left : backlog_at(e, at)->link.right;
    }
    return at;
}

int backlog_reserve(struct engine *e, uint32_t queue, uint32_t count)
{
    return backlog_reserve_many(e, (uint64_t)count * queue_depth(e, queue));
}

int backlog_reserve_many(struct engine *e, uint64_t count)
{
    return count > UINT32_MAX || slab_reserve(&e->order.backlogs, (uint32_t)count) < 0
               ? ENGINE_NO_MEMORY
               : 0;
}

/* As deep as the tree of queues. */
static uint32_t make(struct engine *e, uint32_t queue, uint32_t resource)
{
    uint32_t parent = queue_at(e, queue)->parent;
    uint32_t up = parent == 0 ? 0 : backlog_get(e, parent, resource),
             id = slab_take(&e->order.backlogs);

    *backlog_at(e, id) = (struct backlog){.resource = resource, .up = up};
    tree_insert(&backlog_by_resource, e, &queue_at(e, queue)->backlogs, id);
    return id;
}

uint32_t backlog_get(struct engine *e, uint32_t queue, uint32_t resource)
{
    uint32_t id = find(e, queue, resource);

    if (id == 0)
        id = make(e, queue, resource);
    backlog_at(e, id)->users++;
    return id;
}

void backlog_unref(struct engine *e, uint32_t queue, uint32_t id)
{
    while (id != 0 && --backlog_at(e, id)->users == 0) {
        uint32_t up = backlog_at(e, id)->up;

        tree_remove(&backlog_by_resource, e, &queue_at(e, queue)->backlogs, id);
        slab_give(&e->order.backlogs, id);
        queue = queue_at(e, queue)->parent;
        id = up;
    }
}

wide backlog_sum(const struct engine *e, uint32_t queue, uint32_t resource)
{
    uint32_t id = find(e, queue, resource);

    return id == 0 ? 0 : backlog_at(e, id)->amount;
}

static void add(struct engine *e, uint32_t id, wide amount)
{
    for (; id != 0; id = backlog_at(e, id)->up)
        backlog_at(e, id)->amount += amount;
}

void backlog_count(struct engine *e, uint32_t id, int more)
{
    const struct line *line = line_at(e, id);
    const struct size_class *class = size_class_at(e, line->size_class);

    for (uint32_t i = 0; i < line_count(e, line); i++)
        add(e, class->needs[i].backlog, (wide)more * line_amount(e, line, i));
}

int backlog_get_demand(struct engine *e, const struct demand *demand)
{
    if (demand->queue == 0)
        return 0;
    if (backlog_reserve(e, demand->queue, demand->need_count) < 0)
        return ENGINE_NO_MEMORY;
    for (uint32_t s = 0; s < demand->set_count; s++) {
        for (uint32_t i = 0; i < demand->sets[s].need_count; i++)
            backlog_get(e, demand->queue, demand->sets[s].needs[i].resource);
    }
    return 0;
}

void backlog_unref_demand(struct engine *e, const struct demand *demand)
{
    for (uint32_t s = 0; s < demand->set_count && demand->queue != 0; s++) {
        for (uint32_t i = 0; i < demand->sets[s].need_count; i++)
            backlog_unref(e, demand->queue,
                          find(e, demand->queue, demand->sets[s].needs[i].resource));
    }
}

void backlog_count_demand(struct engine *e, uint32_t id, int more)
{
    const struct demand *demand = demand_at(e, id);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        const struct assign_set *set = &demand->sets[s];

        for (uint32_t i = 0; i < set->need_count; i++)
            add(e, find(e, demand->queue, set->needs[i].resource),
                (wide)more * set->needs[i].amount * set->count);
    }
}

void backlog_hang(struct engine *e, uint32_t queue)
{
    uint32_t parent = queue_at(e, queue)->parent;

    for (uint32_t id = tree_first(&backlog_by_resource, e, queue_at(e, queue)->backlogs); id != 0;
         id = tree_next(&backlog_by_resource, e, id)) {
        backlog_at(e, id)->up = backlog_get(e, parent, backlog_at(e, id)->resource);
        add(e, backlog_at(e, id)->up, backlog_at(e, id)->amount);
    }
}

void backlog_unhang(struct engine *e, uint32_t queue)
{
    uint32_t parent = queue_at(e, queue)->parent;

    for (uint32_t id = tree_first(&backlog_by_resource, e, queue_at(e, queue)->backlogs); id != 0;
         id = tree_next(&backlog_by_resource, e, id)) {
        add(e, backlog_at(e, id)->up, -backlog_at(e, id)->amount);
        backlog_unref(e, parent, backlog_at(e, id)->up);
        backlog_at(e, id)->up = 0;
    }
}

static wide waiting_in_line(const struct engine *e, uint32_t id, uint32_t resource)
{
    const struct line *line = line_at(e, id);

    return size_class_at(e, line->size_class)->own
               ? 0
               : (wide)line_waiting(e, line) * line_asks(e, line, resource);
}

static wide waiting_in_gang(const struct engine *e, const struct group *group, uint32_t queue,
                            uint32_t resource)
{
    wide sum = 0;

    if (group->mode != GROUP_WAITS)
        return 0;
    for (uint32_t at = group->claims.first; at != 0; at = member_after(e, at)) {
        const struct line *line = line_at(e, claim_at(e, at)->line);
        bool counts = claim_waits_in_gang(claim_at(e, at)) && line_queue(e, line) == queue;

        sum += counts ? line_asks(e, line, resource) : 0;
    }
    return sum;
}

static wide waiting_of_workload(const struct engine *e, uint32_t id, uint32_t queue,
                                uint32_t resource)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    wide sum = 0;

    if (claim_queue(e, id) != queue || !workload_is(workload, WORKLOAD_PLACED) ||
        claim_at(e, id)->state != CLAIM_WAITING)
        return 0;
    for (uint32_t s = 0; s < demand->set_count; s++)
        sum += (wide)assign_set_asks(&demand->sets[s], resource) * demand->sets[s].count;
    return sum;
}

/* What waits in the queue itself, counted anew. */
static wide count(const struct engine *e, uint32_t queue, uint32_t resource)
{
    wide sum = 0;

    for (uint32_t head = size_class_next_head(e, queue, 0, 0); head != 0;
         head = size_class_next_head(e, queue, head, 0))
        sum += waiting_in_line(e, claim_at(e, head)->line, resource);
    for (uint32_t id = 0; slab_step(&e->pods.groups, &id);)
        sum += waiting_in_gang(e, group_at(e, id), queue, resource);
    for (uint32_t id = workload_next(e, 0); id != 0; id = workload_next(e, id))
        sum += waiting_of_workload(e, id, queue, resource);
    return sum;
}

const char *backlog_check_users(const struct engine *e)
{
    uint64_t users = 0;

    for (uint32_t id = 0; slab_step(&e->order.backlogs, &id);)
        users += backlog_at(e, id)->users - (backlog_at(e, id)->up != 0);
    for (uint32_t id = 0; slab_step(&e->order.size_classes, &id);) {
        const struct size_class *class = size_class_at(e, id);

        for (uint32_t i = 0; !class->own && i < class->count; i++) {
            if (class->needs[i].backlog != find(e, class->queue, class->needs[i].resource))
                return "a size class knows its queue's backlogs";
            users--;
        }
    }
    for (uint32_t id = 0; slab_step(&e->order.demands, &id);) {
        if (demand_at(e, id)->queue != 0)
            users -= demand_at(e, id)->need_count;
    }
    return users == 0 ? NULL
                      : "a backlog is there for who may wait in its queue, and for children's";
}

const char *backlog_check(const struct engine *e, uint32_t queue)
{
    if (!tree_check(&backlog_by_resource, e, queue_at(e, queue)->backlogs))
        return "the backlogs of a queue stand in order of their resources";
    for (uint32_t id = tree_first(&backlog_by_resource, e, queue_at(e, queue)->backlogs); id != 0;
         id = tree_next(&backlog_by_resource, e, id)) {
        const struct backlog *backlog = backlog_at(e, id);
        wide sum = count(e, queue, backlog->resource);

        for (uint32_t child = queue_at(e, queue)->first_child; child != 0;
             child = queue_at(e, child)->next_sibling) {
            uint32_t below = find(e, child, backlog->resource);

            if (below == 0)
                continue;
            if (backlog_at(e, below)->up != id)
                return "a backlog knows that of its queue's parent";
            sum += backlog_at(e, below)->amount;
        }
        if (sum != backlog->amount)
            return "a queue knows what is asked for by all that wait in it and below it";
    }
    return NULL;
}
