/* SPDX-License-Identifier: Apache-2.0 */

/* The members of a group go where it names another queue. */
#include "plugin/pods/group_move.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct kit kit;

static const char *queue_of(const char *uid)
{
    uint32_t queue = claim_queue(kit.engine, kit_claim(&kit, uid));

    return name_text(kit.engine, queue_at(kit.engine, queue)->name).at;
}

static void test_who_has_a_node_goes_first(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=6; group g; pod x queue=nobody cpu=6 group=g;"
                 "pod y queue=other cpu=4 group=g bare node=n; group g queue=a");
    is_str(queue_of("y"), "a", "both are in their group's queue");

    struct queue_report report;

    engine_report_queue(kit.engine, kit_queue(&kit, "a"), &report);
    is_int((int64_t)report.granted, 0, "nobody is granted what who has a node takes");
    is_int((int64_t)report.demoted, 0, "and nobody loses it again");
    kit_close(&kit);
}

/* What is left behind does not count: a gang is granted anew, as a whole. */
static void test_a_gang_is_not_granted_in_parts(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "flavor f; queue a; queue b; cluster k group=cpu,pods flavor=f cpu=9 pods=9;"
                 "group g queue=a; pod x cluster=k cpu=1 group=g; pod y queue=b cpu=1 group=g;"
                 "pod z queue=b cpu=1 group=g");
    is_str(kit_granted(&kit), "x y z", "in their group's queue");
    kit_do(&kit, "group g min=2");
    is_str(kit_granted(&kit), "", "nobody of a gang in two queues");
    is_str(kit_why(&kit, "x"), "GroupInvalid", "since it cannot be granted as one");
    kit_close(&kit);
}

/* Of who was bound a moment ago, and says something else since, no word tells where it counts. */
static void test_a_lead_that_ends(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=1; group g; pod x queue=a cpu=1 group=g; reserve x; bind x;"
                 "pod x queue=b cpu=1 group=g");
    is_str(queue_of("x"), "a", "it counts where it was granted");
    kit_do(&kit, "follow");
    is_str(queue_of("x"), "a", "and is left there when this engine leads no longer");
    kit_do(&kit, "pod x queue=b cpu=1 group=g; lead");
    is_str(queue_of("x"), "b", "until it is seen");
    kit_close(&kit);
}

static void test_no_memory(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=4; group g queue=a; pod x queue=b cpu=1 group=g;"
                 "flavor spot label=kind:spot; cluster k group=cpu,pods flavor=spot cpu=4 pods=9;"
                 "pod y cluster=k cpu=1 group=g bare node=n stamp=5 stamped=cpu=spot,pods=spot");
    kit_starve(&kit, "group g uid=g priority=3 cpu=5");
    is_str(queue_of("x"), "b", "in the end they are where they belong");
    kit_starve(&kit, "group g uid=g queue=other min=2");
    kit_starve(&kit, "group g uid=g queue=other min=2 outside");
    kit_starve(&kit, "group g uid=g queue=other min=2");
    kit_starve(&kit, "pod x queue=c cpu=1 group=g");
    kit_starve(&kit, "lose-group g");
    is_str(queue_of("x"), "c", "when it is gone as well");
    kit_close(&kit);
}

int main(void)
{
    test_who_has_a_node_goes_first();
    test_a_gang_is_not_granted_in_parts();
    test_a_lead_that_ends();
    test_no_memory();
    return tap_done();
}
