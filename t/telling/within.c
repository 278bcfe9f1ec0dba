/* SPDX-License-Identifier: Apache-2.0 */

/* What there is of one namespace, whatever is before it and behind it. */
#include "plugin/telling/within.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>
#include <string.h>

static struct workload_kit kit;
static char names[200];

static void note(struct text name)
{
    snprintf(names + strlen(names), sizeof(names) - strlen(names), "%.*s ", (int)name.len, name.at);
}

static const char *groups_of(const char *space)
{
    struct group_report report;
    uint32_t cursor = 0;

    *names = 0;
    while (engine_next_group_within(kit.kit.engine, text_of(space), &cursor)) {
        engine_report_group(kit.kit.engine, cursor, &report);
        is_str(report.space.at, space, "a group of the namespace that is asked about");
        note(report.name);
    }
    return names;
}

static const char *locals_of(const char *space)
{
    struct cluster_queue_report report;
    uint32_t cursor = 0;

    *names = 0;
    while (engine_next_local_queue_within(kit.kit.engine, text_of(space), &cursor)) {
        engine_report_local_queue(kit.kit.engine, cursor, &report);
        is_str(report.space.at, space, "a LocalQueue of the namespace that is asked about");
        note(report.name);
    }
    return names;
}

static void see_local(const char *space, const char *name)
{
    struct local_queue_facts facts = {.space = text_of(space),
                                      .name = text_of(name),
                                      .uid = text_of(name),
                                      .queue = text_of("c"),
                                      .selected = true};

    engine_see_local_queue(kit.kit.engine, &facts);
}

static void test_groups(void)
{
    uint32_t cursor = 0, other = 0;

    is_str(groups_of("b"), "", "there are none at all");
    workload_kit_do(&kit, "pod p1 namespace=a group=x; pod p2 namespace=b group=z; "
                          "pod p3 namespace=b group=y; pod p4 namespace=ba group=w; "
                          "pod p5 namespace=c group=x");
    is_str(groups_of("b"), "y z ", "those in the middle, by name");
    is_str(groups_of("a"), "x ", "the first");
    is_str(groups_of("c"), "x ", "the last");
    is_str(groups_of("aa"), "", "none between two namespaces");
    is_str(groups_of("d"), "", "none behind all");
    is_str(groups_of(""), "", "none before all");
    engine_next_group_within(kit.kit.engine, text_of("b"), &cursor);
    engine_next_group_within(kit.kit.engine, text_of("c"), &other);
    ok(!engine_next_group_within(kit.kit.engine, text_of("b"), &other),
       "a cursor of another namespace shows nothing");
    workload_kit_do(&kit, "lose-pod p3");
    ok(!engine_next_group_within(kit.kit.engine, text_of("b"), &cursor),
       "one whose group has gone is the end");
}

static void test_local_queues(void)
{
    uint32_t cursor = 0;

    is_str(locals_of("b"), "", "there are none at all");
    see_local("a", "l");
    see_local("b", "n");
    see_local("b", "m");
    see_local("c", "l");
    is_str(locals_of("b"), "m n ", "those in the middle, by name");
    is_str(locals_of("c"), "l ", "the last");
    is_str(locals_of("bb"), "", "none between two namespaces");
    engine_next_local_queue_within(kit.kit.engine, text_of("c"), &cursor);
    ok(!engine_next_local_queue_within(kit.kit.engine, text_of("a"), &cursor),
       "a cursor of another namespace shows nothing");
}

static void test_parents(void)
{
    struct engine *e = kit.kit.engine;
    uint32_t leaf = engine_find_queue(e, QUEUE_VOLCANO, text_of("leaf")), top;

    top = engine_queue_parent(e, leaf);
    is_int(top, engine_find_queue(e, QUEUE_VOLCANO, text_of("top")), "the queue above a leaf");
    is_int(engine_queue_parent(e, engine_queue_parent(e, top)), 0, "nothing is above the root");
}

int main(void)
{
    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=1; "
                          "queue top; queue leaf parent=top");
    test_groups();
    test_local_queues();
    test_parents();
    workload_kit_close(&kit);
    return tap_done();
}
