/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

/* Pods and gangs as the naive searches have them. */

static void fill_node(const struct model *model, const struct limits *limits, int queue,
                      struct naive_node *ret)
{
    const struct model_queue *q = &model->queues[queue];
    bool volcano = model_kind(queue) == QUEUE_VOLCANO;

    ret->parent = q->parent;
    ret->is_cohort = model_kind(queue) == QUEUE_COHORT;
    ret->is_volcano = volcano;
    ret->spares = model_has_children(model, queue) || !q->known || model_spares(model, queue) ||
                  (volcano && q->spec[QUEUE_UNRECLAIMABLE]);
    ret->policy = q->spec;
    for (int cell = 0; cell < NAIVE_CELLS; cell++) {
        const struct number *number = &limits->at[queue][cell];

        ret->at[cell] = (struct naive_quota){.share = limits_share(queue, number),
                                             .kept = number->kept,
                                             .ceiling = number->ceiling,
                                             .bounded = number->bounded,
                                             .within = number->within,
                                             .nothing = volcano && !number->present};
    }
}

/* The group as which a pod asks: a gang, or one of Kubernetes' own, whose members wait as one. */
static int asks_within(const struct model *model, int uid)
{
    int group = (int)model->claims[uid].pod[POD_GROUP] - 1;
    bool together = model->claims[uid].live && group >= 0 && world_is_native(group) &&
                    model->groups[group].seen;

    return together ? group : model_gang_of(model, uid);
}

static struct naive_rank gang_rank(const struct model *model, int gang, struct naive_rank own)
{
    const int64_t *facts = model->groups[gang].facts;
    int64_t highest = own.priority;

    for (int uid = 0; uid < UIDS && world_is_native(gang); uid++)
        if (model_is_member(&model->claims[uid], gang) &&
            model->claims[uid].pod[POD_PRIORITY] > highest)
            highest = model->claims[uid].pod[POD_PRIORITY];
    return (struct naive_rank){facts[GROUP_PRIORITY] == UNSAID ? highest : facts[GROUP_PRIORITY],
                               facts[GROUP_CREATED]};
}

static void fill_claim(const struct model *model, int uid, struct naive_claim *ret)
{
    const struct model_claim *claim = &model->claims[uid];
    bool is_pod = uid < UIDS, holds = model_holds(claim), goes = model_goes(model, claim);

    ret->node = model_queue_of(claim);
    ret->now = holds;
    ret->later = claim->promise.made || (holds && !goes);
    ret->may_go = is_pod && holds && !goes && claim->managed && claim->victim.spared <= 0;
    ret->rests = model->now / SECOND < claim->rests_until;
    ret->gang = is_pod ? asks_within(model, uid) : uid - UIDS;
    ret->is_minimum = !is_pod;
    ret->rank = (struct naive_rank){claim->pod[POD_PRIORITY], claim->pod[POD_CREATED]};
    ret->gang_rank = is_pod && ret->gang >= 0 ? gang_rank(model, ret->gang, ret->rank) : ret->rank;
    ret->stamp = claim->stamp;
    ret->uid = is_pod ? world_uids[uid] : "";
    for (int r = 0; r < RESOURCES; r++) {
        int flavor = claim->promise.made ? claim->promise.flavor[r] : holds ? claim->flavor[r] : -1;

        if (flavor >= 0)
            ret->uses[naive_cell(flavor, r)] = ret->least[naive_cell(flavor, r)] =
                model_need(claim, r);
    }
}

/* Those that may be asked in a queue. */
static void note_asking(const struct model *model, int queue, struct naive_world *ret)
{
    int uids[MODEL_LOOK], count;

    if (model_stops(model, queue) != STOP_NOTHING || model_has_children(model, queue))
        return;
    count = model_find_asking(model, queue, uids);
    for (int n = 0; n < count; n++) {
        struct naive_claim *claim = &ret->claims[uids[n]];

        claim->asks = model_could_ever(model, ret, uids[n]);
        for (int cell = 0; cell < NAIVE_CELLS; cell++)
            claim->least[cell] = model_need(&model->claims[uids[n]], cell % RESOURCES);
    }
}

void model_fill_tables(const struct model *model, struct naive_world *ret)
{
    struct limits limits;

    naive_begin(ret, QUEUES, UIDS + GROUPS);
    limits_count(model, &limits);
    for (int uid = 0; uid < UIDS + GROUPS; uid++)
        fill_claim(model, uid, &ret->claims[uid]);
    for (int queue = 0; queue < QUEUES; queue++)
        fill_node(model, &limits, queue, &ret->nodes[queue]);
    for (int queue = 0; queue < QUEUES; queue++)
        note_asking(model, queue, ret);
    for (int group = 0; group < GROUPS; group++)
        ret->gangs[group].minimum = model_keeps(model, group);
    for (int uid = 0; uid < UIDS; uid++)
        if (model->finished[uid].live && model->finished[uid].pod[POD_GROUP] > 0)
            ret->gangs[model->finished[uid].pod[POD_GROUP] - 1].finished++;
}
