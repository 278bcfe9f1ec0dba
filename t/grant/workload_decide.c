/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/workload_decide.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

/* A flavor that can fit, one that cannot, one in which somebody of lower priority sits. */
enum room { FITS, NEVER, PREEMPTS };

static void make_flavor(struct workload_kit *kit, char *groups, size_t size, const char *flavor,
                        enum room room, const char *filler)
{
    size_t len = strlen(groups);

    (void)kit;
    (void)filler;
    snprintf(groups + len, size - len, " flavor=%s cpu=%d", flavor, room == NEVER ? 1 : 2);
}

/* One row of the proposal's table, in one of its columns. */
static void row(enum room a, enum room b, bool try_next, bool gated, const char *want)
{
    static const char *const names[] = {"fits", "can't fit", "preempts"};
    struct workload_kit kit;
    char groups[200] = "group=cpu", step[300];

    workload_kit_open(&kit, gated ? "gates" : "");
    make_flavor(&kit, groups, sizeof(groups), "a", a, "");
    make_flavor(&kit, groups, sizeof(groups), "b", b, "");
    workload_kit_do(&kit, "flavor a label=on:a; flavor b label=on:b");
    snprintf(step, sizeof(step), "cluster c within=lower %s %s", try_next ? "preemptsLast" : "",
             groups);
    workload_kit_do(&kit, step);
    workload_kit_do(&kit, "local l cluster=c");
    if (a == PREEMPTS)
        workload_kit_do(&kit, "add low-a queue=l cpu=2 selects=on:a");
    if (b == PREEMPTS)
        workload_kit_do(&kit, "add low-b queue=l cpu=2 selects=on:b");
    workload_kit_do(&kit, "add w queue=l cpu=2 priority=1 gate=g");
    is_str(workload_kit_state(&kit, "w"), want, "%s, %s%s: %s%s", names[a], names[b],
           try_next ? ", TryNextFlavor" : "", want, gated ? "" : ", gates count for nothing");
    workload_kit_close(&kit);
}

static void test_table(void)
{
    static const struct {
        enum room a, b;
        const char *stop, *next;           /* MayStopSearch, TryNextFlavor */
        const char *then_stop, *then_next; /* without gates */
    } rows[] = {
        {FITS, FITS, "admitted a", "admitted a", "admitted a", "admitted a"},
        {FITS, NEVER, "admitted a", "admitted a", "admitted a", "admitted a"},
        {FITS, PREEMPTS, "admitted a", "admitted a", "admitted a", "admitted a"},
        {PREEMPTS, FITS, "pending signal", "admitted b", "admitted a", "admitted b"},
        {PREEMPTS, NEVER, "pending signal", "pending signal", "admitted a", "admitted a"},
        {PREEMPTS, PREEMPTS, "pending signal", "pending signal", "admitted a", "admitted a"},
        {NEVER, FITS, "admitted b", "admitted b", "admitted b", "admitted b"},
        {NEVER, NEVER, "pending", "pending", "pending", "pending"},
        {NEVER, PREEMPTS, "pending signal", "pending signal", "admitted b", "admitted b"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        row(rows[i].a, rows[i].b, false, true, rows[i].stop);
        row(rows[i].a, rows[i].b, true, true, rows[i].next);
        row(rows[i].a, rows[i].b, false, false, rows[i].then_stop);
        row(rows[i].a, rows[i].b, true, false, rows[i].then_next);
    }
}

/* The same where the workload says that it cannot preempt: the full flavor is skipped. */
static void test_cannot_preempt(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor a label=on:a; flavor b label=on:b; "
                          "cluster c within=lower group=cpu flavor=a cpu=2 flavor=b cpu=2; "
                          "local l cluster=c; add low queue=l cpu=2");
    workload_kit_do(&kit, "add w queue=l cpu=2 priority=1 cannotPreempt");
    is_str(workload_kit_state(&kit, "w"), "admitted b", "it takes the one that is free");
    workload_kit_do(&kit, "add x queue=l cpu=2 priority=1 cannotPreempt");
    is_str(workload_kit_state(&kit, "x"), "pending", "and sends nobody away");
    workload_kit_close(&kit);
}

static void test_gates(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=2; "
                          "local l cluster=c; add low queue=l cpu=2");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "add w queue=l cpu=2 priority=1 gate=g gate=h");
    is_str(workload_kit_log(&kit), "w:gates w:signal", "the gates get a status, then it signals");
    is_str(workload_kit_why(&kit, "w"), "PreemptionGated", "which is why it waits");
    workload_kit_do(&kit, "open w g");
    is_str(workload_kit_log(&kit), "", "one of two gates is not enough");
    workload_kit_do(&kit, "open w h");
    is_str(workload_kit_log(&kit), "low:evict low:endEviction w:reserve", "the last one is");
    is_str(workload_kit_state(&kit, "w"), "admitted f", "it has its place, and no signal");
    is_str(workload_kit_state(&kit, "low"), "pending evicted", "its victim waits again");
    workload_kit_do(&kit, "add high queue=l cpu=2 priority=2");
    is_str(workload_kit_state(&kit, "w"), "pending evicted", "it is evicted itself");
    workload_kit_do(&kit, "remove high");
    is_str(workload_kit_state(&kit, "w"), "admitted f", "what fits needs no gate");
    workload_kit_close(&kit);
}

/* Nobody wakes it a second time. */
static void test_opens_during_the_signal(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=2; "
                          "local l cluster=c; add low queue=l cpu=2; opensMeanwhile w g");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "add w queue=l cpu=2 priority=1 gate=g; time 2");
    is_str(workload_kit_log(&kit), "w:gates w:signal low:evict low:endEviction w:reserve",
           "a gate that opens while the signal is being written counts");
    is_str(workload_kit_state(&kit, "w"), "admitted f", "and no signal is left");
    workload_kit_close(&kit);
}

static void test_signal_goes(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=2; "
                          "local l cluster=c; add low queue=l cpu=2; "
                          "add w queue=l cpu=2 priority=1 gate=g");
    is_str(workload_kit_state(&kit, "w"), "pending signal", "there is a victim");
    workload_kit_do(&kit, "add top queue=l cpu=2 priority=5");
    is_str(workload_kit_state(&kit, "top"), "admitted f", "another one takes its room");
    is_str(workload_kit_state(&kit, "w"), "pending", "without victims there is no signal");
    workload_kit_do(&kit, "finish top");
    is_str(workload_kit_state(&kit, "w"), "admitted f", "with room it needs none");
    workload_kit_close(&kit);
}

/* The victims of who signals are another one's now. */
static void test_signal_goes_with_its_victims(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=2; "
                          "local l cluster=c; jobsStay; add low queue=l cpu=2; "
                          "add w queue=l cpu=2 priority=1 gate=g");
    is_str(workload_kit_state(&kit, "w"), "pending signal", "there is a victim");
    workload_kit_do(&kit, "add top queue=l cpu=1 priority=5");
    is_str(workload_kit_state(&kit, "low"), "admitted f evicted", "which goes for another one");
    is_str(workload_kit_state(&kit, "w"), "pending", "so there is none");
    workload_kit_close(&kit);
}

/* A gate that opens before it is written that it was closed. */
static void test_opens_before_the_signal(void)
{
    struct workload_kit kit;
    struct workload_object *object = &kit.objects[1];

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=2; "
                          "local l cluster=c; add low queue=l cpu=2; add w queue=l cpu=1 gate=g");
    workload_kit_log(&kit);
    object->facts.priority = 1;
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    object->facts.gates[0].open = true;
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    workload_kit_do(&kit, "time 2");
    is_str(workload_kit_log(&kit), "low:evict low:endEviction w:reserve",
           "it does not signal then");
    workload_kit_close(&kit);
}

/* Only who lives above its share can be sent away from another queue. */
static void test_borrowing_makes_victims(void)
{
    struct workload_kit kit;
    struct workload_object *x = &kit.objects[3];

    workload_kit_open(&kit, "");
    workload_kit_do(&kit,
                    "flavor f; cohort o; cluster c parent=o reclaim=lower group=cpu flavor=f "
                    "cpu=5; cluster d parent=o group=cpu flavor=f cpu=10; cluster e parent=o "
                    "group=cpu flavor=f cpu=0; local l cluster=c; local m cluster=d; "
                    "local n cluster=e; add z queue=n cpu=1 priority=9; add y queue=m cpu=10; "
                    "add w queue=l cpu=5 priority=2");
    is_str(workload_kit_state(&kit, "w"), "pending", "nobody of a lower priority borrows");
    *x = kit.objects[2];
    x->name[0] = 'x';
    x->queue[0] = 'm';
    x->set.requests.item[0].amount = 1;
    x->facts.uid = x->facts.name = text_of(x->name);
    x->facts.queue = text_of(x->queue);
    x->facts.sets = &x->set;
    x->facts.priority = 1;
    x->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &x->facts);
    is_str(workload_kit_why(&kit, "w"), "Preempting", "when one does, even before that is written");
    workload_kit_do(&kit, "time 2");
    is_str(workload_kit_state(&kit, "y"), "pending evicted", "its queue gives back");
    workload_kit_close(&kit);
}

/* Of a queue with a gated head: who comes behind it. */
static void test_strategies(void)
{
    static const char *const world =
        "flavor f; cohort o; "
        "cluster c %s within=%s parent=o group=cpu flavor=f cpu=2; "
        "cluster d parent=o group=cpu flavor=f cpu=1 lend.cpu=0; local l cluster=c; local m "
        "cluster=d; "
        "add low queue=l cpu=1; add g queue=l cpu=2 priority=1 gate=g; add n queue=l cpu=1%s; "
        "add o queue=m cpu=1";
    struct workload_kit kit;
    char steps[600];

    workload_kit_open(&kit, "gates");
    snprintf(steps, sizeof(steps), world, "", "lower", "");
    workload_kit_do(&kit, steps);
    is_str(workload_kit_state(&kit, "g"), "pending signal", "BestEffortFIFO: the head is gated");
    is_str(workload_kit_state(&kit, "n"), "admitted f", "a newer one passes it");
    workload_kit_do(&kit, "open g g");
    is_str(workload_kit_state(&kit, "g"), "admitted f", "and goes when its gate opens");
    workload_kit_close(&kit);

    workload_kit_open(&kit, "gates");
    snprintf(steps, sizeof(steps), world, "strict", "lower", "");
    workload_kit_do(&kit, steps);
    is_str(workload_kit_state(&kit, "n"), "pending", "StrictFIFO: nobody passes the head");
    is_str(workload_kit_why(&kit, "n"), "QueueOrder", "which is why");
    is_str(workload_kit_state(&kit, "o"), "admitted f", "but another queue goes on");
    workload_kit_close(&kit);

    workload_kit_open(&kit, "gates");
    snprintf(steps, sizeof(steps), world, "", "lower", " priority=1");
    workload_kit_do(&kit, steps);
    workload_kit_do(&kit, "open g g");
    is_str(workload_kit_state(&kit, "n"), "admitted f", "LowerPriority: who passed it stays");
    is_str(workload_kit_state(&kit, "g"), "pending", "and it waits");
    workload_kit_close(&kit);

    workload_kit_open(&kit, "gates");
    snprintf(steps, sizeof(steps), world, "", "newer", " priority=1");
    workload_kit_do(&kit, steps);
    workload_kit_do(&kit, "open g g");
    is_str(workload_kit_state(&kit, "g"), "admitted f", "LowerOrNewerEqualPriority: it goes");
    is_str(workload_kit_state(&kit, "n"), "pending evicted", "whoever passed it");
    workload_kit_close(&kit);
}

/* Of two flavors one is full of who could go, the other would be borrowed. */
static void test_preference(void)
{
    static const char *const world =
        "flavor a; flavor b; cohort o; cluster d parent=o group=cpu flavor=b cpu=2; "
        "cluster c parent=o within=lower preemptsLast borrowsLast%s group=cpu flavor=a cpu=2 "
        "borrow.cpu=0 flavor=b cpu=0; local l cluster=c; add low queue=l cpu=2";
    struct workload_kit kit;
    char steps[400];

    workload_kit_open(&kit, "");
    snprintf(steps, sizeof(steps), world, "");
    workload_kit_do(&kit, steps);
    is_str(workload_kit_state(&kit, "low"), "admitted a", "it has the one of its queue");
    workload_kit_do(&kit, "add w queue=l cpu=2 priority=1");
    is_str(workload_kit_state(&kit, "w"), "admitted b", "BorrowingOverPreemption: it borrows");
    workload_kit_close(&kit);

    workload_kit_open(&kit, "");
    snprintf(steps, sizeof(steps), world, " borrowsLeast");
    workload_kit_do(&kit, steps);
    workload_kit_do(&kit, "add w queue=l cpu=2 priority=1");
    is_str(workload_kit_state(&kit, "w"), "admitted a", "PreemptionOverBorrowing: somebody goes");
    is_str(workload_kit_state(&kit, "low"), "admitted b", "who borrows");
    workload_kit_close(&kit);
}

int main(void)
{
    test_preference();
    test_table();
    test_cannot_preempt();
    test_gates();
    test_opens_during_the_signal();
    test_signal_goes();
    test_signal_goes_with_its_victims();
    test_opens_before_the_signal();
    test_borrowing_makes_victims();
    test_strategies();
    return tap_done();
}
