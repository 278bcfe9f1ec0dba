/* SPDX-License-Identifier: Apache-2.0 */
#include "asking.h"

#include "plugin/order/first_fit.h"
#include "plugin/order/turn.h"
#include "plugin/state.h"

static void add_asking(const struct engine *e, struct asking *asking, uint32_t claim)
{
    uint32_t at = asking->count;

    if (claim == 0 ||
        (at == ASKING_MOST && claim_compare_rank(e, claim, asking->claims[ASKING_MOST - 1]) > 0))
        return;
    at = at < ASKING_MOST ? at : ASKING_MOST - 1;
    for (; at > 0 && claim_compare_rank(e, claim, asking->claims[at - 1]) < 0; at--)
        asking->claims[at] = asking->claims[at - 1];
    asking->claims[at] = claim;
    asking->count += asking->count < ASKING_MOST;
}

/* The first lines of the first classes: whoever comes behind those is not among the first. */
void asking_find(const struct engine *e, uint32_t id, struct asking *ret)
{
    const struct queue *queue = queue_at(e, id);
    uint32_t head = queue->head, classes = 0;

    ret->count = 0;
    if (head == 0 || turn_is_workloads(e, id))
        return;
    if (queue->strict || queue->guarding) {
        if (!claim_is_promised(claim_at(e, head)))
            ret->claims[ret->count++] = head;
        return;
    }
    for (uint32_t class = tree_first(&size_classes_by_head, e, queue->size_classes);
         class != 0 && classes < ASKING_MOST;
         class = tree_next(&size_classes_by_head, e, class), classes++) {
        uint32_t lines = 0;

        for (uint32_t at = size_class_at(e, class)->head; at != 0 && lines < ASKING_MOST;
             at = tree_next(&heads_by_rank, e, at), lines++)
            add_asking(e, ret, first_fit_unpromised(e, at));
    }
}
