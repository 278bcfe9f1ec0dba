/* SPDX-License-Identifier: Apache-2.0 */

/* Queues come with whoever names them, and go with the last. */
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

int main(void)
{
    test_built_in();
    test_unknown();
    test_limit();
    test_no_memory();
    return tap_done();
}
