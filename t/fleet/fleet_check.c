/* SPDX-License-Identifier: Apache-2.0 */

/* fleet_check() sees what is wrong: each field is spoiled alone, named, and put right again. */
#include "plugin/fleet/fleet.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static void test_check(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w in=a; replica a/w signals");
    ok(fleet_check(f.fleet) == NULL, "all is sound");
    dispatch_at(f.fleet, 1)->past = dispatch_at(f.fleet, 1)->counted + 1;
    is_str(fleet_check(f.fleet), "what counts includes the past", "or not");
    dispatch_at(f.fleet, 1)->past = 0;
    worker_at(f.fleet, 1)->count++;
    is_str(fleet_check(f.fleet), "a worker's replicas are counted", "or not");
    worker_at(f.fleet, 1)->count--;
    heap_reserve(&f.fleet->replica_timers, 9);
    heap_set(&f.fleet->replica_timers, 8, 5);
    is_str(fleet_check(f.fleet), "who has a timer is there", "or not");
    heap_clear(&f.fleet->replica_timers, 8);
    ok(fleet_check(f.fleet) == NULL, "put right, all is sound again");
    fleet_kit_close(&f);
}

int main(void)
{
    test_check();
    return tap_done();
}
