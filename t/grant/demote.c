/* SPDX-License-Identifier: Apache-2.0 */

/* Who must go from a queue that is above its ceiling, in slices; who that is, t/plugin/advance.c
 * has. */
#include "plugin/grant/demote.h"

#include "plugin/advance.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static struct kit kit;

static int reserved(void)
{
    int count = 0;

    for (uint32_t id = 1; id < slab_end(&kit.engine->claims.records); id++)
        count += slab_live(&kit.engine->claims.records, id) &&
                 claim_at(kit.engine, id)->state == CLAIM_RESERVED;
    return count;
}

/* Second by second, so that the stamps tell them apart, and for less than five minutes, after which
 * a pod that nobody schedules gives back; each is in the queue of its number. */
static void grant(int queues, int pods)
{
    char step[80];

    kit_quick(&kit, "queue p cpu=100000");
    for (int i = 0; i < queues; i++) {
        snprintf(step, sizeof(step), "queue q%d parent=p", i);
        kit_quick(&kit, step);
    }
    for (int i = 0; i < pods; i++) {
        snprintf(step, sizeof(step), "time %d", i + 1);
        kit_quick(&kit, step);
        snprintf(step, sizeof(step), "pod p%d queue=q%d cpu=1 memory=1", i, i * 7 % queues);
        kit_quick(&kit, step);
    }
    kit_work_off(&kit);
}

static int oldest_that_waits(int pods)
{
    for (int i = 0; i < pods; i++) {
        char uid[16];

        snprintf(uid, sizeof(uid), "p%d", i);
        if (kit_state(&kit, uid)[0] == 'w')
            return i;
    }
    return pods;
}

static void test_wide_tree(void)
{
    enum { QUEUES_HERE = 1200, PODS = 300 };
    int slices = 0, most = 0, before;

    kit_open(&kit, "");
    grant(QUEUES_HERE, PODS);
    kit_quick(&kit, "queue p cpu=100");
    is_int(reserved(), PODS, "the first slice does not come to the end of so many queues");
    for (; engine_more(kit.engine); slices++) {
        before = reserved();
        engine_tick(kit.engine);
        most = before - reserved() > most ? before - reserved() : most;
    }
    ok(slices >= QUEUES_HERE / DEMOTE_SLICE, "%d slices", slices);
    ok(most <= ADVANCE_SLICE, "none takes more than its share: %d", most);
    is_int(reserved(), 100, "until the ceiling holds");
    is_int(oldest_that_waits(PODS), 100, "the newest went");
    is_str(engine_check(kit.engine), NULL, "all is sound");
    kit_close(&kit);
}

/* Between two slices all may change. */
static void test_changes_meanwhile(void)
{
    enum { PODS = 200 };

    kit_open(&kit, "");
    grant(3000, PODS);
    kit_quick(&kit, "queue p cpu=50");
    ok(kit.engine->grant.demotion.top != 0, "a search is under way");
    is_str(engine_check(kit.engine), NULL, "and sound");
    kit_quick(&kit, "lose-pod p199");
    kit_quick(&kit, "reserve p198");
    kit_quick(&kit, "pod p197 queue=q0 cpu=1 memory=1");
    kit_quick(&kit, "queue q5 parent=q6");
    kit_quick(&kit, "lose-queue q8");
    kit_quick(&kit, "pod late queue=q9 memory=1");
    is_str(kit_state(&kit, "late"), "reserved", "others are granted what they use meanwhile");
    kit_work_off(&kit);
    is_str(kit_state(&kit, "p198"), "allocated", "who is past the reserve hook keeps it");
    is_str(kit_state(&kit, "late"), "reserved", "and so does who uses nothing of it");
    is_str(kit_state(&kit, "p48"), "reserved", "the oldest have the rest");
    is_str(kit_state(&kit, "p49"), "waiting", "and no one else");
    kit_do(&kit, "unreserve p198");
    is_str(kit_state(&kit, "p198"), "reserved", "which fits");
    kit_do(&kit, "queue p cpu=49");
    is_str(kit_state(&kit, "p198"), "waiting", "until it does not, and the newest goes");
    is_str(kit_state(&kit, "p48"), "reserved", "alone");
    kit_close(&kit);
}

/* More than are remembered in one search, and the queue's edited again while they go. */
static void test_many_go(void)
{
    kit_open(&kit, "");
    grant(3, 4 * DEMOTE_BATCH);
    kit_quick(&kit, "queue p cpu=10");
    kit_quick(&kit, "queue p cpu=250");
    kit_work_off(&kit);
    is_int(reserved(), 250, "a ceiling that rises again while they go gives back the rest");
    kit_do(&kit, "queue p cpu=10");
    is_int(reserved(), 10, "search after search");
    is_int(oldest_that_waits(4 * DEMOTE_BATCH), 10, "the newest first");
    kit_close(&kit);
}

/* Its owner writes another queue into it in its binding cycle, which then fails. */
static void test_uncounted(void)
{
    kit_open(&kit, "root=cluster");
    kit_do(&kit, "cluster c; pod a cluster=c bare; reserve a; pod a queue=q bare");
    is_str(kit_state(&kit, "a"), "allocated", "who has a node keeps it where it was granted");
    kit_do(&kit, "unreserve a");
    is_str(kit_state(&kit, "a"), "reserved", "also when it has none any more,");
    kit_do(&kit, "pod a queue=q bare version=9");
    is_str(kit_state(&kit, "a"), "waiting", "until it is seen, and needs room like all others");
    kit_close(&kit);
}

int main(void)
{
    test_wide_tree();
    test_changes_meanwhile();
    test_many_go();
    test_uncounted();
    return tap_done();
}
