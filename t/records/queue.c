/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

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

static void test_path(void)
{
    const struct engine *e;
    struct kit kit;
    uint32_t p, r;

    kit_open(&kit, "");
    kit_do(&kit, "queue p; queue q parent=p; queue r parent=q");
    e = kit.engine;
    p = kit_queue(&kit, "p");
    r = kit_queue(&kit, "r");
    ok(queue_is_below(e, r, p) && queue_is_below(e, r, r) && !queue_is_below(e, p, r),
       "below is transitive, and counts oneself");
    is_int(queue_root(e, r), e->queues.volcano_root, "all of Volcano's are below its root");
    is_int(queue_depth(e, r), 4, "which is the first level");
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

/* The names of the queues at and below p, but for what is below a queue of this name. */
static const char *walk(const struct kit *kit, const char *past)
{
    static char names[64];
    uint32_t top = kit_queue(kit, "p"), id = top;

    names[0] = '\0';
    while (id != 0) {
        struct text name = name_text(kit->engine, queue_at(kit->engine, id)->name);
        size_t len = strlen(names);

        snprintf(names + len, sizeof(names) - len, "%.*s ", (int)name.len, name.at);
        id = queue_after(kit->engine, id, top, !text_is(name, past));
    }
    return names;
}

static void test_walk(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p; queue q parent=p; queue r parent=q; queue s parent=p; queue t");
    is_str(walk(&kit, ""), "p s q r ", "all below a queue come after it, and nothing else");
    is_str(walk(&kit, "q"), "p s q ", "what is below one can be passed over");
    is_str(walk(&kit, "p"), "p ", "or all");
    kit_close(&kit);
}

int main(void)
{
    test_walk();
    test_identity();
    test_commands_reach_the_subtree();
    test_only_leaves();
    test_path();
    test_deleted();
    return tap_done();
}
