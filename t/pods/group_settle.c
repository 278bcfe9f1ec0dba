/* SPDX-License-Identifier: Apache-2.0 */

/* Groups that changed are looked at. */
#include "plugin/pods/group.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static uint32_t find(const struct kit *kit, const char *name)
{
    return group_find(kit->engine, text_of("default"), text_of(name));
}

/* Who changed first is looked at first, once. */
static void test_order(void)
{
    struct kit kit;
    uint32_t g, h;

    kit_open(&kit, "");
    kit_do(&kit, "group g min=2; group h min=2");
    g = find(&kit, "g");
    h = find(&kit, "h");
    group_touch(kit.engine, h);
    group_touch(kit.engine, g);
    group_touch(kit.engine, h);
    is_int(kit.engine->pods.touched.first, h, "the first");
    is_int(group_at(kit.engine, h)->todo.next, g, "then the other");
    is_int(group_at(kit.engine, g)->todo.next, 0, "each once");
    group_untouch(kit.engine, h);
    is_int(kit.engine->pods.touched.first, g, "who need not be is taken out");
    group_settle(kit.engine);
    ok(kit.engine->pods.touched.first == 0 && kit.engine->pods.touched.last == 0,
       "and nobody is left");
    kit_close(&kit);
}

/* A group that nobody needs ends when it is looked at, and with it what waited for it. */
static void test_ends(void)
{
    struct kit kit;

    kit_open(&kit, "answers");
    kit_do(&kit, "queue q cpu=4; group g min=2; pod a queue=q cpu=1 group=g;"
                 "pod b queue=q cpu=1 group=g");
    is_int(kit.engine->pods.assembling, find(&kit, "g"), "its turn on nodes");
    is_int(kit.engine->claims.entries, 1, "and what waits for its minimum");
    kit_do(&kit, "lose-group g");
    ok(find(&kit, "g") != 0, "its pods name it still");
    kit_do(&kit, "lose-pod a; lose-pod b");
    is_int(find(&kit, "g"), 0, "nobody does");
    is_int(kit.engine->pods.assembling, 0, "it has no turn any more");
    is_int(kit.engine->claims.entries, 0, "and nothing waits for it");
    kit_close(&kit);
}

int main(void)
{
    test_order();
    test_ends();
    return tap_done();
}
