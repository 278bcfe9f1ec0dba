/* SPDX-License-Identifier: Apache-2.0 */
#include "forecast.h"

#include <string.h>

enum {
    NEED_BITS = 20,            /* amounts are counted in parts of the need */
    MOST_BITS = 26,            /* more parts than these are as good as so many */
    SUM_BITS = 40,             /* so many of all together, too */
    RATIO_BITS = 16,           /* of all to those that stand for them */
    SHARE_BITS = 30,           /* a share of one */
    SPREAD_BITS = 16,          /* of the squares of means */
    HORIZON = 60 * 86400 * 10, /* in ticks: nothing is told of what is farther away */
    DEVIATION = 100,           /* in 64ths: four of five are within it, as t/estimate finds */
};

static const int64_t ONE = (int64_t)1 << SHARE_BITS;

/* How many of the run times are no longer than this. */
static uint32_t count_until(const struct forecast *f, int64_t ticks)
{
    uint32_t low = 0, high = f->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (f->times[middle] <= ticks)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(struct forecast *f, const struct run_time *time)
{
    uint32_t place = count_until(f, (int64_t)time->ticks - 1);

    if (place == f->count || f->times[place] != time->ticks) {
        memmove(&f->times[place + 1], &f->times[place], (f->count - place) * sizeof(*f->times));
        memmove(&f->ends[place + 1], &f->ends[place], (f->count - place) * sizeof(*f->ends));
        f->times[place] = time->ticks;
        f->ends[place] = 0;
        f->count++;
    }
    f->ends[place] += time->count;
}

/* So many that passed these ages while they were looked at count at each run time between them. */
static void expose(const struct forecast *f, int64_t *risk, int64_t from, int64_t to, int64_t count)
{
    uint32_t first = from <= 0 ? 0 : count_until(f, from);
    uint32_t end = count_until(f, to);

    if (first < end) {
        risk[first] += count;
        risk[end] -= count;
    }
}

/* Many that ended together tell little more than one. */
static int64_t count_known(const struct run_times *times)
{
    wide sum = 0, squares = 0;

    for (uint32_t i = 0; i < run_times_count(times); i++) {
        sum += times->last[i].count;
        squares += (wide)times->last[i].count * times->last[i].count;
    }
    return squares == 0 ? 0 : amount_clamp(sum * sum / squares);
}

/* The mean of those that ended. */
static int64_t mean_of(const struct run_times *times)
{
    int64_t sum = 0, count = run_times_count(times);

    for (uint32_t i = 0; i < count; i++)
        sum += times->last[i].ticks;
    return count == 0 ? 0 : sum / count;
}

static wide parts_of(const struct forecast *f, wide amount)
{
    return wide_min((amount << NEED_BITS) / f->most, (wide)1 << MOST_BITS);
}

bool forecast_begin(struct forecast *f, const struct run_times *times, int64_t now,
                    const struct forecast_need *need)
{
    memset(f, 0, sizeof(*f));
    f->most = need->most;
    f->followed = (int64_t)(wide_min(need->others, need->least) * ONE / need->least);
    f->free = (need->free << NEED_BITS) / need->most;
    f->alike = parts_of(f, need->alike);
    f->first_parts = (need->first << NEED_BITS) / need->most;
    f->parts[FORECAST_EARLIEST] = (need->least << NEED_BITS) / need->most;
    f->parts[FORECAST_LATEST] = (wide)1 << NEED_BITS;
    f->parts[FORECAST_LIKELY] = (f->parts[FORECAST_EARLIEST] + f->parts[FORECAST_LATEST]) / 2;
    f->window = run_times_window(times, now);
    for (uint32_t i = 0; i < run_times_count(times); i++)
        insert(f, &times->last[i]);
    f->young = 1 + 2 * mean_of(times);
    f->known = count_known(times);
    for (uint32_t i = 0; i < run_times_count(times); i++) {
        const struct run_time *time = &times->last[i];
        int64_t since = now / RUN_TIME_TICK - (int64_t)time->ended * 10;
        int64_t from = f->window == INT64_MAX ? 0 : (int64_t)time->ticks - f->window + since - 1;

        expose(f, f->risk, from, time->ticks, time->count);
    }
    return run_times_count(times) >= FORECAST_LEAST;
}

static uint32_t group_of(const struct forecast *f, int64_t ticks)
{
    return ticks < f->young ? (uint32_t)(ticks * FORECAST_AGES / f->young)
                            : FORECAST_AGES + count_until(f, ticks) / FORECAST_OUTLIVED;
}

void forecast_add(struct forecast *f, wide amount, int64_t age)
{
    int64_t ticks = age < 0 ? 0 : age / RUN_TIME_TICK;
    struct forecast_group *group = &f->groups[group_of(f, ticks)];
    wide parts = parts_of(f, amount);

    group->amount += parts;
    group->squares += parts * parts;
    group->age += parts * ticks;
    group->count++;
    expose(f, f->held, f->window == INT64_MAX ? 0 : ticks - f->window, ticks, 1);
}

/* A share of what is left is gone at each run time; beyond the last one nothing is known. */
static void settle_table(struct forecast *f, int64_t ratio)
{
    int64_t risk = 0, held = 0, last = f->times[f->count - 1];
    wide squares = 0, mean;

    f->left[0] = ONE;
    for (uint32_t i = 0; i < f->count; i++) {
        int64_t from = i == 0 ? 0 : f->times[i - 1], to = f->times[i];
        int64_t among;

        risk += f->risk[i];
        held += f->held[i];
        among = risk + (int64_t)((wide)held * ratio >> RATIO_BITS);
        among = (among > f->ends[i] ? among : f->ends[i]) + 1; /* somebody always lasts longer */
        f->left[i + 1] = f->left[i] - (int64_t)((wide)f->left[i] * f->ends[i] / among);
        f->area[i + 1] = f->area[i] + (wide)f->left[i] * (to - from);
        squares += (wide)f->left[i] * ((wide)to * to - (wide)from * from);
    }
    /* Those that are left then last as long again. */
    mean = f->area[f->count] + (wide)f->left[f->count] * last;
    squares += (wide)f->left[f->count] * 3 * last * last;
    f->mean = amount_clamp(mean / ONE) + (mean < ONE);
    f->spread = amount_clamp((wide_max(squares / ONE - (wide)f->mean * f->mean, 0) << SPREAD_BITS) /
                             ((wide)f->mean * f->mean));
}

bool forecast_is_steady(const struct forecast *f)
{
    return f->spread < (int64_t)1 << SPREAD_BITS;
}

/* The less run times differ, the later the first of those ends that come in the place of others,
 * beside one in each mean run time. */
static int64_t first_pause(const struct forecast *f)
{
    int64_t one = (int64_t)1 << SPREAD_BITS;

    return !forecast_is_steady(f) ? 0 : f->mean * (one - f->spread) / (2 * one);
}

void forecast_settle(struct forecast *f, wide added, wide all)
{
    int64_t ratio = (int64_t)1 << RATIO_BITS;

    if (added > 0 && all > added)
        ratio = (int64_t)wide_min((all << RATIO_BITS) / added, ONE);
    settle_table(f, ratio);
    for (uint32_t i = 0; i < FORECAST_GROUPS; i++) {
        struct forecast_group *group = &f->groups[i];

        group->amount = group->amount * ratio >> RATIO_BITS;
        group->squares = group->squares * ratio >> RATIO_BITS;
        group->age = group->age * ratio >> RATIO_BITS;
        group->count = (int64_t)((wide)group->count * ratio >> RATIO_BITS);
        f->all += group->amount;
        f->holders += group->count;
    }
    f->each = f->holders == 0 ? 0 : f->all / f->holders;
    f->pause = first_pause(f);
}

/* The share that is left at an age. Nobody runs for just as long as another: before each of the
 * run times it falls evenly, in the last eighth of it. */
static int64_t left_at(const struct forecast *f, int64_t ticks)
{
    uint32_t over = count_until(f, ticks);
    int64_t before = over == 0 ? 0 : f->times[over - 1], next, from;

    if (over == f->count)
        return (int64_t)((wide)f->left[over] * (before + 1) / (ticks + 1));
    next = f->times[over];
    from = next - next / 8 > before ? next - next / 8 : before;
    if (ticks <= from)
        return f->left[over];
    return f->left[over] -
           (int64_t)((wide)(f->left[over] - f->left[over + 1]) * (ticks - from) / (next - from));
}

/* Below the steps of that curve, up to an age. */
static wide area_to(const struct forecast *f, int64_t ticks)
{
    uint32_t over = count_until(f, ticks);
    int64_t from = over == 0 ? 0 : f->times[over - 1];

    return f->area[over] + (wide)f->left[over] * (ticks - from);
}

/* What is given back until a moment: by those that hold it now, by who comes after them, and the
 * square of how far that may be off. */
struct released {
    wide first, later, variance;
};

/* How many follow each other in one place in so long, on the mean, as a share of ONE: one in each
 * mean run time; or, where a few long ones are most of that mean, as many as fit of run times cut
 * off at this span, less the one that lasts beyond it (the least that the renewals of any run times
 * come to). */
static wide followers(const struct forecast *f, wide ticks)
{
    int64_t span = (int64_t)wide_min(ticks, HORIZON);

    if (span <= 0)
        return 0;
    return wide_max((wide)span * ONE / f->mean,
                    (wide)span * ONE / wide_max(1, area_to(f, span) / ONE) - ONE);
}

static void add_group(const struct forecast *f, const struct forecast_group *group, int64_t ticks,
                      struct released *sum)
{
    int64_t age, left, gone, later = ticks - f->pause;

    if (group->amount == 0)
        return;
    age = (int64_t)(group->age / group->amount);
    left = left_at(f, age);
    gone = left == 0 ? ONE : (int64_t)((wide)(left - left_at(f, age + ticks)) * ONE / left);
    sum->first += group->amount * gone >> SHARE_BITS;
    sum->variance += (group->squares * gone >> SHARE_BITS) * (ONE - gone) >> SHARE_BITS;
    if (later > f->first && left > 0) {
        wide ran = (area_to(f, age + later) - area_to(f, age + f->first)) / left;

        sum->later += group->amount * followers(f, later - f->first - ran) >> SHARE_BITS;
    }
}

static struct released released_by(const struct forecast *f, int64_t ticks)
{
    struct released sum = {0};
    wide all = wide_min(f->all + f->free, (wide)1 << SUM_BITS), each, alike, known;

    for (uint32_t i = 0; i < FORECAST_GROUPS; i++)
        add_group(f, &f->groups[i], ticks, &sum);
    if (ticks - f->pause > f->first)
        sum.later += f->free * followers(f, ticks - f->pause - f->first) >> SHARE_BITS;
    sum.first = wide_min(sum.first, (wide)1 << SUM_BITS);
    sum.later = wide_min(sum.later * f->followed >> SHARE_BITS, (wide)1 << SUM_BITS);
    /* Those that ask for the same are of one piece, and what is known is known of few. */
    each = wide_max(1, all / wide_max(1, f->holders));
    alike = wide_max(each, f->alike);
    sum.variance = sum.variance * alike / each;
    known = wide_max(2, f->known * each / alike);
    sum.variance += sum.first * wide_max(0, all - sum.first) / known;
    sum.variance += sum.later * f->spread * (alike + sum.later / known) >> SPREAD_BITS;
    return sum;
}

static wide root_of(wide square)
{
    wide root = 0;

    for (int bit = 60; bit >= 0; bit--) {
        wide next = root | (wide)1 << bit;

        if (next * next <= square)
            root = next;
    }
    return root;
}

/* Whether so many 64ths of a deviation more than what is to be expected meet a need. */
static bool is_met(const struct forecast *f, int64_t ticks, wide parts, int deviation)
{
    struct released sum = released_by(f, ticks);

    return sum.first + sum.later + root_of(sum.variance) * deviation / 64 >= parts;
}

/* The tick at which it is, to a hundredth or so. */
static int64_t when(const struct forecast *f, wide parts, int deviation)
{
    int64_t low = 0, high = 1 + f->mean / 64;

    /* Room comes in pieces: the last of them is there when it is more likely than not. */
    parts -= wide_min(f->each, parts) / 2;
    for (; high <= HORIZON && !is_met(f, high, parts, deviation); high *= 2)
        low = high;
    while (high - low > 1 + high / 128) {
        int64_t middle = low + (high - low) / 2;

        if (is_met(f, middle, parts, deviation))
            high = middle;
        else
            low = middle;
    }
    return high;
}

struct forecast_span forecast_when(struct forecast *f)
{
    static const int deviations[FORECAST_ENDS] = {DEVIATION, 0, -DEVIATION};
    int64_t ends[FORECAST_ENDS];

    for (int end = 0; end < FORECAST_ENDS; end++) {
        int64_t ticks;

        f->first = HORIZON; /* nobody comes in anybody's place until then */
        f->first = f->first_parts == 0 ? 0 : when(f, f->first_parts, deviations[end]);
        ticks = when(f, f->parts[end], deviations[end]);
        ends[end] = ticks > HORIZON ? -1 : ticks * RUN_TIME_TICK;
    }
    return (struct forecast_span){.earliest = ends[FORECAST_EARLIEST],
                                  .likely = ends[FORECAST_LIKELY],
                                  .latest = ends[FORECAST_LATEST]};
}
