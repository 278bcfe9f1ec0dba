/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/workload.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static struct workload_kit kit;

static uint32_t of(const char *name)
{
    return workload_find(kit.kit.engine, text_of("default"), text_of(name));
}

static void test_found_and_ranked(void)
{
    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=0; local l cluster=c; "
                          "add low queue=l cpu=1 priority=-1; add high queue=l cpu=1 priority=1; "
                          "add old queue=l cpu=1; time 9; add new queue=l cpu=1");
    ok(of("low") != 0 && of("none") == 0, "a workload is found by its name");
    is_int(workload_find(kit.kit.engine, text_of("other"), text_of("low")), 0,
           "in its namespace alone");
    ok(claim_compare_rank(kit.kit.engine, of("high"), of("old")) < 0, "priority comes first");
    ok(claim_compare_rank(kit.kit.engine, of("old"), of("new")) < 0, "then the time");
    ok(claim_compare_rank(kit.kit.engine, of("low"), of("new")) > 0, "and never before it");
    is_int(claim_queue(kit.kit.engine, of("old")), kit_queue(&kit.kit, "cluster/c"),
           "its queue is that of its LocalQueue");
    workload_kit_close(&kit);
}

static void test_amounts(void)
{
    const struct engine *e;
    uint32_t cpu, flavor;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=9; local l cluster=c; "
                          "add a queue=l cpu=2 count=3 min=1; add w queue=l cpu=9");
    e = kit.kit.engine;
    cpu = intern_find(&e->names, text_of("cpu"));
    flavor = kit_cell(&kit.kit, "cluster/c", "f/cpu")->flavor;
    ok(claim_amount(e, of("a"), (uint16_t)flavor, cpu) == 6, "three pods of two hold six");
    ok(claim_least_amount(e, of("a"), (uint16_t)flavor, cpu) == 2, "and one would do");
    ok(claim_amount(e, of("w"), (uint16_t)flavor, cpu) == 0, "who waits holds nothing");
    workload_kit_close(&kit);
}

int main(void)
{
    test_found_and_ranked();
    test_amounts();
    return tap_done();
}
