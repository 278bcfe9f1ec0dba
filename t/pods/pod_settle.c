/* SPDX-License-Identifier: Apache-2.0 */

/* The state of a pod's claim that follows from its object alone. */
#include "plugin/pods/pod_settle.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void test_states(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=4; pod waits queue=q cpu=1; pod granted queue=q cpu=1 bare stamp=5;"
                 "pod bound queue=q cpu=1 bare stamp=6 node=n; pod gated queue=q cpu=1 foreign");
    ok(pod_looks_granted(claim_at(kit.engine, kit_claim(&kit, "granted"))),
       "a stamp, and no gate of ours");
    ok(!pod_looks_granted(claim_at(kit.engine, kit_claim(&kit, "waits"))), "a gate");
    ok(!pod_looks_granted(claim_at(kit.engine, kit_claim(&kit, "gated"))), "another's gate");
    is_str(kit_state(&kit, "bound"), "allocated", "who is bound counts, whoever leads");
    kit_do(&kit, "synced; lead");
    is_str(kit_state(&kit, "granted"), "reserved", "who was granted is so again");
    is_str(kit_state(&kit, "waits"), "reserved", "who was not may be");
    kit_do(&kit, "follow");
    is_str(kit_state(&kit, "waits"), "waiting", "what only this leader knew is over with it");
    is_str(kit_state(&kit, "bound"), "allocated", "what is bound is not");
    pod_settle(kit.engine, kit_claim(&kit, "bound"));
    is_str(kit_state(&kit, "bound"), "allocated", "however often it is looked at");
    kit_close(&kit);
}

int main(void)
{
    test_states();
    return tap_done();
}
