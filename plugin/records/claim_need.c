/* SPDX-License-Identifier: Apache-2.0 */
#include "claim_need.h"

#include "plugin/state.h"

static bool need_of_workload(const struct engine *e, uint32_t id, uint32_t i,
                             struct claim_need *ret)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    uint32_t set = 0;

    if (i >= demand->need_count)
        return false;
    while (set + 1 < demand->set_count && demand->set_details[set + 1].at <= i)
        set++;
    ret->flavor = workload_flavors(workload, demand->set_count)[i];
    i -= demand->set_details[set].at;
    ret->resource = demand->sets[set].needs[i].resource;
    ret->amount = workload_need_amount(workload, demand, set, i);
    return true;
}

bool claim_need(const struct engine *e, uint32_t id, uint32_t i, struct claim_need *ret)
{
    const struct claim *claim;
    const struct line *line;

    if (claim_is_workload(e, id))
        return need_of_workload(e, id, i, ret);
    claim = claim_at(e, id);
    line = line_at(e, claim->line);
    if (i >= line_count(e, line))
        return false;
    ret->flavor = claim_flavors(claim)[i];
    ret->resource = line_resource(e, line, i);
    ret->amount = line_amount(e, line, i);
    return true;
}

/* With the pods that it holds, or with as few of them as it takes. */
static wide amount_of_workload(const struct engine *e, uint32_t id, uint16_t flavor,
                               uint32_t resource, bool least)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);
    wide sum = 0;

    for (uint32_t s = 0; s < demand->set_count; s++) {
        const struct assign_set *set = &demand->sets[s];
        bool fewer = least && set->minimum < workload->counts[s];

        for (uint32_t i = 0; i < set->need_count; i++) {
            if (set->needs[i].resource == resource &&
                flavors[demand->set_details[s].at + i] == flavor)
                sum += fewer ? (wide)set->needs[i].amount * set->minimum
                             : workload_need_amount(workload, demand, s, i);
        }
    }
    return sum;
}

wide claim_amount(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    const struct claim *claim;
    const struct line *line;
    wide sum = 0;

    if (claim_is_workload(e, id))
        return amount_of_workload(e, id, flavor, resource, false);
    claim = claim_at(e, id);
    line = line_at(e, claim->line);
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (line_resource(e, line, i) == resource && claim_flavors(claim)[i] == flavor)
            sum += line_amount(e, line, i);
    }
    return sum;
}

wide claim_least_amount(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    return claim_is_workload(e, id) ? amount_of_workload(e, id, flavor, resource, true)
                                    : claim_amount(e, id, flavor, resource);
}
