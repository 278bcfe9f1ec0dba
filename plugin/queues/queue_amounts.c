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

/* "spec.deserved.cpu is 4, which is more than spec.capability.cpu of queue p, 2" */
static bool more_than(struct sentence *say, const char *field, struct text resource, wide amount,
                      const char *other, struct text queue, wide bound)
{
    if (amount <= bound)
        return false;
    sentence_str(say, field);
    sentence_text(say, resource);
    sentence_str(say, " is ");
    sentence_amount(say, resource, amount);
    sentence_str(say, ", which is more than ");
    sentence_str(say, other);
    sentence_text(say, resource);
    if (queue.len > 0) {
        sentence_str(say, " of queue ");
        sentence_text(say, queue);
    }
    sentence_str(say, ", ");
    sentence_amount(say, resource, bound);
    return true;
}

static bool is_unset(const struct named_amount *item)
{
    return item->amount == 0 &&
           (text_is(item->resource, "cpu") || text_is(item->resource, "memory"));
}

bool queue_amounts_contradict_each_other(struct sentence *say, const struct queue_facts *queue)
{
    static const struct text own = {"", 0};

    for (uint32_t i = 0; i < queue->guarantee.count; i++) {
        const struct named_amount *kept = &queue->guarantee.item[i];
        const struct named_amount *share = find(&queue->deserved, kept->resource);
        const struct named_amount *most = find(&queue->capability, kept->resource);

        if (share != NULL && more_than(say, "spec.guarantee.resource.", kept->resource,
                                       kept->amount, "spec.deserved.", own, share->amount))
            return true;
        if (most != NULL && !is_unset(most) &&
            more_than(say, "spec.guarantee.resource.", kept->resource, kept->amount,
                      "spec.capability.", own, most->amount))
            return true;
    }
    for (uint32_t i = 0; i < queue->deserved.count; i++) {
        const struct named_amount *share = &queue->deserved.item[i];
        const struct named_amount *most = find(&queue->capability, share->resource);

        if (most != NULL && !is_unset(most) &&
            more_than(say, "spec.deserved.", share->resource, share->amount, "spec.capability.",
                      own, most->amount))
            return true;
    }
    return false;
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

/* What the queue's own capability will be; false: none, what is set above it holds. */
static bool ceiling_of(const struct queue_facts *queue, struct text resource, wide *ret_bound)
{
    const struct named_amount *most = find(&queue->capability, resource);

    *ret_bound = most == NULL ? 0 : most->amount;
    return most != NULL && !is_unset(most);
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

static bool beyond_above(const struct engine *e, struct sentence *say, uint32_t from,
                         const char *field, const struct named_amount *item)
{
    uint32_t above = ceiling_above(e, from, item->resource);

    return above != 0 && more_than(say, field, item->resource, item->amount, "spec.capability.",
                                   name_text(e, queue_at(e, above)->name),
                                   own_cell(e, above, item->resource)->own_ceiling);
}

static bool any_beyond(const struct engine *e, struct sentence *say, uint32_t from,
                       const char *field, const struct named_amounts *amounts)
{
    for (uint32_t i = 0; i < amounts->count; i++) {
        if (beyond_above(e, say, from, field, &amounts->item[i]))
            return true;
    }
    return false;
}

enum which { SHARES, GUARANTEES };

static wide own_amount(const struct cell *cell, enum which which)
{
    if (cell == NULL)
        return 0;
    return which == SHARES ? cell->own_share : cell->has_kept ? cell->own_kept : 0;
}

/* What the children of a queue have together, with `more` in place of what `but` has. */
static wide sum_below(const struct engine *e, uint32_t id, uint32_t but, struct text resource,
                      enum which which)
{
    wide sum = 0;

    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling)
        sum += child == but ? 0 : own_amount(own_cell(e, child, resource), which);
    return sum;
}

/* root sets nothing of its own; who sets no amount is bound by none. */
static bool sums_beyond(const struct engine *e, struct sentence *say, uint32_t parent, uint32_t id,
                        const struct named_amounts *amounts, enum which which)
{
    const char *field = which == SHARES ? "the sum of the children's spec.deserved."
                                        : "the sum of the children's spec.guarantee.resource.";
    const char *other = which == SHARES ? "spec.deserved." : "spec.guarantee.resource.";

    for (uint32_t i = 0; i < amounts->count && parent != e->queues.volcano_root; i++) {
        struct text resource = amounts->item[i].resource;
        wide bound = own_amount(own_cell(e, parent, resource), which);

        if (own_cell(e, parent, resource) != NULL && bound > 0 &&
            more_than(say, field, resource,
                      sum_below(e, parent, id, resource, which) + amounts->item[i].amount, other,
                      name_text(e, queue_at(e, parent)->name), bound))
            return true;
    }
    return false;
}

/* An edit must leave room for the children that are there. */
static bool below_children(const struct engine *e, struct sentence *say, uint32_t id,
                           const struct named_amounts *amounts, enum which which)
{
    const char *field = which == SHARES ? "the sum of the children's spec.deserved."
                                        : "the sum of the children's spec.guarantee.resource.";

    for (uint32_t i = 0; i < amounts->count && id != 0; i++) {
        struct text resource = amounts->item[i].resource;

        if (more_than(say, field, resource, sum_below(e, id, 0, resource, which),
                      which == SHARES ? "spec.deserved." : "spec.guarantee.resource.",
                      (struct text){"", 0}, amounts->item[i].amount))
            return true;
    }
    return false;
}

/* What bounds those below a queue, in one resource. */
struct most {
    struct text resource, queue; /* queue: "" is the one that is judged */
    wide amount;
};

static bool child_beyond(const struct engine *e, struct sentence *say, uint32_t id,
                         const char *field, wide amount, const struct most *bound)
{
    if (amount <= bound->amount)
        return false;
    sentence_str(say, "queue ");
    sentence_text(say, name_text(e, queue_at(e, id)->name));
    sentence_str(say, " is below it, whose ");
    return more_than(say, field, bound->resource, amount, "spec.capability.", bound->queue,
                     bound->amount);
}

/* Those below a queue that sets a capability itself are bound by that. Recursion is as deep as the
 * tree. */
static bool any_child_beyond(const struct engine *e, struct sentence *say, uint32_t id,
                             const struct most *bound)
{
    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        const struct cell *cell = own_cell(e, child, bound->resource);
        bool sets = cell != NULL && cell->has_ceiling;

        if (cell != NULL &&
            ((sets && child_beyond(e, say, child, "spec.capability.", cell->own_ceiling, bound)) ||
             child_beyond(e, say, child, "spec.deserved.", cell->own_share, bound) ||
             child_beyond(e, say, child, "spec.guarantee.resource.", own_amount(cell, GUARANTEES),
                          bound)))
            return true;
        if (!sets && any_child_beyond(e, say, child, bound))
            return true;
    }
    return false;
}

/* What bounds those below it: now (facts: NULL), or with the edit below this parent. */
static bool find_bound(const struct engine *e, const struct queue_facts *facts, uint32_t id,
                       uint32_t parent, struct most *bound)
{
    uint32_t above;

    bound->queue = (struct text){"", 0};
    if (facts != NULL && ceiling_of(facts, bound->resource, &bound->amount))
        return true;
    above = ceiling_above(e, facts == NULL ? id : parent, bound->resource);
    if (above == 0)
        return false;
    bound->queue = name_text(e, queue_at(e, above)->name);
    bound->amount = own_cell(e, above, bound->resource)->own_ceiling;
    return true;
}

/* An edit, or a move, must leave those below it within what bounds them then. What bounds them
 * already is not judged anew. A queue has a cell for whatever is named below it. */
static bool below_it_beyond(const struct engine *e, struct sentence *say,
                            const struct queue_facts *facts, uint32_t id, uint32_t parent)
{
    const struct queue *queue = id == 0 ? NULL : queue_at(e, id);

    if (queue == NULL || queue->first_child == 0)
        return false;
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        struct most before = {.resource = name_text(e, queue->cells[i].resource)};
        struct most then = {.resource = before.resource};

        if (!find_bound(e, facts, id, parent, &then))
            continue;
        if (find_bound(e, NULL, id, parent, &before) && then.amount >= before.amount)
            continue;
        if (any_child_beyond(e, say, id, &then))
            return true;
    }
    return false;
}

bool queue_amounts_contradict_tree(const struct engine *e, struct sentence *say,
                                   const struct queue_facts *queue, uint32_t id, uint32_t parent)
{
    return any_beyond(e, say, parent, "spec.capability.", &queue->capability) ||
           any_beyond(e, say, parent, "spec.deserved.", &queue->deserved) ||
           any_beyond(e, say, parent, "spec.guarantee.resource.", &queue->guarantee) ||
           sums_beyond(e, say, parent, id, &queue->guarantee, GUARANTEES) ||
           sums_beyond(e, say, parent, id, &queue->deserved, SHARES) ||
           below_children(e, say, id, &queue->guarantee, GUARANTEES) ||
           below_children(e, say, id, &queue->deserved, SHARES) ||
           below_it_beyond(e, say, queue, id, parent);
}

bool queue_amounts_lack_deserved(struct sentence *say, const struct queue_facts *queue)
{
    for (uint32_t i = 0; i < queue->guarantee.count; i++) {
        const struct named_amount *kept = &queue->guarantee.item[i];

        if (find(&queue->deserved, kept->resource) == NULL && kept->amount > 0) {
            more_than(say, "spec.guarantee.resource.", kept->resource, kept->amount,
                      "spec.deserved.", (struct text){"", 0}, 0);
            sentence_str(say, ": it is not set");
            return true;
        }
    }
    return false;
}
