/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_model.h"

#include <string.h>

/* Workloads as the naive searches have them, and what one would get. */

static bool asks_for(const struct workload_set *set, int resource)
{
    return set->count > 0 && set->asks[resource] > 0;
}

static void fill_node(const struct workload_model *model, int node, struct naive_node *ret)
{
    ret->parent = model->parents[node];
    ret->is_cohort = node < QUEUE_NAMES;
    ret->spares = workload_model_stop(model, node) == LIFE_HOLDS; /* nobody could come back */
    ret->policy = workload_model_shown(model, node)->step.v;
    memcpy(ret->at, model->quotas[node], sizeof(ret->at));
}

/* Of a strict queue only the first is asked. */
static bool asks(const struct workload_model *model, int number, int node)
{
    if (node < 0 || !workload_model_waits_in(model, number, node) ||
        model->workloads[number].promised || !workload_model_grants(model, node))
        return false;
    for (int n = 0; n < WORKLOADS; n++)
        if (workload_model_shown(model, node)->step.v[QUEUE_STRICT] && n != number &&
            workload_model_waits_in(model, n, node) &&
            workload_model_ranks_before(model, n, number))
            return false;
    return true;
}

static void fill_uses(const struct model_workload *workload, struct naive_claim *ret)
{
    for (int s = 0; s < WORKLOAD_SETS; s++)
        for (int r = 0; r < RESOURCES; r++) {
            const struct workload_set *set = &workload->seen.sets[s];
            int count = workload->held[s].count, flavor = workload->held[s].flavors[r];
            wide amount = asks_for(set, r) ? set->asks[r] : 0;
            int least = count < set->minimum ? count : set->minimum;

            if (flavor >= 0) {
                ret->uses[naive_cell(flavor, r)] += amount * count;
                ret->least[naive_cell(flavor, r)] += amount * least;
            }
            for (int f = 0; f < FLAVORS && ret->asks; f++)
                ret->least[naive_cell(f, r)] += amount * set->minimum;
        }
}

static void fill_claim(const struct workload_model *model, int number, struct naive_claim *ret)
{
    const struct model_workload *workload = &model->workloads[number];
    const struct workload_object *seen = &workload->seen;

    ret->node = workload_model_queue_of(model, number);
    ret->now = workload->known && workload_model_holds(workload);
    ret->later = workload->known && workload_model_holds_later(workload);
    ret->asks = asks(model, number, ret->node);
    ret->may_go = ret->now && ret->later;
    ret->rests = workload->rests_until > model->now / SECOND;
    ret->gang = -1;
    ret->rank = ret->gang_rank = (struct naive_rank){seen->priority, workload_model_since(seen)};
    ret->stamp = workload->stamp;
    ret->uid = workload_world_uid(number, seen->object);
    fill_uses(workload, ret);
}

static bool may_have(const struct workload_model *model, const struct workload_set *set, int flavor)
{
    const struct workload_shown *shown = &model->scenery->flavors[flavor];

    return shown->is && (!shown->step.v[FLAVOR_TAINTED] || set->tolerates) &&
           (set->selects < 0 || !shown->step.v[FLAVOR_LABELLED] || set->selects == flavor);
}

static void request_of(const struct workload_model *model, int number, struct naive_request *ret)
{
    *ret = (struct naive_request){.claim = number};
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        const struct workload_set *set = &model->workloads[number].seen.sets[s];

        ret->sets[s].count = set->count;
        ret->sets[s].minimum = set->minimum;
        memcpy(ret->sets[s].asks, set->asks, sizeof(set->asks));
        for (int flavor = 0; flavor < FLAVORS; flavor++)
            ret->sets[s].may_have[flavor] = may_have(model, set, flavor);
    }
}

void workload_model_fill_tables(const struct workload_model *model, struct naive_world *ret)
{
    naive_begin(ret, WORKLOAD_NODES, WORKLOADS);
    for (int node = 0; node < WORKLOAD_NODES; node++)
        fill_node(model, node, &ret->nodes[node]);
    for (int n = 0; n < WORKLOADS; n++) {
        struct naive_claim *claim = &ret->claims[n];
        struct naive_request request;

        fill_claim(model, n, claim);
        request_of(model, n, &request);
        claim->asks = claim->asks && naive_could_ever(ret, &request);
        for (int cell = 0; cell < NAIVE_CELLS && claim->node >= 0; cell++)
            ret->nodes[claim->node].at[cell].within |=
                claim->later && model->workloads[n].promised && model->workloads[n].within &&
                claim->uses[cell] > 0;
    }
}

bool workload_model_decide(const struct workload_model *model, int number, bool victims,
                           struct naive_choice *ret)
{
    struct naive_request request;
    struct naive_world world;

    request_of(model, number, &request);
    request.takes = victims && !model->workloads[number].seen.yields;
    workload_model_fill_tables(model, &world);
    return naive_choose(&world, &request, ret);
}
