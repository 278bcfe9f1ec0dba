/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/queue_count.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct kit kit;

static const struct queue *of(const char *queue)
{
    return queue_at(kit.engine, kit_queue(&kit, queue));
}

static void test_subtree(void)
{
    kit_open(&kit, "");
    kit_do(&kit,
           "queue p; queue o; queue q parent=p cpu=1; pod a queue=q cpu=1; pod b queue=q cpu=1;"
           "pod c queue=q cpu=1 foreign");
    is_int(of("q")->counts[CLAIM_RESERVED], 1, "one is reserved");
    is_int(of("p")->counts[CLAIM_RESERVED], 1, "which counts above");
    is_int(of("p")->counts[CLAIM_WAITING], 1, "one waits");
    is_int(of("root")->counts[CLAIM_HELD], 1, "one is held, up to the root");
    kit_do(&kit, "queue q parent=o cpu=1");
    is_int(of("p")->counts[CLAIM_RESERVED] + of("p")->counts[CLAIM_WAITING], 0,
           "a queue that moves takes its counts away");
    is_int(of("o")->counts[CLAIM_WAITING], 1, "to where it goes");
    is_int(of("root")->counts[CLAIM_WAITING], 1, "and its root sees nothing of that");
    kit_close(&kit);
}

static void test_empty(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue p; queue q parent=p; pod a queue=q foreign");
    ok(!queue_is_empty(kit.engine, kit_queue(&kit, "p")), "who is held is somebody");
    kit_do(&kit, "lose-pod a; group g queue=q min=1");
    ok(!queue_is_empty(kit.engine, kit_queue(&kit, "p")), "a group without pods, too");
    kit_do(&kit, "lose-group g");
    ok(queue_is_empty(kit.engine, kit_queue(&kit, "p")), "nobody is left");
    kit_close(&kit);
}

int main(void)
{
    test_subtree();
    test_empty();
    return tap_done();
}
