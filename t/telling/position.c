/* SPDX-License-Identifier: Apache-2.0 */

/* Where one that waits stands: whether anything can be said of how long it will take. */
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include "plugin/telling/position.h"

#include <stdio.h>

static struct position place_of(struct workload_kit *kit, const char *name)
{
    struct workload_report report;

    engine_report_workload(kit->kit.engine,
                           engine_find_workload(kit->kit.engine, text_of("default"), text_of(name)),
                           false, &report);
    return report.place;
}

static struct position pod_place(struct workload_kit *kit, const char *uid)
{
    struct pod_report report;

    engine_report_pod(kit->kit.engine, kit_claim(&kit->kit, uid), &report);
    return report.place;
}

/* In a queue of two cpu two workloads run, each for a minute, ten times. */
static void run_some(struct workload_kit *kit, const char *also)
{
    char steps[200];

    for (int i = 0; i < 10; i++) {
        snprintf(steps, sizeof(steps),
                 "time %d; add a%d queue=l cpu=1%s; add b%d queue=l cpu=1%s; time %d;"
                 "finish a%d; finish b%d; remove a%d; remove b%d",
                 100 + i * 100, i, also, i, also, 160 + i * 100, i, i, i, i);
        workload_kit_do(kit, steps);
    }
    workload_kit_do(kit, "time 2000");
}

static void test_estimate(void)
{
    struct workload_kit kit;
    struct position place;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=2; local l cluster=c;"
                          "add a queue=l cpu=2; add b queue=l cpu=1");
    place = place_of(&kit, "b");
    ok(place.estimate == -1 && place.earliest == -1, "nothing has ended");
    is_str(place.basis, "too few have ended there to tell", "and that is said");
    workload_kit_do(&kit, "remove a; remove b");

    run_some(&kit, "");
    workload_kit_do(&kit, "add x queue=l cpu=1; add y queue=l cpu=1; time 2030;"
                          "add first queue=l cpu=1; add second queue=l cpu=1 priority=-1;"
                          "add much queue=l cpu=3; pod p cluster=c cpu=1 priority=-2");
    place = place_of(&kit, "first");
    ok(place.earliest > 20 * SECOND && place.latest > place.earliest && place.latest < 60 * SECOND,
       "half a minute more or so: %lld to %lld", (long long)place.earliest,
       (long long)place.latest);
    is_str(place.basis,
           "when 1m cpu are given back in c, whose last 11 ran for 57s800ms on the mean",
           "and what that is based on: those that ended together count once");
    ok(place_of(&kit, "second").earliest >= place.earliest, "the second waits for longer");
    ok(pod_place(&kit, "p").latest > place.latest, "a pod behind them, too");
    is_str(place_of(&kit, "much").basis, "it can never fit", "who can never fit gets none");
    is_int(place_of(&kit, "much").earliest, -1, "no range either");
    workload_kit_do(&kit, "cluster c hold group=cpu flavor=f cpu=2");
    is_str(place_of(&kit, "first").basis, "its queue lets nobody in",
           "nor who waits in a queue "
           "that grants nothing");
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=2; local l cluster=c hold");
    ok(place_of(&kit, "first").earliest == -1 && place_of(&kit, "first").position == 0,
       "nor who is held");
    workload_kit_close(&kit);
}

/* Only what is held where its pods can be is waited for. */
static void test_flavors(void)
{
    struct workload_kit kit;
    struct position place;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f label=kind:f; flavor g label=kind:g;"
                          "cluster c group=cpu flavor=f cpu=2 flavor=g cpu=2; local l cluster=c");
    run_some(&kit, " selects=kind:f");
    workload_kit_do(&kit, "add g queue=l cpu=2 selects=kind:g; time 2058;"
                          "add f queue=l cpu=2 selects=kind:f; time 2059;"
                          "add old queue=l cpu=1 selects=kind:g; add young queue=l cpu=1 "
                          "selects=kind:f");
    place = place_of(&kit, "old");
    is_str(place.basis,
           "when 1m cpu of flavor g are given back in c, whose last 10 ran for 1m2s on "
           "the mean",
           "the flavor is told");
    ok(place.latest >= 0 && place_of(&kit, "young").earliest > place.latest,
       "what is held there is about to end, and not what is held elsewhere: %lld, %lld",
       (long long)place.latest, (long long)place_of(&kit, "young").earliest);
    workload_kit_close(&kit);
}

static void test_promised(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=4;"
                          "local l cluster=c; jobsStay; add a queue=l cpu=4;"
                          "add w queue=l cpu=2 priority=1");
    is_str(place_of(&kit, "w").basis, "those whose room it takes are on their way out",
           "whose victims go is told so");
    workload_kit_close(&kit);
}

int main(void)
{
    test_estimate();
    test_flavors();
    test_promised();
    return tap_done();
}
