/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_RUN_H
#define SLUICE_SIM_RUN_H

#include "examples/sim/sim.h"

enum {
    EXIT_HELD = 0,
    EXIT_FAILED = 1,
    EXIT_INPUT = 2,
};

struct run_options {
    const char *library; /* path, as library_path gave it */
    const char *removal; /* NULL: as the scenario says */
    enum story_format format;
    const char *svg;
    const char *html;   /* a page that plays the story */
    const char *frames; /* what it shows, as JSON */
    const char *record;
    bool composes;       /* the file may be objects that no story is told of (compose.h) */
    const char *instead; /* then: another file, of what is otherwise; NULL: nothing is */
    bool workloads;      /* Workloads come that no document describes */
    bool quiet;
    bool creep; /* the scheduler's calls come one after the other, as those of a real host do */
};

/* Reads a scenario and opens the library. False after a fault; run_finish is called either way. */
bool run_init(struct sim *sim, struct scenario *scenario, const struct run_options *options,
              const char *path);
void run_finish(struct sim *sim, struct scenario *scenario);

/* Tells the story until a moment (INT64_MAX: to its end). False after a fault. */
bool run_story(struct sim *sim, int64_t until);

/* Goes on until a moment, without the story. False after a fault. */
bool run_on(struct sim *sim, int64_t until);

/* All of it, for one file: an exit code. */
int run_file(const struct run_options *options, const char *path);

#endif
