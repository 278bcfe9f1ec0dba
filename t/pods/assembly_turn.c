/* SPDX-License-Identifier: Apache-2.0 */

/* Whose turn on nodes it is, and what that means for a claim. */
#include "plugin/pods/assembly_turn.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void open_two(struct kit *kit, const char *words)
{
    kit_open(kit, words);
    kit_do(kit, "queue q cpu=9; group g min=2; group h min=2;"
                "pod a0 queue=q cpu=1 group=g; pod a1 queue=q cpu=1 group=g;"
                "pod b0 queue=q cpu=1 group=h; pod b1 queue=q cpu=1 group=h");
}

static const struct group *group_of(const struct kit *kit, const char *name)
{
    return group_at(kit->engine, group_find(kit->engine, text_of("default"), text_of(name)));
}

static void test_turn(void)
{
    struct kit kit;

    open_two(&kit, "answers");
    ok(assembly_concerns(kit.engine, group_of(&kit, "g")),
       "the host lets go of who waits in Permit");
    is_int(assembly_lacks_nodes(group_of(&kit, "g")), 2, "nobody has a node");
    ok(assembly_is_under_way(kit.engine, group_of(&kit, "h")), "each needs its turn");
    ok(assembly_has_turn(kit.engine, kit_claim(&kit, "a0")), "the first one has it");
    ok(!assembly_has_turn(kit.engine, kit_claim(&kit, "b0")), "the second has not");
    is_int(assembly_holds(kit.engine, kit_claim(&kit, "a0")), REASON_NONE, "who has it goes on");
    is_int(assembly_holds(kit.engine, kit_claim(&kit, "b0")), REASON_GROUP_TURN,
           "who has not waits");
    is_int(assembly_deadline(kit.engine, group_of(&kit, "g")->entry), (1 + 60) * SECOND,
           "a turn has an end");
    ok(assembly_deadline(kit.engine, group_of(&kit, "h")->entry) == INT64_MAX,
       "who is in line has none");
    kit_do(&kit, "bind a0; bind a1");
    is_int(assembly_lacks_nodes(group_of(&kit, "g")), 0, "both have nodes");
    ok(assembly_has_turn(kit.engine, kit_claim(&kit, "b0")), "the next one has its turn");
    kit_do(&kit, "bind b0");
    ok(assembly_is_under_way(kit.engine, group_of(&kit, "h")), "the last one of a turn needs it");
    kit_close(&kit);
}

static void test_without_permit(void)
{
    struct kit kit;

    open_two(&kit, "");
    ok(!assembly_concerns(kit.engine, group_of(&kit, "g")), "a host that cannot wait");
    ok(!assembly_is_under_way(kit.engine, group_of(&kit, "g")), "lets each pod go alone");
    is_int(assembly_holds(kit.engine, kit_claim(&kit, "b0")), REASON_NONE, "and holds nobody");
    kit_close(&kit);
}

static void test_no_nodes(void)
{
    struct kit kit;

    open_two(&kit, "answers");
    ok(!assembly_finds_no_nodes(kit.engine, kit_claim(&kit, "a0")), "it has looked for none yet");
    engine_post_filter(kit.engine, text_of("a0"));
    ok(assembly_finds_no_nodes(kit.engine, kit_claim(&kit, "a1")), "one found none: all hear it");
    is_int(assembly_holds(kit.engine, kit_claim(&kit, "a1")), REASON_NONE, "in a cycle of theirs");
    is_int(assembly_holds(kit.engine, kit_claim(&kit, "a0")), REASON_GROUP_BACKOFF,
           "who knows it pauses");
    is_int(assembly_deadline(kit.engine, group_of(&kit, "g")->entry), (1 + 1) * SECOND,
           "for a second");
    kit_close(&kit);
}

int main(void)
{
    test_turn();
    test_without_permit();
    test_no_nodes();
    return tap_done();
}
