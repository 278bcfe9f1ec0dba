/* SPDX-License-Identifier: Apache-2.0 */

/* The manager's workloads as they are seen. */
#include "plugin/fleet/dispatch.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static void test_life(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "maxWorkloads=2");
    fleet_kit_do(&f, "workload w; workload w; lose-workload w uid=other");
    is_int(fleet_count_dispatches(f.fleet), 1, "one of a name");
    fleet_kit_do(&f, "workload w v=1 over");
    ok(!dispatch_is(fleet_kit_workload(&f, "w"), DISPATCH_OVER), "an older message says nothing");
    fleet_kit_do(&f, "lose-workload w; lose-workload w");
    is_int(fleet_count_dispatches(f.fleet), 0, "gone");
    fleet_kit_do(&f, "workload v; workload w");

    const struct dispatch_facts third = {
        .uid = text_of("x"), .space = text_of("ns"), .name = text_of("x")};

    is_int(fleet_see_dispatch(f.fleet, &third), ENGINE_FULL_WORKLOADS, "one too many");
    fleet_kit_close(&f);
}

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
    test_life();
    test_another();
    test_gone_under_way();
    test_no_memory();
    return tap_done();
}
