/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/cluster_queue.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static struct workload_kit kit;

static uint64_t change_of(const char *queue)
{
    return cluster_queue_change(kit.kit.engine, kit_queue(&kit.kit, queue));
}

static void test_whom_a_change_concerns(void)
{
    uint64_t plain, taker;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cohort x; cluster plain parent=x group=cpu flavor=f cpu=4; "
                          "cluster taker parent=x reclaim=any group=cpu flavor=f cpu=4; "
                          "cluster apart group=cpu flavor=f cpu=4");
    plain = change_of("cluster/plain"), taker = change_of("cluster/taker");
    cluster_queue_changed(kit.kit.engine, kit_queue(&kit.kit, "cluster/apart"));
    is_int(change_of("cluster/plain"), plain, "another tree is no matter of theirs");
    cluster_queue_changed(kit.kit.engine, kit_queue(&kit.kit, "cluster/taker"));
    ok(change_of("cluster/plain") > plain, "room anywhere in the tree may help all of it");
    ok(change_of("cluster/taker") > taker, "whoever had it");
    plain = change_of("cluster/plain"), taker = change_of("cluster/taker");
    cluster_queue_asks_less(kit.kit.engine, kit_queue(&kit.kit, "cluster/taker"));
    is_int(change_of("cluster/plain"), plain, "who asks less is in nobody's way");
    is_int(change_of("cluster/taker"), taker, "but of whoever preempts while it borrows");
    workload_kit_close(&kit);
}

static void test_who_asks_more(void)
{
    uint64_t chooser, taker;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; flavor g; cohort x; "
                          "cluster chooser parent=x borrowsLast group=cpu,memory "
                          "flavor=f cpu=4 memory=4 flavor=g cpu=4 memory=4; "
                          "cluster taker parent=x reclaim=any group=cpu flavor=f cpu=4; "
                          "cluster lower parent=x reclaim=lower group=cpu flavor=f cpu=4");
    chooser = change_of("cluster/chooser"), taker = change_of("cluster/taker");
    cluster_queue_asks_more(kit.kit.engine, kit_queue(&kit.kit, "cluster/lower"));
    is_int(change_of("cluster/chooser"), chooser, "who reclaims nothing from anybody is no guard");
    cluster_queue_asks_more(kit.kit.engine, kit_queue(&kit.kit, "cluster/taker"));
    ok(change_of("cluster/chooser") > chooser, "who does may turn others to another flavor");
    is_int(change_of("cluster/taker"), taker, "if they have more than one");
    workload_kit_close(&kit);
}

static void test_stop(void)
{
    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster a group=cpu flavor=f cpu=1; "
                          "cluster h hold group=cpu flavor=f cpu=1; "
                          "cluster d drain group=cpu flavor=f cpu=1; local l cluster=none");
    is_int(cluster_queue_stop(kit.kit.engine, kit_queue(&kit.kit, "cluster/a")), LIFE_RUNS, "open");
    is_int(cluster_queue_stop(kit.kit.engine, kit_queue(&kit.kit, "cluster/h")), LIFE_HOLDS,
           "held");
    is_int(cluster_queue_stop(kit.kit.engine, kit_queue(&kit.kit, "cluster/d")), LIFE_DRAINS,
           "drained");
    is_int(cluster_queue_stop(kit.kit.engine, kit_queue(&kit.kit, "cluster/none")), LIFE_MISSING,
           "only named");
    is_int(cluster_queue_stop(kit.kit.engine, 0), LIFE_MISSING, "not even that");
    workload_kit_close(&kit);
}

int main(void)
{
    test_whom_a_change_concerns();
    test_who_asks_more();
    test_stop();
    return tap_done();
}
