/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_play.h"

#include "plugin/queues/queue_spec.h"
#include "t/oracle/drive.h"

/* What it says of its quota, policies and place. */
static uint64_t spec_of(const struct workload_shown *shown)
{
    struct queue_view view;

    world_queue_facts(shown->step.v, &view);
    return shown->is ? queue_spec(&view.facts) : 0;
}

static int call(struct engine **engine, const void *ctx)
{
    struct answer answer;

    return drive(*engine, ctx, &answer);
}

static void edit_queue(struct workload_play *play, const struct step *step)
{
    int kind = (int)step->v[QUEUE_KIND], name = (int)step->v[QUEUE_NAME];
    struct workload_shown *shown = &play->scenery.queues[kind][name], was = *shown;

    *shown = (struct workload_shown){step->kind == STEP_QUEUE, *step};
    workload_model_count(&play->model);
    if (kind == QUEUE_CLUSTER && spec_of(&was) != spec_of(shown))
        workload_model_queue_edited(&play->model, QUEUE_NAMES + name);
}

bool workload_play_drive_scenery(struct workload_play *play, const struct step *step)
{
    struct workload_scenery *scenery = &play->scenery;

    if (!workload_play_call(play, call, step))
        return false;
    if (step->kind == STEP_QUEUE || step->kind == STEP_LOSE_QUEUE) {
        edit_queue(play, step);
    } else if (step->kind == STEP_FLAVOR || step->kind == STEP_LOSE_FLAVOR) {
        scenery->flavors[step->v[0]] = (struct workload_shown){step->kind == STEP_FLAVOR, *step};
    } else if (step->kind == STEP_LOCAL || step->kind == STEP_LOSE_LOCAL) {
        scenery->locals[step->v[0]] = (struct workload_shown){step->kind == STEP_LOCAL, *step};
        workload_model_local(&play->model, (int)step->v[0]);
    } else {
        scenery->checks[step->v[0]] = (struct workload_shown){step->kind == STEP_CHECK, *step};
    }
    return workload_play_rest(play);
}

static bool show_those(struct workload_play *play, const struct workload_shown *shown, int count)
{
    for (int n = 0; n < count; n++)
        if (shown[n].is && !workload_play_call(play, call, &shown[n].step))
            return false;
    return true;
}

bool workload_play_show_scenery(struct workload_play *play)
{
    const struct workload_scenery *scenery = &play->scenery;
    bool same =
        show_those(play, scenery->flavors, FLAVORS) && show_those(play, scenery->checks, CHECKS);

    for (int kind = 0; kind <= QUEUE_COHORT; kind++)
        same = same && show_those(play, scenery->queues[kind], QUEUE_NAMES);
    same = same && show_those(play, scenery->locals, LOCALS);
    for (int n = 0; n < LOCALS; n++)
        workload_model_local(&play->model, n);
    return same;
}
