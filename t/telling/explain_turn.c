/* SPDX-License-Identifier: Apache-2.0 */

/* Whose turn it is, in words that name nobody of another namespace. */
#include "plugin/telling/explain_turn.h"

#include "plugin/telling/explain.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static struct workload_kit kit;

static void says(const char *uid, const char *message)
{
    struct verdict verdict = {0};

    explain_claim(kit.kit.engine, kit_claim(&kit.kit, uid), true, &verdict);
    is_str(reason_name(verdict.reason), "QueueOrder", "%s waits for its turn", uid);
    is_str(verdict.message, message, "%s is told whose it is", uid);
}

int main(void)
{
    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "queue s strict cpu=1; pod a queue=s cpu=2; pod b queue=s cpu=1; "
                          "pod tenant queue=s namespace=other");
    says("b", "its turn comes after default/a, the head of queue s");
    says("tenant", "its turn comes after UID a, the head of queue s");
    workload_kit_do(&kit, "flavor f; cluster c strict group=cpu flavor=f cpu=1; local l cluster=c; "
                          "add w queue=l cpu=2 created=1; pod p cluster=c cpu=1 second=2");
    says("p", "its turn comes after workload default/w, the head of cluster queue c");
    workload_kit_do(&kit, "pod stranger cluster=c cpu=1 second=3 namespace=other");
    says("stranger", "its turn comes after workload UID w, the head of cluster queue c");
    workload_kit_close(&kit);
    workload_kit_open(&kit, "guard=10");
    workload_kit_do(&kit, "queue p cpu=4; queue q parent=p; queue o parent=p; pod u queue=q cpu=1; "
                          "pod big queue=q cpu=4; pod w queue=q cpu=1; time 11; "
                          "pod n queue=o cpu=1; pod tenant queue=o cpu=1 namespace=other");
    says("n", "its turn comes after default/big, the head of queue q");
    says("tenant", "its turn comes after UID big, the head of another queue");
    workload_kit_close(&kit);
    return tap_done();
}
