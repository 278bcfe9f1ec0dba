/* SPDX-License-Identifier: Apache-2.0 */

/* What goes when something goes. */
#include "plugin/fleet/loss.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static void test_gone_under_way(void)
{
    static const char *const until[] = {
        "",
        "lease write w",
        "done write w",
        "done write w; lease open a/w",
        "done write w; done open a/w",
        "done write w; done open a/w; replica a/w admitted; lease bind w",
    };

    for (size_t i = 0; i < sizeof(until) / sizeof(until[0]); i++) {
        struct fleet_kit f;

        fleet_kit_open(&f, "");
        fleet_kit_do(&f, "cluster a; workload w in=a; replica a/w signals");
        fleet_kit_do(&f, until[i]);
        fleet_kit_do(&f, "lose-workload w");
        is_str(fleet_kit_effects(&f), "delete a/w", "deleted after: %s", until[i]);
        fleet_kit_do(&f, "lose-replica a/w");
        is_int(fleet_count_dispatches(f.fleet), 0, "nothing is left");
        fleet_kit_close(&f);
    }
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
    test_gone_under_way();
    test_places();
    return tap_done();
}
