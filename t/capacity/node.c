/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes: known by name, in the flavors whose labels they have; where the cluster is the ceiling,
 * what they hold together is Volcano's root's. */
#include "plugin/capacity/node.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static bool in_flavor(const struct kit *kit, const char *node, const char *flavor)
{
    return node_has_flavor(kit->engine, node_find(kit->engine, text_of(node)),
                           kit_flavor(kit, flavor));
}

static void test_identity(void)
{
    struct node_facts facts = {.name = text_of("n")};
    uint32_t id = 0, again = 0, other = 0;
    struct kit kit;

    kit_open(&kit, "");
    is_int(node_find(kit.engine, text_of("n")), 0, "nobody has seen it");
    is_int(engine_see_node(kit.engine, &facts, &id), 0, "a node is seen");
    is_int(engine_see_node(kit.engine, &facts, &again), 0, "and again");
    is_int(again, id, "under the same id");
    is_int(engine_count_nodes(kit.engine), 1, "it is one node");
    facts.name = text_of("m");
    is_int(engine_see_node(kit.engine, &facts, &other), 0, "another one");
    ok(other != id && other < engine_node_end(kit.engine), "has an id of its own, below the end");
    ok(engine_filter(kit.engine, 0, id), "a known node fits a pod that nobody knows");
    kit_do(&kit, "lose-node n; lose-node n");
    is_int(engine_count_nodes(kit.engine), 1, "lost once");
    ok(!engine_filter(kit.engine, 0, id), "a node that is gone fits nobody");
    ok(!engine_filter(kit.engine, 0, 999), "nor does one that never was");
    kit_close(&kit);
}

static void test_flavors(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "node n label=kind:spot label=zone:a; node m label=kind:spot; node plain;"
                 "flavor spot label=kind:spot; flavor both label=zone:a label=kind:spot;"
                 "flavor any; cluster c group=cpu flavor=spot cpu=9 flavor=unseen cpu=9");
    ok(in_flavor(&kit, "n", "spot/") && in_flavor(&kit, "m", "spot/"), "nodes with the label");
    ok(!in_flavor(&kit, "plain", "spot/"), "not one without");
    ok(in_flavor(&kit, "n", "both/") && !in_flavor(&kit, "m", "both/"), "every label must match");
    ok(in_flavor(&kit, "plain", "any/"), "a flavor without labels has every node");
    ok(!in_flavor(&kit, "n", "unseen/"), "one without object has none");
    ok(in_flavor(&kit, "plain", ""), "number 0 has every node");
    kit_do(&kit, "node m label=kind:ondemand");
    ok(!in_flavor(&kit, "m", "spot/"), "labels may change");

    kit_do(&kit, "pod a cluster=c cpu=1");
    ok(engine_filter(kit.engine, kit_claim(&kit, "a"), node_find(kit.engine, text_of("n"))),
       "a pod fits a node of its flavor");
    ok(!engine_filter(kit.engine, kit_claim(&kit, "a"), node_find(kit.engine, text_of("m"))),
       "and no other");
    kit_close(&kit);
}

static void test_cluster_is_the_ceiling(void)
{
    struct kit kit;

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "pod a cpu=3");
    is_str(kit_state(&kit, "a"), "waiting", "without nodes there is no room");
    kit_do(&kit, "node n cpu=2 pods=9");
    is_str(kit_state(&kit, "a"), "waiting", "too little of it");
    kit_do(&kit, "node m cpu=2 pods=9");
    is_str(kit_state(&kit, "a"), "reserved", "two nodes together hold it");
    kit_do(&kit, "node m cpu=1 pods=9; pod b cpu=1");
    is_str(kit_state(&kit, "b"), "waiting", "a node that shrinks takes room away");
    kit_do(&kit, "lose-node n");
    is_str(kit_state(&kit, "a"), "waiting", "whoever no longer fits must wait again");
    is_str(kit_state(&kit, "b"), "reserved", "and who fits is granted");
    kit_close(&kit);
}

static void test_limit(void)
{
    struct engine_config config = {.max_nodes = 1};
    struct node_facts facts = {.name = text_of("n")};
    struct test_mem memory;
    struct engine *e;
    uint32_t id;

    test_mem_init(&memory);
    ok(engine_create(&config, &memory.mem, &e) == 0, "an engine for one node");
    is_int(engine_see_node(e, &facts, &id), 0, "takes it");
    is_int(engine_see_node(e, &facts, &id), 0, "and takes it again");
    facts.name = text_of("m");
    is_int(engine_see_node(e, &facts, &id), ENGINE_FULL_NODES, "but not a second one");
    engine_lose_node(e, text_of("n"));
    is_int(engine_see_node(e, &facts, &id), 0, "until the first is gone");
    engine_destroy(e);
    ok(test_mem_clean(&memory), "all memory was given back");
}

static void test_no_memory(void)
{
    struct kit kit;

    kit_open(&kit, "root=cluster");
    ok(kit_starve(&kit, "node n cpu=4 memory=8 label=a:b label=c:d") > 5, "a node needs memory");
    ok(kit_starve(&kit, "node n cpu=5 gpu=1 label=a:e") > 2, "so does what it says anew");
    kit_close(&kit);
}

int main(void)
{
    test_identity();
    test_flavors();
    test_cluster_is_the_ceiling();
    test_limit();
    test_no_memory();
    return tap_done();
}
