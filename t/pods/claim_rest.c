/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/pods/claim_rest.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct kit kit;

static void test_held(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; queue closed closed; pod first queue=q cpu=1;"
                 "pod next queue=q cpu=1; pod gated queue=q cpu=1 foreign;"
                 "pod member queue=q cpu=1 group=nowhere; pod nobody queue=none cpu=1;"
                 "pod late queue=closed cpu=1");
    is_str(kit_state(&kit, "first"), "reserved", "who fits passes at once");
    is_str(kit_state(&kit, "next"), "waiting", "who does not waits");
    is_str(kit_why(&kit, "gated"), "ForeignGate", "another's gate holds");
    is_str(kit_why(&kit, "member"), "GroupMissing", "so does a group that is not there");
    is_str(kit_why(&kit, "nobody"), "QueueUnknown", "a queue that nobody declared");
    is_str(kit_why(&kit, "late"), "QueueClosed", "and one that is closed");
    kit_close(&kit);
}

/* A newcomer takes nobody's turn. */
static void test_may_pass_now(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; queue s cpu=2 strict; pod a queue=q cpu=1; pod big queue=q cpu=2;"
                 "pod small queue=q cpu=1; pod x queue=s cpu=1; pod head queue=s cpu=2;"
                 "pod behind queue=s cpu=1");
    is_str(kit_state(&kit, "small"), "reserved", "who fits passes one that cannot");
    is_str(kit_state(&kit, "behind"), "waiting", "but no head of a strict queue");
    kit_close(&kit);
}

/* Its time ran out, but what it waits for then is somebody else. */
static void test_others_hold_longer(void)
{
    kit_open(&kit, "timeout=60");
    kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=1;"
                 "pod a cluster=c cpu=1 bare stamp=5 outside; time 61");
    is_str(kit_why(&kit, "a"), "NamespaceNotSelected", "nobody made use of its room");
    kit_do(&kit, "pod a cluster=c cpu=1 bare stamp=5");
    is_str(kit_state(&kit, "a"), "reserved", "and once nobody holds it, it need not pause");
    kit_close(&kit);
}

int main(void)
{
    test_held();
    test_others_hold_longer();
    test_may_pass_now();
    return tap_done();
}
