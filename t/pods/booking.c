/* SPDX-License-Identifier: Apache-2.0 */

/* Room for pods that are still to be made. */
#include "plugin/pods/booking.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

static struct kit kit;

static const char *phase(const char *name)
{
    static struct group_report report;

    engine_report_group(kit.engine, group_find(kit.engine, text_of("default"), text_of(name)),
                        &report);
    return report.phase;
}

static const char *why(const char *name)
{
    static struct group_report report;

    engine_report_group(kit.engine, group_find(kit.engine, text_of("default"), text_of(name)),
                        &report);
    return report.why.message;
}

static void test_taken_over(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=6; group g min=3 cpu=3 queue=q");
    is_str(phase("g"), "Inqueue", "a group without pods has room");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "of what its object says");
    kit_do(&kit, "pod x queue=q cpu=4; pod a cpu=1 group=g; pod b cpu=1 group=g");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "the first pods take none of their own");
    is_str(kit_why(&kit, "a"), "GroupIncomplete", "and wait for the others");
    kit_do(&kit, "pod c cpu=1 group=g");
    is_str(kit_granted(&kit), "a b c", "all of them take it over, past who came before");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "it counts once");
    is_str(kit_why(&kit, "x"), "QueueCapacity", "nothing is left for others");
    kit_do(&kit, "lose-pod b");
    is_str(kit_granted(&kit), "g", "when one goes the others give back");
    is_str(phase("g"), "Inqueue", "but the group keeps room for another one");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "for all of its minimum");
    kit_do(&kit, "pod d cpu=2 group=g");
    is_str(kit_granted(&kit), "a c d", "which may ask for more, if there is room");
    kit_do(&kit, "pod a cpu=1 group=g finished; pod c cpu=1 group=g finished failed;"
                 "pod d cpu=1 group=g finished");
    is_int(kit_usage(&kit, "q", "cpu"), 4, "who has ended asks no more");
    is_str(kit_granted(&kit), "x", "and leaves the room to others");
    kit_close(&kit);
}

static void test_more_than_was_kept(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; group g min=2 cpu=2 queue=q; pod x queue=q cpu=3;"
                 "pod a cpu=1 group=g; pod b cpu=4 group=g");
    is_str(kit_granted(&kit), "x", "pods that ask for more than there is do not keep the rest");
    is_str(phase("g"), "Pending", "and wait for their turn");
    kit_close(&kit);
}

static void test_each_alone(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; group g min=1 cpu=2 queue=q; pod x queue=q cpu=1;"
                 "pod a cpu=2 group=g");
    is_str(kit_granted(&kit), "a", "the first of those that go alone takes it over");
    kit_do(&kit, "lose-pod a");
    is_str(kit_granted(&kit), "g", "it is asked for again in the order of the group's creation");
    is_str(phase("g"), "Inqueue", "for another one");
    kit_do(&kit, "queue r cpu=1; group h min=0 queue=r");
    is_str(phase("h"), "Inqueue", "without a minimum one pod is asked for");
    is_int(kit_usage(&kit, "r", "cpu"), 0, "and nothing that its object does not say");
    kit_close(&kit);
}

static void test_order(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod x queue=q cpu=4; group low min=2 cpu=3 queue=q;"
                 "group high min=2 cpu=3 queue=q priority=5; pod p queue=q cpu=1 priority=9");
    is_str(kit_waiting(&kit, "q"), "p high low", "groups and pods wait in one order");
    is_str(
        why("low"),
        "its group default/low asks for members that are still to be made: queue q has room for 0 "
        "more cpu, the group asks for 3m",
        "and say for what");
    kit_do(&kit, "lose-pod x");
    is_str(phase("high"), "Inqueue", "the first has its turn");
    is_str(phase("low"), "Pending", "the other one waits on");
    kit_do(&kit, "lose-group high");
    is_str(phase("low"), "Inqueue", "a group that goes gives back");
    kit_close(&kit);
}

static void test_who_asks_for_none(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; group ours min=2 cpu=3 queue=q ours; group anywhere min=2 cpu=3;"
                 "group bad min=-1 cpu=3 queue=q; group done min=2 cpu=3 queue=q phase=Completed;"
                 "group gated min=2 cpu=3 queue=q; pod a cpu=1 group=gated foreign;"
                 "pod b cpu=1 group=gated foreign");
    is_int(kit_usage(&kit, "q", "cpu"), 0, "what we made, names no queue, cannot be, is over");
    is_str(phase("gated"), "Pending", "or has members that something of their own holds");
    kit_do(&kit, "pod b cpu=1 group=gated");
    is_int(kit_usage(&kit, "q", "cpu"), 0, "all of them or some");
    kit_close(&kit);
}

static void test_edits(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; queue r cpu=4; group g min=2 cpu=2 queue=q created=1;"
                 "group h min=2 cpu=2 queue=q created=2");
    is_int(kit_usage(&kit, "q", "cpu"), 4, "two groups have room");
    kit_do(&kit, "group g min=2 cpu=1 queue=q created=1");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "one asks for less, and keeps that");
    kit_do(&kit, "group g min=2 cpu=3 queue=q created=1");
    is_str(phase("g"), "Pending", "for more than there is, and keeps nothing");
    kit_do(&kit, "group g min=2 cpu=3 queue=r created=1");
    is_int(kit_usage(&kit, "r", "cpu"), 3, "in another queue, where it is");
    kit_do(&kit, "queue q cpu=1");
    is_str(phase("h"), "Pending", "a shrink takes it");
    kit_do(&kit, "queue q cpu=4");
    is_str(phase("h"), "Inqueue", "and it comes back");
    kit_do(&kit, "queue q cpu=4 suspended");
    is_str(phase("h"), "Pending", "a queue that stops keeps it for nobody");
    is_int(kit_usage(&kit, "q", "cpu"), 0, "who is not there");
    kit_do(&kit, "queue q cpu=4");
    is_str(phase("h"), "Inqueue", "and gives it again when it goes on");
    kit_do(&kit, "group h min=2 cpu=2 queue=q created=2 uid=other");
    is_int(kit_usage(&kit, "q", "cpu"), 2, "another group of the name asks anew");
    kit_close(&kit);
}

/* Newest first: what no object tells otherwise is as old as its group. */
static void test_shrink_and_restart(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=6; group new min=2 cpu=2 queue=q created=30 phase=Inqueue;"
                 "group old min=2 cpu=2 queue=q created=10 phase=Inqueue;"
                 "pod p queue=q cpu=2 bare stamp=20");
    kit_do(&kit, "queue q cpu=4");
    is_str(phase("new"), "Pending", "the newest goes,");
    is_str(phase("old"), "Inqueue", "and no other");
    kit_do(&kit, "queue q cpu=6; follow; queue q cpu=4; lead");
    is_str(phase("new"), "Pending", "as at a restart,");
    is_str(phase("old"), "Inqueue", "where its status says that it had room");
    kit_do(&kit, "follow; group old min=2 cpu=2 queue=q created=10 phase=Pending;"
                 "group new min=2 cpu=2 queue=q created=30 phase=Pending;"
                 "pod x queue=q cpu=1 created=5; lead");
    is_str(phase("old"), "Pending", "else it waits for its turn");
    is_str(kit_granted(&kit), "p x", "after who was there before");
    kit_close(&kit);
}

static void test_nobody_makes_pods(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=3; group g min=3 cpu=3 queue=q; time 100; pod x queue=q cpu=2;"
                 "time 300");
    is_str(phase("g"), "Inqueue", "it keeps its room for a while");
    kit_do(&kit, "time 302");
    is_str(phase("g"), "Pending", "then it gives it back");
    is_str(kit_granted(&kit), "x", "to who waits");
    kit_do(&kit, "lose-pod x; time 311");
    is_str(phase("g"), "Pending", "it pauses,");
    kit_do(&kit, "time 313");
    is_str(phase("g"), "Inqueue", "and has another try");
    kit_do(&kit, "time 614; time 630");
    is_str(phase("g"), "Pending", "then it pauses for longer");
    kit_do(&kit, "pod a cpu=1 group=g; pod b cpu=1 group=g; pod c cpu=1 group=g");
    is_str(kit_granted(&kit), "a b c", "which its pods need not wait for");
    kit_close(&kit);

    kit_open(&kit, "observe");
    kit_do(&kit, "queue q cpu=3; group g min=3 cpu=3 queue=q; time 1000");
    is_str(phase("g"), "Inqueue", "where it is only observed, nobody is late");
    kit_close(&kit);
}

static void test_victims(void)
{
    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=4 node=n;"
                 "group g min=2 cpu=4 queue=q priority=5");
    is_str(kit_victims(&kit), "a>g", "it may have others sent away");
    kit_do(&kit, "lose-pod a; pod b queue=q cpu=4 priority=1");
    is_str(phase("g"), "Inqueue", "for its pods,");
    kit_do(&kit, "time 302; pod b queue=q cpu=4 priority=1 node=n; time 320");
    is_str(kit_victims(&kit), "", "but if none came it has to wait");
    kit_do(&kit, "pod m cpu=2 group=g; pod o cpu=2 group=g");
    is_str(kit_victims(&kit), "b>g", "until they are there");
    kit_close(&kit);

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; group g min=2 cpu=4 queue=q;"
                 "pod ask queue=q cpu=4 priority=5");
    is_str(phase("g"), "Inqueue", "and is nobody's victim itself");
    kit_close(&kit);
}

/* A member that leaves is missing from then on: its group asks for it, and comes before it. */
static void test_who_leaves(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q strict memory=2; group g min=2 memory=5 queue=q created=1;"
                 "pod a group=g created=2; pod b group=g created=3 foreign");
    is_str(kit_granted(&kit), "", "nobody is missing, and one is held");
    kit_do(&kit, "pod b queue=q created=3");
    is_str(kit_state(&kit, "b"), "waiting", "who leaves does not pass the group that it left");
    is_str(phase("g"), "Pending", "which waits for more than there is");
    kit_do(&kit, "pod b group=g created=3 foreign; pod b uid=other queue=q created=4");
    is_str(kit_state(&kit, "other"), "waiting", "nor does who has the name of one that is gone");
    kit_close(&kit);
}

static void test_memory(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4");
    kit_starve(&kit, "group g min=1 cpu=2 queue=q");
    is_str(phase("g"), "Inqueue", "with enough memory it has room");
    kit_close(&kit);
}

int main(void)
{
    test_taken_over();
    test_more_than_was_kept();
    test_each_alone();
    test_order();
    test_who_asks_for_none();
    test_edits();
    test_shrink_and_restart();
    test_nobody_makes_pods();
    test_victims();
    test_who_leaves();
    test_memory();
    return tap_done();
}
