/* SPDX-License-Identifier: Apache-2.0 */
#include "bay.h"

#include "load.h"
#include "load_promise.h"
#include "state.h"

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
enum bay_fault bay_check_fault(const struct engine *e, const struct bay_check *check)
{
    uint32_t id = check_find(e, check->name);

    if (id == 0)
        return BAY_CHECK_MISSING;
    return check_at(e, id)->active ? BAY_READY : BAY_CHECK_INACTIVE;
}

static enum bay_fault fault_of_checks(const struct engine *e, const struct bay *bay,
                                      struct text *ret_what)
{
    for (uint32_t i = 0; i < bay->check_count; i++) {
        enum bay_fault fault = bay_check_fault(e, &bay->checks[i]);

        if (fault == BAY_READY)
            continue;
        *ret_what = name_text(e, bay->checks[i].name);
        return fault;
    }
    return BAY_READY;
}

enum bay_fault bay_fault(const struct engine *e, uint32_t id, struct text *ret_what)
{
    const struct queue *queue;

    *ret_what = (struct text){"", 0};
    if (id == 0 || !queue_at(e, id)->known)
        return BAY_UNKNOWN;
    queue = queue_at(e, id);
    for (uint32_t up = id; up != 0; up = queue_at(e, up)->parent) {
        if (queue_at(e, up)->misplaced)
            return BAY_CYCLE;
    }
    if (queue->deleted || bay_stop(e, id) != LIFE_RUNS)
        return BAY_STOPPED;
    for (uint32_t g = 0; g < queue->group_count; g++) {
        for (uint32_t k = 0; k < queue->groups[g].flavor_count; k++) {
            if (!flavor_usable(e, queue->groups[g].flavors[k])) {
                *ret_what = flavor_name(e, queue->groups[g].flavors[k]);
                return BAY_FLAVOR_MISSING;
            }
        }
    }
    return fault_of_checks(e, &queue->bay, ret_what);
}

enum life_stop bay_stop(const struct engine *e, uint32_t id)
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

/* Something changed in this queue, now that e->load_changes is one more. Returns the bay of its
 * root, which is to say for whom; NULL: workloads are not admitted there. */
static struct bay *count_change(struct engine *e, uint32_t id)
{
    uint32_t root;

    if (!engine_admits(e) || id == 0 || queue_at(e, id)->kind == QUEUE_VOLCANO)
        return NULL;
    root = queue_root(e, id);
    queue_todo(e, TODO_LOADS, root);
    e->load_changes++;
    return &queue_at(e, root)->bay;
}

void bay_stir(struct engine *e, uint32_t id)
{
    struct bay *root = count_change(e, id);

    if (root != NULL)
        root->change = e->load_changes;
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

void bay_stir_excess(struct engine *e, uint32_t id)
{
    struct bay *root = borrows(e, id) ? count_change(e, id) : NULL;

    if (root != NULL)
        root->excess = e->load_changes;
}

void bay_stir_choosers(struct engine *e, uint32_t id)
{
    struct bay *root = count_change(e, id);

    if (root != NULL)
        root->taken = e->load_changes;
}

void bay_stir_deserted(struct engine *e, uint32_t id)
{
    struct bay *root = count_change(e, id);

    if (root != NULL)
        root->deserted = e->load_changes;
}

static bool has_choosers(const struct queue *queue)
{
    bool tries_next = queue->bay.preempts_last || queue->borrows_last;

    for (uint32_t g = 0; g < queue->group_count; g++) {
        const struct queue_group *group = &queue->groups[g];

        if (group->flavor_count > 1 &&
            (queue->bay.choosers > 0 || (tries_next && group->resource_count > 1)))
            return true;
    }
    return false;
}

uint64_t bay_change(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    const struct bay *root = &queue_at(e, queue_root(e, id))->bay;
    uint64_t change = root->change > 0 ? root->change : 1;

    if (queue->preempts.reclaim != PREEMPT_NEVER && root->excess > change)
        change = root->excess;
    if (root->taken > change && has_choosers(queue))
        change = root->taken;
    if (root->deserted > change && queue->preempts.while_borrowing)
        change = root->deserted;
    return change;
}

void bay_stir_newcomer(struct engine *e, uint32_t id)
{
    if (engine_admits(e) && id != 0)
        queue_todo(e, TODO_LOADS, queue_root(e, id));
}

void bay_look_again(struct engine *e)
{
    e->loads_left = slab_end(&e->loads) - 1;
}

void bay_stir_all(struct engine *e)
{
    if (!engine_admits(e))
        return;
    e->placements++;
    for (uint32_t id = 1; id < slab_end(&e->queues); id++) {
        if (slab_live(&e->queues, id) && queue_at(e, id)->parent == 0)
            bay_stir(e, id);
    }
    bay_look_again(e);
}

void bay_edited(struct engine *e, uint32_t id)
{
    if (!engine_admits(e) || queue_at(e, id)->kind == QUEUE_VOLCANO)
        return;
    e->placements++;
    bay_stir(e, id);
    bay_look_again(e);
}

void bay_count(struct engine *e, uint32_t id, int more)
{
    for (; id != 0; id = queue_at(e, id)->parent)
        queue_at(e, id)->bay.below += (uint32_t)more;
}

static int read_check(struct engine *e, const struct queue_check_facts *facts,
                      struct bay_check *check)
{
    int error = name_get(e, facts->name, &check->name);

    for (uint32_t i = 0; i < facts->flavor_count && error == 0; i++) {
        error = flavor_get(e, facts->flavors[i], &check->flavors[i]);
        check->flavor_count += error == 0;
    }
    return error;
}

int bay_read_checks(struct engine *e, const struct queue_facts *facts, struct bay_check **ret)
{
    int error = 0;

    *ret = mem_zalloc(&e->mem, facts->check_count * sizeof(**ret));
    if (facts->check_count > 0 && *ret == NULL)
        return ENGINE_NO_MEMORY;
    for (uint32_t i = 0; i < facts->check_count && error == 0; i++)
        error = read_check(e, &facts->checks[i], &(*ret)[i]);
    return error;
}

void bay_free_checks(struct engine *e, struct bay_check *checks, uint32_t count)
{
    for (uint32_t i = 0; i < count && checks != NULL; i++) {
        intern_unref(&e->names, checks[i].name);
        for (uint32_t k = 0; k < checks[i].flavor_count; k++)
            flavor_unref(e, checks[i].flavors[k]);
    }
    mem_free(&e->mem, checks, count * sizeof(*checks));
}

void bay_forget(struct engine *e, uint32_t id)
{
    struct bay *bay = &queue_at(e, id)->bay;

    load_promise_end_of_queue(e, id);
    bay_free_checks(e, bay->checks, bay->check_count);
    bay->checks = NULL;
    bay->check_count = 0;
    bay->preempts_last = bay->borrows_least = false;
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
    bay_stir_all(e);
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
        bay_stir_all(e);
    }
}
