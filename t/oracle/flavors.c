/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/model.h"

/* Which flavors a claim is in, where no grant of this engine says it. */

/* A pod without a gate cannot be made to ask for a kind of node any more. */
bool model_flavor_serves(const struct model *model, const struct model_claim *claim, int flavor)
{
    return model->flavors[flavor].seen &&
           (claim->pod[POD_GATES] != 0 || !model->flavors[flavor].asks);
}

static bool node_has(const struct model *model, int node, int flavor)
{
    if (node < 0 || !model->nodes[node].seen || !model->flavors[flavor].seen)
        return false;
    return !model->flavors[flavor].facts[FLAVOR_LABELLED] ||
           model->nodes[node].facts[NODE_LABEL] == flavor + 1;
}

void model_forget_flavors(struct model_claim *claim)
{
    claim->kept = false;
    for (int r = 0; r < RESOURCES; r++)
        claim->flavor[r] = -1;
}

/* The flavor of a resource, where nothing is written down: the first of its group that the pod's
 * node has, or that a pod without a node could be granted; or else the first. */
static int guess_flavor(const struct model *model, const struct model_claim *claim, int resource)
{
    int queue = model_queue_of(claim), order[FLAVORS], count, guess;
    int group = model_group_of(model, queue, resource);

    if (model_kind(queue) == QUEUE_VOLCANO)
        return FLAVOR_DEFAULT;
    if (group < 0)
        return -1;
    count = world_group_order(model->queues[queue].spec, group, order);
    guess = order[0];
    for (int n = count - 1; n >= 0; n--)
        if (claim->pod[POD_NODE] > 0 ? node_has(model, (int)claim->pod[POD_NODE] - 1, order[n])
                                     : model_flavor_serves(model, claim, order[n]))
            guess = order[n];
    return guess;
}

static bool has_stamped_flavors(const struct model_claim *claim)
{
    for (int r = 0; r < RESOURCES; r++)
        if (claim->pod[POD_STAMPED + r] > 0)
            return model_kind(model_queue_of(claim)) != QUEUE_VOLCANO;
    return false;
}

void model_read_stamp(struct model_claim *claim)
{
    if (!has_stamped_flavors(claim))
        return;
    claim->kept = false;
    for (int r = 0; r < RESOURCES; r++) {
        claim->flavor[r] = model_need(claim, r) > 0 ? (int)claim->pod[POD_STAMPED + r] - 1 : -1;
        claim->kept |= claim->flavor[r] >= 0; /* else it says nothing of what is asked for */
    }
}

void model_guess_flavors(struct model *model, struct model_claim *claim)
{
    for (int r = 0; r < RESOURCES; r++)
        if (model_need(claim, r) > 0 && (claim->guessed || claim->flavor[r] < 0))
            claim->flavor[r] = guess_flavor(model, claim, r);
}

void model_guess_again(struct model *model)
{
    for (int uid = 0; uid < UIDS; uid++)
        if (model->claims[uid].live && model->claims[uid].state == CLAIM_ALLOCATED)
            model_guess_flavors(model, &model->claims[uid]);
}

bool model_must_change_first(const struct model *model, const struct model_claim *claim)
{
    for (int r = 0; r < RESOURCES; r++) {
        int flavor = model_need(claim, r) > 0 ? claim->flavor[r] : -1;

        if (flavor >= 0 && flavor != FLAVOR_DEFAULT && claim->pod[POD_GATES] &&
            model->flavors[flavor].seen && model->flavors[flavor].facts[FLAVOR_TOLERATED])
            return true;
    }
    return false;
}
