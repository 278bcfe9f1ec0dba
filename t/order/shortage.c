/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/order/shortage.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static const struct demand *demand_of(struct workload_kit *kit, const char *workload)
{
    const struct engine *e = kit->kit.engine;

    return demand_at(
        e, workload_at(e, workload_find(e, text_of("default"), text_of(workload)))->demand);
}

static bool is_short(struct workload_kit *kit, const char *workload)
{
    return demand_of(kit, workload)->lacks;
}

/* Whether those that lack something are passed over, or who of them would be asked first. */
static bool is_first(struct workload_kit *kit, const char *queue, const char *workload)
{
    const struct engine *e = kit->kit.engine;
    uint32_t first = shortage_first(e, kit_queue(&kit->kit, queue));

    return *workload == '\0'
               ? first == 0
               : first != 0 && demand_at(e, first)->head ==
                                   workload_find(e, text_of("default"), text_of(workload));
}

static void test_amounts(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu,memory flavor=f cpu=4 memory=4; "
                          "local l cluster=c; add a queue=l cpu=3 memory=3; add b queue=l cpu=2");
    workload_kit_do(&kit,
                    "add d queue=l memory=2; add g queue=l cpu=9; add h queue=l cpu=2 priority=-1");
    ok(is_short(&kit, "b") && is_short(&kit, "d"), "of one resource alone there may be too little");
    is_int(demand_of(&kit, "b")->shortage.amount, 2, "which is as much as they ask for");
    ok(is_first(&kit, "cluster/c", ""), "nobody has enough");
    workload_kit_do(&kit, "add i queue=l count=2 cpu=2 memory=1");
    is_int(demand_of(&kit, "i")->shortage.amount, 4, "all pods together count");
    workload_kit_do(&kit, "add k queue=l count=9 min=2 cpu=1");
    is_int(demand_of(&kit, "k")->shortage.amount, 2, "but only as many as it must have");
    workload_kit_close(&kit);
}

static void test_flavors(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor a label=on:a; flavor b label=on:b; "
                          "cluster c group=cpu flavor=a cpu=2 flavor=b cpu=4; local l cluster=c; "
                          "add one queue=l cpu=2 selects=on:a; add x queue=l cpu=2 selects=on:a; "
                          "add y queue=l cpu=5; add z queue=l cpu=1 selects=on:c");
    ok(is_short(&kit, "x"), "who can be in one flavor lacks what that has not");
    ok(is_short(&kit, "y"), "or else more than any has");
    ok(is_short(&kit, "z"), "and whoever can be in none lacks all of them");
    ok(is_first(&kit, "cluster/c", ""), "they are not asked");
    workload_kit_do(&kit, "flavor a label=on:c; remove one");
    is_str(workload_kit_state(&kit, "z"), "admitted a", "until the flavor is another");
    workload_kit_close(&kit);
}

static void test_victims(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit,
                    "flavor f; cluster c within=lower group=cpu flavor=f cpu=8; "
                    "local l cluster=c; add low queue=l cpu=2; add high queue=l cpu=6 priority=5; "
                    "add x queue=l cpu=3 priority=3");
    is_str(workload_kit_state(&kit, "x"), "pending", "whom it may send away is too little");
    ok(is_short(&kit, "x"), "so it is not looked for again");
    workload_kit_do(&kit, "add y queue=l cpu=2 priority=3");
    is_str(workload_kit_state(&kit, "y"), "admitted f", "it is enough for another one");
    workload_kit_do(&kit, "remove high");
    is_str(workload_kit_state(&kit, "x"), "admitted f", "and with more room for both");
    workload_kit_close(&kit);
}

static void test_reclaim(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit,
                    "flavor f; cohort o; cluster c parent=o reclaim=any group=cpu flavor=f cpu=4; "
                    "cluster d parent=o group=cpu flavor=f cpu=4; local l cluster=c; "
                    "local m cluster=d; add a queue=m cpu=4; add b queue=m cpu=2; "
                    "add e queue=l cpu=2; add x queue=l cpu=3");
    is_str(workload_kit_state(&kit, "x"), "pending", "it is more than what is left of the share");
    ok(is_short(&kit, "x"), "which is all that could be taken back");
    workload_kit_do(&kit, "remove e");
    is_str(workload_kit_state(&kit, "x"), "admitted f", "now it is not");
    is_str(workload_kit_state(&kit, "a"), "pending evicted", "who lives on it goes");
    workload_kit_close(&kit);
}

int main(void)
{
    test_amounts();
    test_flavors();
    test_victims();
    test_reclaim();
    return tap_done();
}
