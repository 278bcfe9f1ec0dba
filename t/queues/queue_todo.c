/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/queues/queue_todo.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct kit kit;

static uint32_t first(enum todo_list list)
{
    return kit.engine->todo[list].first;
}

static void test_in_order(void)
{
    uint32_t a, b, c;

    kit_open(&kit, "");
    kit_do(&kit, "queue a; queue b; queue c");
    a = kit_queue(&kit, "a"), b = kit_queue(&kit, "b"), c = kit_queue(&kit, "c");
    queue_todo(kit.engine, TODO_GUARD, b);
    queue_todo(kit.engine, TODO_GUARD, a);
    queue_todo(kit.engine, TODO_GUARD, c);
    queue_todo(kit.engine, TODO_GUARD, b);
    is_int(first(TODO_GUARD), b, "who came first is first, however often it comes");
    queue_done(kit.engine, TODO_GUARD, a);
    queue_done(kit.engine, TODO_GUARD, b);
    is_int(first(TODO_GUARD), c, "one of the middle is taken out, and the first");
    queue_done(kit.engine, TODO_GUARD, b);
    is_int(first(TODO_GUARD), c, "what is done twice is done");
    queue_done(kit.engine, TODO_GUARD, c);
    is_int(first(TODO_GUARD), 0, "nothing is left");
    is_int(first(TODO_PLACE), 0, "and another list has had nothing");
    kit_close(&kit);
}

static void test_dirty(void)
{
    uint32_t child, sibling;

    kit_open(&kit, "");
    kit_do(&kit, "queue p; queue child parent=p; queue sibling parent=p; queue other");
    child = kit_queue(&kit, "child"), sibling = kit_queue(&kit, "sibling");
    ok(!queue_below_dirty(kit.engine, child) && !queue_in_dirty_tree(kit.engine, child),
       "at rest no tree is dirty");
    queue_todo(kit.engine, TODO_DIRTY, child);
    ok(queue_below_dirty(kit.engine, child), "a dirty queue is below itself");
    ok(!queue_below_dirty(kit.engine, sibling), "not so the one beside it");
    ok(queue_in_dirty_tree(kit.engine, sibling), "which is in the same tree");
    queue_done(kit.engine, TODO_DIRTY, child);
    queue_todo(kit.engine, TODO_DIRTY, kit_queue(&kit, "p"));
    ok(queue_below_dirty(kit.engine, sibling), "all are below a dirty parent");
    queue_done(kit.engine, TODO_DIRTY, kit_queue(&kit, "p"));
    kit_close(&kit);
}

int main(void)
{
    test_in_order();
    test_dirty();
    return tap_done();
}
