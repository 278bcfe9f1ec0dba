/* SPDX-License-Identifier: Apache-2.0 */

/* Where groups count, and where their members belong. */
#include "plugin/pods/group_home.h"

#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/tap.h"

static struct kit kit;

static const char *state(const char *queue)
{
    return queue_state_name((enum queue_state)queue_at(kit.engine, kit_queue(&kit, queue))->state);
}

static const char *queue_of(const char *uid)
{
    uint32_t queue = claim_queue(kit.engine, kit_claim(&kit, uid));

    return name_text(kit.engine, queue_at(kit.engine, queue)->name).at;
}

static void test_closing_waits_for_groups(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue q parent=p; group g queue=q; command 1 p CloseQueue");
    is_str(state("q"), "Closing", "a group without pods is left in its queue");
    is_str(state("p"), "Closing", "and below those above it");
    kit_do(&kit, "lose-group g");
    is_str(state("q"), "Closed", "the last one is gone");
    is_str(state("p"), "Closed", "from all of them");
    kit_do(&kit, "command 2 p OpenQueue; group g queue=q; pod a group=g cpu=1;"
                 "command 3 q CloseQueue; pod a group=g cpu=1 finished");
    is_str(state("q"), "Closed", "one whose pods have all ended does not count");
    kit_do(&kit, "command 4 q OpenQueue; lose-pod a; command 5 q CloseQueue");
    is_str(state("q"), "Closing", "without them it is a group that waits for its pods");
    kit_do(&kit, "group g queue=q phase=Completed");
    is_str(state("q"), "Closed", "unless its object says that it has ended");
    kit_do(&kit, "command 6 q OpenQueue; pod b group=g cpu=1; command 7 q CloseQueue");
    is_str(state("q"), "Closing", "which a new pod belies");
    kit_do(&kit, "pod b group=g cpu=1 finished");
    is_str(state("q"), "Closed", "until it has ended as well");
    kit_close(&kit);
}

/* One that we made stays behind when its owner wants no pods any more. */
static void test_closing_waits_for_no_leftovers(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue q parent=p; pod a group=g cpu=1; pod b group=g cpu=1;"
                 "group g min=2 queue=q ours; command 1 p CloseQueue");
    is_str(state("q"), "Closing", "its pods are left");
    kit_do(&kit, "lose-pod a");
    is_str(state("q"), "Closing", "and one is still");
    kit_do(&kit, "lose-pod b");
    is_str(state("q"), "Closed", "a group that was made for pods is nothing without them");
    is_str(state("p"), "Closed", "also to those above it");
    kit_do(&kit, "command 2 p OpenQueue; group g min=2 queue=q; command 3 q CloseQueue");
    is_str(state("q"), "Closing", "but it is somebody's if nobody says that we made it");
    kit_do(&kit, "group g min=2 queue=q ours");
    is_str(state("q"), "Closed", "until it is said");
    kit_do(&kit, "command 4 q OpenQueue; lose-group g; group g min=2 queue=q; "
                 "command 5 q CloseQueue");
    is_str(state("q"), "Closing", "another of its name is another");
    kit_do(&kit, "group h min=2 queue=q ours; lose-group g");
    is_str(state("q"), "Closed", "and those made that come when it closes are nothing either");
    kit_close(&kit);
}

static void test_moves_between_closing_queues(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue q parent=p; queue r parent=p; queue s; group g queue=q;"
                 "command 1 q CloseQueue; command 2 r CloseQueue");
    is_str(state("r"), "Closed", "a queue that nobody names");
    kit_do(&kit, "group g queue=s");
    is_str(state("q"), "Closed", "a group that goes to another queue leaves this one");
    kit_do(&kit, "command 3 p CloseQueue; command 4 s CloseQueue; queue s parent=p");
    is_str(state("s"), "Closing", "it is left where it is now");
    kit_do(&kit, "group g");
    is_str(state("s"), "Closed", "one that names no queue is left nowhere");
    kit_do(&kit, "group g queue=nobody");
    ok(kit_queue(&kit, "nobody") != 0, "a queue that only a group names is known by its name");
    kit_do(&kit, "lose-group g");
    ok(kit_queue(&kit, "nobody") == 0, "as long as it does");
    kit_close(&kit);
}

static void test_members_go_home(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=4; queue b cpu=4; queue c cpu=4; group g queue=a;"
                 "pod x queue=b cpu=1 group=g; pod y cpu=1 group=g; bind x");
    is_str(queue_of("x"), "a", "members are in their group's queue");
    kit_do(&kit, "group g");
    is_str(queue_of("x"), "b", "and, when it names none any more, at once each in its own");
    is_str(queue_of("y"), "default", "which may be the default one");
    is_int(kit_usage(&kit, "a", "cpu"), 0, "nothing is counted where they were");
    is_int(kit_usage(&kit, "b", "cpu"), 1, "but where they are");
    kit_do(&kit, "pod x queue=c cpu=1 group=g node=n; group g queue=a; group g");
    is_str(queue_of("x"), "c", "their own is what they said last");
    kit_do(&kit, "pod x queue=c cpu=1 group=g node=n priority=4; group g queue=b; group g");
    is_str(queue_of("x"), "c", "whatever else of them has changed");
    kit_do(&kit, "group g queue=a; lose-group g");
    is_str(queue_of("x"), "a", "when it is gone, who runs stays where it is");
    kit_do(&kit, "pod z queue=b cpu=1 group=g");
    is_str(queue_of("z"), "b", "and who comes later");
    kit_close(&kit);
}

/* What was granted counts where it was granted, whatever is said of the pod later. */
static void test_granted_stays(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=4; queue b cpu=4; cluster k group=cpu,pods flavor=f cpu=1 pods=9;"
                 "pod x queue=a cpu=2; pod x queue=b cpu=2");
    is_str(queue_of("x"), "b", "before its gate goes it may go elsewhere");
    kit_do(&kit, "pod w queue=a cpu=4; pod x queue=b cpu=2 bare stamp=5 granted=b;"
                 "pod x queue=a cpu=2 bare stamp=5 granted=b");
    is_str(queue_of("x"), "b", "then not, where there is no room for it,");
    kit_do(&kit, "pod x cluster=k cpu=2 bare stamp=5 granted=b node=n");
    is_str(queue_of("x"), "b", "in a queue of any kind");
    kit_do(&kit,
           "pod y queue=a cpu=1 bare stamp=5 node=n; pod y queue=b cpu=1 bare stamp=5 node=n");
    is_str(queue_of("y"), "b", "an older stamp does not say where");
    kit_do(&kit, "follow; pod z queue=a cpu=1 bare stamp=6 granted=b;"
                 "pod u queue=a cpu=1 bare stamp=6 grantedCluster=k node=n;"
                 "pod v queue=b cpu=1 group=g bare stamp=6 granted=a node=n; lead");
    is_str(queue_of("z"), "b", "after a restart its stamp says so,");
    is_str(queue_of("u"), "k", "of any kind of queue,");
    is_str(queue_of("v"), "a", "also where a group is gone");
    kit_do(&kit, "group g queue=b; lose-group g");
    is_str(queue_of("v"), "a", "nor does one that comes take it where there is no room");
    kit_do(&kit, "lose-pod z; group g queue=b");
    is_str(queue_of("v"), "b", "but where there is");
    kit_do(&kit, "group g queue=nobody");
    is_str(queue_of("v"), "b", "and not where there is no queue");
    kit_close(&kit);
}

/* Or it moves to where there is room, and its stamp is to say so. */
static void test_granted_moves(void)
{
    struct effect effect;

    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=4; queue b cpu=4; pod x queue=a cpu=1;"
                 "pod x queue=a cpu=1 bare stamp=5 granted=a");
    is_int(kit_lease(&kit, &effect), -1, "its stamp is right");
    kit_do(&kit, "pod x queue=b cpu=1 bare stamp=5 granted=a");
    is_str(kit_granted(&kit), "x", "the grant goes with it");
    is_int(kit_usage(&kit, "b", "cpu"), 1, "to the other queue");
    is_int(kit_lease(&kit, &effect), EFFECT_REMOVE_GATES, "a patch");
    is_int(effect.patch.gates, 0, "of no gate");
    ok(text_is(effect.patch.queue, "b") && effect.patch.stamp == 5, "writes the stamp anew");
    ok(kit_ack(&kit, &effect, EFFECT_DONE), "it is written");
    is_int(kit_lease(&kit, &effect), -1, "once");
    kit_do(&kit, "pod x queue=b cpu=1 bare stamp=5 granted=b; queue a cpu=4 suspended;"
                 "pod x queue=a cpu=1 bare stamp=5 granted=b");
    is_int(kit_usage(&kit, "b", "cpu"), 1, "nobody moves to a queue that grants nothing");
    kit_close(&kit);
}

/* Who lost what was granted is where the pod says. */
static void test_lost_goes(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a cpu=2; queue b cpu=4; pod w queue=b cpu=4; pod x queue=a cpu=2 bare "
                 "stamp=5 granted=a;"
                 "pod x queue=b cpu=2 bare stamp=5 granted=a");
    is_str(queue_of("x"), "a", "it was granted there");
    kit_do(&kit, "queue a cpu=1");
    is_str(kit_granted(&kit), "w", "and lost it");
    kit_do(&kit, "pod x queue=b cpu=2 bare stamp=5 granted=a; lose-pod w");
    is_str(queue_of("x"), "b", "so it asks where it wants to be");
    is_str(kit_granted(&kit), "x", "and is granted that");
    kit_do(&kit, "pod x queue=a cpu=2 bare stamp=5 granted=a");
    is_str(queue_of("x"), "b", "and stays there, as the other one has no room");
    kit_close(&kit);
}

/* A pod may have a queue of Kueue's that its group's takes it out of. */
static void test_back_to_its_flavors(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "flavor spot label=kind:spot; flavor fast label=kind:fast; queue a;"
                 "cluster k group=cpu,pods flavor=fast cpu=4 pods=9 flavor=spot cpu=4 pods=9;"
                 "group g queue=a;"
                 "pod x cluster=k cpu=1 group=g bare node=n stamp=5 stamped=cpu=spot,pods=spot");
    is_str(queue_of("x"), "a", "in its group's queue");
    kit_do(&kit, "follow; group g; lead");
    is_int(kit_usage(&kit, "cluster/k", "spot/cpu"), 1, "back in the flavor that its stamp names");
    kit_close(&kit);
}

/* Not even for the moment before its group is looked at. */
static void test_nothing_without_its_group(void)
{
    struct queue_report report;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; pod a queue=q group=g; group g queue=away; lose-group g");
    is_str(kit_why(&kit, "a"), "GroupMissing", "who comes home has no group");
    engine_report_queue(kit.engine, kit_queue(&kit, "q"), &report);
    is_int(report.granted, 0, "and is granted nothing");
    kit_close(&kit);
}

/* Whoever is bound past the scheduler takes nothing from those who may use a queue. */
static void test_strays(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; pod a queue=q cpu=1 bare node=n outside");
    is_str(queue_of("a"), "default", "who runs in a queue that is not its own is none");
    kit_do(&kit, "pod a queue=q cpu=1 bare node=n");
    is_str(queue_of("a"), "q", "when it may use the queue it counts there");
    kit_do(&kit, "pod b queue=q cpu=1; pod b queue=q cpu=1 bare node=n stamp=5 granted=q outside");
    is_str(queue_of("b"), "q", "what was granted counts where that was");
    kit_close(&kit);
}

static void test_strays_of_groups(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; queue r cpu=2; group team min=1 queue=q outside;"
                 "pod a queue=r cpu=1 bare node=n group=team");
    is_str(queue_of("a"), "default", "a group's queue is not its members' by its word");
    kit_do(&kit, "group team min=1 queue=q");
    is_str(queue_of("a"), "q", "when it is for their namespace they count there");
    kit_do(&kit, "group team min=1 queue=q outside");
    is_str(queue_of("a"), "default", "and when it is no longer, they do not");
    kit_do(&kit, "group team min=1");
    is_str(queue_of("a"), "r", "a group without a queue leaves them where they are");
    kit_do(&kit, "pod a queue=r cpu=1 bare node=n group=team outside");
    is_str(queue_of("a"), "default", "if they may be there");
    kit_close(&kit);
}

int main(void)
{
    test_closing_waits_for_groups();
    test_closing_waits_for_no_leftovers();
    test_moves_between_closing_queues();
    test_members_go_home();
    test_granted_stays();
    test_granted_moves();
    test_lost_goes();
    test_back_to_its_flavors();
    test_nothing_without_its_group();
    test_strays();
    test_strays_of_groups();
    return tap_done();
}
