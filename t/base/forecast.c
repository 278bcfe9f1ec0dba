/* SPDX-License-Identifier: Apache-2.0 */

/* Forecasts beside what can be reckoned by hand, and what must hold of each. */
#include "plugin/base/forecast.h"
#include "t/kit/tap.h"

static const int64_t SECOND = 1000000000;

/* So many that ran for these seconds, one a second apart; it is second 10000 then. */
static struct run_times known(int count, int64_t shortest, int64_t longest)
{
    struct run_times times = {0};

    for (int i = 0; i < count; i++)
        run_times_note(&times, (shortest + (longest - shortest) * i / (count - 1)) * SECOND,
                       (10000 - count + i) * SECOND);
    return times;
}

static struct forecast begun(const struct run_times *times, wide need, wide others)
{
    const struct forecast_need wanted = {.least = need, .most = need, .others = others};
    struct forecast forecast;

    forecast_begin(&forecast, times, 10000 * SECOND, &wanted);
    return forecast;
}

static bool is_about(int64_t got, int64_t seconds)
{
    bool good = got >= seconds * SECOND * 9 / 10 && got <= seconds * SECOND * 11 / 10;

    if (!good)
        tap_diag("%lld s", (long long)(got / SECOND));
    return good;
}

static void test_few(void)
{
    struct run_times times = known(FORECAST_LEAST - 1, 10, 20);
    const struct forecast_need need = {.least = 1, .most = 1};
    struct forecast forecast;

    ok(!forecast_begin(&forecast, &times, 10000 * SECOND, &need), "too few tell nothing");
    times = known(FORECAST_LEAST, 10, 20);
    ok(forecast_begin(&forecast, &times, 10000 * SECOND, &need), "a few more do");
}

static void test_regular(void)
{
    struct run_times times = known(40, 600, 600);
    struct forecast forecast = begun(&times, 2, 0);
    struct forecast_span span;

    for (int i = 0; i < 10; i++)
        forecast_add(&forecast, 1, (i * 50 + 25) * SECOND);
    forecast_settle(&forecast, 0, 0);
    span = forecast_when(&forecast);
    ok(is_about(span.likely, 600 - 9 * 50), "the second of those that run for ten minutes");
    ok(span.earliest <= span.likely && span.likely <= span.latest, "in its range");
    ok(span.latest - span.earliest < 200 * SECOND, "which is narrow");
}

/* One of forty runs for so much longer that it is most of the sum. */
static void test_steady(void)
{
    struct run_times times = known(40, 60, 600);
    struct forecast forecast = begun(&times, 1, 0);

    forecast_settle(&forecast, 0, 0);
    ok(forecast_is_steady(&forecast), "a tenfold between the shortest and the longest is usual");
    times = known(39, 60, 600);
    run_times_note(&times, 100000 * SECOND, 10000 * SECOND);
    forecast = begun(&times, 1, 0);
    forecast_settle(&forecast, 0, 0);
    ok(!forecast_is_steady(&forecast), "where one is most of the sum, others like it may come");
}

/* Ten pods run one after the other in each of ten places: one ends each minute on the mean. */
static void test_behind_others(void)
{
    struct run_times times = known(40, 600, 600);
    struct forecast forecast = begun(&times, 40, 39);

    for (int i = 0; i < 10; i++)
        forecast_add(&forecast, 1, (i * 60 + 30) * SECOND);
    forecast_settle(&forecast, 0, 0);
    ok(is_about(forecast_when(&forecast).likely, 40 * 60), "each place is taken again and again");
    forecast = begun(&times, 40, 0);
    for (int i = 0; i < 10; i++)
        forecast_add(&forecast, 1, (i * 60 + 30) * SECOND);
    forecast_settle(&forecast, 0, 0);
    is_int(forecast_when(&forecast).likely, -1, "or never, where nobody comes before it");
}

/* One of forty runs for a day: their mean is forty minutes, and yet each place is free again after
 * a minute, and after two, but for the few in which such a one came. */
static void test_behind_others_with_a_few_long(void)
{
    struct run_times times = known(39, 60, 60);
    struct forecast forecast;
    struct forecast_span span;

    run_times_note(&times, 100000 * SECOND, 10000 * SECOND);
    forecast = begun(&times, 30, 29);
    for (int i = 0; i < 10; i++)
        forecast_add(&forecast, 1, (i * 6 + 3) * SECOND);
    forecast_settle(&forecast, 0, 0);
    span = forecast_when(&forecast);
    ok(span.likely > 150 * SECOND && span.likely < 400 * SECOND,
       "three rounds of ten take minutes, not mean run times");
    ok(span.earliest <= 200 * SECOND, "and may take no more than the three minutes");
}

static void test_outlived(void)
{
    struct run_times times = known(40, 60, 120);
    struct forecast forecast = begun(&times, 1, 0);

    forecast_add(&forecast, 1, 3600 * SECOND);
    forecast_settle(&forecast, 0, 0);
    ok(is_about(forecast_when(&forecast).likely, 3600),
       "what outlived all that is known lasts for as long again");
}

/* Half of what is held is one that runs for ever: those that ended say nothing about it, but that
 * it is still there does. */
static void test_life_table(void)
{
    struct run_times times = known(RUN_TIMES, 60, 60);
    struct forecast short_lived = begun(&times, 1, 0), mixed = begun(&times, 1, 0);

    forecast_add(&short_lived, 1, 0);
    forecast_settle(&short_lived, 0, 0);
    forecast_add(&mixed, 1, 0);
    for (int i = 0; i < 100; i++)
        forecast_add(&mixed, 0, 65 * SECOND);
    forecast_settle(&mixed, 0, 0);
    ok(forecast_when(&short_lived).latest >= 0 && forecast_when(&short_lived).likely > 0,
       "one that is like those that ended");
    ok(mixed.left[mixed.count] > short_lived.left[short_lived.count],
       "more are left at an age that many of those reached that still run");
}

static void test_part_stands_for_all(void)
{
    struct run_times times = known(40, 300, 900);
    struct forecast whole = begun(&times, 30, 0), part = begun(&times, 30, 0);

    for (int i = 0; i < 100; i++)
        forecast_add(&whole, 1, i % 10 * 30 * SECOND);
    forecast_settle(&whole, 100, 100);
    for (int i = 0; i < 50; i++)
        forecast_add(&part, 1, i % 10 * 30 * SECOND);
    forecast_settle(&part, 50, 100);
    ok(is_about(forecast_when(&part).likely, forecast_when(&whole).likely / SECOND),
       "half of those that hold stand for the other half");
}

static void test_large(void)
{
    struct run_times times = known(40, 300, 900);
    const struct forecast_need need = {.least = (wide)AMOUNT_MAX * 1000,
                                       .most = (wide)AMOUNT_MAX * 2000,
                                       .others = (wide)AMOUNT_MAX * 2000,
                                       .free = (wide)AMOUNT_MAX,
                                       .alike = (wide)AMOUNT_MAX * 100};
    struct forecast forecast;
    struct forecast_span span;

    forecast_begin(&forecast, &times, 10000 * SECOND, &need);
    for (int i = 0; i < 1000; i++)
        forecast_add(&forecast, AMOUNT_MAX, i * SECOND);
    forecast_settle(&forecast, 1, (wide)AMOUNT_MAX << 30);
    span = forecast_when(&forecast);
    ok(span.earliest > 0 && span.likely > span.earliest, "the largest amounts");
    ok(span.latest < 0 || span.latest >= span.likely, "the latest is the last");
}

int main(void)
{
    test_few();
    test_regular();
    test_steady();
    test_behind_others();
    test_behind_others_with_a_few_long();
    test_outlived();
    test_life_table();
    test_part_stands_for_all();
    test_large();
    return tap_done();
}
