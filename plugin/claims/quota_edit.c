/* SPDX-License-Identifier: Apache-2.0 */
#include "quota_edit.h"

#include "flow.h"
#include "plugin/state.h"

static const struct quota_amount no_amount;

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
        quota_carry(e, queue_at(e, id)->parent, flavor, resource, flow, false);
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
        quota_derive(e, id, cell);
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
        quota_derive(e, id, &queue->cells[i]);
    if (queue->parent == 0)
        return;
    for (uint32_t i = 0; i < queue->cell_count; i++)
        adopt(e, queue->parent, queue->cells[i].flavor, queue->cells[i].resource);
    carry_all(e, id, 1);
}

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
        struct cell *cell = quota_cell_among(queue, old, amounts[i].flavor, amounts[i].resource);

        if (cell == NULL)
            cell = add_cell(e, id, amounts[i].flavor, amounts[i].resource);
        set_amount(cell, &amounts[i]);
    }
    for (uint32_t i = queue->cell_count; i-- > 0;) {
        if (!queue->cells[i].named && queue->cells[i].carriers == 0)
            drop_cell(e, id, &queue->cells[i]);
    }
}

/* The cell passes up something else than before: the difference is carried on from its parent. */
static void carry_change(struct engine *e, uint32_t id, const struct cell *cell, struct flow before)
{
    const struct queue *queue = queue_at(e, id);
    struct flow flow = {.usage = cell_passes(cell, false) - before.usage,
                        .later = cell_passes(cell, true) - before.later,
                        .given = cell_gives(queue, cell) - before.given};

    quota_carry(e, queue->parent, cell->flavor, cell->resource, flow, false);
}

/* The cell is to have this amount, and passed that before. */
static void change_amount(struct engine *e, uint32_t id, struct cell *cell,
                          const struct quota_amount *amount, struct flow before)
{
    set_amount(cell, amount);
    if (cell->counting)
        return; /* quota_counted */
    if (cell->named || cell->carriers > 0)
        quota_derive(e, id, cell);
    else
        cell->kept = cell->share = 0;
    carry_change(e, id, cell, before);
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
        change_amount(e, id, cell, amount, cell_flow(queue, cell));
        if (cell->named || cell->carriers > 0)
            continue;
        disown(e, queue->parent, cell->flavor, cell->resource);
        drop_cell(e, id, cell);
    }
    old = queue->cell_count;
    for (uint32_t i = 0; i < count && found < count; i++) {
        struct cell *cell = quota_cell_among(queue, old, amounts[i].flavor, amounts[i].resource);

        if (cell != NULL)
            continue;
        found++;
        adopt(e, queue->parent, amounts[i].flavor, amounts[i].resource);
        cell = add_cell(e, id, amounts[i].flavor, amounts[i].resource);
        /* All that was used passed. */
        change_amount(e, id, cell, &amounts[i],
                      (struct flow){.usage = cell->usage, .later = cell->later});
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
        quota_derive(e, id, cell);
}

void quota_counted(struct engine *e, uint32_t id, struct cell *cell)
{
    struct flow all = {.usage = cell->usage, .given = cell->given, .later = cell->later};

    quota_derive(e, id, cell);
    carry_change(e, id, cell, all);
    if (is_unneeded(e, id, cell))
        drop_cell(e, id, cell);
}

int quota_reserve_cells(struct engine *e, uint32_t id, uint32_t more)
{
    struct queue *queue = queue_at(e, id);
    uint32_t cap = queue->cell_count + more;
    struct cell *cells;

    if (cap <= queue->cell_cap)
        return 0;
    cells = mem_grow(&e->mem, queue->cells, queue->cell_cap * sizeof(*cells), cap * sizeof(*cells));
    if (cells == NULL)
        return ENGINE_NO_MEMORY;
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
