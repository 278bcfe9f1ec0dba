/* SPDX-License-Identifier: Apache-2.0 */
/* What happens in one room is heard of in those above: in each case one that nothing else tells. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct kit kit;

static const struct group *group_of(const char *pod)
{
    const struct engine *e = kit.engine;

    return group_at(e, claim_group(e, claim_at(e, kit_claim(&kit, pod))));
}

static void test_claims(void)
{
    kit_open(&kit, "");
    kit_do(
        &kit,
        "queue q cpu=4; group g min=2; pod a queue=q cpu=1 group=g; pod b queue=q cpu=1 group=g");
    is_int(group_of("a")->holding, 2, "its group counts whoever comes to hold");
    kit_do(&kit, "reserve a; bind a");
    is_int(group_of("a")->reserved, 1, "and whoever is only reserved no more");
    kit_do(&kit, "lose-pod b");
    is_int(group_of("a")->members, 1, "who goes is its member no more");
    kit_close(&kit);
}

static void test_queues(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "pod a queue=named cpu=1");
    ok(kit_queue(&kit, "named") != 0, "a queue is there while somebody names it");
    kit_do(&kit, "lose-pod a");
    is_int(kit_queue(&kit, "named"), 0, "and goes with the last that does");
    kit_do(&kit, "queue p; pod a queue=p cpu=1; queue q parent=p");
    is_str(kit_why(&kit, "a"), "QueueInactive", "of what becomes no leaf all hear that hold there");
    kit_close(&kit);
}

static void test_nodes(void)
{
    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q; pod a queue=q cpu=2");
    is_str(kit_granted(&kit), "", "no node, no room");
    kit_do(&kit, "node n cpu=2 pods=9");
    is_str(kit_granted(&kit), "a", "what a node brings raises the root's ceiling");
    kit_do(&kit, "lose-node n");
    is_str(kit_granted(&kit), "", "and what is counted nowhere any more is given back");
    kit_close(&kit);
}

int main(void)
{
    test_claims();
    test_queues();
    test_nodes();
    return tap_done();
}
