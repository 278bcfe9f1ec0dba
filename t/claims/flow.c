/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/claims/flow.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct flow above(const struct kit *kit, const char *queue)
{
    uint32_t cpu = intern_find(&kit->engine->names, text_of("cpu"));

    return flow_of(kit->engine, kit_queue(kit, queue), 0, cpu);
}

static void test_what_passes(void)
{
    struct kit kit;
    struct flow flow;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=20; queue a parent=p guarantee.cpu=4; queue b parent=p;"
                 "pod x queue=a cpu=7 node=n; pod y queue=b cpu=2");
    flow = above(&kit, "a");
    is_int(flow.usage, 3, "what a queue uses beyond what is kept for it passes");
    is_int(flow.given, 4, "and what is kept for it is told");
    is_int(flow.allocated, 7, "people see all that is used");
    flow = above(&kit, "b");
    is_int(flow.usage, 2, "where nothing is kept, all passes");
    is_int(flow.reserved, 2, "also what is on its way");
    is_int(flow.later, 2, "and will be there");
    kit_close(&kit);
}

static void test_without_a_cell(void)
{
    struct kit kit;
    struct flow flow;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=20; queue a parent=p; queue b parent=a; pod x queue=b cpu=7 node=n");
    is_int(above(&kit, "a").usage, 7, "a queue that names nothing is counted through");
    kit_do(&kit, "queue c parent=p");
    flow = above(&kit, "c");
    ok(flow_is_nothing(&flow), "an empty one passes nothing");
    kit_close(&kit);
}

/* Cells are kept by adding what changes; counted anew they are the same. */
static void test_counted_anew(void)
{
    static const char *const edits[] = {
        "queue a parent=p guarantee.cpu=9",
        "queue a parent=p guarantee.cpu=2 cpu=8",
        "queue a parent=p",
        "queue a guarantee.cpu=3",
        "queue a parent=p cpu=1",
    };
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=20; queue a parent=p guarantee.cpu=4; pod x queue=a cpu=7 node=n");
    for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
        kit_do(&kit, edits[i]);
        is_str(flow_check(kit.engine, kit_queue(&kit, "p")), NULL, "after %s", edits[i]);
    }
    kit_close(&kit);
}

int main(void)
{
    test_what_passes();
    test_without_a_cell();
    test_counted_anew();
    return tap_done();
}
