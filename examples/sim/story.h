/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_STORY_H
#define SLUICE_SIM_STORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "examples/sim/map.h"
#include "examples/sim/tree.h"

struct sim;
struct pod;

enum story_format {
    STORY_TABLE,
    STORY_JSON,
};

/*
 * What happened, in the words of those to whom it happens: a row for each change that a person
 * cares about, and how each queue was used over time.
 */
struct story {
    enum story_format format;
    bool quiet;  /* no rows */
    bool paints; /* a picture or a page will be drawn: keep what it needs */
    bool colour;
    FILE *out;
    int64_t told_at; /* the time of the latest row; -1: the latest was none, and a blank line */
    struct row {
        int64_t at;
        const char *ref;
        const char *what; /* one word, for programs */
        const char *text;
    } * rows;
    size_t n_rows;
    size_t rows_cap;
    struct pod **touched; /* pods of this moment, whose state in the engine may be another */
    size_t n_touched;
    size_t touched_cap;
    struct map usages;        /* struct usage by "kind/name resource" */
    struct map flavor_usages; /* of queues with several: by "kind/name resource flavor" */
    int64_t apart;            /* samples of a usage are at least so far from each other */
    int64_t sampled_at;
    size_t n_samples;
};

struct sample {
    int64_t at;
    int64_t waiting; /* claims */
    int64_t held;
    struct resources_used {
        int64_t allocated;
        int64_t reserved;
        int64_t ceiling; /* -1: none */
        int64_t share;   /* its own: what is used beyond it is borrowed; 0: none */
    } used;
};

/* One queue's use of one resource over time. */
struct usage {
    const char *queue; /* kind/name */
    const char *resource;
    const char *flavor; /* "": all together */
    struct sample *samples;
    size_t count;
    size_t cap;
};

void story(struct sim *sim, const char *ref, const char *what, const char *text, ...)
    __attribute__((format(printf, 4, 5)));

/* The pod was part of what happens now. */
void story_touch(struct sim *sim, struct pod *pod);

/* The moment is over: what it changed in the engine is looked up, and told. */
void story_end_moment(struct sim *sim);

/* The limits of a Queue, as ": capability cpu 1, memory 1Gi"; of anything else an empty text. */
const char *story_limits(struct sim *sim, const struct tree *doc);

/* What a step wants said, and listings as kubectl would print them. */
void story_say(struct sim *sim, const char *text);
void story_show(struct sim *sim, const struct tree *list);

/* The rows as one JSON object, with how it ended. */
void story_json(struct sim *sim, bool passed);
void story_finish(struct story *story);

#endif
