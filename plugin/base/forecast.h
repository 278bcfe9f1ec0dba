/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_FORECAST_H
#define SLUICE_PLUGIN_BASE_FORECAST_H

#include "amount.h"
#include "run_times.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * When so much will have been given back, as run times of the past tell it.
 *
 *   released
 *      │                    ┌──╱   what runs now ends as others of its age did, and what comes in
 *      │              ┌──╱──┘      its place ends, too, in the same way
 *   need ─ ─ ─ ─ ┌──╱─
 *      │     ┌──╱┘╎
 *      └──╱──┴────┴───────▶ time
 *                 likely; earliest and latest where the curve, a deviation above or below, meets it
 *
 * How many are left at each age is a life table of the time in which those ended of whom is known:
 * of those that reached an age then, which runs on is as much a part of it as which ended. Of one
 * that is older than any that is known to have ended nothing is known but its age: it is as likely
 * to hold its room for as long again as not.
 */

/* Fewer run times tell nothing. */
enum { FORECAST_LEAST = 8 };

enum forecast_end { FORECAST_EARLIEST, FORECAST_LIKELY, FORECAST_LATEST, FORECAST_ENDS };

/* Those that hold room and are about as old: by the age, as far as it is less than twice the mean
 * of the run times; beyond that by how many of these they have outlived. */
enum {
    FORECAST_AGES = 32,
    FORECAST_OUTLIVED = 4,
    FORECAST_GROUPS = FORECAST_AGES + RUN_TIMES / FORECAST_OUTLIVED + 1
};

struct forecast_group {
    wide amount;  /* what they hold, in parts of the need */
    wide squares; /* sum of the squares of what each of them holds */
    wide age;     /* sum of their ages, each as often as it holds parts */
    int64_t count;
};

struct forecast {
    wide most;                 /* the most that may be needed */
    wide parts[FORECAST_ENDS]; /* the needs of the three ends, in parts of it */
    wide free;                 /* in the same parts */
    wide first_parts, alike;
    wide all;                    /* that is held */
    wide each;                   /* of those that hold it, on the mean */
    int64_t holders;             /* how many these are */
    int64_t pause;               /* for so long none ends that came in another's place */
    int64_t followed;            /* the share of what is given back in whose place others come */
    int64_t first;               /* when they begin to, in ticks */
    int64_t window;              /* run_times_window */
    uint32_t count;              /* of different run times */
    int64_t times[RUN_TIMES];    /* these, in ticks, the shortest first */
    int64_t ends[RUN_TIMES];     /* how many ended at each */
    int64_t risk[RUN_TIMES + 1]; /* how many more of those that ended had reached each, than the
                                    one before */
    int64_t held[RUN_TIMES + 1]; /* as many, of those that hold room */
    int64_t left[RUN_TIMES + 1]; /* the share that is left when n of the run times are over */
    wide area[RUN_TIMES + 1];    /* below that curve, up to the nth */
    int64_t young;               /* twice the mean of those that ended */
    int64_t known;               /* as good as so many that each ended by itself */
    int64_t mean, spread;        /* of a run time; its variance, in parts of the mean's square */
    struct forecast_group groups[FORECAST_GROUPS];
};

/* In nanoseconds; -1: beyond what can be told. */
struct forecast_span {
    int64_t earliest, likely, latest;
};

/* What is needed, and who comes first: others take what is free and the place of those that end,
 * and end in their turn. */
struct forecast_need {
    wide least, most; /* both above 0 */
    wide others;      /* of the least, what goes to others */
    wide free;        /* is there already */
    wide first;       /* nobody comes in anybody's place before so much was given back */
    wide alike;       /* others that ask for the same, and may run as long, need so much together */
};

/* False: too few run times are known. */
bool forecast_begin(struct forecast *forecast, const struct run_times *times, int64_t now,
                    const struct forecast_need *need);

/* One that holds this amount since so many nanoseconds. */
void forecast_add(struct forecast *forecast, wide amount, int64_t age);

/* All were added, or what was added stands for all that is held. */
void forecast_settle(struct forecast *forecast, wide added, wide all);

/* When the need is met. In four of five cases between the earliest and the latest. */
struct forecast_span forecast_when(struct forecast *forecast);

/* Whether run times differ by less than their mean. Where they do not, a few long ones are most of
 * the sum, and the next of those tell more than all that is known. [settled] */
bool forecast_is_steady(const struct forecast *forecast);

#endif
