/* SPDX-License-Identifier: Apache-2.0 */
#include "holder.h"

#include "plugin/state.h"

uint32_t holder_queue(const struct engine *e, uint32_t holder)
{
    return holder_is_workload(holder) ? workload_queue(e, holder_workload(holder))
                                      : claim_queue(e, holder);
}

int32_t holder_priority(const struct engine *e, uint32_t holder)
{
    return holder_is_workload(holder) ? workload_at(e, holder_workload(holder))->priority
                                      : claim_at(e, holder)->priority;
}

uint32_t holder_group(const struct engine *e, uint32_t holder)
{
    return holder_is_workload(holder) ? 0 : claim_group(e, claim_at(e, holder));
}

static bool claim_yields(const struct engine *e, uint32_t claim)
{
    bool is_gang = (claim_at(e, claim)->flags & CLAIM_GANG) != 0;
    uint32_t id = is_gang ? group_at(e, claim_group(e, claim_at(e, claim)))->first : claim;

    if (is_gang && claim_at(e, claim)->timeouts > 0)
        return true;
    for (; id != 0; id = is_gang ? member_after(e, id) : 0) {
        if (claim_at(e, id)->flags & CLAIM_NEVER_PREEMPTS)
            return true;
    }
    return false;
}

bool holder_yields(const struct engine *e, uint32_t holder)
{
    return holder_is_workload(holder)
               ? demand_at(e, workload_at(e, holder_workload(holder))->demand)->yields
               : claim_yields(e, holder);
}

int64_t holder_since(const struct engine *e, uint32_t holder)
{
    return holder_is_workload(holder) ? workload_at(e, holder_workload(holder))->since
                                      : claim_at(e, holder)->created;
}

int64_t holder_stamp(const struct engine *e, uint32_t holder)
{
    return holder_is_workload(holder) ? workload_at(e, holder_workload(holder))->stamp
                                      : claim_at(e, holder)->stamp;
}

struct workload_name holder_name(const struct engine *e, uint32_t holder)
{
    if (holder_is_workload(holder)) {
        const struct workload *workload = workload_at(e, holder_workload(holder));

        return (struct workload_name){name_text(e, workload->uid), name_text(e, workload->space),
                                      name_text(e, workload->name)};
    }
    return (struct workload_name){claim_uid(e, holder), name_text(e, claim_at(e, holder)->space),
                                  claim_name(e, holder)};
}

/* Where a host gave one uid to several, pods go before workloads, and these by their names. */
static int compare_identity(const struct engine *e, uint32_t a, uint32_t b)
{
    struct workload_name x = holder_name(e, a), y = holder_name(e, b);
    int order = text_compare(x.uid, y.uid);

    if (order == 0)
        order = (int)holder_is_workload(a) - (int)holder_is_workload(b);
    if (order == 0)
        order = text_compare(x.space, y.space);
    return order != 0 ? order : text_compare(x.name, y.name);
}

int holder_compare(const struct engine *e, uint32_t a, uint32_t b)
{
    int32_t priority_a = holder_priority(e, a), priority_b = holder_priority(e, b);
    int64_t stamp_a = holder_stamp(e, a), stamp_b = holder_stamp(e, b);

    if (priority_a != priority_b)
        return priority_a < priority_b ? -1 : 1;
    if (stamp_a != stamp_b)
        return stamp_a > stamp_b ? -1 : 1;
    return a == b ? 0 : compare_identity(e, a, b);
}

static bool need_of_workload(const struct engine *e, uint32_t id, uint32_t i,
                             struct holder_need *ret)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    uint32_t set = 0;

    if (i >= demand->need_count)
        return false;
    while (set + 1 < demand->set_count && demand->sets[set + 1].at <= i)
        set++;
    ret->flavor = workload_flavors(workload, demand->set_count)[i];
    i -= demand->sets[set].at;
    ret->resource = demand->asks[set].needs[i].resource;
    ret->amount = workload_need_amount(workload, demand, set, i);
    return true;
}

bool holder_need(const struct engine *e, uint32_t holder, uint32_t i, struct holder_need *ret)
{
    const struct claim *claim;
    const struct line *line;

    if (holder_is_workload(holder))
        return need_of_workload(e, holder_workload(holder), i, ret);
    claim = claim_at(e, holder);
    line = line_at(e, claim->line);
    if (i >= line_count(e, line))
        return false;
    ret->flavor = claim_flavors(claim)[i];
    ret->resource = line_resource(e, line, i);
    ret->amount = line_amount(e, line, i);
    return true;
}

bool holder_is_promised(const struct engine *e, uint32_t holder)
{
    return holder_is_workload(holder)
               ? workload_is(workload_at(e, holder_workload(holder)), WORKLOAD_PROMISED)
               : (claim_at(e, holder)->flags & CLAIM_PROMISED) != 0;
}

bool holder_is_victim(const struct engine *e, uint32_t holder)
{
    return holder_is_workload(holder)
               ? workload_is(workload_at(e, holder_workload(holder)), WORKLOAD_VICTIM)
               : (claim_at(e, holder)->flags & CLAIM_VICTIM) != 0;
}

wide holder_amount(const struct engine *e, uint32_t holder, uint16_t flavor, uint32_t resource)
{
    const struct claim *claim;
    const struct line *line;
    wide sum = 0;

    if (holder_is_workload(holder))
        return workload_amount(e, holder_workload(holder), flavor, resource);
    claim = claim_at(e, holder);
    line = line_at(e, claim->line);
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (line_resource(e, line, i) == resource && claim_flavors(claim)[i] == flavor)
            sum += line_amount(e, line, i);
    }
    return sum;
}

wide holder_least_amount(const struct engine *e, uint32_t holder, uint16_t flavor,
                         uint32_t resource)
{
    return holder_is_workload(holder)
               ? workload_least_amount(e, holder_workload(holder), flavor, resource)
               : holder_amount(e, holder, flavor, resource);
}
