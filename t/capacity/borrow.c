/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/capacity/borrow.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

static int height(const struct kit *kit, const char *queue, int amount, bool *ret_reclaims)
{
    return (int)borrow_height(kit->engine, kit_queue(kit, queue), kit_flavor(kit, "f/cpu"),
                              kit_resource(kit, "cpu"), amount, ret_reclaims);
}

static void test_heights(void)
{
    struct kit kit;
    bool reclaims = true;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; cohort top; cohort near parent=top; cohort far parent=top;"
                 "cohort deep parent=far; cluster a parent=near group=cpu flavor=f cpu=4;"
                 "cluster b parent=near group=cpu flavor=f cpu=3;"
                 "cluster c parent=far group=cpu flavor=f cpu=5 lend.cpu=3;"
                 "cluster d parent=deep group=cpu flavor=f cpu=2;"
                 "cluster lone group=cpu flavor=f cpu=2");
    is_int(height(&kit, "cluster/lone", 5, &reclaims), 0, "who has no cohort borrows from nobody");
    ok(!reclaims, "and nothing is taken back from anybody");
    is_int(height(&kit, "cluster/a", 4, &reclaims), 0, "its own quota is no borrowing");
    ok(reclaims, "and others may have it");
    is_int(height(&kit, "cluster/a", 7, &reclaims), 1, "with its sibling's, from its cohort");
    ok(reclaims, "which may have lent it to those beside it");
    is_int(height(&kit, "cluster/a", 8, &reclaims), 3, "the next one is as high as its highest");
    ok(!reclaims, "above which there is nobody");
    is_int(height(&kit, "cluster/a", 99, &reclaims), 3, "what no quota covers: from the top");
    is_int(height(&kit, "cluster/d", 3, &reclaims), 2, "over a cohort whose quota is too little");
    is_int(height(&kit, "cluster/c", 7, &reclaims), 2, "with what is kept for it");
    is_int(height(&kit, "cluster/c", 8, &reclaims), 3, "but for the others' that is all");
    kit_do(&kit, "pod x cluster=b cpu=2 node=n");
    is_int(height(&kit, "cluster/a", 6, &reclaims), 3, "what is used is not there to be borrowed");
    kit_do(&kit, "pod y cluster=c cpu=1 node=n");
    is_int(height(&kit, "cluster/c", 6, &reclaims), 2, "of what is kept the rest is");
    kit_close(&kit);
}

static void test_what_is_promised(void)
{
    struct kit kit;
    bool reclaims;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster a parent=o within=lower group=cpu flavor=f cpu=4;"
                 "cluster b parent=o reclaim=any group=cpu flavor=f cpu=4;"
                 "pod x cluster=b cpu=4 node=n; pod y cluster=a cpu=4 node=n");
    is_int(height(&kit, "cluster/a", 0, &reclaims), 0, "who uses all of its quota borrows nothing");
    kit_do(&kit, "lose-pod y; cluster c parent=o group=cpu flavor=f cpu=0; pod z cluster=c cpu=4 "
                 "node=n; pod ask cluster=a cpu=3 priority=1");
    is_int(height(&kit, "cluster/a", 4, &reclaims), 0, "nobody uses anything of its own");
    kit_do(&kit, "cluster a parent=o within=lower reclaim=any group=cpu flavor=f cpu=4");
    is_str(kit_promised(&kit), "ask", "but some of it is promised");
    is_int(height(&kit, "cluster/a", 4, &reclaims), 1, "so the same would be borrowed");
    is_int((int)borrow_height_later(kit.engine, kit_queue(&kit, "cluster/a"),
                                    kit_flavor(&kit, "f/cpu"), kit_resource(&kit, "cpu"), 1),
           0, "and less would not");
    kit_close(&kit);
}

int main(void)
{
    test_heights();
    test_what_is_promised();
    return tap_done();
}
