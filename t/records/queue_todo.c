/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/queue_todo.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct kit kit;

static uint32_t first(enum todo_list list)
{
    return kit.engine->queues.todo[list].first;
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

static void test_below(void)
{
    struct engine *e;
    uint32_t p, q, r;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue p; queue q parent=p; queue r parent=q");
    e = kit.engine;
    p = kit_queue(&kit, "p");
    q = kit_queue(&kit, "q");
    r = kit_queue(&kit, "r");
    queue_done(e, TODO_DIRTY, e->queues.volcano_root);
    is_int(e->queues.todo[TODO_DIRTY].first, 0, "nothing to do");
    queue_todo(e, TODO_DIRTY, q);
    queue_todo(e, TODO_DIRTY, r);
    queue_todo(e, TODO_DIRTY, p);
    queue_todo(e, TODO_DIRTY, q);
    queue_todo(e, TODO_DIRTY, 0);
    ok(e->queues.todo[TODO_DIRTY].first == q && e->queues.todo[TODO_DIRTY].last == p,
       "marked in order, each once");
    queue_done(e, TODO_DIRTY, r);
    ok(queue_at(e, q)->todo[TODO_DIRTY].next == p && queue_at(e, p)->todo[TODO_DIRTY].prev == q,
       "one in between may go");
    ok(queue_below_dirty(e, r), "below one that is marked");
    queue_done(e, TODO_DIRTY, q);
    ok(queue_below_dirty(e, r) && e->queues.todo[TODO_DIRTY].first == p, "however far");
    queue_done(e, TODO_DIRTY, p);
    ok(!queue_below_dirty(e, r) && e->queues.todo[TODO_DIRTY].last == 0, "until the last is done");
    queue_todo(e, TODO_OVER, p);
    queue_todo(e, TODO_OVER, r);
    queue_todo(e, TODO_OVER, p);
    queue_done(e, TODO_OVER, p);
    queue_done(e, TODO_OVER, q);
    ok(e->queues.todo[TODO_OVER].first == r && e->queues.todo[TODO_OVER].last == r,
       "another list has those above their ceilings");
    queue_done(e, TODO_OVER, r);
    is_int(e->queues.todo[TODO_OVER].first, 0, "none is left");
    kit_close(&kit);
}

int main(void)
{
    test_in_order();
    test_below();
    test_dirty();
    return tap_done();
}
