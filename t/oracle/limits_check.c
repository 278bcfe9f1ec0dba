/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/limits.h"

/* As resource_node.go computes it. */
static wide kueue_available(const struct model *model, const struct limits *limits, int queue,
                            int cell)
{
    const struct number *number = &limits->at[queue][cell];
    int parent = model->queues[queue].parent;
    wide above;

    if (parent < 0)
        return number->bounded ? number->share - number->usage : NAIVE_UNLIMITED;
    above = kueue_available(model, limits, parent, cell);
    if (number->bounded) {
        wide stored_above = number->share - number->kept;
        wide used_above = wide_max(0, number->usage - number->kept);
        wide limit = number->ceiling - number->share;

        above = wide_min(stored_above - used_above + limit, above);
    }
    return wide_max(0, number->kept - number->usage) + above;
}

/* How much can be added to the leaf until some capability above is passed by what is used or
 * promised below it. */
static wide volcano_available(const struct model *model, const struct limits *limits, int queue,
                              int cell)
{
    wide room = NAIVE_UNLIMITED, free_below = 0;

    for (int at = queue; at >= 0; at = model->queues[at].parent) {
        const struct number *number = &limits->at[at][cell];
        wide children = number->promised - number->kept;

        if (number->bounded)
            room = wide_min(room, number->ceiling + children - number->effective + free_below);
        free_below += wide_max(0, number->promised - number->effective);
    }
    return room;
}

const char *limits_disagree(const struct model *model, const struct limits *limits)
{
    for (int queue = 0; queue < QUEUES; queue++)
        for (int cell = 0; cell < NAIVE_CELLS; cell++) {
            bool volcano = model_kind(queue) == QUEUE_VOLCANO;

            if (!limits_has(queue, cell) || (volcano && limits_in_debt(model, limits, queue, cell)))
                continue;
            if (wide_min(limits_room_at(model, limits, queue, cell, false), NAIVE_UNLIMITED / 2) !=
                wide_min(volcano ? volcano_available(model, limits, queue, cell)
                                 : kueue_available(model, limits, queue, cell),
                         NAIVE_UNLIMITED / 2))
                return volcano ? "the sum of max(used, guarantee) leaves other room"
                               : "Kueue's available is another";
        }
    return NULL;
}
