/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_play.h"

#include "plugin/state.h"

#include <string.h>

static const char *name_of(int number)
{
    return number < 0 ? "nobody" : workload_world_names[number];
}

static bool same_held(struct workload_play *play, int number, const struct workload_report *report)
{
    const struct model_workload *workload = &play->model.workloads[number];

    for (uint32_t at = 0; at < report->write.set_count; at++) {
        const struct workload_set_report *set = &report->write.sets[at];
        int s = workload_world_find_set(set->name);
        int flavors[RESOURCES] = {-1, -1, -1, -1};

        for (uint32_t i = 0; i < set->need_count; i++)
            flavors[world_find_resource(set->needs[i].resource)] =
                world_find_flavor(set->needs[i].flavor);
        if ((int)set->count != workload->held[s].count)
            return differ(play->difference, "%s holds %d pods of set %d, wanted %d",
                          name_of(number), (int)set->count, s, workload->held[s].count);
        for (int r = 0; r < RESOURCES; r++)
            if (workload->seen.sets[s].asks[r] > 0 && flavors[r] != workload->held[s].flavors[r])
                return differ(play->difference, "%s has %s of set %d in flavor %d, wanted %d",
                              name_of(number), world_resources[r], s, flavors[r],
                              workload->held[s].flavors[r]);
    }
    return true;
}

static const char *state_name(const struct model_workload *workload)
{
    static const char *const names[CLAIM_STATES] = {"held", "waiting", "reserved", "allocated"};

    return workload->over ? "finished" : names[workload->state];
}

static bool same_effect(struct workload_play *play, int number, uint32_t id)
{
    const struct model_workload *workload = &play->model.workloads[number];
    const struct claim *is = claim_at(play->engine, id);
    bool wanted =
        play->model.leads && play->model.synced && workload->write[0] != '\0' && !workload->awaits;

    if ((is->effects.leased != 0) != workload->leased)
        return differ(play->difference, "%s: a write is %sunder way", name_of(number),
                      workload->leased ? "not " : "");
    if ((is->effects.wanted != 0) != wanted)
        return differ(play->difference, "%s: %s is %sto be written", name_of(number),
                      workload->write, wanted ? "not " : "");
    return true;
}

static bool same_workload(struct workload_play *play, int number)
{
    static struct workload_report report; /* large */
    const struct model_workload *workload = &play->model.workloads[number];
    uint32_t id =
        workload_find(play->engine, text_of("space"), text_of(workload_world_names[number]));
    const struct claim *is;
    int of = -1;

    if ((id != 0) != workload->known)
        return differ(play->difference, "%s is %sthere", name_of(number), id != 0 ? "" : "not ");
    if (id == 0)
        return true;
    is = claim_at(play->engine, id);
    engine_report_workload(play->engine, id, true, &report);
    if (strcmp(report.state, state_name(workload)) != 0)
        return differ(play->difference, "%s is %s, wanted %s", name_of(number), report.state,
                      state_name(workload));
    if (workload_is(workload_at(play->engine, id), WORKLOAD_ASSUMED) != workload->assumed)
        return differ(play->difference, "%s is %sassumed", name_of(number),
                      workload->assumed ? "not " : "");
    if (claim_is_promised(is) != workload->promised)
        return differ(play->difference, "%s is %spromised room", name_of(number),
                      workload->promised ? "not " : "");
    if (claim_is_victim(is) != workload->victim)
        return differ(play->difference, "%s is %sa victim", name_of(number),
                      workload->victim ? "not " : "");
    if (report.is_victim)
        of = workload_world_find_uid(report.of.uid);
    if (workload->victim && of != workload->of)
        return differ(play->difference, "%s goes for %s, wanted %s", name_of(number), name_of(of),
                      name_of(workload->of));
    if ((workload_model_holds(workload) || workload->promised) && !same_held(play, number, &report))
        return false;
    if (strcmp(report.write.write, workload->write) != 0 &&
        (workload->write[0] != '\0' || is->effects.wanted != 0))
        return differ(play->difference, "%s: to be written is \"%s\", wanted \"%s\"",
                      name_of(number), report.write.write, workload->write);
    return same_effect(play, number, id);
}

static bool same_cell(struct workload_play *play, const struct naive_world *world, int node,
                      const struct cell *is)
{
    int flavor = world_find_flavor(flavor_name(play->engine, is->flavor));
    int resource = world_find_resource(name_text(play->engine, is->resource));
    wide now[NAIVE_NODES], later[NAIVE_NODES];
    const struct naive_quota *quota;

    if (flavor < 0 || flavor >= FLAVORS || resource < 0)
        return true;
    quota = &world->nodes[node].at[naive_cell(flavor, resource)];
    naive_count(world, naive_cell(flavor, resource), false, NULL, now);
    naive_count(world, naive_cell(flavor, resource), true, NULL, later);
    return (is->usage == now[node] && is->later == later[node] && is->share == quota->share &&
            is->kept == quota->kept) ||
           differ(play->difference,
                  "%s %s, %s of %s: usage %d, %d later, share %d, kept %d, wanted "
                  "%d, %d, %d, %d",
                  node < QUEUE_NAMES ? "cohort" : "queue", world_queues[node % QUEUE_NAMES],
                  world_resources[resource], world_flavors[flavor], (int)is->usage, (int)is->later,
                  (int)is->share, (int)is->kept, (int)now[node], (int)later[node],
                  (int)quota->share, (int)quota->kept);
}

static bool same_usage(struct workload_play *play, const struct naive_world *world, int node)
{
    uint32_t id = queue_find(play->engine, node < QUEUE_NAMES ? QUEUE_COHORT : QUEUE_CLUSTER,
                             text_of(world_queues[node % QUEUE_NAMES]));
    const struct queue *queue = id == 0 ? NULL : queue_at(play->engine, id);

    if (workload_model_shown(&play->model, node)->is && id == 0)
        return differ(play->difference, "queue %d is not there", node);
    for (uint32_t n = 0; queue != NULL && n < queue->cell_count; n++)
        if (!same_cell(play, world, node, &queue->cells[n]))
            return false;
    return true;
}

bool workload_compare(struct workload_play *play)
{
    const char *broken = engine_check(play->engine);
    struct naive_world world;

    if (broken != NULL)
        return differ(play->difference, "invariant: %s", broken);
    for (int n = 0; n < WORKLOADS; n++)
        if (!same_workload(play, n))
            return false;
    workload_model_fill_tables(&play->model, &world);
    for (int node = 0; node < WORKLOAD_NODES; node++)
        if (!same_usage(play, &world, node))
            return false;
    return true;
}
