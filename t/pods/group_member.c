/* SPDX-License-Identifier: Apache-2.0 */

/* The members of a group: their order, and what is counted of them. */
#include "plugin/pods/group_member.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static uint32_t find(const struct kit *kit, const char *name)
{
    return group_find(kit->engine, text_of("default"), text_of(name));
}

static void test_members_by_rank(void)
{
    struct kit kit;
    const struct group *group;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; pod b queue=q group=g created=2; pod a queue=q group=g created=1;"
                 "pod c queue=q group=g created=3 priority=1; pod d queue=q group=g created=9");
    group = group_at(kit.engine, find(&kit, "g"));
    is_int(group->members, 4, "members are counted");
    is_int(group->claims.first, kit_claim(&kit, "c"), "by priority,");
    is_int(member_after(kit.engine, group->claims.first), kit_claim(&kit, "a"), "and age");
    is_int(group->claims.last, kit_claim(&kit, "d"), "to the last");
    kit_do(&kit, "pod d queue=q group=g created=9 priority=2; pod c queue=q group=g created=3");
    is_int(group->claims.first, kit_claim(&kit, "d"), "when a rank changes the place does");
    is_int(group->claims.last, kit_claim(&kit, "c"), "up and down");
    kit_close(&kit);
}

/* What its members are at is counted, whatever becomes of them. */
static void test_counts(void)
{
    struct kit kit;
    const struct group *group;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; group g; pod a queue=q cpu=1 group=g; pod b queue=q cpu=1 group=g;"
                 "pod c queue=q cpu=1 group=g; pod d queue=q cpu=1 group=g foreign");
    group = group_at(kit.engine, find(&kit, "g"));
    is_int(group->members, 4, "all of them,");
    is_int(group->reserved, 2, "those that are reserved,");
    is_int(group->holding, 2, "those that hold something,");
    is_int(group->ready, 1, "those that nothing of their own holds");
    kit_do(&kit, "bind a; lose-pod b");
    is_int(group->members, 3, "who is gone is none");
    is_int(group->reserved, 1, "who is bound is not reserved,");
    is_int(group->holding, 2, "but holds");
    is_int(group->ready, 0, "and who was granted does not wait");
    kit_do(&kit, "pod d queue=q cpu=1 group=h");
    is_int(group->members, 2, "who leaves is another's");
    kit_close(&kit);
}

int main(void)
{
    test_members_by_rank();
    test_counts();
    return tap_done();
}
