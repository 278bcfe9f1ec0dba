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
    struct answer answer;

    if (drive(play->engine, step, &answer) < 0)
        return load_play_differ(play, "an error from a call that has what it needs");
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
    struct answer answer;
    int error = 0;

    for (int n = 0; n < FLAVORS && error == 0; n++)
        if (scenery->flavors[n].is)
            error = drive(play->engine, &scenery->flavors[n].step, &answer);
    for (int n = 0; n < CHECKS && error == 0; n++)
        if (scenery->checks[n].is)
            error = drive(play->engine, &scenery->checks[n].step, &answer);
    for (int kind = 0; kind <= QUEUE_COHORT; kind++)
        for (int n = 0; n < QUEUE_NAMES && error == 0; n++)
            if (scenery->queues[kind][n].is)
                error = drive(play->engine, &scenery->queues[kind][n].step, &answer);
    for (int n = 0; n < LOCALS && error == 0; n++)
        if (scenery->locals[n].is)
            error = drive(play->engine, &scenery->locals[n].step, &answer);
    for (int n = 0; n < LOCALS; n++)
        load_model_local(&play->model, n);
    return error == 0 || load_play_differ(play, "an error from a call that has what it needs");
}
