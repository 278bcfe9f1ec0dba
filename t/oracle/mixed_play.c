/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/outbox.h"
#include "t/oracle/mixed.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_ROUNDS = 1500, MOST_EVICTIONS = 400 };

static void any_asks(struct mixed *mixed, int64_t asks[MIXED_RESOURCES])
{
    for (int r = 0; r < MIXED_RESOURCES; r++)
        asks[r] = r > 0 && mixed_one_in(mixed, 3) ? 0 : 1 + mixed_below(mixed, mixed->most);
}

static int any_queue(struct mixed *mixed)
{
    return MIXED_COHORTS + mixed_below(mixed, MIXED_QUEUES);
}

/* Mostly as its group wants its members. */
static void join_group(struct mixed *mixed, struct mixed_pod *pod)
{
    pod->member = true;
    if (!mixed_one_in(mixed, 12))
        pod->queue = mixed->group.queue;
    if (mixed->group.priority != UNSAID && !mixed_one_in(mixed, 12))
        pod->priority = (int32_t)mixed->group.priority;
}

static void make_pod(struct mixed *mixed, int n)
{
    struct mixed_pod *pod = &mixed->pods[n];

    *pod = (struct mixed_pod){.is = true,
                              .queue = any_queue(mixed),
                              .priority = mixed_below(mixed, 4),
                              .created = mixed->now - mixed_below(mixed, 30) * SECOND};
    any_asks(mixed, pod->asks);
    if (mixed_one_in(mixed, 3))
        join_group(mixed, pod);
    mixed_show_pod(mixed, n);
}

/* No pod is as old as the group to the nanosecond. */
static void move_group(struct mixed *mixed)
{
    struct mixed_group *group = &mixed->group;

    if (group->is && mixed_one_in(mixed, 4)) {
        group->is = false;
    } else if (group->is && mixed_one_in(mixed, 2)) {
        group->minimum = mixed_below(mixed, 4);
    } else {
        *group = (struct mixed_group){.is = true,
                                      .whole = mixed_one_in(mixed, 2),
                                      .queue = any_queue(mixed),
                                      .minimum = mixed_below(mixed, 4),
                                      .priority =
                                          mixed_one_in(mixed, 2) ? mixed_below(mixed, 4) : UNSAID,
                                      .created = mixed->now - mixed_below(mixed, 30) * SECOND + 1};
    }
    mixed_show_group(mixed);
}

/* Its object is gone; its owner may make it again. */
static void end_pod(struct mixed *mixed, int n, bool again)
{
    struct mixed_pod was = mixed->pods[n];

    mixed->pods[n].is = false;
    mixed_show_pod(mixed, n);
    if (!again)
        return;
    mixed_look(mixed); /* somebody may have been promised its room */
    mixed->pods[n] = was;
    mixed->pods[n].bound = mixed->pods[n].deleted = false;
    mixed->pods[n].created = mixed->now;
    mixed_show_pod(mixed, n);
}

static bool is_reserved(const struct mixed *mixed, int n)
{
    struct mixed_claim claims[MIXED_CLAIMS];

    mixed_read(mixed, claims);
    return claims[n].holds;
}

/* Its cycle comes, if it was granted, and it is bound. */
static void bind_pod(struct mixed *mixed, int n)
{
    struct step step = step_of(STEP_RESERVE, n);

    if (!mixed->pods[n].is || mixed->pods[n].bound || !is_reserved(mixed, n))
        return;
    mixed_call(mixed, &step);
    step.kind = STEP_POST_BIND;
    mixed_call(mixed, &step);
    mixed->pods[n].bound = true;
    mixed_show_pod(mixed, n);
}

static void move_pod(struct mixed *mixed)
{
    int n = mixed_below(mixed, MIXED_PODS);
    struct mixed_pod *pod = &mixed->pods[n];

    if (mixed_one_in(mixed, 12)) {
        move_group(mixed);
    } else if (!pod->is) {
        make_pod(mixed, n);
    } else if (mixed_one_in(mixed, 4)) {
        end_pod(mixed, n, false);
    } else if (mixed_one_in(mixed, 4)) {
        pod->priority = mixed_below(mixed, 4);
        mixed_show_pod(mixed, n);
    } else if (pod->bound && mixed_one_in(mixed, 4)) {
        pod->deleted = true;
        mixed_show_pod(mixed, n);
    } else {
        bind_pod(mixed, n);
    }
}

static void edit_workload(struct mixed *mixed, int n)
{
    struct step step = step_of(STEP_WORKLOAD, n);
    int64_t asks[MIXED_RESOURCES];

    any_asks(mixed, asks);
    step.v[WORKLOAD_CREATED] = mixed->now - mixed_below(mixed, 30) * SECOND;
    step.v[WORKLOAD_PRIORITY] = mixed_below(mixed, 4);
    step.v[WORKLOAD_LOCAL] = mixed_below(mixed, MIXED_QUEUES);
    step.v[WORKLOAD_COUNT] = 1 + mixed_below(mixed, 2);
    for (int r = 0; r < MIXED_RESOURCES; r++)
        step.v[WORKLOAD_ASKS + r] = asks[r] > 0 ? asks[r] : UNSAID;
    workload_world_edit(&mixed->world, step.v);
    mixed_show_workload(mixed, n);
}

static void move_workload(struct mixed *mixed)
{
    static const enum touch deeds[] = {TOUCH_FINISH, TOUCH_REMOVE, TOUCH_EVICT, TOUCH_STOP};
    int n = mixed_below(mixed, MIXED_WORKLOADS);
    struct step step = step_of(STEP_TOUCH, n);

    if (!mixed->world.objects[n].is || mixed_one_in(mixed, 3)) {
        edit_workload(mixed, n);
        return;
    }
    step.v[TOUCH_WHAT] = deeds[mixed_below(mixed, 4)];
    workload_world_touch(&mixed->world, step.v);
    mixed_show_workload(mixed, n);
}

/* What becomes of a write into a workload. */
static void answer_write(struct mixed *mixed, int n, enum carry how)
{
    struct workload_request request = mixed->requests[n];
    enum effect_result result;

    mixed->requests[n].is = false;
    if (!request.is || how == CARRY_NEVER)
        return;
    result = workload_world_carry(&mixed->world, n, &request, how);
    if (mixed->trace)
        printf("# write %s of workload %d: %d\n", request.write.write, n, (int)result);
    if (how != CARRY_DONE_UNSAID)
        outbox_ack(engine_outbox(mixed->engine), request.id,
                   how == CARRY_DONE_RETRY ? EFFECT_RETRY : result,
                   result == EFFECT_DONE && how == CARRY_DONE ? mixed->world.objects[n].version
                                                              : 0);
    mixed_rest(mixed);
    mixed_show_workload(mixed, n);
}

/* A pod that is to be evicted is deleted, or its budget holds; all else that is asked for pods is
 * done. */
static void answer_pod(struct mixed *mixed, struct effect *effect, bool calm)
{
    int n = world_find_uid(effect->uid);
    bool evicts = effect->kind == EFFECT_EVICT_POD, done = calm || !mixed_one_in(mixed, 3);

    outbox_lease(engine_outbox(mixed->engine), effect, 0);
    if (mixed->trace)
        printf("# effect %d of pod %d: %s\n", (int)effect->kind, n, done ? "done" : "fails");
    if (evicts && done) {
        mixed->evictions++;
        mixed->pods[n].deleted = true;
    }
    if (calm || !mixed_one_in(mixed, 8))
        outbox_ack(engine_outbox(mixed->engine), effect->id, done ? EFFECT_DONE : EFFECT_RETRY, 0);
    mixed_rest(mixed);
    if (evicts && done && mixed->pods[n].is)
        mixed_show_pod(mixed, n);
}

/* The next effect, if there is one. */
static bool take_effect(struct mixed *mixed, bool calm)
{
    struct effect effect;

    if (outbox_next(engine_outbox(mixed->engine), &effect) <= 0)
        return false;
    if (effect.kind == EFFECT_WRITE_WORKLOAD)
        workload_world_lease(mixed->engine, &effect,
                             &mixed->requests[workload_world_find(effect.name)]);
    else
        answer_pod(mixed, &effect, calm);
    mixed_rest(mixed);
    return true;
}

static void let_time_pass(struct mixed *mixed, int64_t until)
{
    mixed->now = mixed->world.now = until;
    if (mixed->trace)
        printf("# time %" PRId64 "\n", until);
    engine_set_time(mixed->engine, until);
    mixed_rest(mixed);
}

void mixed_step(struct mixed *mixed)
{
    int what = mixed_below(mixed, 100);

    if (what < 34) {
        move_pod(mixed);
    } else if (what < 52) {
        move_workload(mixed);
    } else if (what < 70) {
        take_effect(mixed, false);
    } else if (what < 84) {
        answer_write(mixed, mixed_below(mixed, MIXED_WORKLOADS),
                     mixed_one_in(mixed, 3) ? (enum carry)mixed_below(mixed, CARRIES) : CARRY_DONE);
    } else if (what < 90) {
        let_time_pass(mixed, mixed->now + mixed_below(mixed, 40) * SECOND);
    } else if (what < 97) {
        mixed_edit_node(mixed, mixed_below(mixed, MIXED_NODES));
    } else if (what < 98) {
        mixed->leads = !mixed->leads;
        engine_set_leader(mixed->engine, mixed->leads);
        mixed_rest(mixed);
    } else {
        mixed_close(mixed);
        mixed_begin(mixed);
    }
    mixed_look(mixed);
}

/* Whoever was told to go has gone: pods, and the jobs of workloads. */
static bool end_evicted(struct mixed *mixed)
{
    for (int n = 0; n < MIXED_PODS; n++) {
        if (mixed->pods[n].is && mixed->pods[n].deleted) {
            end_pod(mixed, n, mixed->remakes);
            return true;
        }
    }
    for (int n = 0; n < MIXED_WORKLOADS; n++) {
        struct workload_object *object = &mixed->world.objects[n];

        if (object->is && object->conditions[CONDITION_EVICTED].is_true && !object->job_stopped) {
            object->job_stopped = true;
            mixed->evictions++;
            mixed_show_workload(mixed, n);
            return true;
        }
    }
    return false;
}

/* Jobs of who was admitted run. */
static bool start_jobs(struct mixed *mixed)
{
    for (int n = 0; n < MIXED_WORKLOADS; n++) {
        struct workload_object *object = &mixed->world.objects[n];

        if (object->is && object->conditions[CONDITION_ADMITTED].is_true &&
            !object->conditions[CONDITION_EVICTED].is_true && object->job_stopped) {
            object->job_stopped = false;
            mixed_show_workload(mixed, n);
            return true;
        }
    }
    for (int n = 0; n < MIXED_PODS; n++) {
        if (mixed->pods[n].is && !mixed->pods[n].bound && is_reserved(mixed, n)) {
            bind_pod(mixed, n);
            return mixed->pods[n].bound;
        }
    }
    return false;
}

/* One thing of all that there is to do. */
static bool work_off(struct mixed *mixed)
{
    int64_t next = engine_next(mixed->engine);

    for (int n = 0; n < MIXED_WORKLOADS; n++) {
        if (mixed->requests[n].is) {
            answer_write(mixed, n, CARRY_DONE);
            return true;
        }
    }
    if (take_effect(mixed, true) || end_evicted(mixed) || start_jobs(mixed))
        return true;
    if (next == 0 || next > mixed->now + 400 * SECOND)
        return false;
    let_time_pass(mixed, next);
    return true;
}

void mixed_calm_down(struct mixed *mixed)
{
    struct mixed_claim claims[MIXED_CLAIMS];

    if (!mixed->leads) {
        mixed->leads = true;
        engine_set_leader(mixed->engine, true);
        mixed_rest(mixed);
    }
    for (int n = 0; n < MIXED_WORKLOADS; n++)
        if (mixed->world.objects[n].is)
            mixed_show_workload(mixed, n);
    mixed->evictions = 0;
    for (int round = 0; work_off(mixed) && mixed->broken[0] == '\0'; round++) {
        mixed_look(mixed);
        if (mixed->evictions > MOST_EVICTIONS)
            differ(mixed->broken, "they evict each other for ever");
        else if (round == MOST_ROUNDS)
            differ(mixed->broken, "there is always something to do");
    }
    mixed_read(mixed, claims);
    for (int n = 0; n < MIXED_CLAIMS; n++)
        if (claims[n].promised || claims[n].goes)
            differ(mixed->broken, "at the end somebody is still promised room, or goes: %d", n);
}
