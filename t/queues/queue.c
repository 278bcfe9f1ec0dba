/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static const struct queue *queue_of(const struct kit *kit, const char *name)
{
    return queue_at(kit->engine, kit_queue(kit, name));
}

/* All queues in order, those that nobody has seen with a '?'. */
static const char *list(const struct kit *kit)
{
    static const char *const kinds[] = {"", "cluster/", "cohort/"};
    static char text[1024];
    struct queue_report report;
    uint32_t cursor = 0;

    text[0] = '\0';
    while (engine_next_queue(kit->engine, &cursor)) {
        size_t len = strlen(text);

        engine_report_queue(kit->engine, cursor, &report);
        snprintf(text + len, sizeof(text) - len, "%s%s%.*s%s", len == 0 ? "" : " ",
                 kinds[report.kind], (int)report.name.len, report.name.at, report.known ? "" : "?");
        if (cursor == 0)
            break;
    }
    return text;
}

static void test_built_in(void)
{
    struct kit kit;

    kit_open(&kit, "");
    is_str(list(&kit), "default root", "root and default are always there");
    kit_do(&kit, "pod a cpu=1");
    is_str(kit_granted(&kit), "a", "and default grants");
    kit_do(&kit, "queue default cpu=1; pod b cpu=1; lose-queue default; lose-queue root");
    is_str(list(&kit), "default root", "their objects may go");
    is_str(kit_granted(&kit), "a b", "with the quota that they named");
    kit_do(&kit, "pod c queue=root cpu=1");
    is_str(kit_why(&kit, "c"), "QueueInactive", "nobody waits in the root itself");
    kit_close(&kit);
}

static void test_unknown(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "pod a queue=q cpu=1; pod b cluster=c cpu=1");
    is_str(list(&kit), "default q? root cluster/c?", "who names a queue makes it");
    is_str(kit_why(&kit, "a"), "QueueUnknown", "but nobody passes there");
    is_str(kit_why(&kit, "b"), "QueueUnknown", "in Kueue's neither");
    kit_do(&kit, "queue q");
    is_str(kit_granted(&kit), "a", "until it is seen");
    kit_do(&kit, "lose-pod a; lose-pod b");
    is_str(list(&kit), "default q root", "the last to name an unknown queue takes it along");
    kit_do(&kit, "queue q parent=p; pod a queue=q cpu=1");
    is_str(list(&kit), "default p? q root", "a child makes its parent");
    is_str(kit_why(&kit, "a"), "QueueUnknown", "below an unknown queue nobody passes");
    kit_do(&kit, "queue p");
    is_str(kit_granted(&kit), "a", "until that is seen, too");
    kit_do(&kit, "lose-queue q; lose-queue p");
    is_str(list(&kit), "default q? root", "a queue that holds somebody stays, unknown");
    is_str(kit_granted(&kit), "a", "and takes nothing away");
    kit_do(&kit,
           "lose-pod a; flavor f; cluster c parent=co group=cpu flavor=f cpu=2; pod d cluster=c "
           "cpu=2");
    is_str(kit_granted(&kit), "d", "a cohort needs no object");
    kit_do(&kit, "lose-pod d; lose-cluster c; lose-cluster c; lose-queue nobody");
    is_str(list(&kit), "default root", "nothing is left of all of them");
    kit_close(&kit);
}

static void test_identity(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; queue x cpu=1; cluster x group=cpu flavor=f cpu=2; cohort x; queue xy;"
                 "queue a; pod v queue=x cpu=1; pod c cluster=x cpu=2");
    is_str(list(&kit), "a default root x xy cluster/x cohort/x",
           "a queue is its kind and its name");
    is_int(kit_usage(&kit, "x", "cpu"), 1, "one x is Volcano's");
    is_int(kit_usage(&kit, "cluster/x", "f/cpu"), 2, "the other Kueue's");
    kit_do(&kit, "lose-cohort x; lose-queue x");
    is_str(list(&kit), "a default root x? xy cluster/x", "and who goes is only that one");
    kit_close(&kit);
}

static void test_commands_reach_the_subtree(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p; queue q parent=p; queue r parent=q; queue s; pod a queue=r cpu=1;"
                 "queue p suspended; pod b queue=r cpu=1; pod c queue=s cpu=1");
    is_str(kit_granted(&kit), "a c", "suspended: nothing is granted below, and nothing taken");
    is_str(kit_why(&kit, "b"), "QueueSuspended", "who waits says why");
    is_str(kit_why(&kit, "a"), "QueueSuspended", "who is granted waits with the reservation");
    kit_do(&kit, "queue p closed");
    is_str(kit_why(&kit, "b"), "QueueClosed", "closed: nothing is granted either");
    is_str(kit_why(&kit, "a"), "", "but who is granted goes on");
    kit_do(&kit, "queue q parent=p suspended");
    is_str(kit_why(&kit, "a"), "QueueSuspended", "unless something on the way is suspended");
    kit_do(&kit, "queue p; queue q parent=p");
    is_str(kit_granted(&kit), "a b c", "open again, and who waited passes");
    kit_do(&kit, "flavor f; cohort co suspended; cluster k parent=co group=cpu flavor=f cpu=1;"
                 "pod k cluster=k cpu=1");
    is_str(kit_why(&kit, "k"), "QueueSuspended", "it is the same in Kueue's trees");
    kit_close(&kit);
}

static void test_only_leaves(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p; pod a queue=p cpu=1; queue q parent=p; pod b queue=p cpu=1");
    is_str(kit_why(&kit, "b"), "QueueInactive", "a queue with children grants nothing");
    is_str(kit_state(&kit, "a"), "reserved", "who was granted before keeps it");
    kit_do(&kit, "lose-queue q");
    is_str(kit_granted(&kit), "a b", "and it is a leaf again when they are gone");
    kit_close(&kit);
}

static void test_lists(void)
{
    struct engine *e;
    struct kit kit;
    uint32_t p, q, r;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue p; queue q parent=p; queue r parent=q");
    e = kit.engine;
    p = kit_queue(&kit, "p");
    q = kit_queue(&kit, "q");
    r = kit_queue(&kit, "r");
    queue_done(e, TODO_DIRTY, e->volcano_root);
    is_int(e->todo[TODO_DIRTY].first, 0, "nothing to do");
    queue_todo(e, TODO_DIRTY, q);
    queue_todo(e, TODO_DIRTY, r);
    queue_todo(e, TODO_DIRTY, p);
    queue_todo(e, TODO_DIRTY, q);
    queue_todo(e, TODO_DIRTY, 0);
    ok(e->todo[TODO_DIRTY].first == q && e->todo[TODO_DIRTY].last == p,
       "marked in order, each once");
    queue_done(e, TODO_DIRTY, r);
    ok(queue_of(&kit, "q")->todo[TODO_DIRTY].next == p &&
           queue_of(&kit, "p")->todo[TODO_DIRTY].prev == q,
       "one in between may go");
    ok(queue_below_dirty(e, r), "below one that is marked");
    queue_done(e, TODO_DIRTY, q);
    ok(queue_below_dirty(e, r) && e->todo[TODO_DIRTY].first == p, "however far");
    queue_done(e, TODO_DIRTY, p);
    ok(!queue_below_dirty(e, r) && e->todo[TODO_DIRTY].last == 0, "until the last is done");
    queue_todo(e, TODO_OVER, p);
    queue_todo(e, TODO_OVER, r);
    queue_todo(e, TODO_OVER, p);
    queue_done(e, TODO_OVER, p);
    queue_done(e, TODO_OVER, q);
    ok(e->todo[TODO_OVER].first == r && e->todo[TODO_OVER].last == r,
       "the same for those above their ceilings");
    queue_done(e, TODO_OVER, r);
    is_int(e->todo[TODO_OVER].first, 0, "none is left");
    ok(queue_is_below(e, r, p) && queue_is_below(e, r, r) && !queue_is_below(e, p, r),
       "below is transitive, and counts oneself");
    is_int(queue_root(e, r), e->volcano_root, "all of Volcano's are below its root");
    kit_close(&kit);
}

static void test_limit(void)
{
    uint64_t before;
    struct kit kit;

    kit_open(&kit, "maxQueues=4");
    kit_do(&kit, "queue a; queue s parent=s");
    before = engine_digest(kit.engine, true);
    is_int(kit_try(&kit, "queue b parent=c"), ENGINE_FULL_QUEUES, "b is one too many");
    ok(engine_digest(kit.engine, true) == before, "then neither it nor its parent is made");
    is_int(kit_try(&kit, "pod p queue=b cpu=1"), 0, "a pod makes none");
    is_int(kit_try(&kit, "queue b"), ENGINE_FULL_QUEUES, "so b is one too many still");
    is_int(kit_try(&kit, "queue a cpu=1"), 0, "those that are there may be edited");
    kit_close(&kit);
}

static void test_no_memory(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "pod other queue=o cpu=1");
    for (int i = 0; i < 30; i++) {
        char step[64];

        snprintf(step, sizeof(step), "pod a%d queue=q%d cpu=%d r%d=1", i, i, i + 1, i);
        kit_starve(&kit, step);
    }
    kit_close(&kit);
}

/* An object that waits for its finalizers is still there, and so is who runs. */
static void test_deleted(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p; queue q parent=p cpu=4; pod runs queue=q cpu=1 node=n;"
                 "queue q parent=p cpu=4 deleted; pod late queue=q cpu=1");
    is_str(kit_granted(&kit), "runs", "a queue that is being deleted grants nothing");
    is_str(kit_why(&kit, "late"), "QueueInactive", "and says so");
    kit_do(&kit, "lose-queue q; queue q parent=p cpu=4");
    is_str(kit_granted(&kit), "late runs", "until it is made again");
    kit_do(&kit, "flavor f; cluster c group=cpu,pods flavor=f cpu=1 pods=9 deleted;"
                 "pod k cluster=c cpu=1");
    is_str(kit_state(&kit, "k"), "waiting", "of Kueue's the same");
    kit_do(&kit, "lose-cluster c; cluster c group=cpu,pods flavor=f cpu=1 pods=9");
    is_str(kit_state(&kit, "k"), "reserved", "and one that was lost and comes anew is not deleted");
    kit_close(&kit);
}

int main(void)
{
    test_built_in();
    test_unknown();
    test_identity();
    test_commands_reach_the_subtree();
    test_only_leaves();
    test_lists();
    test_limit();
    test_no_memory();
    test_deleted();
    return tap_done();
}
