/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/workload.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/plan_arrive.h"
#include "examples/sim/sim.h"
#include "examples/sim/tree_make.h"
#include "examples/sim/watch.h"
#include "examples/sim/workload_show.h"
#include "examples/sim/workload_status.h"

enum {
    USUAL_GRACE = 30, /* s */
    LONGEST_GRACE = 86400,
};

#define RUNS_FOR "sim.sluice.sh/runs-for"

bool loads_are_in(const struct scenario *scenario)
{
    const struct map *documents = &scenario->documents;

    for (size_t i = 0; !scenario->clusters && i < documents->count; i++)
        if (strncmp(documents->entries[i].key, "workload/", 9) == 0)
            return true;
    return false;
}

void loads_finish(struct workloads *workloads)
{
    map_finish(&workloads->by_ref);
}

bool workload_owns(const struct sim *sim, const char *ref)
{
    return sim->workloads.is && strncmp(ref, "workload/", 9) == 0;
}

struct workload *workload_find(const struct sim *sim, const char *ref)
{
    struct workload *workload = map_get(&sim->workloads.by_ref, ref);

    return workload && workload->object->is ? workload : NULL;
}

static const struct tree *status_in(const struct workload *workload)
{
    return tree_get(workload->object->doc, "status");
}

/* As the controller of a job does that makes a Workload. */
static const struct tree *with_priority(struct sim *sim, const struct tree *doc)
{
    const char *name = tree_word(doc, "spec/priorityClassRef/name");
    const char *ref = arena_format(&sim->arena, "workloadpriorityclass/%s", name);
    const struct object *class = map_get(&sim->world.objects, ref);
    const struct tree *spec = tree_get(doc, "spec");

    if (!*name || tree_get(spec, "priority") || !class || !class->is)
        return doc;
    return tree_with(&sim->arena, doc, "spec",
                     tree_with(&sim->arena, spec, "priority", tree_get(class->doc, "value")));
}

const struct tree *workload_document(struct sim *sim, const struct object *object,
                                     const struct tree *doc)
{
    const struct tree *status = object->is ? tree_get(object->doc, "status") : NULL;

    doc = with_priority(sim, doc);
    return status && !tree_get(doc, "status") ? tree_with(&sim->arena, doc, "status", status) : doc;
}

int64_t workload_count(const struct workload *workload)
{
    const struct tree *sets = tree_find(status_in(workload), "admission/podSetAssignments");
    struct fault none = {0};
    int64_t sum = 0;

    for (size_t i = 0; sets && i < sets->count; i++)
        sum += tree_int(&none, sets->pairs[i].value, "count", 0, INT32_MAX, 0);
    return sum;
}

/* The longest of its pods. */
static int64_t grace_of(struct sim *sim, const struct workload *workload)
{
    const struct tree *sets = tree_find(workload->object->doc, "spec/podSets");
    int64_t longest = 0;

    for (size_t i = 0; sets && i < sets->count; i++) {
        const struct tree *pod = tree_find(sets->pairs[i].value, "template/spec");
        int64_t grace = tree_int(&sim->fault, pod, "terminationGracePeriodSeconds", 0,
                                 LONGEST_GRACE, USUAL_GRACE);
        longest = grace > longest ? grace : longest;
    }
    return longest * SECOND;
}

struct later {
    struct workload *workload;
    int epoch;
};

static void act_later(struct sim *sim, struct workload *workload, int64_t after,
                      void (*act)(struct sim *sim, void *what))
{
    struct later *made = arena_get(&sim->arena, sizeof(*made));

    *made = (struct later){workload, ++workload->epoch};
    clock_at(&sim->clock, sim->clock.now + after, act, made);
}

/* Its job is another object: the workload has no new version. */
static void set_job(struct sim *sim, struct workload *workload, enum job job)
{
    workload->job = job;
    workload->object->runs = job == JOB_RUNS || job == JOB_STOPS;
    watch_object(sim, workload->object);
}

static void finish(struct sim *sim, struct workload *workload, const char *reason)
{
    workload->epoch++;
    plan_workload_ended(sim, workload);
    set_job(sim, workload, JOB_STOPPED);
    story(sim, workload->object->ref, "finished", "%s",
          strcmp(reason, "Failed") == 0 ? "has failed" : "has finished");
    workload_set_status(sim, workload,
                        status_condition(&sim->arena, status_in(workload), "Finished", true, reason,
                                         "Its job has ended", sim_wall(sim)));
}

static void job_is_over(struct sim *sim, void *what)
{
    const struct later *later = what;

    if (later->epoch == later->workload->epoch)
        finish(sim, later->workload, "Succeeded");
}

static void job_runs(struct sim *sim, void *what)
{
    const struct later *later = what;
    struct workload *workload = later->workload;
    const struct tree *annotations = tree_find(workload->object->doc, "metadata/annotations");
    const struct tree *runs_for = tree_get(annotations, RUNS_FOR);

    if (later->epoch != workload->epoch)
        return;
    int64_t count = workload_count(workload);
    story(sim, workload->object->ref, "running", "runs, %" PRId64 " pod%s", count,
          count == 1 ? "" : "s");
    plan_started(sim, workload->planned);
    set_job(sim, workload, JOB_RUNS);
    if (workload->planned)
        act_later(sim, workload, workload->runs_for, job_is_over);
    else if (runs_for)
        act_later(sim, workload, tree_as_duration(&sim->fault, runs_for), job_is_over);
}

static void job_has_stopped(struct sim *sim, void *what)
{
    const struct later *later = what;

    if (later->epoch != later->workload->epoch)
        return;
    story(sim, later->workload->object->ref, "stopped", "its pods are gone");
    later->workload->job = JOB_STOPPED;
    later->workload->object->runs = false;
    workload_changed(sim, later->workload->object);
}

static bool shall_run(const struct workload *workload)
{
    const struct tree *status = status_in(workload);
    struct fault none = {0};

    return status_is(status, "Admitted") && !status_is(status, "Evicted") &&
           tree_bool(&none, tree_get(workload->object->doc, "spec"), "active", true);
}

static void follow(struct sim *sim, struct workload *workload)
{
    bool shall = shall_run(workload);

    if (status_is(status_in(workload), "Finished"))
        return;
    if (shall && workload->job == JOB_STOPPED) {
        workload->job = JOB_STARTS;
        act_later(sim, workload, SECOND, job_runs);
    } else if (!shall && workload->job == JOB_STARTS) {
        workload->epoch++;
        workload->job = JOB_STOPPED;
    } else if (!shall && workload->job == JOB_RUNS) {
        int64_t grace = grace_of(sim, workload);
        story(sim, workload->object->ref, "stopping", "its pods have %" PRId64 " s to end",
              grace / SECOND);
        plan_stopped(sim, workload->planned);
        set_job(sim, workload, JOB_STOPS);
        act_later(sim, workload, grace, job_has_stopped);
    }
}

static struct workload *workload_of(struct sim *sim, struct object *object)
{
    struct workload *workload = map_get(&sim->workloads.by_ref, object->ref);

    if (!workload) {
        workload = arena_get(&sim->arena, sizeof(*workload));
        *workload = (struct workload){.object = object, .told_state = "", .told_reason = ""};
        map_put(&sim->workloads.by_ref, object->ref, workload);
    }
    return workload;
}

void workload_changed(struct sim *sim, struct object *object)
{
    struct workload *workload = workload_of(sim, object);

    if (!object->is) {
        workload->epoch++;
        workload->job = JOB_STOPPED;
        object->runs = false;
        workload->told_state = workload->told_reason = "";
    } else {
        follow(sim, workload);
    }
    watch_object(sim, object);
}

void workload_set_status(struct sim *sim, struct workload *workload, const struct tree *status)
{
    struct object *object = workload->object;

    object->doc = tree_with(&sim->arena, object->doc, "status", status);
    object->version = ++sim->world.version;
    workload_changed(sim, object);
}

void workload_end(struct sim *sim, const struct tree *where, const char *ref, const char *reason)
{
    struct workload *workload = workload_find(sim, ref);

    if (workload && workload->job == JOB_RUNS)
        finish(sim, workload, reason);
    else
        fault_say(&sim->fault, where, "%s cannot end: it does not run at that time", ref);
}

/* What holds quota tells of it by what is written into it. */
static void tell_state(struct sim *sim, struct workload *workload)
{
    const msgpack_object *seen = workload_inspect(sim, workload->object);
    const char *state = value_str(seen, "state", "");
    const char *reason = value_str(seen, "reason", "");
    const char *message = value_str(seen, "message", "");
    bool waits = strcmp(state, "waiting") == 0;

    if (strcmp(state, workload->told_state) == 0 && strcmp(reason, workload->told_reason) == 0)
        return;
    workload->told_state = arena_copy(&sim->arena, state);
    workload->told_reason = arena_copy(&sim->arena, reason);
    if (waits || strcmp(state, "held") == 0)
        story(sim, workload->object->ref, workload->told_state, "%s: %s%s%s",
              waits ? "waits" : "is held", reason, *message ? ": " : "", message);
}

void loads_end_moment(struct sim *sim)
{
    const struct map *workloads = &sim->workloads.by_ref;
    bool tells = !sim->story.quiet || sim->story.format == STORY_JSON || sim->story.paints;

    if (!tells || sim->workloads.changes == sim->world.changes || !sim->library.handle)
        return;
    sim->workloads.changes = sim->world.changes;
    for (size_t i = 0; i < workloads->count; i++) {
        struct workload *workload = workloads->entries[i].value;
        if (workload->object->is)
            tell_state(sim, workload);
    }
}
