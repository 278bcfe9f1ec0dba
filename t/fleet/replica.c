/* SPDX-License-Identifier: Apache-2.0 */

/* What workers say: in which order it counts, and from when. */
#include "plugin/fleet/replica.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static void test_versions(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w in=a; replica a/w open v=50; replica a/w v=49");
    ok(replica_is(fleet_kit_replica(&f, "a/w"), REPLICA_OPEN),
       "an older message closes nothing again");
    fleet_kit_do(&f, "replica a/w uid=old v=49");
    ok(replica_is(fleet_kit_replica(&f, "a/w"), REPLICA_OPEN), "nor does one of a former replica");
    fleet_kit_do(&f, "cluster a off; replica a/w signals v=7; cluster a");
    ok(!replica_is(fleet_kit_replica(&f, "a/w"), REPLICA_OPEN), "who comes back may be older");
    fleet_kit_do(&f, "replica a/w open v=8; lose-replica a/w uid=other");
    ok(replica_is(fleet_kit_replica(&f, "a/w"), REPLICA_THERE), "another one is gone");
    fleet_kit_do(&f, "lose-replica a/w; replica a/w v=3");
    ok(replica_is(fleet_kit_replica(&f, "a/w"), REPLICA_THERE), "after it is gone anything is new");
    fleet_kit_close(&f);
}

static void test_ranks(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; cluster b; workload w in=a,b; replica a/w signals");
    is_int(fleet_kit_replica(&f, "a/w")->rank, RANK_CANDIDATE, "signals");
    is_int(fleet_kit_replica(&f, "b/w")->rank, RANK_NONE, "is not there");
    fleet_kit_do(&f, "replica b/w reserved");
    is_int(fleet_kit_replica(&f, "b/w")->rank, RANK_RESERVED, "has quota");
    fleet_kit_do(&f, "replica b/w admitted; cluster b off");
    is_int(fleet_kit_replica(&f, "b/w")->rank, RANK_ADMITTED, "was admitted, wherever it is now");
    fleet_kit_do(&f, "cluster a off");
    is_int(fleet_kit_replica(&f, "a/w")->rank, RANK_NONE, "cannot be reached");
    fleet_kit_close(&f);
}

static void test_times(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w in=a; time 5; replica a/w signals; time 9;"
                     "replica a/w signals");
    is_int(fleet_kit_replica(&f, "a/w")->signal, 1005 * FLEET_SECOND, "since it was first seen");
    fleet_kit_do(&f, "replica a/w; replica a/w signals");
    is_int(fleet_kit_replica(&f, "a/w")->signal, 1009 * FLEET_SECOND, "or seen again");
    fleet_kit_do(&f, "time 12; replica a/w uid=new signals");
    is_int(fleet_kit_replica(&f, "a/w")->signal, 1012 * FLEET_SECOND,
           "another replica, another signal");
    fleet_kit_close(&f);
}

/* An ack that comes after another replica took the place. */
static void test_late_acks(void)
{
    struct effect effect;
    struct fleet_kit f;
    uint32_t cursor = 0;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w unreserved in=a; replica a/w; lease delete a/w");
    ok(outbox_next_live(&f.outbox, &cursor, &effect) && effect.leased, "it is being deleted");
    fleet_kit_do(&f, "replica a/w uid=new; lease delete a/w");
    ok(!outbox_ack(&f.outbox, effect.id, EFFECT_GONE, 0), "what is gone is the former one");
    ok(replica_is(fleet_kit_replica(&f, "a/w"), REPLICA_THERE), "and not its successor");
    fleet_kit_close(&f);
}

static void test_places(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w in=a,b; workload w in=b");
    ok(fleet_kit_replica(&f, "a/w") == NULL, "a place that nobody wants goes");
    fleet_kit_do(&f, "replica a/w; lose-workload w");
    ok(fleet_kit_workload(&f, "w") != NULL, "what is there stays");
    fleet_kit_do(&f, "lose-cluster a");
    ok(fleet_kit_workload(&f, "w") == NULL, "until nobody can say that it is there");
    fleet_kit_close(&f);
}

int main(void)
{
    test_versions();
    test_ranks();
    test_times();
    test_late_acks();
    test_places();
    return tap_done();
}
