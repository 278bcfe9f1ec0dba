/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

#include <string.h>

/* In which flavors a claim would be, were it its turn, and at whose cost. */

/* In a ClusterQueue. */
static void request_of(const struct model *model, int uid, struct naive_request *ret)
{
    const struct model_claim *claim = &model->claims[uid];

    *ret = (struct naive_request){.claim = uid,
                                  .takes = true,
                                  .undeclared = model->config[CONFIG_UNDECLARED] != 0,
                                  .sets = {{.count = 1, .minimum = 1}}};
    for (int r = 0; r < RESOURCES; r++)
        ret->sets[0].asks[r] = model_need(claim, r);
    for (int flavor = 0; flavor < FLAVORS; flavor++)
        ret->sets[0].may_have[flavor] = model_flavor_serves(model, claim, flavor);
}

static bool choose(const struct model *model, const struct naive_world *world, int uid,
                   struct naive_choice *ret)
{
    struct naive_request request;

    request_of(model, uid, &request);
    return naive_choose(world, &request, ret) && ret->how != NAIVE_FITS;
}

/* Volcano's queues have one flavor. */
static void take_default(const struct model *model, const struct naive_world *world, int uid,
                         struct naive_choice *ret)
{
    struct naive_wanted *wanted = &ret->wanted;

    wanted->count = 0;
    for (int r = 0; r < RESOURCES; r++) {
        wide need = model_need(&model->claims[uid], r);

        ret->made[0][r].flavor = need > 0 ? FLAVOR_DEFAULT : -1;
        if (need == 0)
            continue;
        wanted->cells[wanted->count] = naive_cell(FLAVOR_DEFAULT, r);
        wanted->amounts[wanted->count++] = need;
    }
    naive_hunt(world, uid, wanted, &ret->victims);
}

static bool default_could_ever(const struct model *model, const struct naive_world *world, int uid)
{
    const struct model_claim *claim = &model->claims[uid];
    const wide nothing[NAIVE_NODES] = {0};

    for (int r = 0; r < RESOURCES; r++)
        if (model_need(claim, r) >
            naive_room(world, naive_cell(FLAVOR_DEFAULT, r), false, nothing, model_queue_of(claim)))
            return false;
    return true;
}

bool model_could_ever(const struct model *model, const struct naive_world *world, int uid)
{
    struct naive_request request;

    if (model_kind(model_queue_of(&model->claims[uid])) == QUEUE_VOLCANO)
        return default_could_ever(model, world, uid);
    request_of(model, uid, &request);
    return naive_could_ever(world, &request);
}

bool model_find_victims(const struct model *model, int uid, int ret_flavors[RESOURCES],
                        bool ret_within[RESOURCES], struct naive_victims *ret_victims)
{
    bool volcano = model_kind(model_queue_of(&model->claims[uid])) == QUEUE_VOLCANO;
    struct naive_choice choice;
    struct naive_world world;

    model_fill_tables(model, &world);
    if (volcano)
        take_default(model, &world, uid, &choice);
    else if (!choose(model, &world, uid, &choice))
        return false;
    memset(ret_within, 0, RESOURCES * sizeof(*ret_within));
    for (int r = 0; r < RESOURCES; r++)
        ret_flavors[r] = choice.made[0][r].flavor;
    for (int i = 0; i < choice.wanted.count; i++)
        ret_within[choice.wanted.cells[i] % RESOURCES] = choice.victims.within[i];
    *ret_victims = choice.victims;
    return choice.victims.found;
}

static bool has_several_flavors(const int64_t *spec, int group)
{
    int order[FLAVORS];

    for (int r = 0; r < RESOURCES; r++)
        if (spec[QUEUE_GROUP + r] == group + 1)
            return world_group_order(spec, group, order) > 1;
    return false;
}

bool model_prefers_victims(const struct model *model, int queue)
{
    const int64_t *spec = model->queues[queue].spec;

    return model_evicts(model) && model_kind(queue) == QUEUE_CLUSTER &&
           model->queues[queue].known && (spec[QUEUE_WITHIN] || spec[QUEUE_RECLAIM]) &&
           (!spec[QUEUE_PREEMPTS_LAST] || spec[QUEUE_BORROWS_LEAST]) &&
           (has_several_flavors(spec, 0) || has_several_flavors(spec, 1));
}
