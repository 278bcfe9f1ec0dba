/* SPDX-License-Identifier: Apache-2.0 */

/* Worker clusters as they are seen: who can be reached. */
#include "plugin/fleet/worker.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static void test_slices(void)
{
    struct fleet_kit f;
    char step[64];
    int turns = 0;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a");
    for (int i = 0; i < 200; i++) {
        snprintf(step, sizeof(step), "workload w%d in=a", i);
        fleet_kit_do(&f, step);
    }
    is_int(outbox_pending(&f.outbox), 200, "all want to go there");

    const struct cluster_facts off = {.name = text_of("a")};

    fleet_see_cluster(f.fleet, &off);
    ok(fleet_more(f.fleet), "that it is lost is work for more than one call");
    for (; fleet_more(f.fleet); turns++)
        fleet_tick(f.fleet);
    ok(turns >= 3, "and done in slices");
    is_int(outbox_pending(&f.outbox), 0, "nobody wants to go there any more");
    is_str(fleet_check(f.fleet) == NULL ? "" : fleet_check(f.fleet), "", "all is sound");
    fleet_see_cluster(f.fleet, &off);
    ok(!fleet_more(f.fleet), "the same again is no work");
    fleet_kit_do(&f, "lose-cluster a; cluster a");
    is_int(outbox_pending(&f.outbox), 200, "until it is back");
    fleet_kit_close(&f);
}

int main(void)
{
    test_slices();
    return tap_done();
}
