/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/trace_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "examples/sim/clock.h"

enum { SORTS = 6 };

/* A share of the rows, and what each of them is like. */
struct sort {
    double share;
    double pods; /* of one row: 1 and on, by a power law of this exponent; 0: always one */
    bool gang;
    int64_t priority;
    double cpu, cpu_spread; /* median cores, and the deviation of their logarithm */
    double memory;          /* GiB for each core */
    int64_t gpu;
    double runs, runs_spread; /* median seconds, and the deviation of their logarithm */
};

struct kind {
    double cores;   /* of the largest machine: no pod asks for more */
    double longest; /* seconds: nothing runs for longer */
    double bursts;  /* how many times the usual rate a burst has */
    double users;   /* exponent of how much each user brings */
    double day;     /* how far the rate of the night is below that of the day, 0 to 1 */
    struct sort sorts[SORTS];
};

const char *const trace_kinds[] = {"borg-2019", "alibaba-gpu-2020", "alibaba-gpu-2023", "philly",
                                   NULL};

static const struct kind kinds[] = {
    /* Many small, few that take nearly all; four tiers. */
    {.cores = 64,
     .longest = 172800,
     .bursts = 8,
     .users = 1.2,
     .day = 0.3,
     .sorts = {{0.40, 2.2, false, 0, 0.3, 1.2, 3, 0, 120, 1.8},
               {0.35, 2.1, false, 100, 0.5, 1.1, 4, 0, 300, 1.9},
               {0.10, 2.2, false, 200, 1.0, 1.0, 4, 0, 1800, 1.6},
               {0.15, 2.0, false, 360, 1.0, 0.9, 5, 0, 3600, 1.7}}},
    /* Most ask for one accelerator; gangs of workers; few users bring most. */
    {.cores = 64,
     .longest = 172800,
     .bursts = 5,
     .users = 1.6,
     .day = 0.5,
     .sorts = {{0.55, 0, false, 0, 6, 0.5, 5, 1, 600, 1.6},
               {0.25, 2.3, true, 0, 6, 0.5, 5, 1, 1500, 1.7},
               {0.05, 0, false, 0, 48, 0.4, 6, 8, 5400, 1.5},
               {0.15, 0, false, 0, 4, 0.7, 4, 0, 300, 1.5}}},
    /* Nearly all are one accelerator and a tenth of a machine, for minutes; a few are a whole one,
     * for hours. */
    {.cores = 128,
     .longest = 864000,
     .bursts = 2,
     .users = 1.6,
     .day = 0.75,
     .sorts = {{0.316, 0, false, 0, 3.4, 0.15, 1.7, 1, 400, 1.8},
               {0.529, 0, false, 0, 11.4, 0.2, 3.9, 1, 886, 1.8},
               {0.145, 0, false, 0, 12.5, 0.48, 3.7, 0, 492, 1.9},
               {0.002, 0, false, 0, 16, 0.5, 4, 2, 2267, 2.5},
               {0.002, 0, false, 0, 32, 0.25, 4, 4, 542, 2.5},
               {0.006, 0, false, 0, 88, 0.21, 4, 8, 525, 2.8}}},
    /* Training. A sixth ends after a minute, as it was wrong; the long ones take many accelerators,
     * or whole machines of eight together. */
    {.cores = 64,
     .longest = 432000,
     .bursts = 3,
     .users = 1.3,
     .day = 0.4,
     .sorts = {{0.15, 0, false, 0, 5, 0.3, 10, 1, 65, 0.15},
               {0.24, 0, false, 0, 5, 0.3, 10, 1, 211, 1.45},
               {0.32, 0, false, 0, 5, 0.3, 10, 1, 2037, 0.7},
               {0.14, 0, false, 0, 12, 0.3, 10, 4, 5727, 2.18},
               {0.10, 0, false, 0, 24, 0.2, 10, 8, 5727, 2.18},
               {0.05, 2.5, true, 0, 24, 0.2, 10, 8, 5727, 2.18}}},
};

struct dice {
    uint64_t state;
};

/* Between 0 and 1, both left out (splitmix64). */
static double roll(struct dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct dice *dice)
{
    return sqrt(-2 * log(roll(dice))) * cos(6.283185307179586 * roll(dice));
}

static double around(struct dice *dice, double median, double spread)
{
    return median * exp(spread * normal(dice));
}

/* From 1 on, at most so many: each time as large it is 2^exponent times as rare. */
static int64_t power_law(struct dice *dice, double exponent, double most)
{
    double value = pow(roll(dice), -1 / (exponent - 1));

    return (int64_t)(value < most ? value : most);
}

/* The first of so many brings most, the next ones less and less. */
static int64_t rank(struct dice *dice, double exponent, int64_t count)
{
    for (;;) {
        int64_t at = power_law(dice, exponent, 1e9) - 1;
        if (at < count)
            return at;
    }
}

static const struct sort *sort_of(const struct kind *kind, struct dice *dice)
{
    double left = roll(dice);
    const struct sort *sort = kind->sorts;

    while (left > sort->share && sort < &kind->sorts[SORTS - 1] && sort[1].share > 0)
        left -= sort++->share;
    return sort;
}

static double within(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* When the next one comes: by the hour of the day, and now and then many at once. */
static double next_arrival(const struct kind *kind, struct dice *dice, double at, double rate,
                           double *burst_until)
{
    const double day = 86400;
    double hour = 1 - kind->day * (0.5 + 0.5 * cos(6.283185307179586 * at / day));

    if (at > *burst_until && roll(dice) < 0.002)
        *burst_until = at + 600 * roll(dice);
    if (at < *burst_until)
        rate *= kind->bursts;
    return at - log(roll(dice)) / (rate * hour);
}

void trace_make(struct trace *trace, const struct trace_wish *wish)
{
    const struct kind *kind = kinds;
    struct dice dice = {wish->seed};
    double length = (double)wish->length / (double)SECOND, at = 0, burst_until = 0;
    char queue[32], user[32];

    *trace = (struct trace){0};
    for (size_t i = 0; trace_kinds[i]; i++)
        if (strcmp(trace_kinds[i], wish->kind) == 0)
            kind = &kinds[i];
    while (trace->n_pods < wish->pods) {
        const struct sort *sort = sort_of(kind, &dice);
        int64_t who = rank(&dice, kind->users, wish->users);
        double cpu = within(around(&dice, sort->cpu, sort->cpu_spread), 0.1, kind->cores);
        int64_t left = wish->pods - trace->n_pods;
        int64_t pods = sort->pods > 0 ? power_law(&dice, sort->pods, 1000) : 1;

        at = next_arrival(kind, &dice, at, (double)wish->pods / length, &burst_until);
        /* A user stays in his queue. */
        snprintf(queue, sizeof(queue), "q-%d", (int)(who * 7919 % wish->queues));
        snprintf(user, sizeof(user), "u-%d", (int)who);
        const struct trace_row row = {
            .at = (int64_t)(at * (double)SECOND),
            .runs_for =
                (int64_t)within(around(&dice, sort->runs, sort->runs_spread), 5, kind->longest) *
                SECOND,
            .queue = queue,
            .user = user,
            .priority = sort->priority,
            .cpu = (int64_t)(cpu * 10) * 100,
            .memory = (int64_t)(cpu * sort->memory * 1024) << 20,
            .gpu = sort->gpu,
            .pods = pods < left ? pods : left,
            .gang = sort->gang && pods > 1,
        };
        trace_add(trace, &row);
    }
    /* However the bursts fell, the last one comes at the end. */
    for (size_t i = 0; i < trace->count; i++)
        trace->rows[i].at = (int64_t)((double)trace->rows[i].at * length / (at > 0 ? at : 1)) /
                            MILLISECOND * MILLISECOND;
    trace_sort(trace);
}
