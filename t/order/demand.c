/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/order/demand.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

/* One flavor has too little cpu, the other too little memory: of each there is enough. */
static const char *const world =
    "flavor f; flavor g; cluster c group=cpu,memory flavor=f cpu=9 memory=4 flavor=g cpu=1 "
    "memory=20; local l cluster=c";

static void test_order(void)
{
    struct workload_kit kit;
    struct engine *e;
    uint32_t queue, first;
    uint64_t next;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    e = kit.kit.engine;
    workload_kit_do(&kit, "add a queue=l cpu=4; add b queue=l cpu=2 memory=8; "
                          "add d queue=l cpu=2 memory=8; add g queue=l cpu=3 memory=8");
    queue = kit_queue(&kit.kit, "cluster/c");
    next = queue_at(e, queue)->cluster.changes[CHANGE_FOR_ALL] + 1;
    is_int(slab_count(&e->order.demands), 3, "who asks for the same has the same demand");
    ok(demand_first(e, queue, next - 1) == 0, "all of them were refused");
    first = demand_first(e, queue, next);
    ok(demand_at(e, first)->head == workload_find(e, text_of("default"), text_of("b")),
       "the first is asked first, after the next change");
    ok(!demand_pass_over(e, first, next), "nothing tells beforehand that it is in vain");
    demand_refuse(e, first, next);
    ok(demand_at(e, demand_first(e, queue, next))->head ==
           workload_find(e, text_of("default"), text_of("g")),
       "refused it is passed over");
    workload_kit_close(&kit);
}

static void test_shortage(void)
{
    struct workload_kit kit;
    struct engine *e;
    uint32_t queue;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                          "local l cluster=c; add a queue=l cpu=4; add b queue=l cpu=2; "
                          "add d queue=l cpu=2; add g queue=l cpu=3");
    e = kit.kit.engine;
    queue = kit_queue(&kit.kit, "cluster/c");
    ok(demand_first(e, queue, queue_at(e, queue)->cluster.changes[CHANGE_FOR_ALL] + 1) == 0,
       "while there is too little nobody is asked, whatever changes");
    workload_kit_do(&kit, "remove a");
    is_str(workload_kit_state(&kit, "b"), "admitted f", "with enough they are");
    is_str(workload_kit_state(&kit, "d"), "admitted f", "both");
    is_str(workload_kit_state(&kit, "g"), "pending", "and who comes behind them is not");
    workload_kit_do(&kit, "remove b; remove d; add h queue=l cpu=1 selects=no:where");
    is_str(workload_kit_state(&kit, "h"), "admitted f", "labels that no flavor has are nobody's");
    workload_kit_close(&kit);
}

int main(void)
{
    test_order();
    test_shortage();
    return tap_done();
}
