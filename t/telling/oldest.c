/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/telling/oldest.h"

#include "plugin/telling/report.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

enum { PODS = 300 };

static int64_t waiting(const struct kit *kit, const char *queue)
{
    return oldest_waiting(kit->engine, kit_queue(kit, queue));
}

static int64_t unplaced(const struct kit *kit, const char *queue)
{
    return oldest_unplaced(kit->engine, kit_queue(kit, queue));
}

/* By a look at all of them. */
static int64_t oldest_of_all(const struct engine *e)
{
    int64_t oldest = 0;

    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (slab_live(&e->claims.records, id) && claim_at(e, id)->state == CLAIM_WAITING &&
            (oldest == 0 || claim_at(e, id)->queued < oldest))
            oldest = claim_at(e, id)->queued;
    }
    return oldest;
}

/* So many shapes and priorities; those that have waited longest go, one after the other. */
static void test_random_worlds(unsigned shapes, unsigned priorities, const char *what)
{
    unsigned long long seed = shapes + priorities;
    unsigned wrong = 0;
    struct kit kit;

    kit_open(&kit, "standby"); /* so that nobody is granted */
    kit_do(&kit, "queue q");
    for (int i = 0; i < PODS; i++)
        kit_dof(&kit, "pod p%d queue=q cpu=%u priority=%u created=%u", i,
                1 + test_random(&seed) % shapes, test_random(&seed) % priorities,
                1 + test_random(&seed) % 900);
    for (int i = 0; i < PODS; i++) {
        wrong += waiting(&kit, "q") != oldest_of_all(kit.engine);
        kit_dof(&kit, "lose-pod p%d", i);
    }
    is_int((int)wrong, 0, "%s", what);
    is_int(waiting(&kit, "q"), 0, "in the end nobody waits");
    kit_close(&kit);
}

static void test_priorities(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p; queue q parent=p cpu=1; pod r queue=q cpu=1 node=n;"
                 "pod young queue=q cpu=1 priority=9 created=50;"
                 "pod old queue=q cpu=1 priority=1 created=20;"
                 "pod held queue=q cpu=1 created=10 foreign");
    is_int(waiting(&kit, "q"), 20, "not the head, whose priority is higher; not who is held");
    is_int(waiting(&kit, "p"), 0, "a queue tells of its own claims");
    kit_close(&kit);
}

static void test_unplaced(void)
{
    struct queue_report report;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; time 5; pod a queue=q; time 7; pod b queue=q");
    is_int(unplaced(&kit, "q"), 5 * SECOND, "since the grant of the oldest");
    kit_do(&kit, "reserve a");
    is_int(unplaced(&kit, "q"), 7 * SECOND, "one that has a node is passed over");
    engine_report_queue(kit.engine, kit_queue(&kit, "q"), &report);
    ok(report.unplaced == 7 * SECOND && report.oldest == 0, "a queue's report says it");
    is_int((long long)waits_count(report.waits), (long long)report.granted,
           "and how long each waited that was granted something");
    kit_do(&kit, "lose-pod b");
    is_int(unplaced(&kit, "q"), 0, "none is left");
    kit_do(&kit, "time 9; pod s queue=q stamp=3000000000 granted=q unschedulable bare");
    is_int(unplaced(&kit, "q"), 3 * SECOND, "after a restart since the grant, too");
    kit_close(&kit);
}

/* What is held for members that are still to come is a reservation since it was granted, not since
 * its group is there. */
static void test_gang(void)
{
    struct kit kit;

    kit_open(&kit, "creates names statuses");
    kit_do(&kit, "queue q cpu=4; time 100; group g min=2 queue=q created=1 cpu=2; time 200;"
                 "pod a queue=q cpu=1 group=g created=2; pod b queue=q cpu=1 group=g created=3");
    ok(unplaced(&kit, "q") >= 100 * SECOND, "of a gang: %lld", (long long)unplaced(&kit, "q"));
    kit_close(&kit);
}

static void test_workloads(void)
{
    struct workload_kit kit;
    struct cluster_queue_report report;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=4; local l cluster=c;"
                          "local m cluster=c; add a queue=l cpu=4 created=5;"
                          "add b queue=l cpu=4 priority=7 created=30;"
                          "add d queue=m cpu=4 created=20");
    is_int(waiting(&kit.kit, "cluster/c"), 20 * SECOND, "the oldest, whatever its priority");
    engine_report_local_queue(
        kit.kit.engine, engine_find_local_queue(kit.kit.engine, text_of("default"), text_of("l")),
        &report);
    is_int(report.oldest, 30 * SECOND, "of a LocalQueue its own");
    is_int((long long)waits_count(report.waits), 1, "and how many were granted quota");
    workload_kit_close(&kit);
}

int main(void)
{
    test_random_worlds(1, 1, "all are alike");
    test_random_worlds(1, 5, "of one shape, with priorities");
    test_random_worlds(7, 3, "a few lines in which many wait");
    test_random_worlds(1000000, 4, "as many lines as pods");
    test_priorities();
    test_unplaced();
    test_gang();
    test_workloads();
    return tap_done();
}
