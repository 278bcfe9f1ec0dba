/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_amounts.h"

#include "plugin/base/sentence.h"
#include "plugin/state.h"

static const struct named_amount *find(const struct named_amounts *amounts, struct text resource)
{
    for (uint32_t i = 0; i < amounts->count; i++) {
        if (text_same(amounts->item[i].resource, resource))
            return &amounts->item[i];
    }
    return NULL;
}

/* The amounts that a queue's object names, the widest first: each is within those before it. */
enum field { CAPABILITY, DESERVED, GUARANTEE };

static const char *const field_names[] = {
    [CAPABILITY] = "spec.capability.",
    [DESERVED] = "spec.deserved.",
    [GUARANTEE] = "spec.guarantee.resource.",
};

static const struct named_amounts *amounts_of(const struct queue_facts *queue, enum field field)
{
    return field == CAPABILITY ? &queue->capability
           : field == DESERVED ? &queue->deserved
                               : &queue->guarantee;
}

static const char of_itself[] = "", of_children[] = "the sum of the children's ";
static const struct text own = {"", 0};

/* "spec.deserved.cpu is 4, which is more than spec.capability.cpu of queue p, 2" */
static bool more_than(struct sentence *say, const char *whose, enum field field,
                      struct text resource, wide amount, enum field other, struct text queue,
                      wide bound)
{
    if (amount <= bound)
        return false;
    sentence_str(say, whose);
    sentence_named(say, field_names[field], resource, " is ");
    sentence_amount(say, resource, amount);
    sentence_str(say, ", which is more than ");
    sentence_named(say, field_names[other], resource, "");
    if (queue.len > 0)
        sentence_named(say, " of queue ", queue, "");
    sentence_str(say, ", ");
    sentence_amount(say, resource, bound);
    return true;
}

bool queue_amount_is_unset(const struct named_amount *item)
{
    return item->amount == 0 &&
           (text_is(item->resource, "cpu") || text_is(item->resource, "memory"));
}

/* Whether this amount of a queue bounds its others. */
static bool bounds(enum field field, const struct named_amount *item)
{
    return item != NULL && (field != CAPABILITY || !queue_amount_is_unset(item));
}

/* Whether one of these amounts that the queue is to have is wrong. */
static bool any_is(const struct proposal *to, enum field field,
                   bool (*is_wrong)(const struct proposal *to, enum field field,
                                    const struct named_amount *item))
{
    const struct named_amounts *amounts = amounts_of(to->queue, field);

    for (uint32_t i = 0; i < amounts->count; i++) {
        if (is_wrong(to, field, &amounts->item[i]))
            return true;
    }
    return false;
}

static bool beyond_own(const struct proposal *to, enum field field, const struct named_amount *item)
{
    for (enum field other = field; other-- > CAPABILITY;) {
        const struct named_amount *bound = find(amounts_of(to->queue, other), item->resource);

        if (bounds(other, bound) && more_than(to->say, of_itself, field, item->resource,
                                              item->amount, other, own, bound->amount))
            return true;
    }
    return false;
}

bool queue_amounts_contradict_each_other(const struct proposal *to)
{
    return any_is(to, GUARANTEE, beyond_own) || any_is(to, DESERVED, beyond_own);
}

static const struct cell *own_cell(const struct engine *e, uint32_t queue, struct text resource)
{
    const struct queue *at = queue_at(e, queue);

    for (uint32_t i = 0; i < at->cell_count; i++) {
        if (at->cells[i].named && text_same(name_text(e, at->cells[i].resource), resource))
            return &at->cells[i];
    }
    return NULL;
}

/* The nearest queue from here up that sets a capability for the resource; 0: none does. */
static uint32_t ceiling_above(const struct engine *e, uint32_t from, struct text resource)
{
    for (uint32_t id = from; id != 0; id = queue_at(e, id)->parent) {
        const struct cell *cell = own_cell(e, id, resource);

        if (cell != NULL && cell->has_ceiling)
            return id;
    }
    return 0;
}

static bool beyond_ceiling(const struct proposal *to, enum field field,
                           const struct named_amount *item)
{
    uint32_t above = ceiling_above(to->e, to->parent, item->resource);

    return above != 0 && more_than(to->say, of_itself, field, item->resource, item->amount,
                                   CAPABILITY, name_text(to->e, queue_at(to->e, above)->name),
                                   own_cell(to->e, above, item->resource)->own_ceiling);
}

/* [DESERVED or GUARANTEE] */
static wide own_amount(const struct cell *cell, enum field field)
{
    if (cell == NULL)
        return 0;
    return field == DESERVED ? cell->own_share : cell->has_kept ? cell->own_kept : 0;
}

/* What the children of a queue have together, but for one of them. */
static wide sum_below(const struct engine *e, uint32_t id, uint32_t but, struct text resource,
                      enum field field)
{
    wide sum = 0;

    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling)
        sum += child == but ? 0 : own_amount(own_cell(e, child, resource), field);
    return sum;
}

/* With those of its siblings. root sets nothing of its own; who sets no amount is bound by none. */
static bool beyond_parent(const struct proposal *to, enum field field,
                          const struct named_amount *item)
{
    wide bound = own_amount(own_cell(to->e, to->parent, item->resource), field);

    return to->parent != to->e->queues.volcano_root && bound > 0 &&
           more_than(to->say, of_children, field, item->resource,
                     sum_below(to->e, to->parent, to->id, item->resource, field) + item->amount,
                     field, name_text(to->e, queue_at(to->e, to->parent)->name), bound);
}

/* An edit must leave room for the children that are there. */
static bool below_children(const struct proposal *to, enum field field,
                           const struct named_amount *item)
{
    return to->id != 0 &&
           more_than(to->say, of_children, field, item->resource,
                     sum_below(to->e, to->id, 0, item->resource, field), field, own, item->amount);
}

/* What bounds those below a queue, in one resource. */
struct most {
    struct text resource, queue; /* queue: "" is the one that is judged */
    wide amount;
};

static bool child_beyond(const struct proposal *to, uint32_t id, enum field field, wide amount,
                         const struct most *bound)
{
    if (amount <= bound->amount)
        return false;
    sentence_named(to->say, "queue ", name_text(to->e, queue_at(to->e, id)->name),
                   " is below it, whose ");
    return more_than(to->say, of_itself, field, bound->resource, amount, CAPABILITY, bound->queue,
                     bound->amount);
}

/* Those below a queue that sets a capability itself are bound by that. Recursion is as deep as the
 * tree. */
static bool any_child_beyond(const struct proposal *to, uint32_t id, const struct most *bound)
{
    for (uint32_t child = queue_at(to->e, id)->first_child; child != 0;
         child = queue_at(to->e, child)->next_sibling) {
        const struct cell *cell = own_cell(to->e, child, bound->resource);
        bool sets = cell != NULL && cell->has_ceiling;

        if (cell != NULL &&
            ((sets && child_beyond(to, child, CAPABILITY, cell->own_ceiling, bound)) ||
             child_beyond(to, child, DESERVED, cell->own_share, bound) ||
             child_beyond(to, child, GUARANTEE, own_amount(cell, GUARANTEE), bound)))
            return true;
        if (!sets && any_child_beyond(to, child, bound))
            return true;
    }
    return false;
}

/* What bounds those below it: with the edit (then), or now. */
static bool find_bound(const struct proposal *to, bool then, struct most *bound)
{
    const struct named_amount *most = then ? find(&to->queue->capability, bound->resource) : NULL;
    uint32_t above;

    if (bounds(CAPABILITY, most)) {
        bound->queue = own;
        bound->amount = most->amount;
        return true;
    }
    above = ceiling_above(to->e, then ? to->parent : to->id, bound->resource);
    if (above == 0)
        return false;
    bound->queue = name_text(to->e, queue_at(to->e, above)->name);
    bound->amount = own_cell(to->e, above, bound->resource)->own_ceiling;
    return true;
}

/* An edit, or a move, must leave those below it within what bounds them then. What bounds them
 * already is not judged anew. A queue has a cell for whatever is named below it. */
static bool below_it_beyond(const struct proposal *to)
{
    const struct queue *queue = to->id == 0 ? NULL : queue_at(to->e, to->id);

    if (queue == NULL || queue->first_child == 0)
        return false;
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        struct most before = {.resource = name_text(to->e, queue->cells[i].resource)};
        struct most then = {.resource = before.resource};

        if (!find_bound(to, true, &then))
            continue;
        if (find_bound(to, false, &before) && then.amount >= before.amount)
            continue;
        if (any_child_beyond(to, to->id, &then))
            return true;
    }
    return false;
}

bool queue_amounts_contradict_tree(const struct proposal *to)
{
    return any_is(to, CAPABILITY, beyond_ceiling) || any_is(to, DESERVED, beyond_ceiling) ||
           any_is(to, GUARANTEE, beyond_ceiling) || any_is(to, GUARANTEE, beyond_parent) ||
           any_is(to, DESERVED, beyond_parent) || any_is(to, GUARANTEE, below_children) ||
           any_is(to, DESERVED, below_children) || below_it_beyond(to);
}

static bool lacks_deserved(const struct proposal *to, enum field field,
                           const struct named_amount *item)
{
    if (find(&to->queue->deserved, item->resource) != NULL ||
        !more_than(to->say, of_itself, field, item->resource, item->amount, DESERVED, own, 0))
        return false;
    sentence_str(to->say, ": it is not set");
    return true;
}

bool queue_amounts_lack_deserved(const struct proposal *to)
{
    return any_is(to, GUARANTEE, lacks_deserved);
}
