/* SPDX-License-Identifier: Apache-2.0 */
#include "quota.h"

#include "root.h"
#include "state.h"

struct cell *quota_cell(const struct queue *queue, uint16_t flavor, uint32_t resource)
{
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        if (queue->cells[i].resource == resource && queue->cells[i].flavor == flavor)
            return &queue->cells[i];
    }
    return NULL;
}

/* What this queue's subtree takes beyond what is kept for it. */
static wide passes_up(const struct cell *cell)
{
    return wide_max(0, cell->usage - cell->kept);
}

/* What the queue contributes to its parent's numbers: in Volcano's trees all that is kept within
 * it, which narrows the parent's ceiling; in Kueue's what it lends, which widens the parent's
 * share. */
static wide gives_up(const struct queue *queue, const struct cell *cell)
{
    return queue->kind == QUEUE_VOLCANO ? cell->kept + cell->given : cell->share - cell->kept;
}

static void derive(struct engine *e, uint32_t id, struct cell *cell)
{
    const struct queue *queue = queue_at(e, id);

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
    if (cell->bounded && cell->usage > cell->ceiling)
        queue_todo(e, TODO_OVER, id);
}

static bool is_nothing(const struct flow *flow)
{
    return flow->usage == 0 && flow->reserved == 0 && flow->allocated == 0 && flow->given == 0;
}

/* Adds a change of what arrives at this queue, and of what passes on from it to the root. */
static uint32_t carry(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                      struct flow flow)
{
    uint32_t topmost = 0;

    for (; id != 0 && !is_nothing(&flow); id = queue_at(e, id)->parent) {
        struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);

        if (cell == NULL)
            continue;

        wide passed = passes_up(cell), gave = gives_up(queue_at(e, id), cell);

        if (flow.usage != 0)
            topmost = id;
        cell->usage += flow.usage;
        cell->reserved += flow.reserved;
        cell->allocated += flow.allocated;
        cell->given += flow.given;
        derive(e, id, cell);
        flow.usage = passes_up(cell) - passed;
        flow.given = gives_up(queue_at(e, id), cell) - gave;
    }
    return topmost;
}

uint32_t quota_charge(struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                      wide reserved, wide allocated)
{
    if (flavor == FLAVOR_NONE)
        return 0;
    return carry(e, queue, flavor, resource,
                 (struct flow){reserved + allocated, reserved, allocated, 0});
}

static wide held_by(const struct engine *e, uint32_t root, uint16_t flavor, uint32_t resource)
{
    wide sum = 0;

    for (uint32_t id = tree_first(&claims_by_stamp, e, root); id != 0;
         id = tree_next(&claims_by_stamp, e, id)) {
        const struct claim *claim = claim_at(e, id);
        const struct line *line = line_at(e, claim->line);

        for (uint32_t i = 0; i < line->count; i++) {
            if (line_resource(e, line, i) == resource && claim_flavors(claim)[i] == flavor)
                sum += line->needs[i].amount;
        }
    }
    return sum;
}

/* What a queue passes to its parent. Without a cell nothing below has one: all passes. */
static struct flow flow_of(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    const struct queue *queue = queue_at(e, id);
    const struct cell *cell = quota_cell(queue, flavor, resource);

    if (cell == NULL)
        return quota_count(e, id, flavor, resource);
    return (struct flow){passes_up(cell), cell->reserved, cell->allocated, gives_up(queue, cell)};
}

/* Recursion is as deep as the tree of queues, which has no cycles. */
struct flow quota_count(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    const struct queue *queue = queue_at(e, id);
    struct flow sum = {0};

    sum.reserved = held_by(e, queue->reserved, flavor, resource);
    sum.allocated = held_by(e, queue->allocated, flavor, resource);
    sum.usage = sum.reserved + sum.allocated;
    for (uint32_t child = queue->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        struct flow flow = flow_of(e, child, flavor, resource);

        sum.usage += flow.usage;
        sum.reserved += flow.reserved;
        sum.allocated += flow.allocated;
        sum.given += flow.given;
    }
    return sum;
}

static struct cell *add_cell(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    struct flow flow = quota_count(e, id, flavor, resource);
    struct queue *queue = queue_at(e, id);
    struct cell *cell = &queue->cells[queue->cell_count++];

    *cell = (struct cell){.flavor = flavor, .resource = resource, .usage = flow.usage};
    cell->reserved = flow.reserved;
    cell->allocated = flow.allocated;
    flavor_ref(e, flavor);
    intern_ref(&e->names, resource);
    return cell;
}

/* Nobody names or carries it, and it is not there to tell who uses what no node has any more. */
static bool is_unneeded(const struct engine *e, uint32_t id, const struct cell *cell)
{
    return !cell->named && cell->carriers == 0 &&
           (!root_bounds_all(e, id) || cell->reserved + cell->allocated == 0);
}

static void drop_cell(struct engine *e, struct queue *queue, struct cell *cell)
{
    flavor_unref(e, cell->flavor);
    intern_unref(&e->names, cell->resource);
    *cell = queue->cells[--queue->cell_count];
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
        carry(e, queue_at(e, id)->parent, flavor, resource, flow);
    }
}

void quota_detach(struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    if (queue->parent == 0)
        return;
    carry_all(e, id, -1);
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        for (uint32_t up = queue->parent; up != 0; up = queue_at(e, up)->parent) {
            struct queue *above = queue_at(e, up);
            struct cell *cell = quota_cell(above, queue->cells[i].flavor, queue->cells[i].resource);

            if (--cell->carriers > 0 || !is_unneeded(e, up, cell))
                break;
            drop_cell(e, above, cell);
        }
    }
}

void quota_attach(struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    for (uint32_t i = 0; i < queue->cell_count; i++)
        derive(e, id, &queue->cells[i]);
    if (queue->parent == 0)
        return;
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        for (uint32_t up = queue->parent; up != 0; up = queue_at(e, up)->parent) {
            struct cell *cell =
                quota_cell(queue_at(e, up), queue->cells[i].flavor, queue->cells[i].resource);
            bool had = cell != NULL;

            if (!had)
                cell = add_cell(e, up, queue->cells[i].flavor, queue->cells[i].resource);
            derive(e, up, cell);
            cell->carriers++;
            if (had)
                break;
        }
    }
    carry_all(e, id, 1);
}

void quota_name(struct engine *e, uint32_t id, const struct quota_amount *amounts, uint32_t count)
{
    struct queue *queue = queue_at(e, id);

    for (uint32_t i = 0; i < queue->cell_count; i++) {
        struct cell *cell = &queue->cells[i];

        cell->named = cell->has_ceiling = cell->has_kept = false;
        cell->own_share = cell->own_ceiling = cell->own_kept = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct quota_amount *amount = &amounts[i];
        struct cell *cell = quota_cell(queue, amount->flavor, amount->resource);

        if (cell == NULL)
            cell = add_cell(e, id, amount->flavor, amount->resource);
        cell->named = true;
        cell->own_share = amount->share;
        cell->own_ceiling = amount->ceiling;
        cell->own_kept = amount->kept;
        cell->has_ceiling = amount->has_ceiling;
        cell->has_kept = amount->has_kept;
    }
    for (uint32_t i = queue->cell_count; i-- > 0;) {
        if (!queue->cells[i].named && queue->cells[i].carriers == 0)
            drop_cell(e, queue, &queue->cells[i]);
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
        drop_cell(e, queue, cell);
    else
        derive(e, id, cell);
}

const char *quota_check(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    for (uint32_t i = 0; i < queue->cell_count; i++) {
        const struct cell *cell = &queue->cells[i];
        struct flow flow = quota_count(e, id, cell->flavor, cell->resource);

        if (flow.usage != cell->usage)
            return "usage is what the claims hold and the children pass up";
        if (flow.reserved != cell->reserved || flow.allocated != cell->allocated)
            return "reserved and allocated are the sums over the subtree's claims";
        if (flow.given != cell->given)
            return "given is the sum over the children";
        if (!cell->named && cell->carriers == 0 && !root_bounds_all(e, id))
            return "a cell is named by its queue or carried by a child";
        if (queue->parent != 0 &&
            quota_cell(queue_at(e, queue->parent), cell->flavor, cell->resource) == NULL)
            return "a parent has every cell of its children";
    }
    return NULL;
}
