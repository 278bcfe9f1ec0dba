/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/limits.h"

#include <string.h>

/* Where a claim that was granted counts: where its stamp says, as long as that is so. */

bool model_names_place(const int64_t *pod)
{
    return pod[POD_STAMP] != 0 && pod[POD_GATES] == 0 && pod[POD_STAMPED_IN] > 0;
}

bool model_has_known_group(const struct model *model, const int64_t *pod)
{
    return pod[POD_GROUP] > 0 && model->groups[pod[POD_GROUP] - 1].seen;
}

/* Who lost its room while this engine led has lost that of its stamp. */
static int place_of_grant(const struct model *model, const struct model_claim *before,
                          const int64_t *pod)
{
    bool is_there = before->live || before->let_go;

    if (model_holds(before))
        return model_queue_of(before) + 1;
    if (is_there && model_grants(model) && pod[POD_NODE] == 0 && !before->restoring)
        return 0;
    return (int)pod[POD_STAMPED_IN];
}

/* The queue that it names by now has room for it, beside all that it still holds elsewhere. */
static bool may_move(const struct model *model, const struct model_claim *before,
                     const int64_t *pod)
{
    struct model_claim there = *before;
    struct limits limits;
    int flavors[RESOURCES], queue;

    memcpy(there.pod, pod, sizeof there.pod);
    there.place = there.group_queue = 0;
    there.group_bars = false;
    queue = model_queue_of(&there);
    if (!model_grants(model) || !model_holds(before) || queue == model_queue_of(before) ||
        model_stops(model, queue) != STOP_NOTHING)
        return false;
    limits_count(model, &limits);
    return limits_fit(model, &limits, &there, flavors);
}

int model_find_place(const struct model *model, const struct model_claim *before,
                     const int64_t *pod)
{
    if (!model_names_place(pod))
        return 0;
    if (pod[POD_GROUP] == 0)
        return may_move(model, before, pod) ? 0 : place_of_grant(model, before, pod);
    return pod[POD_NODE] == 0 || model_has_known_group(model, pod)
               ? 0
               : place_of_grant(model, before, pod);
}

void model_note_place(struct model_claim *claim)
{
    claim->stamp_is_wrong =
        model_names_place(claim->pod) && claim->pod[POD_STAMPED_IN] != model_queue_of(claim) + 1;
}

bool model_offers(const struct model *model, const struct model_claim *claim, int resource,
                  int flavor)
{
    int queue = model_queue_of(claim), group = model_group_of(model, queue, resource);
    int order[FLAVORS], count;

    if (model_kind(queue) == QUEUE_VOLCANO)
        return flavor == FLAVOR_DEFAULT;
    if (flavor < 0)
        return group < 0 && (resource == RESOURCES - 1 || model->config[CONFIG_UNDECLARED]);
    count = group < 0 ? 0 : world_group_order(model->queues[queue].spec, group, order);
    for (int n = 0; n < count; n++)
        if (order[n] == flavor)
            return true;
    return false;
}
