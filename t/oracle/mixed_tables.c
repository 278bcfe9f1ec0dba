/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/mixed.h"

#include "plugin/grant/assign.h"
#include "plugin/records/claim_need.h"
#include "plugin/claims/rest.h"
#include "plugin/state.h"

#include <string.h>

static int node_of(const struct engine *e, uint32_t queue)
{
    int name = queue == 0 ? -1 : world_find_queue(name_text(e, queue_at(e, queue)->name));

    return name < NAME_FIRST ? -1 : name - NAME_FIRST;
}

/* The number of a claim; -1: nobody. */
static int number_of(const struct engine *e, uint32_t claim)
{
    if (claim == 0)
        return -1;
    if ((claim_at(e, claim)->flags & CLAIM_GANG) != 0)
        return MIXED_GANG;
    return claim_is_workload(e, claim)
               ? MIXED_PODS + workload_world_find(claim_full_name(e, claim).name)
               : world_find_uid(claim_uid(e, claim));
}

static void read_promise(const struct engine *e, uint32_t id, struct mixed_claim *ret)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);

    ret->promised = claim_is_promised(claim);
    ret->within = ret->promised && pledge_at(e, id)->promise.within != 0;
    ret->rests = rest_holds(e, id);
    ret->yields = claim_yields(e, id);
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        uint16_t flavor = claim_flavors(claim)[i];

        if (flavor != 0 && flavor != FLAVOR_NONE)
            ret->flavor = world_find_flavor(flavor_name(e, flavor));
    }
}

static void read_pod(const struct mixed *mixed, int n, struct mixed_claim *ret)
{
    const struct engine *e = mixed->engine;
    const struct mixed_pod *pod = &mixed->pods[n];
    uint32_t id = claim_find(e, text_of(world_uids[n]));
    const struct claim *claim = id == 0 ? NULL : claim_at(e, id);

    if (id == 0)
        return;
    ret->is = true;
    ret->queue = node_of(e, claim_queue(e, id));
    ret->waits = claim->state == CLAIM_WAITING && !claim_waits_in_gang(claim);
    ret->holds = claim_holds(claim);
    ret->goes = claim_goes(claim);
    ret->may_go = ret->holds && !ret->goes && (claim->flags & CLAIM_SPARED) == 0;
    ret->priority = pod->priority;
    ret->since = pod->created;
    ret->stamp = claim->stamp;
    ret->of = (claim->flags & CLAIM_VICTIM) != 0 ? number_of(e, pledge_at(e, id)->of) : -1;
    ret->uid = world_uids[n];
    memcpy(ret->asks, pod->asks, sizeof(ret->asks));
    read_promise(e, id, ret);
}

/* All members that have no room wait as one. */
static void read_gang(const struct mixed *mixed, struct mixed_claim *ret)
{
    const struct engine *e = mixed->engine;
    uint32_t id =
        engine_find_group(e, GROUP_NATIVE, text_of("space"), text_of(world_groups[MIXED_NATIVE]));
    uint32_t entry = id == 0 ? 0 : group_at(e, id)->entry;

    if (entry == 0 || claim_at(e, entry)->state != CLAIM_WAITING)
        return;
    ret->is = ret->waits = true;
    ret->queue = node_of(e, claim_queue(e, entry));
    ret->since = mixed->group.created;
    ret->uid = "";
    ret->priority = INT32_MIN;
    for (int n = 0; n < MIXED_PODS; n++) {
        const struct mixed_pod *pod = &mixed->pods[n];
        uint32_t member = claim_find(e, text_of(world_uids[n]));

        if (!pod->member || member == 0 || claim_holds(claim_at(e, member)))
            continue;
        if (pod->priority > ret->priority)
            ret->priority = pod->priority;
        for (int r = 0; r < MIXED_RESOURCES; r++)
            ret->asks[r] += pod->asks[r];
    }
    if (mixed->group.priority != UNSAID)
        ret->priority = (int32_t)mixed->group.priority;
    read_promise(e, entry, ret);
}

static void read_workload(const struct mixed *mixed, int n, struct mixed_claim *ret)
{
    const struct engine *e = mixed->engine;
    const struct workload_object *object = &mixed->world.objects[n];
    uint32_t id = workload_find(e, text_of("space"), text_of(workload_world_names[n]));
    const struct workload *workload = id == 0 ? NULL : workload_at(e, id);
    const struct demand *demand = id == 0 ? NULL : demand_at(e, workload->demand);

    if (id == 0 || !workload_is(workload, WORKLOAD_PLACED))
        return;
    ret->is = true;
    ret->queue = node_of(e, claim_queue(e, id));
    ret->waits = claim_at(e, id)->state == CLAIM_WAITING;
    ret->holds = workload_holds(e, id);
    ret->goes = ret->holds && !workload_counts_later(e, id);
    ret->promised = claim_is_promised(claim_at(e, id));
    ret->within = ret->promised && pledge_at(e, id)->promise.within != 0;
    ret->may_go = ret->holds && !ret->goes;
    ret->rests = rest_holds(e, id);
    ret->priority = claim_at(e, id)->priority;
    ret->since = claim_at(e, id)->queued;
    ret->stamp = claim_at(e, id)->stamp;
    ret->of = number_of(e, pledge_at(e, id)->of);
    ret->uid = workload_world_uid(n, object->object);
    for (uint32_t i = 0; i < demand->sets[0].need_count; i++) {
        const struct request *need = &demand->sets[0].needs[i];
        uint16_t flavor =
            workload_flavors(workload, demand->set_count)[demand->set_details[0].at + i];
        int r = world_find_resource(name_text(e, need->resource));

        if (r < MIXED_RESOURCES)
            ret->asks[r] = need->amount * demand->sets[0].count;
        if (flavor != 0 && flavor != FLAVOR_NONE)
            ret->flavor = world_find_flavor(flavor_name(e, flavor));
    }
}

void mixed_read(const struct mixed *mixed, struct mixed_claim ret[MIXED_CLAIMS])
{
    memset(ret, 0, MIXED_CLAIMS * sizeof(*ret));
    for (int n = 0; n < MIXED_CLAIMS; n++) {
        ret[n].of = ret[n].queue = ret[n].flavor = -1;
        if (n < MIXED_PODS)
            read_pod(mixed, n, &ret[n]);
        else if (n == MIXED_GANG)
            read_gang(mixed, &ret[n]);
        else
            read_workload(mixed, n - MIXED_PODS, &ret[n]);
    }
}

bool mixed_ranks_before(const struct mixed_claim *a, const struct mixed_claim *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->since != b->since ? a->since < b->since : strcmp(a->uid, b->uid) < 0;
}

/* Of a strict queue only the first is asked, and nobody behind one that is promised room. */
bool mixed_has_turn(const struct mixed *mixed, const struct mixed_claim claims[MIXED_CLAIMS], int n)
{
    const struct mixed_claim *claim = &claims[n];

    if (!claim->waits || claim->promised || claim->queue < 0 ||
        mixed->nodes[claim->queue].v[QUEUE_STOP] != 0)
        return false;
    for (int other = 0; other < MIXED_CLAIMS; other++)
        if (mixed->nodes[claim->queue].v[QUEUE_STRICT] && claims[other].waits &&
            claims[other].queue == claim->queue && mixed_ranks_before(&claims[other], claim))
            return false;
    return true;
}

static wide said(const struct mixed *mixed, int node, int field, int cell)
{
    return mixed->nodes[node].v[field + cell];
}

/* Its children come first. */
static void fill_node(const struct mixed *mixed, int node, struct naive_world *ret)
{
    const int64_t *v = mixed->nodes[node].v;
    struct naive_node *to = &ret->nodes[node];

    to->parent = v[QUEUE_PARENT] == 0 ? -1 : (int)v[QUEUE_PARENT] - 1 - NAME_FIRST;
    to->is_cohort = node < MIXED_COHORTS;
    to->spares = v[QUEUE_STOP] == 1;
    to->policy = v;
    for (int cell = 0; cell < naive_cell(MIXED_FLAVORS, 0); cell++) {
        struct naive_quota *quota = &to->at[cell];

        if (cell % RESOURCES >= MIXED_RESOURCES)
            continue;
        quota->share += wide_max(0, said(mixed, node, QUEUE_NOMINAL, cell));
        if (said(mixed, node, QUEUE_LENDING, cell) != UNSAID)
            quota->kept = wide_max(0, quota->share - said(mixed, node, QUEUE_LENDING, cell));
        quota->bounded = to->parent < 0 || said(mixed, node, QUEUE_BORROWING, cell) != UNSAID;
        quota->ceiling =
            quota->share + (to->parent < 0 ? 0 : said(mixed, node, QUEUE_BORROWING, cell));
        if (to->parent >= 0)
            ret->nodes[to->parent].at[cell].share += quota->share - quota->kept;
    }
}

/* The group's members go one by one only as long as the minimum stays. */
static void fill_gang(const struct mixed *mixed, const struct mixed_claim claims[MIXED_CLAIMS],
                      struct naive_world *ret)
{
    const struct mixed_group *group = &mixed->group;
    int64_t hold = 0, highest = INT32_MIN;

    for (int n = 0; n < MIXED_PODS; n++)
        if (mixed->pods[n].member && claims[n].is && claims[n].priority > highest)
            highest = claims[n].priority;
    for (int n = 0; n < MIXED_PODS; n++) {
        struct naive_claim *claim = &ret->claims[n];

        if (!mixed->pods[n].member || !claims[n].is)
            continue;
        hold += claims[n].holds;
        if (!group->is)
            continue;
        claim->gang = 0;
        claim->gang_rank.since = group->created;
        claim->gang_rank.priority = group->priority != UNSAID ? group->priority : highest;
    }
    ret->gangs[0].minimum = group->whole ? hold : group->minimum;
    ret->claims[MIXED_GANG].gang = 0;
    ret->claims[MIXED_GANG].is_minimum = true;
}

static void fill_claim(const struct mixed_claim *claim, bool asks, struct naive_claim *ret)
{
    ret->node = claim->queue;
    ret->now = claim->holds;
    ret->later = claim->holds ? !claim->goes : claim->promised;
    ret->asks = asks;
    ret->may_go = claim->may_go;
    ret->rests = claim->rests;
    ret->gang = -1;
    ret->rank = ret->gang_rank = (struct naive_rank){claim->priority, claim->since};
    ret->stamp = claim->stamp;
    ret->uid = claim->uid;
    for (int cell = 0; cell < naive_cell(MIXED_FLAVORS, 0); cell++) {
        int r = cell % RESOURCES;
        wide amount = r < MIXED_RESOURCES ? claim->asks[r] : 0;

        if (cell / RESOURCES == claim->flavor)
            ret->uses[cell] = amount;
        if (cell / RESOURCES == claim->flavor || asks)
            ret->least[cell] = amount;
    }
}

void mixed_request(const struct mixed_claim claims[MIXED_CLAIMS], int n, struct naive_request *ret)
{
    *ret = (struct naive_request){.claim = n,
                                  .sets = {{.count = 1, .minimum = 1, .may_have = {true, true}}}};
    memcpy(ret->sets[0].asks, claims[n].asks, sizeof(claims[n].asks));
}

void mixed_fill_tables(const struct mixed *mixed, const struct mixed_claim claims[MIXED_CLAIMS],
                       struct naive_world *ret)
{
    naive_begin(ret, MIXED_NODES, MIXED_CLAIMS);
    for (int node = MIXED_NODES - 1; node >= 0; node--)
        fill_node(mixed, node, ret);
    for (int n = 0; n < MIXED_CLAIMS; n++) {
        struct naive_claim *claim = &ret->claims[n];
        struct naive_request request;

        fill_claim(&claims[n], mixed_has_turn(mixed, claims, n), claim);
        mixed_request(claims, n, &request);
        claim->asks = claim->asks && naive_could_ever(ret, &request);
        for (int cell = 0; cell < NAIVE_CELLS && claims[n].promised && claims[n].within; cell++)
            ret->nodes[claims[n].queue].at[cell].within |= claim->uses[cell] > 0;
    }
    fill_gang(mixed, claims, ret);
}
