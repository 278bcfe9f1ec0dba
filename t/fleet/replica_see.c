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

int main(void)
{
    test_versions();
    test_times();
    return tap_done();
}
