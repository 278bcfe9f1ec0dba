/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/load_play.h"

#include "plugin/queue_spec.h"
#include "t/oracle/drive.h"

/* What it says of its quota, policies and place. */
static uint64_t spec_of(const struct load_shown *shown)
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

static void edit_queue(struct load_play *play, const struct step *step)
{
    int kind = (int)step->v[QUEUE_KIND], name = (int)step->v[QUEUE_NAME];
    struct load_shown *shown = &play->scenery.queues[kind][name], was = *shown;

    *shown = (struct load_shown){step->kind == STEP_QUEUE, *step};
    load_model_count(&play->model);
    if (kind == QUEUE_CLUSTER && spec_of(&was) != spec_of(shown))
        load_model_queue_edited(&play->model, QUEUE_NAMES + name);
}

bool load_play_drive_scenery(struct load_play *play, const struct step *step)
{
    struct load_scenery *scenery = &play->scenery;

    if (!load_play_call(play, call, step))
        return false;
    if (step->kind == STEP_QUEUE || step->kind == STEP_LOSE_QUEUE) {
        edit_queue(play, step);
    } else if (step->kind == STEP_FLAVOR || step->kind == STEP_LOSE_FLAVOR) {
        scenery->flavors[step->v[0]] = (struct load_shown){step->kind == STEP_FLAVOR, *step};
    } else if (step->kind == STEP_LOCAL || step->kind == STEP_LOSE_LOCAL) {
        scenery->locals[step->v[0]] = (struct load_shown){step->kind == STEP_LOCAL, *step};
        load_model_local(&play->model, (int)step->v[0]);
    } else {
        scenery->checks[step->v[0]] = (struct load_shown){step->kind == STEP_CHECK, *step};
    }
    return load_play_rest(play);
}

bool load_play_show_scenery(struct load_play *play)
{
    const struct load_scenery *scenery = &play->scenery;
    bool same = true;

    for (int n = 0; n < FLAVORS && same; n++)
        if (scenery->flavors[n].is)
            same = load_play_call(play, call, &scenery->flavors[n].step);
    for (int n = 0; n < CHECKS && same; n++)
        if (scenery->checks[n].is)
            same = load_play_call(play, call, &scenery->checks[n].step);
    for (int kind = 0; kind <= QUEUE_COHORT; kind++)
        for (int n = 0; n < QUEUE_NAMES && same; n++)
            if (scenery->queues[kind][n].is)
                same = load_play_call(play, call, &scenery->queues[kind][n].step);
    for (int n = 0; n < LOCALS && same; n++)
        if (scenery->locals[n].is)
            same = load_play_call(play, call, &scenery->locals[n].step);
    for (int n = 0; n < LOCALS; n++)
        load_model_local(&play->model, n);
    return same;
}
