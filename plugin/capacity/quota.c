/* SPDX-License-Identifier: Apache-2.0 */
#include "quota.h"

#include "flow.h"
#include "plugin/claims/recount.h"
#include "plugin/state.h"
#include "root.h"

/* Among the first `count` of them. */
static struct cell *cell_among(const struct queue *queue, uint32_t count, uint16_t flavor,
                               uint32_t resource)
{
    for (uint32_t i = 0; i < count; i++) {
        if (queue->cells[i].resource == resource && queue->cells[i].flavor == flavor)
            return &queue->cells[i];
    }
    return NULL;
}

struct cell *quota_cell(const struct queue *queue, uint16_t flavor, uint32_t resource)
{
    return cell_among(queue, queue->cell_count, flavor, resource);
}

static void derive(struct engine *e, uint32_t id, struct cell *cell)
{
    const struct queue *queue = queue_at(e, id);

    if (cell->counting)
        return;
    if (queue->kind == QUEUE_VOLCANO) {
        wide guarantee = cell->has_kept ? cell->own_kept : 0;

        /* Usage counts only what the children use beyond what is kept for them, so of the queue's
         * own guarantee only the part that is not theirs is kept here. */
        cell->kept = wide_max(guarantee, cell->given) - cell->given;
        cell->share = cell->own_share;
        cell->bounded = cell->has_ceiling || root_bounds_all(e, id);
        cell->ceiling = cell->own_ceiling - cell->given;
    } else {
        cell->share = cell->own_share + cell->given;
        cell->kept = cell->has_kept ? wide_max(0, cell->share - cell->own_kept) : 0;
        cell->bounded = queue->parent == 0 || cell->has_ceiling;
        cell->ceiling = cell->share + (queue->parent == 0 ? 0 : cell->own_ceiling);
    }
    if (cell->bounded && cell->usage > cell->ceiling) {
        queue_todo(e, TODO_OVER, id);
        e->demotion.again = true;
    }
}

/* Adds a change of what arrives at this queue, and of what passes on from it to the root. counted:
 * also in cells that are not yet. */
static uint32_t carry(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                      struct flow flow, bool counted)
{
    uint32_t topmost = 0;

    for (; id != 0 && !flow_is_nothing(&flow); id = queue_at(e, id)->parent) {
        struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);

        if (cell != NULL && cell->counting && counted) {
            cell->reserved += flow.reserved;
            cell->allocated += flow.allocated;
            cell->expected += flow.expected;
        }
        if (cell == NULL || cell->counting)
            continue;

        wide passed = flow_passes(cell), gave = flow_gives(queue_at(e, id), cell);
        wide later = flow_passes_later(cell);

        if (flow.usage != 0)
            topmost = id;
        cell->usage += flow.usage;
        cell->reserved += flow.reserved;
        cell->allocated += flow.allocated;
        cell->given += flow.given;
        cell->later += flow.later;
        cell->expected += flow.expected;
        derive(e, id, cell);
        flow.usage = flow_passes(cell) - passed;
        flow.later = flow_passes_later(cell) - later;
        flow.given = flow_gives(queue_at(e, id), cell) - gave;
    }
    return topmost;
}

uint32_t quota_charge(struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                      wide reserved, wide allocated, wide later, bool counted)
{
    if (flavor == FLAVOR_NONE)
        return 0;
    return carry(e, queue, flavor, resource,
                 (struct flow){reserved + allocated, reserved, allocated, 0, later, later},
                 counted);
}

/* Nothing is derived from what will be used. */
void quota_charge_later(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                        wide later, bool counted)
{
    wide passed = later;

    for (; id != 0 && flavor != FLAVOR_NONE; id = queue_at(e, id)->parent) {
        struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);
        wide passed_before;

        if (cell == NULL)
            continue;
        if (!cell->counting || counted)
            cell->expected += later;
        if (cell->counting)
            continue;
        passed_before = flow_passes_later(cell);
        cell->later += passed;
        passed = flow_passes_later(cell) - passed_before;
    }
}

static struct cell *add_cell(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    struct queue *queue = queue_at(e, id);
    struct cell cell = {.flavor = flavor, .resource = resource};

    recount_cell(e, id, &cell);
    queue->cells[queue->cell_count] = cell;
    flavor_ref(e, flavor);
    intern_ref(&e->names, resource);
    queue_note_change(e, id); /* its status begins to tell of that resource */
    return &queue->cells[queue->cell_count++];
}

/* Nobody names or carries it, and it is not there to tell who uses what no node has any more. */
static bool is_unneeded(const struct engine *e, uint32_t id, const struct cell *cell)
{
    return !cell->named && cell->carriers == 0 &&
           (!root_bounds_all(e, id) || (!cell->counting && cell->reserved + cell->allocated == 0));
}

static void drop_cell(struct engine *e, uint32_t id, struct cell *cell)
{
    struct queue *queue = queue_at(e, id);

    recount_forget(e, id, cell);
    flavor_unref(e, cell->flavor);
    intern_unref(&e->names, cell->resource);
    *cell = queue->cells[--queue->cell_count];
    queue_note_change(e, id);
}

int quota_reserve_cells(struct engine *e, uint32_t id, uint32_t more)
{
    struct queue *queue = queue_at(e, id);
    uint32_t cap = queue->cell_count + more;
    struct cell *cells;

    if (cap <= queue->cell_cap)
        return 0;
    cells = mem_alloc(&e->mem, cap * sizeof(*cells));
    if (cells == NULL)
        return ENGINE_NO_MEMORY;
    if (queue->cell_count > 0)
        memcpy(cells, queue->cells, queue->cell_count * sizeof(*cells));
    mem_free(&e->mem, queue->cells, queue->cell_cap * sizeof(*cells));
    queue->cells = cells;
    queue->cell_cap = cap;
    return 0;
}

int quota_reserve(struct engine *e, uint32_t id, uint32_t parent, uint32_t more)
{
    if (quota_reserve_cells(e, id, more) < 0)
        return ENGINE_NO_MEMORY;
    more += queue_at(e, id)->cell_count;
    for (; parent != 0; parent = queue_at(e, parent)->parent) {
        if (quota_reserve_cells(e, parent, more) < 0)
            return ENGINE_NO_MEMORY;
    }
    return 0;
}

/* Carries all that the queue passes up into its ancestors, or out of them. The root has every cell
 * that any ancestor has. */
static void carry_all(struct engine *e, uint32_t id, int sign)
{
    const struct queue *root = queue_at(e, queue_root(e, id));

    for (uint32_t i = 0; i < root->cell_count; i++) {
        uint16_t flavor = root->cells[i].flavor;
        uint32_t resource = root->cells[i].resource;
        struct flow flow = flow_of(e, id, flavor, resource);

        flow.usage *= sign;
        flow.reserved *= sign;
        flow.allocated *= sign;
        flow.given *= sign;
        flow.later *= sign;
        flow.expected *= sign;
        carry(e, queue_at(e, id)->parent, flavor, resource, flow, false);
    }
}

/* A child of this queue has such a cell no more. */
static void disown(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);

        if (--cell->carriers > 0 || !is_unneeded(e, id, cell))
            return;
        drop_cell(e, id, cell);
    }
}

/* A child of this queue is about to have such a cell. */
static void adopt(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);
        bool had = cell != NULL;

        if (!had)
            cell = add_cell(e, id, flavor, resource);
        derive(e, id, cell);
        cell->carriers++;
        if (had)
            return;
    }
}

void quota_detach(struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    if (queue->parent == 0)
        return;
    carry_all(e, id, -1);
    for (uint32_t i = 0; i < queue->cell_count; i++)
        disown(e, queue->parent, queue->cells[i].flavor, queue->cells[i].resource);
}

void quota_attach(struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    for (uint32_t i = 0; i < queue->cell_count; i++)
        derive(e, id, &queue->cells[i]);
    if (queue->parent == 0)
        return;
    for (uint32_t i = 0; i < queue->cell_count; i++)
        adopt(e, queue->parent, queue->cells[i].flavor, queue->cells[i].resource);
    carry_all(e, id, 1);
}

static const struct quota_amount no_amount;

static void set_amount(struct cell *cell, const struct quota_amount *amount)
{
    cell->named = amount != &no_amount;
    cell->own_share = amount->share;
    cell->own_ceiling = amount->ceiling;
    cell->own_kept = amount->kept;
    cell->has_ceiling = amount->has_ceiling;
    cell->has_kept = amount->has_kept;
}

void quota_name(struct engine *e, uint32_t id, const struct quota_amount *amounts, uint32_t count)
{
    struct queue *queue = queue_at(e, id);
    uint32_t old = queue->cell_count; /* no amount is there twice: none is in what comes behind */

    for (uint32_t i = 0; i < old; i++)
        set_amount(&queue->cells[i], &no_amount);
    for (uint32_t i = 0; i < count; i++) {
        struct cell *cell = cell_among(queue, old, amounts[i].flavor, amounts[i].resource);

        if (cell == NULL)
            cell = add_cell(e, id, amounts[i].flavor, amounts[i].resource);
        set_amount(cell, &amounts[i]);
    }
    for (uint32_t i = queue->cell_count; i-- > 0;) {
        if (!queue->cells[i].named && queue->cells[i].carriers == 0)
            drop_cell(e, id, &queue->cells[i]);
    }
}

/* With this amount the cell passes up something else than before. */
static void change_amount(struct engine *e, uint32_t id, struct cell *cell,
                          const struct quota_amount *amount, struct flow before)
{
    const struct queue *queue = queue_at(e, id);
    struct flow flow = {0};

    set_amount(cell, amount);
    if (cell->counting)
        return; /* quota_counted */
    if (cell->named || cell->carriers > 0)
        derive(e, id, cell);
    else
        cell->kept = cell->share = 0;
    flow.usage = flow_passes(cell) - before.usage;
    flow.later = flow_passes_later(cell) - before.later;
    flow.given = flow_gives(queue, cell) - before.given;
    carry(e, queue->parent, cell->flavor, cell->resource, flow, false);
}

/* Cells and amounts are mostly in the same order: so it is looked for where the last one was found,
 * *at, and from there down, and round. */
static const struct quota_amount *amount_for(const struct cell *cell,
                                             const struct quota_amount *amounts, uint32_t count,
                                             uint32_t *at)
{
    for (uint32_t i = 0; i < count; i++) {
        *at = *at == 0 ? count - 1 : *at - 1;
        if (amounts[*at].flavor == cell->flavor && amounts[*at].resource == cell->resource)
            return &amounts[*at];
    }
    return &no_amount;
}

void quota_edit(struct engine *e, uint32_t id, const struct quota_amount *amounts, uint32_t count)
{
    struct queue *queue = queue_at(e, id);
    uint32_t at = 0, found = 0, old;

    for (uint32_t i = queue->cell_count; i-- > 0;) {
        struct cell *cell = &queue->cells[i];
        const struct quota_amount *amount = amount_for(cell, amounts, count, &at);

        found += amount != &no_amount;
        change_amount(e, id, cell, amount, flow_of_cell(queue, cell));
        if (cell->named || cell->carriers > 0)
            continue;
        disown(e, queue->parent, cell->flavor, cell->resource);
        drop_cell(e, id, cell);
    }
    old = queue->cell_count;
    for (uint32_t i = 0; i < count && found < count; i++) {
        struct cell *cell = cell_among(queue, old, amounts[i].flavor, amounts[i].resource);
        struct flow all = {0}; /* that was used: it passed */

        if (cell != NULL)
            continue;
        found++;
        adopt(e, queue->parent, amounts[i].flavor, amounts[i].resource);
        cell = add_cell(e, id, amounts[i].flavor, amounts[i].resource);
        all.usage = cell->usage;
        all.later = cell->later;
        change_amount(e, id, cell, &amounts[i], all);
    }
}

void quota_raise_ceiling(struct engine *e, uint32_t id, uint32_t resource, wide more)
{
    struct queue *queue = queue_at(e, id);
    struct cell *cell = quota_cell(queue, 0, resource);

    if (more == 0)
        return;
    if (cell == NULL)
        cell = add_cell(e, id, 0, resource);
    cell->own_ceiling += more;
    cell->named = cell->has_ceiling = cell->own_ceiling != 0;
    if (is_unneeded(e, id, cell))
        drop_cell(e, id, cell);
    else
        derive(e, id, cell);
}

void quota_counted(struct engine *e, uint32_t id, struct cell *cell)
{
    struct flow flow = {.usage = -cell->usage, .given = -cell->given, .later = -cell->later};

    derive(e, id, cell);
    flow.usage += flow_passes(cell);
    flow.given += flow_gives(queue_at(e, id), cell);
    flow.later += flow_passes_later(cell);
    carry(e, queue_at(e, id)->parent, cell->flavor, cell->resource, flow, false);
    if (is_unneeded(e, id, cell))
        drop_cell(e, id, cell);
}
