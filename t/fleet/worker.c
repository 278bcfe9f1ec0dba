/* SPDX-License-Identifier: Apache-2.0 */

/* Worker clusters: who is named by whom, and whose replicas are to be looked at again. */
#include "plugin/fleet/worker.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static void test_life(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "maxClusters=3");
    fleet_kit_do(&f, "cluster a; cluster a; cluster a off");
    is_int(fleet_count_clusters(f.fleet), 1, "seen three times it is one");
    fleet_kit_do(&f, "workload w in=a,b; lose-cluster a");
    is_int(fleet_count_clusters(f.fleet), 2, "who is named stays");
    fleet_kit_do(&f, "lose-workload w; lose-cluster nobody");
    is_int(fleet_count_clusters(f.fleet), 0, "with the last user it goes");
    fleet_kit_do(&f, "cluster a; cluster b; cluster c");

    const struct cluster_facts fourth = {.name = text_of("d"), .connected = true};

    is_int(fleet_see_cluster(f.fleet, &fourth), ENGINE_FULL_CLUSTERS, "one too many");
    fleet_kit_close(&f);
}

/* Whose replicas are to be looked at again, the first of them first. */
static void test_swept(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; cluster b; workload v in=a; workload w in=a,b");

    uint32_t a = worker_find(f.fleet, text_of("a")), b = worker_find(f.fleet, text_of("b"));
    uint32_t taken[3];

    ok(!worker_sweeps(f.fleet), "nobody");
    worker_begin_sweep(f.fleet, b);
    worker_begin_sweep(f.fleet, a);
    worker_begin_sweep(f.fleet, b);
    for (int i = 0; i < 3; i++)
        taken[i] = worker_take_swept(f.fleet);
    is_int(replica_at(f.fleet, taken[0])->worker, b, "who began first");
    is_int(replica_at(f.fleet, taken[1])->worker, a, "then the other");
    is_int(replica_at(f.fleet, taken[2])->worker, a, "all of its replicas");
    ok(taken[1] != taken[2], "each once");
    is_int(worker_take_swept(f.fleet), 0, "then there is none");
    ok(!worker_sweeps(f.fleet), "and that is known");
    fleet_kit_close(&f);
}

static void test_no_memory(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    ok(fleet_kit_starve(&f, "cluster a") > 0, "a cluster needs memory");
    fleet_kit_close(&f);
}

int main(void)
{
    test_life();
    test_swept();
    test_no_memory();
    return tap_done();
}
