/* SPDX-License-Identifier: Apache-2.0 */

/* What becomes of claims as the time passes. */
#include "plugin/pods/claim_expire.h"

#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static uint32_t flags(const struct kit *kit, const char *uid)
{
    return claim_at(kit->engine, kit_claim(kit, uid))->flags;
}

static int ask(struct kit *kit, const char *words, struct verdict *ret_verdict)
{
    struct pod_facts pod;

    words_to_pod(words, &pod);
    pod.created = 5;
    return engine_pre_enqueue(kit->engine, &pod, true, ret_verdict);
}

/* What only PreEnqueue has named may never have existed. */
static void test_provisional(void)
{
    struct verdict verdict;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod big queue=q cpu=4 created=1");
    ask(&kit, "a queue=q cpu=1", &verdict);
    ask(&kit, "b queue=q cpu=1", &verdict);
    kit_do(&kit, "pod b queue=q cpu=1 created=5; time 60");
    is_str(kit_waiting(&kit, "q"), "a b", "it waits like any other");
    kit_do(&kit, "time 61");
    is_str(kit_waiting(&kit, "q"), "b", "and is forgotten after a minute, if nobody has seen it");
    kit_close(&kit);
}

static void test_provisional_and_granted(void)
{
    struct verdict verdict;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod big queue=q cpu=4 created=1");
    ask(&kit, "a queue=q cpu=1", &verdict);
    kit_do(&kit, "time 50; lose-pod big");
    is_str(kit_state(&kit, "a"), "reserved", "it may be granted");
    kit_do(&kit, "time 61");
    is_str(kit_state(&kit, "a"), "", "the minute runs on");
    is_int(kit_usage(&kit, "q", "cpu"), 0, "and it gives back what it was granted");
    kit_close(&kit);
}

static void see_cycle(struct kit *kit, const char *uid, struct verdict *ret_verdict)
{
    bool nodes_matter, unschedulable;

    engine_pre_filter(kit->engine, text_of(uid), ret_verdict, &nodes_matter, &unschedulable);
}

/* A grant to a pod that the scheduler never brings to a cycle: somebody else holds it. */
static void test_cycle_timeout(void)
{
    struct verdict verdict;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3; pod b queue=q cpu=3; time 300");
    is_str(kit_granted(&kit), "a", "for five minutes it keeps the room");
    kit_do(&kit, "time 301");
    is_str(kit_granted(&kit), "b", "then the next one has it");
    is_str(kit_why(&kit, "a"), "Backoff", "and it must wait for a while");
    see_cycle(&kit, "b", &verdict);
    ok(verdict.pass && (flags(&kit, "b") & CLAIM_SEEN_IN_CYCLE) != 0, "who is seen in a cycle");
    kit_do(&kit, "time 2000");
    is_str(kit_granted(&kit), "b", "stays");
    kit_close(&kit);
}

/* Where there is no node, a cycle ends before pre_filter. What the pod says then tells of it. */
static void test_cycle_without_nodes(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3 version=1 unschedulable");
    is_str(kit_why(&kit, "a"), "ConditionStale", "what it said before the grant");
    kit_do(&kit, "pod a queue=q cpu=3 version=2; pod a queue=q cpu=3 version=1 unschedulable;"
                 "time 301");
    is_str(kit_why(&kit, "a"), "Backoff", "does not tell of a cycle since, seen late or not");
    kit_do(&kit, "time 311");
    is_str(kit_state(&kit, "a"), "reserved", "once more");
    kit_do(&kit, "time 400; pod a queue=q cpu=3 version=3 unschedulable; time 2000");
    is_str(kit_state(&kit, "a"), "reserved", "what it says afterwards does");
    kit_do(&kit, "follow; lead; time 4000");
    is_str(kit_why(&kit, "a"), "ConditionStale", "with its gate nobody granted it");
    kit_do(&kit, "pod a queue=q cpu=3 version=4 bare stamp=5; follow;"
                 "pod a queue=q cpu=3 version=5 bare stamp=5 unschedulable; lead; time 6000");
    is_str(kit_state(&kit, "a"), "reserved", "the next leader need not see it again");
    kit_close(&kit);
}

/* Who comes back at one moment does so in order, a gang among the others. */
static void test_all_come_back_at_once(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q strict cpu=9; group g min=2 queue=q; pod a group=g cpu=3 created=1;"
                 "pod b group=g cpu=3 created=1; pod c queue=q cpu=3 created=2; time 301");
    is_str(kit_granted(&kit), "", "all were granted, and are waiting out their time");
    kit_do(&kit, "queue q strict cpu=5; time 311");
    is_str(kit_granted(&kit), "", "one that fits does not pass a gang before it that does not");
    is_str(kit_why(&kit, "c"), "QueueOrder", "and is told so");
    kit_close(&kit);
}

static void test_backoff_grows(void)
{
    int64_t now = 1, wait = 10;
    struct kit kit;

    kit_open(&kit, "timeout=60");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3");
    for (int round = 1; round <= 9; round++) {
        struct verdict verdict;

        see_cycle(&kit, "a", &verdict);
        kit_dof(&kit, "time %d", (int)(now + 59));
        bool kept = strcmp(kit_state(&kit, "a"), "reserved") == 0;

        now += 60;
        kit_dof(&kit, "time %d", (int)now);
        bool held = strcmp(kit_why(&kit, "a"), "Backoff") == 0;

        kit_dof(&kit, "time %d", (int)(now + wait - 1));
        held = held && strcmp(kit_state(&kit, "a"), "held") == 0;
        now += wait;
        kit_dof(&kit, "time %d", (int)now);
        ok(kept && held && strcmp(kit_state(&kit, "a"), "reserved") == 0,
           "timeout %d: reserved for a minute, held for %d s", round, (int)wait);
        wait = wait == 640 ? 640 : wait * 2;
    }
    kit_do(&kit, "pod a queue=q cpu=3 bare stamp=5 node=n");
    is_int(claim_at(kit.engine, kit_claim(&kit, "a"))->timeouts, 0,
           "a bound pod has a clean sheet");
    kit_close(&kit);
}

static void test_backoff_is_kept(void)
{
    struct kit kit;

    kit_open(&kit, "timeout=60");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3; time 61; pod a queue=q cpu=3 version=9");
    is_str(kit_why(&kit, "a"), "Backoff", "another sight of the pod does not end its backoff");
    kit_do(&kit, "time 71");
    is_str(kit_state(&kit, "a"), "reserved", "its end does");
    kit_close(&kit);
}

/* A host that wakes the engine late: the lease of a write about b ended meanwhile. */
static void test_late_lease(void)
{
    struct effect effect;
    struct kit kit;

    kit_open(&kit, "onAdmission");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=2 priority=1 bare stamp=1; pod b queue=q cpu=2;"
                 "time 245");
    is_int(kit_lease(&kit, &effect), EFFECT_REMOVE_GATES, "the gate of b is to go");
    kit_do(&kit, "time 301");
    is_str(kit_granted(&kit), "", "nobody was seen in a cycle");
    kit_do(&kit, "pod c queue=q cpu=2 created=1; time 311");
    is_str(kit_granted(&kit), "a c", "who may try again at one time does so in its rank's order");
    kit_close(&kit);
}

int main(void)
{
    test_provisional();
    test_provisional_and_granted();
    test_cycle_timeout();
    test_cycle_without_nodes();
    test_all_come_back_at_once();
    test_backoff_grows();
    test_backoff_is_kept();
    test_late_lease();
    return tap_done();
}
