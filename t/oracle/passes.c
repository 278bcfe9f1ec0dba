/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/model.h"

bool model_is_stale(const struct model_claim *claim)
{
    return claim->state == CLAIM_RESERVED && claim->pod[POD_UNSCHEDULABLE] && claim->overwriting;
}

bool model_waits_for_others(const struct model_claim *claim)
{
    return claim->pod[POD_FOREIGN] || model_is_not_selected(claim);
}

bool model_advances(const struct model *model, const struct model_claim *claim)
{
    if (claim->state == CLAIM_RESERVED)
        return model_goes_on(model, claim) && !model_must_change_first(model, claim) &&
               !model_is_stale(claim);
    return claim->state == CLAIM_ALLOCATED;
}

bool model_passes(const struct model *model, const int64_t *pod)
{
    const struct model_claim *claim = &model->claims[pod[POD_UID]];

    if (claim->live)
        return model_advances(model, claim);
    if (model_outdated(model, pod) || model_is_old(claim, pod, false))
        return false;
    return pod[POD_FOREIGN] == 0 || model->config[CONFIG_REMOVAL] != REMOVE_ON_BIND;
}

bool model_passes_cycle(const struct model *model, int uid)
{
    return !model->claims[uid].live || model_advances(model, &model->claims[uid]);
}

void model_post_filter(struct model *model, int uid)
{
    model->claims[uid].lacks_node |=
        model->claims[uid].live && model->claims[uid].state == CLAIM_RESERVED;
}

void model_note_condition(struct model *model, struct model_claim *claim, bool newer)
{
    if (!claim->pod[POD_UNSCHEDULABLE] || newer)
        claim->overwriting = false;
    if (!claim->pod[POD_UNSCHEDULABLE] || model_is_stale(claim))
        return;
    if (!claim->pod[POD_NOMINATED])
        model_post_filter(model, (int)claim->pod[POD_UID]);
    /* Also without a node in the cluster: then the cycle ends before pre_filter. */
    claim->tried |= claim->state == CLAIM_RESERVED;
}

void model_reserve(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid];

    if (!claim->live || !model_passes_cycle(model, uid))
        return;
    claim->state = CLAIM_ALLOCATED;
    claim->lacks_node = claim->tried = false;
}

void model_pre_filter(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid];

    claim->tried |= claim->live && claim->state == CLAIM_RESERVED && model_passes_cycle(model, uid);
}
