/* SPDX-License-Identifier: Apache-2.0 */
#include "first_fit.h"

#include "fit.h"
#include "plugin/order/turn.h"
#include "plugin/state.h"

uint32_t first_fit_unpromised(const struct engine *e, uint32_t id)
{
    while (id != 0 && claim_is_promised(claim_at(e, id)))
        id = line_next(e, id);
    return id;
}

struct search {
    struct headrooms rooms;
    uint32_t head; /* the first so far that fits */
    uint16_t *flavors;
    bool skips_promised; /* they would rather have what they are promised */
};

/* Nobody in the class (or those below it, too) fits if the least of a resource, that all of them
 * ask for, does not. */
static bool worth_a_look(struct headrooms *rooms, const struct size_class *class, bool those_below)
{
    for (uint32_t i = 0; i < class->count; i++) {
        int64_t least = those_below ? class->needs[i].least : class->needs[i].own;

        if (least > 0 && least > headrooms_for(rooms, class->needs[i].resource))
            return false;
    }
    return true;
}

/* The first of the head's line that may be granted what fits, if it comes before the one that was
 * found. Whether it is the head: then nobody behind it in the class's order comes before it. */
static bool take_if_fits(struct search *search, uint32_t head)
{
    const struct engine *e = search->rooms.e;
    uint32_t first = search->skips_promised ? first_fit_unpromised(e, head) : head;

    if (first == 0 || (search->head != 0 && claim_compare_rank(e, first, search->head) > 0) ||
        !headrooms_hold(&search->rooms, claim_at(e, head)->line, search->flavors))
        return false;
    search->head = first;
    return first == head;
}

/* Of one class, for a head before the one that was found. Recursion is as deep as a balanced tree.
 */
static bool search_heads(struct search *search, uint32_t id)
{
    const struct engine *e = search->rooms.e;
    const struct claim *head;

    if (id == 0)
        return false;
    head = claim_at(e, id);
    if (head->link.size > 1 && !headrooms_hold_least(&search->rooms, head->line))
        return false;
    if (search_heads(search, head->link.left))
        return true;
    if (search->head != 0 && claim_compare_rank(e, id, search->head) > 0)
        return false;
    return take_if_fits(search, id) || search_heads(search, head->link.right);
}

static void search_classes(struct search *search, uint32_t id)
{
    const struct engine *e = search->rooms.e;
    const struct size_class *class;

    if (id == 0)
        return;
    class = size_class_at(e, id);
    if (!worth_a_look(&search->rooms, class, true))
        return;
    search_classes(search, class->link.left);
    if (search->head != 0 && claim_compare_rank(e, class->head, search->head) > 0)
        return;
    if (worth_a_look(&search->rooms, class, false))
        search_heads(search, class->heads);
    search_classes(search, class->link.right);
}

static uint32_t search_queue(const struct engine *e, uint32_t queue, uint16_t *ret_flavors)
{
    struct search search;

    headrooms_init(&search.rooms, e, queue);
    search.head = 0;
    search.flavors = ret_flavors;
    search.skips_promised = cluster_queue_prefers_victims(e, queue);
    search_classes(&search, queue_at(e, queue)->size_classes);
    return search.head;
}

/* Of a queue that stops at its head. */
static uint32_t try_head(const struct engine *e, uint32_t queue, uint16_t *ret_flavors)
{
    uint32_t head = queue_at(e, queue)->head;

    if (head == 0 ||
        (claim_is_promised(claim_at(e, head)) && cluster_queue_prefers_victims(e, queue)))
        return 0;
    return fit_line(e, claim_at(e, head)->line, ret_flavors) ? head : 0;
}

uint32_t first_fit(const struct engine *e, uint32_t id, uint16_t *ret_flavors)
{
    const struct queue *queue = queue_at(e, id);

    if (turn_is_workloads(e, id))
        return 0;
    return queue->strict || queue->guarding ? try_head(e, id, ret_flavors)
                                            : search_queue(e, id, ret_flavors);
}
