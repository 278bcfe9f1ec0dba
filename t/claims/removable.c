/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/claims/removable.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

/* Those of the queue that may be what is wanted, in order. */
static const char *found(struct kit *kit, const char *queue, struct removable_wanted wanted)
{
    const struct engine *e = kit->engine;

    kit->text[0] = '\0';
    for (uint32_t id = removable_first(e, kit_queue(kit, queue), &wanted); id != 0;
         id = removable_after(e, id, &wanted)) {
        size_t len = strlen(kit->text);

        snprintf(kit->text + len, sizeof(kit->text) - len, "%s%.*s", len == 0 ? "" : " ",
                 (int)claim_full_name(e, id).name.len, claim_full_name(e, id).name.at);
    }
    return kit->text;
}

static const char *all(struct kit *kit)
{
    return found(kit, "q", (struct removable_wanted){UINT32_MAX, 0});
}

static const char *users(struct kit *kit, const char *resource)
{
    return found(kit, "q",
                 (struct removable_wanted){removable_uses(0, kit_resource(kit, resource)), 0});
}

static void test_order(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=20 within=lower; pod a queue=q cpu=1 priority=1 node=n stamp=5;"
                 "pod b queue=q cpu=1 node=n stamp=5; pod c queue=q cpu=1 node=n stamp=7;"
                 "pod d queue=q cpu=1 node=n stamp=5; pod e queue=q cpu=1 priority=-1");
    is_str(all(&kit), "e c b d a", "lower priority first, newest first, uid last");
    kit_do(&kit, "pod c queue=q cpu=1 node=n stamp=4");
    is_str(all(&kit), "e b d c a", "another stamp, another place");
    kit_do(&kit, "pod b queue=q cpu=1 node=n stamp=5 priority=3");
    is_str(all(&kit), "e d c a b", "so with the priority");
    kit_do(&kit, "queue r cpu=9; pod a queue=r cpu=1 priority=1 node=n stamp=5; lose-pod e");
    is_str(all(&kit), "d c b", "who moves or goes is found no more");
    kit_close(&kit);
}

static void test_who(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=2 node=n;"
                 "pod b queue=q cpu=2 node=n priority=2; pod c queue=q cpu=2");
    is_str(all(&kit), "a b", "who waits has no room to take");
    kit_do(&kit, "pod b queue=q cpu=2 node=n priority=2 settled");
    is_str(all(&kit), "a", "nor is it taken from who is settled,");
    kit_do(&kit, "pod b queue=q cpu=2 node=n priority=2; pod high queue=q cpu=2 priority=5");
    is_str(all(&kit), "b", "or goes already,");
    kit_do(&kit, "time 70");
    is_str(all(&kit), "", "or was spared since it did not");
    kit_do(&kit, "lose-pod high; lose-pod c; time 500");
    is_str(all(&kit), "a b", "for a while");
    kit_do(&kit, "pod a queue=q cpu=2 node=n deleted");
    is_str(all(&kit), "b", "or is deleted");
    kit_close(&kit);

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=2 node=n");
    is_str(all(&kit), "", "where nobody is evicted, nothing is kept");
    kit_close(&kit);
}

/* Among many that use something else, or are older. */
static void test_wanted(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=900 gpu=900 within=lower");
    for (int i = 0; i < 200; i++)
        kit_dof(&kit, "pod p%03d queue=q %s=1 node=n created=%d", i, i % 50 == 7 ? "gpu" : "cpu",
                1 + (i * 7) % 200);
    is_str(users(&kit, "gpu"), "p057 p107 p157 p007", "those that use it");
    kit_do(&kit, "lose-pod p107; pod x queue=q gpu=1 cpu=1 priority=-1 created=1000");
    is_str(users(&kit, "gpu"), "x p057 p157 p007", "also if there are others now");
    kit_do(&kit, "time 2000; pod y queue=q cpu=1 node=n created=2000000000000;"
                 "pod z queue=q cpu=1 node=n created=3000000000000 priority=9");
    is_str(found(&kit, "q", (struct removable_wanted){UINT32_MAX, 2000}), "y z",
           "or are newer than something");
    is_str(found(&kit, "q", (struct removable_wanted){UINT32_MAX, 3001}), "", "or nobody");
    kit_close(&kit);
}

/* Each as its host lets it be sent away. */
static void test_both_kinds(const char *words, const char *want, const char *after)
{
    struct workload_kit kit;
    const struct removable_wanted wanted = {UINT32_MAX, 0};

    workload_kit_open(&kit, words);
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                          "local l cluster=c; jobsStay; add a queue=l cpu=1; time 2");
    workload_kit_do(&kit, "pod b cluster=c cpu=1 created=3; bind b; time 4");
    workload_kit_do(&kit, "add c queue=l cpu=1 priority=1; add d queue=l cpu=1 priority=-1");
    is_str(found(&kit.kit, "cluster/c", wanted), want, "'%s': they stand in one order", words);
    workload_kit_do(&kit, "add ask queue=l cpu=1 priority=2");
    is_str(found(&kit.kit, "cluster/c", wanted), after, "and whoever goes is none of them");
    workload_kit_close(&kit);
}

int main(void)
{
    test_both_kinds("evicts", "d b a c", "b a c");
    test_both_kinds("", "d a c", "a c");
    test_order();
    test_who();
    test_wanted();
    return tap_done();
}
