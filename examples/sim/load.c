/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/load.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/load_show.h"
#include "examples/sim/load_status.h"
#include "examples/sim/sim.h"
#include "examples/sim/tree_make.h"
#include "examples/sim/watch.h"

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

void loads_finish(struct loads *loads)
{
    map_finish(&loads->by_ref);
}

bool load_owns(const struct sim *sim, const char *ref)
{
    return sim->loads.is && strncmp(ref, "workload/", 9) == 0;
}

struct load *load_find(const struct sim *sim, const char *ref)
{
    struct load *load = map_get(&sim->loads.by_ref, ref);

    return load && load->object->is ? load : NULL;
}

static const struct tree *status_in(const struct load *load)
{
    return tree_get(load->object->doc, "status");
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

const struct tree *load_document(struct sim *sim, const struct object *object,
                                 const struct tree *doc)
{
    const struct tree *status = object->is ? tree_get(object->doc, "status") : NULL;

    doc = with_priority(sim, doc);
    return status && !tree_get(doc, "status") ? tree_with(&sim->arena, doc, "status", status) : doc;
}

int64_t load_count(const struct load *load)
{
    const struct tree *sets = tree_find(status_in(load), "admission/podSetAssignments");
    struct fault none = {0};
    int64_t sum = 0;

    for (size_t i = 0; sets && i < sets->count; i++)
        sum += tree_int(&none, sets->pairs[i].value, "count", 0, INT32_MAX, 0);
    return sum;
}

/* The longest of its pods. */
static int64_t grace_of(struct sim *sim, const struct load *load)
{
    const struct tree *sets = tree_find(load->object->doc, "spec/podSets");
    int64_t longest = 0;

    for (size_t i = 0; sets && i < sets->count; i++) {
        const struct tree *pod = tree_find(sets->pairs[i].value, "template/spec");
        int64_t grace = tree_int(&sim->fault, pod, "terminationGracePeriodSeconds", 0,
                                 LONGEST_GRACE, USUAL_GRACE);
        longest = grace > longest ? grace : longest;
    }
    return longest * SECOND;
}

struct plan {
    struct load *load;
    int epoch;
};

static void plan(struct sim *sim, struct load *load, int64_t after,
                 void (*act)(struct sim *sim, void *what))
{
    struct plan *made = arena_get(&sim->arena, sizeof(*made));

    *made = (struct plan){load, ++load->epoch};
    clock_at(&sim->clock, sim->clock.now + after, act, made);
}

/* Its job is another object: the workload has no new version. */
static void set_job(struct sim *sim, struct load *load, enum job job)
{
    load->job = job;
    load->object->runs = job == JOB_RUNS || job == JOB_STOPS;
    watch_object(sim, load->object);
}

static void finish(struct sim *sim, struct load *load, const char *reason)
{
    load->epoch++;
    set_job(sim, load, JOB_STOPPED);
    story(sim, load->object->ref, "finished", "%s",
          strcmp(reason, "Failed") == 0 ? "has failed" : "has finished");
    load_set_status(sim, load,
                    status_condition(&sim->arena, status_in(load), "Finished", true, reason,
                                     "Its job has ended", sim_wall(sim)));
}

static void job_is_over(struct sim *sim, void *what)
{
    const struct plan *plan = what;

    if (plan->epoch == plan->load->epoch)
        finish(sim, plan->load, "Succeeded");
}

static void job_runs(struct sim *sim, void *what)
{
    const struct plan *planned = what;
    struct load *load = planned->load;
    const struct tree *annotations = tree_find(load->object->doc, "metadata/annotations");
    const struct tree *runs_for = tree_get(annotations, RUNS_FOR);

    if (planned->epoch != load->epoch)
        return;
    int64_t count = load_count(load);
    story(sim, load->object->ref, "running", "runs, %" PRId64 " pod%s", count,
          count == 1 ? "" : "s");
    set_job(sim, load, JOB_RUNS);
    if (runs_for)
        plan(sim, load, tree_as_duration(&sim->fault, runs_for), job_is_over);
}

static void job_has_stopped(struct sim *sim, void *what)
{
    const struct plan *planned = what;

    if (planned->epoch != planned->load->epoch)
        return;
    story(sim, planned->load->object->ref, "stopped", "its pods are gone");
    planned->load->job = JOB_STOPPED;
    planned->load->object->runs = false;
    load_changed(sim, planned->load->object);
}

static bool shall_run(const struct load *load)
{
    const struct tree *status = status_in(load);
    struct fault none = {0};

    return status_is(status, "Admitted") && !status_is(status, "Evicted") &&
           tree_bool(&none, tree_get(load->object->doc, "spec"), "active", true);
}

static void follow(struct sim *sim, struct load *load)
{
    bool shall = shall_run(load);

    if (status_is(status_in(load), "Finished"))
        return;
    if (shall && load->job == JOB_STOPPED) {
        load->job = JOB_STARTS;
        plan(sim, load, SECOND, job_runs);
    } else if (!shall && load->job == JOB_STARTS) {
        load->epoch++;
        load->job = JOB_STOPPED;
    } else if (!shall && load->job == JOB_RUNS) {
        int64_t grace = grace_of(sim, load);
        story(sim, load->object->ref, "stopping", "its pods have %" PRId64 " s to end",
              grace / SECOND);
        set_job(sim, load, JOB_STOPS);
        plan(sim, load, grace, job_has_stopped);
    }
}

static struct load *load_of(struct sim *sim, struct object *object)
{
    struct load *load = map_get(&sim->loads.by_ref, object->ref);

    if (!load) {
        load = arena_get(&sim->arena, sizeof(*load));
        *load = (struct load){.object = object, .told_state = "", .told_reason = ""};
        map_put(&sim->loads.by_ref, object->ref, load);
    }
    return load;
}

void load_changed(struct sim *sim, struct object *object)
{
    struct load *load = load_of(sim, object);

    if (!object->is) {
        load->epoch++;
        load->job = JOB_STOPPED;
        object->runs = false;
        load->told_state = load->told_reason = "";
    } else {
        follow(sim, load);
    }
    watch_object(sim, object);
}

void load_set_status(struct sim *sim, struct load *load, const struct tree *status)
{
    struct object *object = load->object;

    object->doc = tree_with(&sim->arena, object->doc, "status", status);
    object->version = ++sim->world.version;
    load_changed(sim, object);
}

void load_end(struct sim *sim, const struct tree *where, const char *ref, const char *reason)
{
    struct load *load = load_find(sim, ref);

    if (load && load->job == JOB_RUNS)
        finish(sim, load, reason);
    else
        fault_say(&sim->fault, where, "%s cannot end: it does not run at that time", ref);
}

/* What holds quota tells of it by what is written into it. */
static void tell_state(struct sim *sim, struct load *load)
{
    const msgpack_object *seen = load_inspect(sim, load->object);
    const char *state = value_str(seen, "state", "");
    const char *reason = value_str(seen, "reason", "");
    const char *message = value_str(seen, "message", "");
    bool waits = strcmp(state, "waiting") == 0;

    if (strcmp(state, load->told_state) == 0 && strcmp(reason, load->told_reason) == 0)
        return;
    load->told_state = arena_copy(&sim->arena, state);
    load->told_reason = arena_copy(&sim->arena, reason);
    if (waits || strcmp(state, "held") == 0)
        story(sim, load->object->ref, load->told_state, "%s: %s%s%s", waits ? "waits" : "is held",
              reason, *message ? ": " : "", message);
}

void loads_end_moment(struct sim *sim)
{
    const struct map *loads = &sim->loads.by_ref;
    bool tells = !sim->story.quiet || sim->story.format == STORY_JSON || sim->story.paints;

    if (!tells || sim->loads.changes == sim->world.changes || !sim->library.handle)
        return;
    sim->loads.changes = sim->world.changes;
    for (size_t i = 0; i < loads->count; i++) {
        struct load *load = loads->entries[i].value;
        if (load->object->is)
            tell_state(sim, load);
    }
}
