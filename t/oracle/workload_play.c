/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_play.h"

#include "plugin/base/outbox.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TICKS = 1000, MOST_ROUNDS = 2000 };

/* A call that may fail for lack of memory. */
bool workload_play_call(struct workload_play *play, supplied_call *call, const void *ctx)
{
    const char *wrong = supply_call(&play->supply, &play->engine, call, ctx);

    return wrong == NULL || differ(play->difference, "%s", wrong);
}

static void open_engine(struct workload_play *play)
{
    if (supply_open(&play->supply, &play->config, &play->engine) != NULL)
        abort();
    engine_set_time(play->engine, play->world.now);
    play->model.now = play->world.now;
    workload_model_init(&play->model, &play->scenery, play->config.v[CONFIG_GATES]);
}

void workload_play_init(struct workload_play *play, bool starves, char difference[DIFFERENCE_MAX])
{
    *play = (struct workload_play){
        .config = step_make(STEP_CONFIG), .world.now = 1000 * SECOND, .difference = difference};
    supply_init(&play->supply, starves);
    play->config.v[CONFIG_ADMITS] = 1;
    open_engine(play);
}

bool workload_play_finish(struct workload_play *play)
{
    engine_destroy(play->engine);
    play->engine = NULL;
    return play->supply.bytes == 0 ||
           differ(play->difference, "the engine leaks %zu bytes", play->supply.bytes);
}

bool workload_play_rest(struct workload_play *play)
{
    supply_stop(&play->supply);
    for (int n = 0; engine_more(play->engine); n++) {
        if (n == MOST_TICKS)
            return differ(play->difference, "it never has nothing to do");
        engine_tick(play->engine);
    }
    workload_model_settle(&play->model);
    return true;
}

static void let_time_pass(struct workload_play *play, int64_t now)
{
    if (now > play->world.now)
        play->world.now = now;
    engine_set_time(play->engine, play->world.now);
    play->model.now = play->world.now;
}

static int see(struct engine **engine, const void *ctx)
{
    return workload_world_show(*engine, ctx);
}

static bool show(struct workload_play *play, const struct workload_object *object)
{
    if (!workload_play_call(play, see, object))
        return false;
    if (object->is)
        workload_model_see(&play->model, object);
    else if (play->model.workloads[object->number].seen.object == object->object)
        workload_model_lose(&play->model, object->number);
    return workload_play_rest(play);
}

static bool lease(struct workload_play *play)
{
    struct effect effect;
    int number;

    if (outbox_next(engine_outbox(play->engine), &effect) <= 0)
        return true;
    number = workload_world_find(effect.name);
    if (effect.kind != EFFECT_WRITE_WORKLOAD || number < 0)
        return differ(play->difference, "an effect of kind %d", (int)effect.kind);
    workload_world_lease(play->engine, &effect, &play->requests[number]);
    workload_model_lease(&play->model, number);
    return workload_play_rest(play);
}

static bool carry(struct workload_play *play, int number, enum carry how)
{
    struct workload_request request = play->requests[number];
    enum effect_result result;
    int64_t version;

    play->requests[number].is = false;
    if (how == CARRY_NEVER || !request.is)
        return true;
    result = workload_world_carry(&play->world, number, &request, how);
    if (how == CARRY_DONE_UNSAID)
        return true;
    if (how == CARRY_DONE_RETRY && result == EFFECT_DONE)
        result = EFFECT_RETRY;
    version = result == EFFECT_DONE ? play->world.objects[number].version : 0;
    if (outbox_ack(engine_outbox(play->engine), request.id, result, version))
        workload_model_answered(&play->model, number, result, version);
    return workload_play_rest(play);
}

static bool show_all(struct workload_play *play)
{
    bool same = true;

    for (int n = 0; n < WORKLOADS && same; n++)
        if (play->world.objects[n].version > 0)
            same = show(play, &play->world.objects[n]);
    return same;
}

/* Jobs of who was evicted stop. */
static void stop_jobs(struct workload_play *play)
{
    for (int n = 0; n < WORKLOADS; n++)
        if (play->world.objects[n].conditions[CONDITION_EVICTED].is_true)
            play->world.objects[n].job_stopped = true;
}

static bool work_off(struct workload_play *play, int number)
{
    return carry(play, number, CARRY_DONE) && show(play, &play->world.objects[number]);
}

/* The host does all that it is asked to, until it is asked for nothing any more. */
static bool calm(struct workload_play *play)
{
    struct effect effect;

    for (int n = 0; n < WORKLOADS; n++)
        if (play->requests[n].is && !work_off(play, n))
            return false;
    stop_jobs(play);
    if (!show_all(play))
        return false;
    for (int round = 0;; round++) {
        int64_t next = engine_next(play->engine);

        if (round == MOST_ROUNDS)
            return differ(play->difference, "the writes come to no end");
        if (outbox_next(engine_outbox(play->engine), &effect) > 0) {
            int number = workload_world_find(effect.name);

            if (!lease(play) || !work_off(play, number))
                return false;
            stop_jobs(play);
            if (play->world.objects[number].is && !show(play, &play->world.objects[number]))
                return false;
        } else if (next != 0 && next <= play->world.now + 61 * SECOND && play->model.leads) {
            let_time_pass(play, next);
            if (!workload_play_rest(play))
                return false;
        } else {
            return true;
        }
    }
}

static bool lead(struct workload_play *play, bool leads)
{
    workload_model_lead(&play->model, leads);
    engine_set_leader(play->engine, leads);
    return workload_play_rest(play);
}

static bool is_quiet(const struct workload_play *play)
{
    uint32_t cursor = 0;
    struct effect effect;

    for (int n = 0; n < WORKLOADS; n++)
        if (play->requests[n].is)
            return false;
    return play->model.leads && play->model.synced &&
           !outbox_next_live(engine_outbox(play->engine), &cursor, &effect);
}

/* Whether another engine can know all that this one knows. */
static bool objects_tell_all(const struct workload_play *play)
{
    for (int n = 0; n < WORKLOADS; n++) {
        const struct workload_object *object = &play->world.objects[n];
        const struct model_workload *workload = &play->model.workloads[n];

        /* Who was replaced, and whose successor went before the host heard of it, is still there
         * for the host. */
        if (workload->known && !object->is)
            return false;
        /* Who is in a LocalQueue that is gone was in a ClusterQueue. */
        if (object->is && !play->scenery.locals[object->local].is)
            return false;
        /* Without a promise whoever comes first by rank may take its room. */
        if (workload->promised)
            return false;
    }
    return true;
}

/* Another engine is shown what there is, and leads. Where the world was calm it finds all as it
 * was, and has nothing to write. */
static bool restart(struct workload_play *play)
{
    bool same = is_quiet(play) && show_all(play) && is_quiet(play) && objects_tell_all(play);
    uint64_t before = engine_digest(play->engine, false);

    if (play->difference[0] != '\0')
        return false;
    if (!workload_play_finish(play))
        return false;
    memset(play->requests, 0, sizeof(play->requests));
    open_engine(play);
    if (!workload_play_show_scenery(play) || !show_all(play))
        return false;
    play->model.synced = true;
    engine_set_synced(play->engine);
    if (!lead(play, true))
        return false;
    if (same && engine_digest(play->engine, false) != before)
        return differ(play->difference, "the state after a restart is another");
    return true;
}

static bool is_older(const struct workload_world *world, int number)
{
    return world->objects[number].is && world->before[number].is &&
           world->before[number].object == world->objects[number].object;
}

static bool act(struct workload_play *play, const struct step *step)
{
    int number = (int)step->v[0];
    bool same = true;

    switch (step->kind) {
    case STEP_CONFIG:
        engine_destroy(play->engine);
        play->config = *step;
        open_engine(play);
        return true;
    case STEP_SYNCED:
        play->model.synced = true;
        engine_set_synced(play->engine);
        return workload_play_rest(play);
    case STEP_LEADER:
        return lead(play, step->v[0] != 0);
    case STEP_TIME:
        let_time_pass(play, play->world.now + step->v[0]);
        return workload_play_rest(play);
    case STEP_WORKLOAD:
        workload_world_edit(&play->world, step->v);
        return step->v[WORKLOAD_LATE] != 0 || show(play, &play->world.objects[number]);
    case STEP_TOUCH:
        return !workload_world_touch(&play->world, step->v) || step->v[TOUCH_LATE] != 0 ||
               show(play, &play->world.objects[number]);
    case STEP_SIGHT:
        if (play->world.objects[number].version == 0)
            return true;
        return show(play, step->v[SIGHT_OLD] != 0 && is_older(&play->world, number)
                              ? &play->world.before[number]
                              : &play->world.objects[number]);
    case STEP_LEASE:
        for (int64_t n = 0; n < step->v[0] && same; n++)
            same = lease(play);
        return same;
    case STEP_CARRY:
        return carry(play, number, (enum carry)step->v[CARRY_RESULT]) &&
               (step->v[CARRY_LATE] != 0 || !play->world.objects[number].is ||
                show(play, &play->world.objects[number]));
    case STEP_CALM:
        return calm(play);
    case STEP_RESTART:
        return restart(play);
    default:
        return workload_play_drive_scenery(play, step);
    }
}

bool workload_play_step(struct workload_play *play, const struct step *step)
{
    return act(play, step) && workload_compare(play);
}
