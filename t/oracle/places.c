/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/limits.h"

#include <string.h>

/* Where a claim that was granted counts: where its stamp says, as long as that is so. */

bool model_names_place(const int64_t *pod)
{
    return (pod[POD_STAMP] != 0 || pod[POD_NODE] > 0) && pod[POD_GATES] == 0 &&
           pod[POD_STAMPED_IN] > 0;
}

/* It runs, or is about to: it stays, but for a queue that has room. */
static bool keeps_place(const struct model *model, const struct model_claim *claim, bool bound)
{
    return model_grants(model) && model_holds(claim) && (bound || claim->state == CLAIM_ALLOCATED);
}

static bool has_known_group(const struct model *model, const int64_t *pod)
{
    return pod[POD_GROUP] > 0 && model->groups[pod[POD_GROUP] - 1].seen;
}

/* Who lost its room while this engine led has lost that of its stamp. */
static int place_of_grant(const struct model *model, const struct model_claim *before,
                          const int64_t *pod)
{
    bool is_there = before->live || before->let_go;

    if (model_grants(model) && model_holds(before))
        return model_queue_of(before) + 1;
    if (is_there && model_grants(model) && pod[POD_NODE] == 0 && !before->restoring)
        return 0;
    return (int)pod[POD_STAMPED_IN];
}

/* The claim, if its pod said where it counts. */
static struct model_claim by_its_word(const struct model *model, const struct model_claim *claim,
                                      const int64_t *pod)
{
    struct model_claim there = *claim;

    memcpy(there.pod, pod, sizeof there.pod);
    there.place = 0;
    model_join_group(model, &there, pod);
    return there;
}

static bool may_move(const struct model *model, const struct model_claim *before,
                     const int64_t *pod)
{
    struct model_claim there = by_its_word(model, before, pod);
    struct limits limits;
    int flavors[RESOURCES], queue = model_queue_of(&there);

    there.place = queue + 1;
    if (!model_grants(model) || !model_holds(before) || queue == model_queue_of(before) ||
        model_is_not_selected(&there) || model_stops(model, queue) != STOP_NOTHING)
        return false;
    limits_count(model, &limits);
    return limits_fit(model, &limits, &there, flavors);
}

/* It takes room in a queue that it may not use, and was granted nowhere. */
static bool is_stray(const struct model *model, const struct model_claim *before,
                     const int64_t *pod, bool kept)
{
    struct model_claim there = by_its_word(model, before, pod), named = there;

    named.pod[POD_NODE] = 0; /* its own word */
    return pod[POD_NODE] > 0 && !model_names_place(pod) && model_is_not_selected(&there) &&
           (!kept || model_queue_of(&named) == model_queue_of(before));
}

int model_find_place(const struct model *model, const struct model_claim *before,
                     const int64_t *pod)
{
    bool grouped = pod[POD_GROUP] > 0, bound = pod[POD_NODE] > 0;
    bool goes = grouped ? has_known_group(model, pod) : true;

    if (is_stray(model, before, pod, keeps_place(model, before, bound)))
        return 0;
    if (keeps_place(model, before, bound))
        return goes && may_move(model, before, pod) ? 0 : model_queue_of(before) + 1;
    if (!model_names_place(pod) || (grouped && !bound))
        return 0;
    return !grouped && may_move(model, before, pod) ? 0 : place_of_grant(model, before, pod);
}

int model_find_place_in_group(const struct model *model, const struct model_claim *claim)
{
    const int64_t *pod = claim->pod;
    bool kept = keeps_place(model, claim, claim->bound);

    if (is_stray(model, claim, pod, kept))
        return 0;
    if (kept ? has_known_group(model, pod) && may_move(model, claim, pod)
             : !claim->bound || !model_names_place(pod))
        return 0;
    return model_queue_of(claim) + 1;
}

/* Whether its pod tells something else than where it counts. */
bool model_misleads(const struct model *model, const struct model_claim *claim)
{
    if (model_names_place(claim->pod))
        return claim->pod[POD_STAMPED_IN] != model_queue_of(claim) + 1;
    struct model_claim there = by_its_word(model, claim, claim->pod);

    return model_queue_of(&there) != model_queue_of(claim);
}

void model_note_place(const struct model *model, struct model_claim *claim)
{
    claim->stamp_is_wrong =
        (claim->bound || model_names_place(claim->pod)) && model_misleads(model, claim);
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
