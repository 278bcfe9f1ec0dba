/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/load_compare.h"

#include "plugin/state.h"

#include <string.h>

static const char *name_of(int number)
{
    return number < 0 ? "nobody" : load_world_name(number);
}

static bool same_held(struct load_play *play, int number, const struct load_report *report)
{
    const struct model_load *load = &play->model.loads[number];

    for (uint32_t at = 0; at < report->write.set_count; at++) {
        const struct load_set_report *set = &report->write.sets[at];
        int s = load_world_find_set(set->name);
        int flavors[RESOURCES] = {-1, -1, -1, -1};

        for (uint32_t i = 0; i < set->need_count; i++)
            flavors[world_find_resource(set->needs[i].resource)] =
                world_find_flavor(set->needs[i].flavor);
        if ((int)set->count != load->held[s].count)
            return load_play_differ(play, "%s holds %d pods of set %d, wanted %d", name_of(number),
                                    (int)set->count, s, load->held[s].count);
        for (int r = 0; r < RESOURCES; r++)
            if (load->seen.sets[s].asks[r] > 0 && flavors[r] != load->held[s].flavors[r])
                return load_play_differ(play, "%s has %s of set %d in flavor %d, wanted %d",
                                        name_of(number), world_resource(r), s, flavors[r],
                                        load->held[s].flavors[r]);
    }
    return true;
}

static const char *state_name(const struct model_load *load)
{
    static const char *const names[CLAIM_STATES] = {"held", "waiting", "reserved", "allocated"};

    return load->over ? "finished" : names[load->state];
}

static bool same_effect(struct load_play *play, int number, uint32_t id)
{
    const struct model_load *load = &play->model.loads[number];
    const struct load *is = load_at(play->engine, id);
    bool wanted =
        play->model.leads && play->model.synced && load->write[0] != '\0' && !load->awaits;

    if ((is->effects.leased != 0) != load->leased)
        return load_play_differ(play, "%s: a write is %sunder way", name_of(number),
                                load->leased ? "not " : "");
    if ((is->effects.wanted != 0) != wanted)
        return load_play_differ(play, "%s: %s is %sto be written", name_of(number), load->write,
                                wanted ? "not " : "");
    return true;
}

static bool same_load(struct load_play *play, int number)
{
    static struct load_report report; /* large */
    const struct model_load *load = &play->model.loads[number];
    uint32_t id = load_find(play->engine, text_of("space"), text_of(load_world_name(number)));
    const struct load *is;
    int of = -1;

    if ((id != 0) != load->known)
        return load_play_differ(play, "%s is %sthere", name_of(number), id != 0 ? "" : "not ");
    if (id == 0)
        return true;
    is = load_at(play->engine, id);
    engine_report_load(play->engine, id, true, &report);
    if (strcmp(report.state, state_name(load)) != 0)
        return load_play_differ(play, "%s is %s, wanted %s", name_of(number), report.state,
                                state_name(load));
    if (load_is(is, LOAD_ASSUMED) != load->assumed)
        return load_play_differ(play, "%s is %sassumed", name_of(number),
                                load->assumed ? "not " : "");
    if (load_is(is, LOAD_PROMISED) != load->promised)
        return load_play_differ(play, "%s is %spromised room", name_of(number),
                                load->promised ? "not " : "");
    if (load_is(is, LOAD_VICTIM) != load->victim)
        return load_play_differ(play, "%s is %sa victim", name_of(number),
                                load->victim ? "not " : "");
    if (report.is_victim)
        of = load_world_find_uid(report.of.uid);
    if (load->victim && of != load->of)
        return load_play_differ(play, "%s goes for %s, wanted %s", name_of(number), name_of(of),
                                name_of(load->of));
    if ((load_model_holds(load) || load->promised) && !same_held(play, number, &report))
        return false;
    if (strcmp(report.write.write, load->write) != 0 &&
        (load->write[0] != '\0' || is->effects.wanted != 0))
        return load_play_differ(play, "%s: to be written is \"%s\", wanted \"%s\"", name_of(number),
                                report.write.write, load->write);
    return same_effect(play, number, id);
}

static bool same_cell(struct load_play *play, int node, const struct cell *is)
{
    const struct load_model *model = &play->model;
    const struct load_cell cell = {world_find_flavor(flavor_name(play->engine, is->flavor)),
                                   world_find_resource(name_text(play->engine, is->resource))};
    wide usage, later;

    if (cell.flavor < 0 || cell.flavor >= FLAVORS || cell.resource < 0)
        return true;
    usage = load_model_usage(model, node, cell, false);
    later = load_model_usage(model, node, cell, true);
    return (is->usage == usage && is->later == later &&
            is->share == load_model_share(model, node, cell) &&
            is->kept == load_model_kept(model, node, cell)) ||
           load_play_differ(
               play,
               "%s %s, %s of %s: usage %d, %d later, share %d, kept %d, wanted "
               "%d, %d, %d, %d",
               node < QUEUE_NAMES ? "cohort" : "queue", world_queue(node % QUEUE_NAMES),
               world_resource(cell.resource), world_flavor(cell.flavor), (int)is->usage,
               (int)is->later, (int)is->share, (int)is->kept, (int)usage, (int)later,
               (int)load_model_share(model, node, cell), (int)load_model_kept(model, node, cell));
}

static bool same_usage(struct load_play *play, int node)
{
    uint32_t id = queue_find(play->engine, node < QUEUE_NAMES ? QUEUE_COHORT : QUEUE_CLUSTER,
                             text_of(world_queue(node % QUEUE_NAMES)));
    const struct queue *queue = id == 0 ? NULL : queue_at(play->engine, id);

    if (load_model_shown(&play->model, node)->is && id == 0)
        return load_play_differ(play, "queue %d is not there", node);
    for (uint32_t n = 0; queue != NULL && n < queue->cell_count; n++)
        if (!same_cell(play, node, &queue->cells[n]))
            return false;
    return true;
}

bool load_compare(struct load_play *play)
{
    const char *broken = engine_check(play->engine);

    if (broken != NULL)
        return load_play_differ(play, "invariant: %s", broken);
    for (int n = 0; n < LOADS; n++)
        if (!same_load(play, n))
            return false;
    for (int node = 0; node < LOAD_NODES; node++)
        if (!same_usage(play, node))
            return false;
    return true;
}
