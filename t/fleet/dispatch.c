/* SPDX-License-Identifier: Apache-2.0 */

/* The records of a manager's workloads: one of a name, and what is left to do for it. */
#include "plugin/fleet/dispatch.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static void test_life(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "maxWorkloads=2");
    fleet_kit_do(&f, "workload w; workload w; lose-workload w uid=other");
    is_int(fleet_count_dispatches(f.fleet), 1, "one of a name");
    fleet_kit_do(&f, "workload w v=1 over");
    ok(!dispatch_is(fleet_kit_workload(&f, "w"), DISPATCH_OVER), "an older message says nothing");
    fleet_kit_do(&f, "lose-workload w; lose-workload w");
    is_int(fleet_count_dispatches(f.fleet), 0, "gone");
    fleet_kit_do(&f, "workload v; workload w");

    const struct dispatch_facts third = {
        .uid = text_of("x"), .space = text_of("ns"), .name = text_of("x")};

    is_int(fleet_see_dispatch(f.fleet, &third), ENGINE_FULL_WORKLOADS, "one too many");
    fleet_kit_close(&f);
}

/* Who is left to be decided about is in line once, wherever it stands when it goes. */
static void test_todo(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "workload a; workload b; workload c");

    uint32_t a = dispatch_find(f.fleet, text_of("ns"), text_of("a"));
    uint32_t b = dispatch_find(f.fleet, text_of("ns"), text_of("b"));
    uint32_t c = dispatch_find(f.fleet, text_of("ns"), text_of("c"));

    ok(!fleet_more(f.fleet), "all are decided about");
    dispatch_todo(f.fleet, a);
    dispatch_todo(f.fleet, b);
    dispatch_todo(f.fleet, c);
    dispatch_todo(f.fleet, a);
    is_int(f.fleet->todo.first, a, "the first stays the first");
    is_int(f.fleet->todo.last, c, "and is not there twice");
    dispatch_drop_todo(f.fleet, b);
    is_int(dispatch_at(f.fleet, a)->todo.next, c, "who goes leaves no gap");
    dispatch_drop_todo(f.fleet, b);
    dispatch_drop_todo(f.fleet, a);
    dispatch_drop_todo(f.fleet, c);
    ok(f.fleet->todo.first == 0 && f.fleet->todo.last == 0, "and the last one nothing");
    fleet_kit_close(&f);
}

static void test_counts(void)
{
    struct dispatch dispatch = {.counted = 5};

    dispatch_count(&dispatch, 3);
    is_int(dispatch.counted, 5, "an older opening says nothing");
    dispatch_count(&dispatch, 7);
    is_int(dispatch.counted, 7, "a later one does");
}

int main(void)
{
    test_life();
    test_todo();
    test_counts();
    return tap_done();
}
