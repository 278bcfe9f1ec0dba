/* SPDX-License-Identifier: Apache-2.0 */

/* Where a pod counts: what its owner writes takes nobody out of a queue who runs. */
#include "plugin/pods/place.h"
#include "plugin/pods/group.h"
#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/tap.h"

static struct kit kit;

static const char *queue_of(const char *pod)
{
    uint32_t queue = claim_queue(kit.engine, kit_claim(&kit, pod));

    return name_text(kit.engine, queue_at(kit.engine, queue)->name).at;
}

/* It has no stamp until its pod says something else than where it counts. */
static void test_never_granted(const char *opted_in)
{
    struct effect effect;

    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=2; queue b cpu=1");
    kit_dof(&kit, "pod x queue=a cpu=2 bare node=n %s", opted_in);
    is_int(kit_lease(&kit, &effect), -1, "it says where it counts");
    kit_dof(&kit, "pod x queue=nobody cpu=2 bare node=n %s", opted_in);
    is_str(queue_of("x"), "a", "that stays so where another queue is not there");
    is_int(kit_lease(&kit, &effect), EFFECT_REMOVE_GATES, "a patch");
    ok(effect.patch.gates == 0 && effect.patch.stamp == 0, "takes no gate, and tells of no grant,");
    ok(text_is(effect.patch.queue, "a"), "but where it counts");
    ok(kit_ack(&kit, &effect, EFFECT_DONE), "it is written");
    is_int(kit_lease(&kit, &effect), -1, "once");
    kit_dof(&kit, "pod x queue=b cpu=2 bare node=n granted=a %s", opted_in);
    is_str(queue_of("x"), "a", "or where it has no room");
    kit_dof(&kit, "pod x queue=b cpu=2 bare node=n granted=b %s", opted_in);
    is_str(queue_of("x"), "a", "also if the stamp is another's word");
    is_int(kit_lease(&kit, &effect), EFFECT_REMOVE_GATES, "which is written over");
    kit_do(&kit, "follow");
    kit_dof(&kit, "pod x queue=nobody cpu=2 bare node=n granted=b %s", opted_in);
    kit_do(&kit, "lead");
    is_str(queue_of("x"), "b", "a later leader believes it");
    kit_do(&kit, "queue c cpu=2");
    kit_dof(&kit, "pod x queue=c cpu=2 bare node=n granted=b %s", opted_in);
    is_str(queue_of("x"), "c", "and it goes where there is room");
    kit_close(&kit);
}

/* A group of its owner's names the queue that he likes. */
static void test_group_of_his_own(const char *stamp)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=2; group g queue=nobody; group room queue=b; queue b cpu=2");
    kit_dof(&kit, "pod x queue=a cpu=2 bare node=n %s", stamp);
    kit_dof(&kit, "pod x queue=a cpu=2 bare node=n group=g %s", stamp);
    is_str(queue_of("x"), "a", "it takes nobody out of a queue");
    kit_do(&kit, "group g queue=root");
    is_str(queue_of("x"), "a", "when it changes its mind, either");
    kit_dof(&kit, "pod x queue=nobody cpu=2 bare node=n %s", stamp);
    is_str(queue_of("x"), "a", "nor does it when its member leaves it");
    kit_dof(&kit, "pod x queue=a cpu=2 bare node=n group=away %s", stamp);
    is_str(queue_of("x"), "a", "or names one that is not there");
    kit_dof(&kit, "pod x queue=a cpu=2 bare node=n group=room %s", stamp);
    is_str(queue_of("x"), "b", "one whose queue has room does");
    kit_close(&kit);
}

/* A queue that is not for its namespace. */
static void test_not_for_it(const char *more)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=4; queue b cpu=4; group g queue=b outside");
    kit_dof(&kit, "pod x queue=a cpu=2 bare node=n %s", more);
    kit_dof(&kit, "pod x queue=b cpu=2 outside bare node=n %s", more);
    is_str(queue_of("x"), "a", "it does not go there, though there is room");
    kit_dof(&kit, "pod x queue=a cpu=2 bare node=n group=g %s", more);
    is_str(queue_of("x"), "a", "nor by its group");
    kit_dof(&kit, "pod x queue=b cpu=2 bare node=n %s", more);
    is_str(queue_of("x"), "b", "but when it may");
    kit_close(&kit);
}

static void test_put_there(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=4; queue b cpu=4; pod x queue=a cpu=2 outside bare node=n");
    is_str(queue_of("x"), "default", "who was put there takes nothing from those who may be there");
    kit_do(&kit, "pod x queue=b cpu=2 outside bare node=n");
    is_str(queue_of("x"), "default", "nor from others");
    kit_do(&kit, "pod x queue=a cpu=2 bare node=n; pod x queue=a cpu=2 outside bare node=n");
    is_str(queue_of("x"), "default", "and leaves again when it may be there no more");
    kit_close(&kit);
}

/* A member that waits in Permit, gated as it is. */
static void test_about_to_run(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=2; queue b cpu=2; pod x queue=a cpu=2; reserve x;"
                 "pod x queue=nobody cpu=2");
    is_str(queue_of("x"), "a", "it counts where it was granted");
    kit_do(&kit, "pod x queue=b cpu=2");
    is_str(queue_of("x"), "b", "or where there is room");
    kit_do(&kit, "unreserve x; pod x queue=nobody cpu=2");
    is_str(queue_of("x"), "nobody", "who gave its node back, and has its gate, may go anywhere,");
    is_str(kit_state(&kit, "x"), "waiting", "but not with what it was granted");
    kit_close(&kit);
}

/* Who does not lead believes what is written. */
static void test_standby(void)
{
    kit_open(&kit, "standby");
    kit_do(&kit, "queue a cpu=2; queue b cpu=2; pod x queue=a cpu=2 bare node=n;"
                 "pod y queue=a cpu=2 bare stamp=5 granted=a node=n; synced");
    kit_do(&kit, "pod x queue=b cpu=2 bare node=n;"
                 "pod y queue=a cpu=2 bare stamp=5 granted=b node=n");
    is_str(queue_of("x"), "b", "the pod,");
    is_str(queue_of("y"), "b", "and its stamp");
    kit_do(&kit, "lead");
    is_int(kit_usage(&kit, "b", "cpu"), 4, "what runs counts, above a limit as well");
    kit_close(&kit);
}

int main(void)
{
    test_never_granted("");
    test_never_granted("asksNothing");
    test_group_of_his_own("");
    test_group_of_his_own("stamp=5 granted=a");
    test_not_for_it("");
    test_not_for_it("stamp=5 granted=a");
    test_put_there();
    test_about_to_run();
    test_standby();
    return tap_done();
}
