/* SPDX-License-Identifier: Apache-2.0 */

/* Who may preempt, over many clusters: one at a time, and whoever goes away meanwhile counts. */
#include "plugin/fleet/orchestrator.h"
#include "plugin/fleet/preemption_memory.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

#define THREE "cluster a; cluster b; cluster c; workload w in=a,b,c;"
#define QUIET THREE "replica a/w; replica b/w; replica c/w;"

static void test_steps(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, QUIET);
    is_str(fleet_kit_effects(&f), "", "nobody signals: nothing is opened");
    fleet_kit_do(&f, "time 1; replica b/w signals");
    is_str(fleet_kit_effects(&f), "write w", "before a gate is opened it is written down");
    fleet_kit_do(&f, "done write w");
    is_str(fleet_kit_effects(&f), "open b/w", "then it is opened");
    fleet_kit_do(&f, "time 2; replica a/w signals");
    is_str(fleet_kit_effects(&f), "open b/w", "one at a time");
    fleet_kit_do(&f, "time 4; done open b/w; time 303");
    is_str(fleet_kit_effects(&f), "", "the others wait for the timeout");
    is_int(fleet_next(f.fleet), (1000 + 304) * FLEET_SECOND, "and the host is told how long");
    fleet_kit_do(&f, "time 304");
    is_str(fleet_kit_effects(&f), "write w", "then the next one has its turn");
    fleet_kit_do(&f, "done write w; done open a/w; replica a/w open signals; time 700");
    is_str(fleet_kit_effects(&f), "", "who is open is not opened again");
    fleet_kit_close(&f);
}

static void test_order(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, THREE "time 1; replica c/w signals; time 2; replica b/w signals;"
                           "done write w");
    is_str(fleet_kit_effects(&f), "create a/w; open c/w", "who signalled first");
    fleet_kit_do(&f, "conflict open c/w; replica c/w; time 20; replica c/w signals; time 302;"
                     "done write w");
    is_str(fleet_kit_effects(&f), "create a/w; open b/w", "a signal that came again is a new one");
    fleet_kit_close(&f);

    fleet_kit_open(&f, "standby");
    fleet_kit_do(&f, THREE
                 "replica c/w signals; replica b/w signals; replica a/w signals; synced; lead");
    fleet_kit_do(&f, "done write w");
    is_str(fleet_kit_effects(&f), "open a/w", "at the same time: by the name of the cluster");
    fleet_kit_close(&f);
}

/* A worker whose gate cannot be opened must not keep the others waiting for ever. */
static void test_turns(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, QUIET "replica a/w signals; time 10; replica b/w signals; done write w;"
                           "retry open a/w; time 60; time 400; done write w");
    is_str(fleet_kit_effects(&f), "open a/w", "it signalled first, and has another try");
    fleet_kit_do(&f, "retry open a/w; time 800; done write w");
    is_str(fleet_kit_effects(&f), "open b/w", "then the one that signalled before that try");
    fleet_kit_close(&f);
}

/* What was written counts, whatever became of it. */
static void test_lost_worker(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, QUIET "replica a/w signals; replica b/w signals; done write w; done open a/w;"
                           "cluster a off; time 290");
    is_str(fleet_kit_effects(&f), "", "a lost worker preempts on");
    fleet_kit_do(&f, "time 300");
    is_str(fleet_kit_effects(&f), "write w", "until the timeout");
    fleet_kit_do(&f, "done write w; done open b/w; cluster a; replica a/w signals; time 400");
    is_str(fleet_kit_effects(&f), "", "it comes back as it was before its gate was opened");
    fleet_kit_do(&f, "time 600; done write w");
    is_str(fleet_kit_effects(&f), "open a/w", "and waits its turn like the others");
    fleet_kit_close(&f);

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, QUIET "replica a/w signals; replica b/w signals; done write w; lease open a/w;"
                           "lose-replica a/w; time 310");
    is_str(fleet_kit_effects(&f), "create a/w", "a replica that is gone may have been opened");
    fleet_kit_do(&f, "time 330");
    is_str(fleet_kit_effects(&f), "create a/w; write w", "as long as it could");
    fleet_kit_close(&f);
}

static void test_others_open(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, QUIET "time 5; replica c/w signals open; replica a/w signals; time 304");
    is_str(fleet_kit_effects(&f), "",
           "a gate that somebody else opened counts from when it was seen");
    fleet_kit_do(&f, "time 305");
    is_str(fleet_kit_effects(&f), "write w", "by this manager's clock");
    fleet_kit_do(&f, "done write w; done open a/w; replica c/w; replica c/w open; time 604");
    fleet_kit_do(&f, "replica b/w signals");
    is_str(fleet_kit_effects(&f), "", "again, if it was closed between");
    fleet_kit_close(&f);
}

static void test_restart(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, QUIET "replica a/w signals; time 7; replica b/w signals; done write w;"
                           "done open a/w; time 100");
    fleet_kit_restart(&f, "standby");
    fleet_kit_do(&f, THREE "replica a/w signals open; replica b/w signals; replica c/w signals;"
                           "workload w in=a,b,c remembers; synced; lead; time 336");
    is_str(fleet_kit_effects(&f), "", "a new manager has the memory of the old one");
    is_int(fleet_kit_replica(&f, "b/w")->signal, 1007 * FLEET_SECOND, "also of the signals");
    fleet_kit_do(&f, "time 337; done write w");
    is_str(fleet_kit_effects(&f), "open b/w", "whose order it keeps");
    fleet_kit_close(&f);

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, QUIET "replica a/w signals; done write w; time 10");
    fleet_kit_restart(&f, "standby");
    fleet_kit_do(&f, "workload w in=a,b,c remembers; replica a/w signals; replica b/w signals;"
                     "cluster a; cluster b; synced; lead");
    is_str(fleet_kit_effects(&f), "write w", "what was perhaps not carried out is written anew,");
    fleet_kit_do(&f, "done write w");
    is_str(fleet_kit_effects(&f), "open a/w", "and carried out");
    fleet_kit_do(&f, "time 41");
    is_str(fleet_kit_effects(&f), "", "but not later than it may be");
    fleet_kit_close(&f);
}

static void test_two_managers(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, QUIET "replica a/w signals; replica b/w signals; lease write w;"
                           "workload w in=a,b,c memory=v1_0_b,b-w,0,1000000000000;"
                           "conflict write w; time 20; done write w");
    is_str(fleet_kit_effects(&f), "open b/w",
           "another one opens the same workload: that one it is");
    fleet_kit_do(&f, "follow");
    is_str(fleet_kit_effects(&f), "", "who leads no more asks for nothing");
    fleet_kit_do(&f, "lead; time 329");
    is_str(fleet_kit_effects(&f), "", "and knows still when it was");
    fleet_kit_do(&f, "time 330");
    is_str(fleet_kit_effects(&f), "write w", "when it leads again");
    fleet_kit_close(&f);

    fleet_kit_open(&f, "");
    fleet_kit_do(&f,
                 QUIET "replica a/w signals; lease write w; time 61; lease write w; replica a/w;"
                       "replica b/w signals; done write w");
    is_str(fleet_kit_effects(&f), "", "an ack that may be of an older writing ends no wait");
    fleet_kit_do(&f, "replica a/w signals; workload w in=a,b,c remembers; done write w");
    is_str(fleet_kit_effects(&f), "open a/w", "the workload says which it was");
    fleet_kit_close(&f);
}

static void test_reserved(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, QUIET "replica a/w reserved; replica b/w signals");
    is_str(fleet_kit_effects(&f), "", "who has quota needs no victims");
    is_str(fleet_kit_message(&f, "w"), "a has reserved quota: nobody is to preempt",
           "and it says so");
    fleet_kit_do(&f, "cluster a off");
    is_str(fleet_kit_effects(&f), "write w", "but must be there");
    fleet_kit_do(&f, "cluster a");
    is_str(fleet_kit_effects(&f), "", "until it is written, it may be too late");
    fleet_kit_close(&f);
}

static void test_not_candidates(void)
{
    static const char *const others[] = {"blocked", "ungated", "deleted", "finished"};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct fleet_kit f;
        char steps[256];

        fleet_kit_open(&f, "");
        fleet_kit_do(&f, QUIET);
        snprintf(steps, sizeof(steps), "replica a/w signals %s", others[i]);
        fleet_kit_do(&f, steps);
        is_str(fleet_kit_effects(&f), "", "signals, and is %s: opening would be in vain",
               others[i]);
        fleet_kit_close(&f);
    }
}

static void test_patience(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "prefer=30");
    fleet_kit_do(&f, QUIET "replica a/w signals");
    is_str(fleet_kit_effects(&f), "write w", "since when is waited is written down");
    fleet_kit_do(&f, "done write w; time 10");
    is_str(fleet_kit_effects(&f), "", "a worker may yet admit it without preempting");
    is_str(fleet_kit_message(&f, "w"), "a may preempt next, in 20s", "and it says for how long");
    fleet_kit_restart(&f, "standby prefer=30");
    fleet_kit_do(&f,
                 QUIET "replica a/w signals; workload w in=a,b,c remembers; synced; lead; time 29");
    is_str(fleet_kit_effects(&f), "", "a restart begins nothing anew");
    fleet_kit_do(&f, "time 30; done write w");
    is_str(fleet_kit_effects(&f), "open a/w", "then it has to be");
    fleet_kit_do(&f, "done open a/w; replica b/w signals; time 330");
    is_str(fleet_kit_effects(&f), "write w", "only the first one waits so long");
    fleet_kit_close(&f);
}

static void test_timeouts(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "timeout=60");
    fleet_kit_do(&f, QUIET "replica a/w signals; replica b/w signals; done write w; done open a/w;"
                           "time 59");
    is_str(fleet_kit_effects(&f), "", "the manager's own");
    fleet_kit_do(&f, "workload w in=a,b,c timeout=2m remembers; time 119");
    is_str(fleet_kit_effects(&f), "", "a workload's own");
    fleet_kit_do(&f, "workload w in=a,b,c timeout=soon remembers");
    is_str(fleet_kit_effects(&f), "write w", "what cannot be read is as if it were not there");
    fleet_kit_close(&f);
}

static void test_off(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "off");
    fleet_kit_do(&f, QUIET "replica a/w signals ungated");
    is_str(fleet_kit_effects(&f), "open b/w; open c/w",
           "switched off, gates that are left go open");
    fleet_kit_do(&f, "done open b/w; done open c/w; replica b/w open; replica c/w open signals");
    is_str(fleet_kit_effects(&f), "", "once");
    fleet_kit_close(&f);
}

static void test_no_memory(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w in=a");
    ok(fleet_kit_starve(&f, "replica a/w signals") > 0, "a replica needs memory");
    ok(fleet_kit_starve(&f, "replica a/w signals uid=other origin=some") > 0, "so does another");
    is_str(fleet_kit_effects(&f), "delete a/w", "which is not ours");
    fleet_kit_close(&f);
}

int main(void)
{
    test_steps();
    test_order();
    test_turns();
    test_lost_worker();
    test_others_open();
    test_restart();
    test_two_managers();
    test_reserved();
    test_not_candidates();
    test_patience();
    test_timeouts();
    test_off();
    test_no_memory();
    return tap_done();
}
