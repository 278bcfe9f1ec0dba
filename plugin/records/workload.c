/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include "plugin/state.h"

static struct tree_link *peer_of(const void *ctx, uint32_t id)
{
    return &workload_at(ctx, id)->peer;
}

const struct tree_type workloads_by_rank = {peer_of, claim_compare_rank, NULL};
const struct tree_type workloads_that_hold = {claim_link, claim_compare_removal, NULL};

uint32_t workload_in_place(const struct engine *e, uint32_t number)
{
    const struct workload *workload = slab_at(&e->claims.workloads, number);

    return workload->claim;
}

uint32_t workload_next(const struct engine *e, uint32_t after)
{
    uint32_t place = after == 0 ? 0 : claim_at(e, after)->workload;

    return slab_step(&e->claims.workloads, &place) ? workload_in_place(e, place) : 0;
}

bool workload_holds(const struct engine *e, uint32_t id)
{
    return workload_is(workload_at(e, id), WORKLOAD_PLACED) && claim_holds(claim_at(e, id));
}

bool workload_is_idle(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);

    return !workload_is(workload, WORKLOAD_ACTIVE) || workload_is(workload, WORKLOAD_GATED_BY) ||
           local_queue_at(e, workload->local_queue)->stop != LIFE_RUNS;
}

bool workload_runs(const struct engine *e, uint32_t id)
{
    return workload_holds(e, id) && claim_at(e, id)->state == CLAIM_ALLOCATED;
}

bool workload_counts_later(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    return workload_holds(e, id)
               ? !claim_is_victim(claim) && !workload_is_leaving(workload_at(e, id))
               : claim_is_promised(claim);
}

bool workload_is_unheard(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);

    return workload_is(workload, WORKLOAD_ASSUMED) && claim_at(e, id)->effects.leased == 0 &&
           !workload_is(workload, WORKLOAD_AWAITS);
}

bool workload_must_give_way(const struct engine *e, uint32_t id)
{
    return claim_is_victim(claim_at(e, id)) && workload_is_unheard(e, id);
}

uint32_t workload_find(const struct engine *e, struct text space, struct text name)
{
    return claim_find_named(e, space, name, true);
}

wide workload_need_amount(const struct workload *workload, const struct demand *demand,
                          uint32_t set, uint32_t need)
{
    return (wide)demand->sets[set].needs[need].amount * workload->counts[set];
}
