/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/tap.h"
#include "t/oracle/mixed.h"

#include <string.h>

static const char *name_of(int n)
{
    if (n == MIXED_GANG)
        return "the group";
    return n < MIXED_PODS ? world_uids[n] : workload_world_names[n - MIXED_PODS];
}

/* A pod that asks for the same as one before it asks when that one is promised something. */
static bool asks_later(const struct mixed_claim claims[MIXED_CLAIMS], int n)
{
    for (int other = 0; other < MIXED_PODS && n < MIXED_PODS; other++)
        if (claims[other].waits && !claims[other].promised &&
            claims[other].queue == claims[n].queue &&
            mixed_ranks_before(&claims[other], &claims[n]) &&
            memcmp(claims[other].asks, claims[n].asks, sizeof(claims[n].asks)) == 0)
            return true;
    return false;
}

static bool fits(const struct naive_world *world, const struct mixed_claim *claim, int flavor)
{
    for (int r = 0; r < MIXED_RESOURCES; r++) {
        int cell = naive_cell(flavor, r);
        wide now[NAIVE_NODES], later[NAIVE_NODES];

        naive_count(world, cell, false, NULL, now);
        naive_count(world, cell, true, NULL, later);
        if (claim->asks[r] > 0 &&
            (claim->asks[r] > naive_room(world, cell, false, now, claim->queue) ||
             claim->asks[r] > naive_room(world, cell, true, later, claim->queue)))
            return false;
    }
    return true;
}

/* A queue whose policy takes nobody does not promise its pods what becomes free, either. */
static bool sends_away(const struct mixed *mixed, const struct mixed_claim *claim)
{
    const int64_t *policy = mixed->nodes[claim->queue].v;

    return policy[QUEUE_WITHIN] != PREEMPT_NEVER || policy[QUEUE_RECLAIM] != PREEMPT_NEVER;
}

static bool is_workload(int n)
{
    return n >= MIXED_PODS && n < MIXED_GANG;
}

/* Pods are granted in any flavor in which they fit; a workload goes into the best. */
static void look_at_waiting(struct mixed *mixed, const struct mixed_claim claims[MIXED_CLAIMS],
                            const struct naive_world *world, int n)
{
    struct naive_request request;
    struct naive_choice choice;

    if (!mixed_has_turn(mixed, claims, n))
        return;
    for (int flavor = 0; flavor < MIXED_FLAVORS && !is_workload(n); flavor++)
        if (fits(world, &claims[n], flavor))
            differ(mixed->broken, "%s waits, and fits in flavor %s", name_of(n),
                   world_flavors[flavor]);
    mixed_request(claims, n, &request);
    request.takes = is_workload(n) || (sends_away(mixed, &claims[n]) && !claims[n].yields);
    if (!asks_later(claims, n) && naive_choose(world, &request, &choice))
        differ(mixed->broken, "%s waits, and %s in flavor %s", name_of(n),
               choice.how == NAIVE_FITS ? "fits" : "would find victims",
               world_flavors[choice.made[0][0].flavor]);
}

/* What it is promised is in what is used later. */
static void look_at_promised(struct mixed *mixed, const struct mixed_claim *claim,
                             const struct naive_world *world, int n)
{
    for (int r = 0; r < MIXED_RESOURCES && claim->promised; r++) {
        int cell = naive_cell(claim->flavor, r);
        wide later[NAIVE_NODES];

        naive_count(world, cell, true, NULL, later);
        if (claim->asks[r] > 0 && naive_room(world, cell, true, later, claim->queue) < 0)
            differ(mixed->broken, "%s is promised room that will not be there", name_of(n));
    }
}

/* The victims of one that is promised room since this step. */
static void look_at_victims(struct mixed *mixed, const struct mixed_claim claims[MIXED_CLAIMS],
                            const struct naive_world *world, int asks)
{
    const int64_t *policy = mixed->nodes[claims[asks].queue].v;

    for (int n = 0; n < MIXED_CLAIMS; n++) {
        bool own = claims[n].queue == claims[asks].queue;

        if (claims[n].of == asks && !naive_takes(policy[own ? QUEUE_WITHIN : QUEUE_RECLAIM],
                                                 &world->claims[asks], &world->claims[n]))
            differ(mixed->broken, "%s goes for %s, whose policy does not let it", name_of(n),
                   name_of(asks));
    }
}

static void tell(const struct mixed_claim claims[MIXED_CLAIMS], const struct naive_world *world)
{
    for (int n = 0; n < MIXED_CLAIMS; n++) {
        const struct mixed_claim *claim = &claims[n];

        if (claim->is)
            tap_diag(
                "%s: queue %d priority %d since %lld asks %d %d%s%s%s%s, flavor %d, goes for %d",
                name_of(n), claim->queue, (int)claim->priority, (long long)claim->since,
                (int)claim->asks[0], (int)claim->asks[1], claim->waits ? ", waits" : "",
                claim->holds ? ", holds" : "", claim->promised ? ", promised" : "",
                claim->goes ? ", goes" : "", claim->flavor, claim->of);
    }
    for (int cell = 0; cell < naive_cell(MIXED_FLAVORS, 0); cell++) {
        wide now[NAIVE_NODES], later[NAIVE_NODES];

        naive_count(world, cell, false, NULL, now);
        naive_count(world, cell, true, NULL, later);
        for (int node = 0; node < MIXED_NODES && cell % RESOURCES < MIXED_RESOURCES; node++) {
            const struct naive_quota *quota = &world->nodes[node].at[cell];

            tap_diag("%s %s node %d below %d: share %d kept %d ceiling %d usage %d later %d%s",
                     world_flavors[cell / RESOURCES], world_resources[cell % RESOURCES], node,
                     world->nodes[node].parent, (int)quota->share, (int)quota->kept,
                     (int)quota->ceiling, (int)now[node], (int)later[node],
                     quota->bounded ? "" : " unbounded");
        }
    }
}

static bool is_at_rest(const struct mixed *mixed)
{
    return mixed->leads && mixed->synced && !engine_more(mixed->engine) && mixed->broken[0] == '\0';
}

void mixed_look(struct mixed *mixed)
{
    struct mixed_claim claims[MIXED_CLAIMS];
    const char *broken = engine_check(mixed->engine);
    struct naive_world world;

    if (broken != NULL)
        differ(mixed->broken, "%s", broken);
    mixed_read(mixed, claims);
    mixed_fill_tables(mixed, claims, &world);
    for (int n = 0; n < MIXED_CLAIMS && is_at_rest(mixed); n++) {
        look_at_waiting(mixed, claims, &world, n);
        look_at_promised(mixed, &claims[n], &world, n);
        if (claims[n].promised && !mixed->was_promised[n])
            look_at_victims(mixed, claims, &world, n);
        mixed->was_promised[n] = claims[n].promised;
    }
    if (mixed->trace && mixed->broken[0] != '\0')
        tell(claims, &world);
}
