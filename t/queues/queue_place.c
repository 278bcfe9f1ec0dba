/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/queues/queue_place.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

/* The name of the queue that this one hangs below; "" for a root. */
static const char *parent(const struct kit *kit, const char *queue)
{
    uint32_t id = queue_at(kit->engine, kit_queue(kit, queue))->parent;

    return id == 0 ? "" : name_text(kit->engine, queue_at(kit->engine, id)->name).at;
}

static void test_below_whom(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; queue child parent=later; cluster c parent=team; cluster alone");
    is_str(parent(&kit, "q"), "root", "a queue without a parent hangs below the root");
    is_str(parent(&kit, "child"), "later", "one whose parent is not seen yet below that one");
    is_str(parent(&kit, "cluster/c"), "team", "a cluster queue below its cohort");
    is_str(parent(&kit, "cluster/alone"), "", "or nowhere");
    kit_do(&kit, "lose-queue child");
    ok(kit_queue(&kit, "later") == 0, "a parent that only it named goes with it");
    kit_close(&kit);
}

/* However the edits come, the queues of a cycle are roots that grant nothing, and the others hang
 * where they belong. */
static void test_cycle(void)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const char *const orders[] = {
        "queue a parent=b; queue b parent=c; queue c parent=a; queue d parent=a",
        "queue d parent=a; queue c parent=a; queue b parent=c; queue a parent=b",
        "queue b parent=c; queue d parent=a; queue a parent=b; queue c parent=a",
    };

    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        struct kit kit;

        kit_open(&kit, "");
        kit_do(&kit, orders[i]);
        is_str(parent(&kit, "a"), "", "one of the cycle");
        is_str(parent(&kit, "b"), "", "another");
        is_str(parent(&kit, "c"), "", "the third");
        is_str(parent(&kit, "d"), "a", "who only hangs below them stays there");
        kit_do(&kit, "pod p queue=d cpu=1");
        is_str(kit_why(&kit, "p"), "QueueInactive", "and gets nothing");
        for (int k = 0; k < 4; k++)
            is_int(queue_is_misplaced(queue_at(kit.engine, kit_queue(&kit, names[k]))), k < 3, "%s",
                   names[k]);
        kit_do(&kit, "queue b");
        is_str(parent(&kit, "a"), "b", "one edit opens the cycle");
        is_str(parent(&kit, "c"), "a", "and all hang");
        is_str(kit_state(&kit, "p"), "reserved", "where they get something");
        kit_close(&kit);
    }
}

static void test_its_own_parent(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue a parent=a");
    is_str(parent(&kit, "a"), "", "nobody is his own parent");
    kit_do(&kit, "lose-queue a");
    ok(kit_queue(&kit, "a") == 0, "and goes without a trace");
    kit_close(&kit);
}

static void test_too_deep_to_walk(void)
{
    struct kit kit;
    char name[16];

    kit_open(&kit, "");
    kit_do(&kit, "queue d0");
    for (int i = 1; i <= QUEUE_MAX_PATH; i++)
        kit_dof(&kit, "queue d%d parent=d%d", i, i - 1);
    snprintf(name, sizeof(name), "d%d", QUEUE_MAX_PATH - 2);
    is_str(parent(&kit, name), "d61", "a path may be long");
    snprintf(name, sizeof(name), "d%d", QUEUE_MAX_PATH - 1);
    is_str(parent(&kit, name), "", "but has an end");
    kit_do(&kit, "queue d40");
    is_str(parent(&kit, name), "d62", "a shorter way makes room");
    kit_close(&kit);
}

int main(void)
{
    test_below_whom();
    test_cycle();
    test_its_own_parent();
    test_too_deep_to_walk();
    return tap_done();
}
