/* SPDX-License-Identifier: Apache-2.0 */

/* The manager's workloads as they are seen. */
#include "plugin/fleet/dispatch.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

/* Another workload of the same name begins anew. */
static void test_another(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; cluster b; workload w in=a,b; replica a/w signals;"
                     "replica b/w signals; done write w; done open a/w; workload w in=a,b uid=new");
    is_int(fleet_kit_workload(&f, "w")->counted, 1000 * FLEET_SECOND,
           "what is open counts as seen now");
    fleet_kit_do(&f,
                 "lose-replica a/w; lose-replica b/w; lose-workload w; workload w in=a,b uid=newer;"
                 "replica b/w signals");
    is_str(fleet_kit_effects(&f), "create a/w; write w",
           "the former one's openings are not its own");
    fleet_kit_close(&f);
}

static void test_no_memory(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    ok(fleet_kit_starve(&f, "workload w in=a,b,c bound=d gate=x gate=y") > 5,
       "a workload needs memory");
    ok(fleet_kit_starve(&f, "workload w in=e,f gate=z uid=other") > 3, "so does its change");
    ok(fleet_kit_starve(&f, "replica g/w origin=w") > 0,
       "and a replica where it was not looked for");
    ok(fleet_kit_starve(&f, "replica g/v") > 0, "or of what is not known");
    fleet_kit_close(&f);
}

int main(void)
{
    test_another();
    test_no_memory();
    return tap_done();
}
