/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/candidates.h"

#include "plugin/grant/hunt_share.h"
#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

#include <stdio.h>

/* Who would be asked to go for this pod, in order; nobody goes, since it is held meanwhile. */
static const char *candidates(struct kit *kit, const char *name)
{
    uint32_t taken[16], count = 0, at = 0, next;
    struct hunt hunt;

    kit_hunt(kit, name, &hunt);
    kit->text[0] = '\0';
    if (!hunt_share_contest(&hunt))
        return "there is room";
    /* Nobody is taken away meanwhile, so both ways find the same, but for those left alone. */
    candidates_collect(&hunt);
    while ((next = candidates_next(&hunt, true)) != 0)
        taken[count++] = next;
    candidates_collect(&hunt);
    while ((next = candidates_next(&hunt, false)) != 0) {
        bool also = at < count && taken[at] == next;
        size_t len = strlen(kit->text);

        at += also;
        ok(candidates_have(&hunt, next), "who has its turn is a candidate");
        snprintf(kit->text + len, sizeof(kit->text) - len, "%s%.*s%s", len == 0 ? "" : " ",
                 (int)claim_name(kit->engine, next).len, claim_name(kit->engine, next).at,
                 also ? "" : "-");
    }
    ok(at == count, "who may be taken while borrowing may be taken otherwise");
    return kit->text;
}

static void test_own_queue(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=6 within=lower; pod a queue=q cpu=1 priority=1 node=n;"
                 "pod b queue=q cpu=1 node=n; pod c queue=q cpu=1 node=n; pod d queue=q cpu=1;"
                 "pod e queue=q cpu=1 node=n settled; pod f queue=q cpu=1 priority=5 node=n;"
                 "pod ask queue=q cpu=3 priority=5 foreign");
    is_str(candidates(&kit, "ask"), "d c b a", "lower priority first, then the newest");
    kit_do(&kit, "queue q cpu=7 within=newer; pod g queue=q cpu=1 priority=5 node=n");
    is_str(candidates(&kit, "ask"), "d c b a g", "and who is newer, of the same");
    kit_do(&kit, "queue q cpu=7");
    is_str(candidates(&kit, "ask"), "", "or nobody");
    kit_do(&kit, "queue q cpu=10 within=lower");
    is_str(candidates(&kit, "ask"), "there is room", "nothing is contested");
    kit_close(&kit);
}

/* p has 8: a deserves 4, b deserves 2 and uses 5, c deserves nothing and uses 3. */
static void test_volcano(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue p cpu=8; queue a parent=p deserved.cpu=4 reclaim=any within=lower;"
                 "queue b parent=p deserved.cpu=2 reclaimable; queue c parent=p;"
                 "pod b1 queue=b cpu=2 node=n; pod b2 queue=b cpu=3 node=n;"
                 "pod c1 queue=c cpu=3 priority=3 node=n; pod ask queue=a cpu=3 foreign");
    is_str(candidates(&kit, "ask"), "b2 b1", "who uses more than it deserves, if reclaimable");
    kit_do(&kit, "queue c parent=p reclaimable");
    is_str(candidates(&kit, "ask"), "b2 b1 c1", "whatever its priority");
    kit_do(&kit, "queue a parent=p deserved.cpu=2 reclaim=any");
    is_str(candidates(&kit, "ask"), "b2- b1- c1-", "not for who would exceed what it deserves");
    kit_do(&kit, "queue a parent=p deserved.cpu=4 reclaim=lower");
    is_str(candidates(&kit, "ask"), "", "or only of lower priority");
    kit_do(&kit, "queue a parent=p deserved.cpu=4 reclaim=any; queue b parent=p deserved.cpu=5");
    is_str(candidates(&kit, "ask"), "c1", "who uses what is its own is left alone");
    kit_close(&kit);
}

/* The first in order is of the asking one's group; those behind it are older, which does not matter
 * to whoever takes anybody. */
static void test_behind_its_own(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue p cpu=8; queue a parent=p deserved.cpu=4 reclaim=any; queue b parent=p "
                 "reclaimable; group g native created=9; pod b1 queue=b cpu=4 created=1 node=n;"
                 "pod b2 queue=b cpu=4 created=20 native=g node=n;"
                 "pod ask queue=a cpu=3 created=10 native=g foreign");
    is_str(candidates(&kit, "ask"), "b1", "nobody of its own group, but the one behind it");
    kit_close(&kit);
}

/* Cohort all holds team (x, y) and z; each has a nominal quota of 4. */
static const char cohorts[] =
    "cohort team parent=all; cluster x parent=team group=cpu flavor=f cpu=4 reclaim=any;"
    "cluster y parent=team group=cpu flavor=f cpu=4; cluster z parent=all group=cpu flavor=f cpu=4;"
    "flavor f;";

static void test_kueue(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, cohorts);
    kit_do(&kit, "pod y1 cluster=y cpu=5 node=n; pod z1 cluster=z cpu=7 node=n;"
                 "pod ask cluster=x cpu=4 foreign");
    is_str(candidates(&kit, "ask"), "z1 y1", "in the whole tree, where more than nominal is used");
    kit_do(&kit, "pod y1 cluster=y cpu=4 node=n; pod y2 cluster=y cpu=1 priority=-1 node=n");
    is_str(candidates(&kit, "ask"), "y2 z1 y1", "by priority, not by nearness");
    kit_do(&kit, "lose-pod y2; pod z1 cluster=z cpu=8 node=n");
    is_str(candidates(&kit, "ask"), "z1", "not below a cohort that is within its own");
    kit_do(&kit, "pod ask cluster=x cpu=5 foreign");
    is_str(candidates(&kit, "ask"), "z1-", "who asks for more than its own must not borrow");
    kit_do(&kit, "cluster x parent=team group=cpu flavor=f cpu=4 reclaim=any whileBorrowing "
                 "threshold=3; pod ask cluster=x cpu=5 priority=9 foreign");
    is_str(candidates(&kit, "ask"), "z1", "or may, of low priorities");
    kit_do(&kit, "pod z1 cluster=z cpu=8 priority=4 node=n");
    is_str(candidates(&kit, "ask"), "z1-", "up to a threshold");
    kit_do(&kit, "lose-pod z1; group g min=2 priority=4; pod z2 cluster=z cpu=4 group=g node=n;"
                 "pod z3 cluster=z cpu=4 group=g node=n; pod z4 cluster=z cpu=1 priority=1 node=n");
    is_str(candidates(&kit, "ask"), "z3- z2- z4", "a gang's counts, too; not for who is behind it");
    kit_close(&kit);
}

int main(void)
{
    test_own_queue();
    test_volcano();
    test_behind_its_own();
    test_kueue();
    return tap_done();
}
