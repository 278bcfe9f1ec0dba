/* SPDX-License-Identifier: Apache-2.0 */

/* Worker clusters: who can be reached, and who is named by whom. */
#include "plugin/worker.h"

#include "t/fleet_kit.h"
#include "t/tap.h"

#include <stdio.h>

static void test_life(void)
{
    struct fleet f;

    fleet_open(&f, "maxClusters=3");
    fleet_do(&f, "cluster a; cluster a; cluster a off");
    is_int(engine_count_clusters(f.engine), 1, "seen three times it is one");
    fleet_do(&f, "workload w in=a,b; lose-cluster a");
    is_int(engine_count_clusters(f.engine), 2, "who is named stays");
    fleet_do(&f, "lose-workload w; lose-cluster nobody");
    is_int(engine_count_clusters(f.engine), 0, "with the last user it goes");
    fleet_do(&f, "cluster a; cluster b; cluster c");

    const struct cluster_facts fourth = {.name = text_of("d"), .connected = true};

    is_int(engine_see_cluster(f.engine, &fourth), ENGINE_FULL_CLUSTERS, "one too many");
    fleet_close(&f);
}

static void test_slices(void)
{
    struct fleet f;
    char step[64];
    int turns = 0;

    fleet_open(&f, "");
    fleet_do(&f, "cluster a");
    for (int i = 0; i < 200; i++) {
        snprintf(step, sizeof(step), "workload w%d in=a", i);
        fleet_do(&f, step);
    }
    is_int(engine_pending(f.engine), 200, "all want to go there");

    const struct cluster_facts off = {.name = text_of("a")};

    engine_see_cluster(f.engine, &off);
    ok(engine_more(f.engine), "that it is lost is work for more than one call");
    for (; engine_more(f.engine); turns++)
        engine_tick(f.engine);
    ok(turns >= 3, "and done in slices");
    is_int(engine_pending(f.engine), 0, "nobody wants to go there any more");
    is_str(engine_check(f.engine) == NULL ? "" : engine_check(f.engine), "", "all is sound");
    engine_see_cluster(f.engine, &off);
    ok(!engine_more(f.engine), "the same again is no work");
    fleet_do(&f, "lose-cluster a; cluster a");
    is_int(engine_pending(f.engine), 200, "until it is back");
    fleet_close(&f);
}

static void test_no_memory(void)
{
    struct fleet f;

    fleet_open(&f, "");
    ok(fleet_starve(&f, "cluster a") > 0, "a cluster needs memory");
    fleet_close(&f);
}

int main(void)
{
    test_life();
    test_slices();
    test_no_memory();
    return tap_done();
}
