/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "examples/sim/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "examples/sim/compose.h"
#include "examples/sim/effects.h"
#include "examples/sim/picture.h"
#include "examples/sim/steps.h"
#include "examples/sim/text.h"

enum {
    EVENTS_IN_A_MOMENT = 20000000,
    EVENTS_BETWEEN_LOOKS = 4096,
};

/* A word on stderr, every two seconds of real time, where a run takes long. It changes nothing. */
static void progress(const struct sim *sim)
{
    static time_t told;
    struct timespec now;
    char at[32];

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (told == 0)
        told = now.tv_sec;
    if (now.tv_sec - told < 2)
        return;
    told = now.tv_sec;
    text_say(stderr, "%s: at %s, %zu pods, %" PRIu64 " calls\n", sim->scenario->name,
             clock_show(sim->clock.now, at, sizeof(at)), sim->world.by_uid.count,
             sim->library.calls);
}

static void end_moment(struct sim *sim)
{
    expect_moment(sim);
    loads_end_moment(sim);
    story_end_moment(sim);
    fleet_end_moment(sim);
    board_end_moment(sim);
}

/* Everything that is due until then happens. */
static bool pass(struct sim *sim, int64_t until)
{
    struct event event;
    int64_t moment = -1;
    uint64_t in_moment = 0;

    while (!sim->fault.is && clock_take(&sim->clock, until, &event)) {
        in_moment = event.at == moment ? in_moment + 1 : 0;
        moment = event.at;
        event.run(sim, event.what);
        if (clock_next(&sim->clock) > sim->clock.now)
            end_moment(sim);
        if (sim->clock.ran % EVENTS_BETWEEN_LOOKS == 0)
            progress(sim);
        if (in_moment > EVENTS_IN_A_MOMENT)
            fault_say(&sim->fault, sim->scenario->tree,
                      "the moment %" PRId64 " ns does not end: the library keeps asking for ticks",
                      moment);
    }
    return !sim->fault.is;
}

bool run_on(struct sim *sim, int64_t until)
{
    return pass(sim, until);
}

bool run_story(struct sim *sim, int64_t until)
{
    const struct scenario *scenario = sim->scenario;

    for (size_t i = 0; i < scenario->n_steps; i++) {
        const struct step *step = &scenario->steps[i];
        if (step->at > until)
            break;
        /* What is due at the moment of a step comes after it. */
        if (step->at > sim->clock.now && !pass(sim, step->at - 1))
            return false;
        expect_end(sim);
        sim->clock.now = step->at;
        steps_do(sim, step);
        expect_begin(sim, step);
        end_moment(sim);
    }
    int64_t last = scenario->steps[scenario->n_steps - 1].at + SCENARIO_LAST_SECONDS * SECOND;
    if (!pass(sim, until < last ? until : last))
        return false;
    if (until < INT64_MAX)
        return true;
    expect_end(sim);
    for (size_t i = 0; i < sim->refusals.count; i++) {
        const struct refusal *refusal = sim->refusals.entries[i].value;
        if (!refusal->happened)
            expect_failed(sim, refusal->says, sim->refusals.entries[i].key, "refused", "accepted");
    }
    return !sim->fault.is;
}

static void open_recording(struct sim *sim, const char *path)
{
    if (!path)
        return;
    sim->recording = fopen(path, "wb");
    if (!sim->recording)
        fault_say(&sim->fault, NULL, "%s: %s", path, strerror(errno));
}

static const struct tree *load(struct sim *sim, const struct run_options *options, const char *path)
{
    const struct tree *documents = tree_load(&sim->arena, path, &sim->fault), *instead = NULL;

    if (options->composes && options->instead)
        instead = tree_load(&sim->arena, options->instead, &sim->fault);
    if (!options->composes || sim->fault.is)
        return documents;
    return compose(&sim->arena, &sim->fault, documents, instead);
}

bool run_init(struct sim *sim, struct scenario *scenario, const struct run_options *options,
              const char *path)
{
    *sim = (struct sim){.scenario = scenario};
    *scenario = (struct scenario){0};
    sim->story = (struct story){
        .format = options->format,
        .quiet = options->quiet,
        .paints = options->svg || options->html || options->frames,
        .colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
        .out = stdout,
        .told_at = -1,
    };
    if (options->html || options->frames)
        board_start(&sim->board);
    const struct tree *documents = load(sim, options, path);
    if (!documents || !scenario_read(&sim->arena, &sim->fault, documents, scenario))
        return false;
    if (options->removal)
        scenario->on_admission = strcmp(options->removal, "onAdmission") == 0;
    expect_start(sim);
    sim->world.documents = scenario->documents;
    sim->workloads.is = options->workloads || loads_are_in(scenario);
    if (!library_load(&sim->library, options->library))
        fault_say(&sim->fault, NULL, "%s", sim->library.error);
    sim->library.creeps = options->creep;
    open_recording(sim, options->record);
    if (!sim->fault.is)
        host_start(sim);
    if (!sim->fault.is)
        fleet_start(sim, options->library);
    return !sim->fault.is;
}

static void finish_recording(struct sim *sim)
{
    if (!sim->recording)
        return;
    host_record(sim);
    fleet_record(sim);
    if (fclose(sim->recording) != 0)
        fault_say(&sim->fault, NULL, "the recording cannot be written: %s", strerror(errno));
    sim->recording = NULL;
}

void run_finish(struct sim *sim, struct scenario *scenario)
{
    finish_recording(sim);
    library_finish(&sim->library);
    fleet_finish(&sim->fleet);
    loads_finish(&sim->workloads);
    scheduler_finish(&sim->scheduler);
    autoscaler_finish(&sim->autoscaler);
    story_finish(&sim->story);
    board_finish(&sim->board);
    effects_finish(sim);
    clock_finish(&sim->clock);
    map_finish(&sim->refusals);
    for (size_t i = 0; i < sim->world.objects.count; i++)
        arena_finish(&((struct object *)sim->world.objects.entries[i].value)->arena);
    map_finish(&sim->world.objects);
    map_finish(&sim->world.machines);
    for (size_t i = 0; i < sim->world.by_uid.count; i++)
        arena_finish(&((struct pod *)sim->world.by_uid.entries[i].value)->arena);
    nodes_finish(&sim->world.nodes);
    map_finish(&sim->world.pods);
    map_finish(&sim->world.by_uid);
    map_finish(&sim->world.events);
    scenario_finish(scenario);
    arena_finish(&sim->arena);
}

static void paint(struct sim *sim, const char *path)
{
    FILE *file = fopen(path, "w");

    if (file)
        picture_draw(sim, file);
    if (!file || fclose(file) != 0)
        fault_say(&sim->fault, NULL, "%s: %s", path, strerror(errno));
}

static void show(struct sim *sim, const struct run_options *options, bool passed)
{
    if (options->svg)
        paint(sim, options->svg);
    if (options->html && !board_write_page(sim, options->html, passed))
        fault_say(&sim->fault, NULL, "%s: %s", options->html, strerror(errno));
    if (options->frames && !board_write(sim, options->frames, passed))
        fault_say(&sim->fault, NULL, "%s: %s", options->frames, strerror(errno));
}

static void sum_up(const struct sim *sim)
{
    const struct expectations *seen = &sim->expectations;
    int wanted = 0;

    for (size_t i = 0; i < sim->scenario->n_steps; i++)
        wanted += tree_get(sim->scenario->steps[i].tree, "expect") != NULL;
    text_say(stdout, "%s (%s): %d of %d expectations held%s\n", sim->scenario->name,
             sim->scenario->on_admission ? "onAdmission" : "onBind", seen->held, wanted,
             seen->failures && seen->held == wanted ? ", but other answers differ" : "");
}

int run_file(const struct run_options *options, const char *path)
{
    struct sim sim;
    struct scenario scenario;
    int code = EXIT_INPUT;

    if (run_init(&sim, &scenario, options, path) && run_story(&sim, INT64_MAX)) {
        code = sim.expectations.failures > 0 ? EXIT_FAILED : EXIT_HELD;
        if (options->format == STORY_JSON)
            story_json(&sim, code == EXIT_HELD);
        else
            sum_up(&sim);
        show(&sim, options, code == EXIT_HELD);
    }
    finish_recording(&sim);
    if (sim.fault.is) {
        fflush(stdout);
        text_say(stderr, "sluice-sim: %s\n", sim.fault.text);
        code = EXIT_INPUT;
    }
    run_finish(&sim, &scenario);
    return code;
}
