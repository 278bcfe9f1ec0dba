/* SPDX-License-Identifier: Apache-2.0 */

/* The opening that is under way for a workload, and what of it counts. */
#include "plugin/fleet/phase.h"
#include "plugin/fleet/preemption_memory.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

#define ONE "cluster a; workload w in=a; replica a/w signals;"

/* From the signal to the open gate. */
static void test_steps(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "timeout=300");
    fleet_kit_do(&f, "cluster a; workload w in=a; replica a/w");
    is_int(fleet_kit_workload(&f, "w")->phase, PHASE_REST, "nobody signals");
    is_int(phase_blocked_until(f.fleet, 1), 0, "nothing would be in the way");
    fleet_kit_do(&f, "replica a/w signals");
    is_int(fleet_kit_workload(&f, "w")->phase, PHASE_WRITING, "it is written down first");
    is_int(fleet_kit_workload(&f, "w")->target, 1, "for whom");
    fleet_kit_do(&f, "time 2; done write w");
    is_int(fleet_kit_workload(&f, "w")->phase, PHASE_OPENING, "then carried out");
    is_int(fleet_kit_workload(&f, "w")->counted, 0, "which counts when it was");
    fleet_kit_do(&f, "time 4; done open a/w");
    is_int(fleet_kit_workload(&f, "w")->phase, PHASE_REST, "done");
    is_int(fleet_kit_workload(&f, "w")->target, 0, "and nobody is aimed at");
    is_int(phase_blocked_until(f.fleet, 1), (1004 + 300) * FLEET_SECOND,
           "until the timeout nobody else is");
    fleet_kit_close(&f);
}

/* What may still be carried out counts until it may not any more. */
static void test_lost(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, ONE "done write w; lease open a/w; time 3");
    phase_lose(f.fleet, 1);
    is_int(fleet_kit_workload(&f, "w")->phase, PHASE_REST, "its target is lost");
    is_int(fleet_kit_workload(&f, "w")->counted, 1000 * FLEET_SECOND + OPENING_WINDOW,
           "what is under way counts to the end of its window");
    fleet_kit_close(&f);

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, ONE "done write w; time 3");
    phase_keep_opening(f.fleet, 1);
    is_int(fleet_kit_workload(&f, "w")->counted, 1003 * FLEET_SECOND,
           "what was not given out counts until now");
    is_int(fleet_kit_workload(&f, "w")->past, 1003 * FLEET_SECOND,
           "and is remembered without its replica");
    fleet_kit_close(&f);

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; cluster b; workload w in=a,b; replica b/w; replica a/w signals");

    uint32_t target = fleet_kit_workload(&f, "w")->target;

    phase_lose(f.fleet, 3 - target);
    is_int(fleet_kit_workload(&f, "w")->target, target, "another one ends nothing");
    fleet_kit_close(&f);
}

/* Of two writings nobody knows which one was acknowledged. */
static void test_doubt(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, ONE "lease write w; time 200; done write w");
    ok(dispatch_is(fleet_kit_workload(&f, "w"), DISPATCH_AWAITS), "the object is to say it");
    is_int(fleet_kit_workload(&f, "w")->phase, PHASE_REST, "and nothing is opened until then");
    fleet_kit_do(&f, "workload w in=a remembers");
    ok(!dispatch_is(fleet_kit_workload(&f, "w"), DISPATCH_AWAITS), "it was seen");
    fleet_kit_close(&f);
}

int main(void)
{
    test_steps();
    test_lost();
    test_doubt();
    return tap_done();
}
