/* SPDX-License-Identifier: Apache-2.0 */

/* Composite groups: complete by their parts, and granted as one. */
#include "plugin/pods/group_parts.h"

#include "plugin/pods/group.h"
#include "plugin/telling/explain.h"
#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

static struct group *composite(const struct kit *kit, const char *name)
{
    const struct group_name is = {text_of("default"), text_of(name), GROUP_COMPOSITE};

    return group_at(kit->engine, group_find_named(kit->engine, &is));
}

static const char *message(const struct kit *kit, const char *uid, struct verdict *ret)
{
    explain_claim(kit->engine, kit_claim(kit, uid), true, ret);
    return ret->message;
}

/* Two replicas, each of a leader and two workers; one of them is enough. */
#define REPLICAS                                                                                   \
    "group top composite min=1 composite-part=1:r0:2 part=2:leader0:1 part=2:workers0:2 "          \
    "composite-part=1:r1:2 part=2:leader1:1 part=2:workers1:2;"

static void test_complete(void)
{
    struct verdict verdict;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9;" REPLICAS "pod l0 queue=q cpu=1 native=leader0 composite=top;"
                 "pod w0 queue=q cpu=1 native=workers0 composite=top;"
                 "pod l1 queue=q cpu=1 native=leader1 composite=top");
    is_str(kit_granted(&kit), "", "while no replica is complete, nobody is granted");
    is_str(kit_why(&kit, "l0"), "GroupIncomplete", "and all are held");
    is_str(message(&kit, "l0", &verdict),
           "its group default/top is not complete: PodGroup workers0 has 1 of the 2 pods that it "
           "needs",
           "with what is missing");
    kit_do(&kit, "pod w1 queue=q cpu=1 native=workers0 composite=top");
    is_str(kit_granted(&kit), "l0 l1 w0 w1", "with one replica all that are there are granted");
    kit_do(&kit, "lose-pod w0");
    is_str(kit_granted(&kit), "", "and give back when none is complete any more");
    kit_close(&kit);
}

static void test_room(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=3; pod full queue=q cpu=1 created=1;"
                 "group top composite min=2 part=1:a:1 part=1:b:2;"
                 "pod a queue=q cpu=1 native=a composite=top; pod b queue=q cpu=1 native=b "
                 "composite=top; pod c queue=q cpu=1 native=b composite=top;"
                 "pod z queue=q cpu=1");
    is_str(kit_granted(&kit), "full z", "it gets room for all of it, or for nobody");
    is_str(kit_why(&kit, "c"), "QueueCapacity", "it waits for that in its queue");
    kit_do(&kit, "lose-pod full; lose-pod z");
    is_str(kit_granted(&kit), "a b c", "and is granted as one");
    kit_close(&kit);
}

static void test_parts_change(void)
{
    struct verdict verdict;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; pod a queue=q cpu=1 native=a composite=top");
    is_str(kit_why(&kit, "a"), "GroupMissing", "without its CompositePodGroup a pod is held");
    kit_do(&kit, "group top composite min=2 part=1:a:1");
    is_str(message(&kit, "a", &verdict),
           "its group default/top is not complete: CompositePodGroup top has 1 of the 2 complete "
           "groups that it needs",
           "so it is while groups are missing below it");
    kit_do(&kit, "group top composite min=2 part=1:a:1 part=1:b:1;"
                 "pod b queue=q cpu=1 native=b composite=top");
    is_str(kit_granted(&kit), "a b", "they come later");
    kit_do(&kit, "group top composite min=2 part=1:a:1 part=1:b:2");
    is_str(kit_granted(&kit), "", "a minimum is raised");
    kit_do(&kit, "group top composite min=1 part=1:a:1 part=1:b:2");
    is_str(kit_granted(&kit), "a b", "or lowered");
    kit_do(&kit, "lose-composite top");
    is_str(kit_why(&kit, "b"), "GroupMissing", "and all wait when it is gone");
    kit_do(&kit, "pod b queue=q cpu=1 native=b; group b native min=1");
    is_str(kit_granted(&kit), "b", "a PodGroup that is below nothing any more is its pods' own");
    kit_close(&kit);
}

/* Its PodGroups, a CompositePodGroup and a PodGroup of its own name are four groups. */
static void test_names(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; group g composite part=1:p:1; group g native min=2;"
                 "pod a queue=q cpu=1 native=p composite=g; pod b queue=q cpu=1 native=g");
    is_str(kit_granted(&kit), "a", "what is composite is another group than one of its name");
    is_str(kit_why(&kit, "b"), "GroupIncomplete", "which has its own members");
    kit_do(&kit, "pod a queue=q cpu=1 native=other composite=g");
    is_str(kit_granted(&kit), "", "a pod of a PodGroup that is no part counts for none");
    kit_close(&kit);
}

static void test_depth(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; group top composite composite-part=1:a:1 composite-part=2:b:1 "
                 "composite-part=3:c:1 part=4:d:1; pod p queue=q cpu=1 native=d composite=top");
    is_str(kit_why(&kit, "p"), "GroupInvalid", "no scheduler takes a tree of five levels");
    is_int(composite(&kit, "top")->fault, GROUP_TOO_DEEP, "which is told");
    kit_do(&kit, "group top composite composite-part=1:a:1 composite-part=2:b:1 part=3:d:1");
    is_str(kit_granted(&kit), "p", "four are taken");
    kit_close(&kit);
}

/* Those that are below no more, or come when the rest runs. */
static void test_late(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=3; group top composite part=1:a:1 part=1:b:1;"
                 "pod a queue=q cpu=1 native=a composite=top; bind a;"
                 "pod b queue=q cpu=1 native=b composite=top; pod c queue=q cpu=3 native=b "
                 "composite=top");
    is_str(kit_granted(&kit), "a", "those that come when the others run wait together");
    kit_do(&kit, "lose-pod c");
    is_str(kit_granted(&kit), "a b", "and are granted by themselves");
    kit_close(&kit);
}

static void test_condition(void)
{
    struct effect effect;
    struct kit kit;
    int kind;

    kit_open(&kit, "statuses");
    kit_do(&kit, "queue q cpu=1; group top composite part=1:a:2 version=3;"
                 "pod a queue=q cpu=1 native=a composite=top");
    kind = kit_lease(&kit, &effect);
    ok(kind == EFFECT_SET_GROUP_STATUS && effect.group_status.kind == GROUP_COMPOSITE,
       "the condition is that of the CompositePodGroup");
    is_str(effect.message,
           "the group is not complete: PodGroup a has 1 of the 2 pods that it needs",
           "and says what is missing");
    kit_close(&kit);
}

static void test_goes_whole(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=2;"
                 "group top composite part=1:a:1 part=1:b:1 min=2 whole;"
                 "pod a cluster=c cpu=1 native=a composite=top;"
                 "pod b cluster=c cpu=1 native=b composite=top; bind a; bind b;"
                 "pod y cluster=c cpu=1 priority=5");
    is_str(kit_victims(&kit), "a>y b>y", "it is evicted whole, whichever part its pods are in");
    kit_close(&kit);
}

int main(void)
{
    test_complete();
    test_room();
    test_parts_change();
    test_names();
    test_depth();
    test_late();
    test_condition();
    test_goes_whole();
    return tap_done();
}
