/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/claims/stale_condition.h"

#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/tap.h"

#include <stdio.h>

static struct kit kit;

/* The pod, as it is seen; the versions count up. Of a gang in `words`, perhaps. */
static void see(const char *uid, int cpu, const char *words)
{
    static int version = 1;

    kit_dof(&kit, "pod %s queue=q cpu=%d created=%d version=%d %s", uid, cpu, uid[0], ++version,
            words);
}

/* Granted one after the other, and none has found a node: a the oldest and largest, then b, then c;
 * n came last, and waits. */
static void grant(const char *queue)
{
    kit_open(&kit, "");
    kit_dof(&kit, "queue q cpu=9 %s", queue);
    kit_do(&kit, "time 1");
    see("a", 5, "");
    kit_do(&kit, "time 2");
    see("b", 2, "");
    kit_do(&kit, "time 3");
    see("c", 2, "");
    see("n", 1, "");
    see("a", 5, "bare unschedulable");
    see("b", 2, "bare unschedulable");
    see("c", 2, "bare unschedulable");
    is_str(kit_granted(&kit), "a b c", "%s: three fit", queue);
}

/* Takes every overwrite out of the outbox. */
static void take_overwrites(struct effect ret[3])
{
    struct effect effect;
    int found = 0, kind;

    while ((kind = kit_lease(&kit, &effect)) >= 0) {
        if (kind == EFFECT_SET_CONDITION && found < 3)
            ret[found++] = effect;
        else
            kit_ack(&kit, &effect, EFFECT_DONE);
    }
    is_int(found, 3, "three are to be overwritten");
}

static int live(const char *uid, enum effect_kind kind)
{
    struct effect effect;
    uint32_t cursor = 0;

    while (outbox_next_live(engine_outbox(kit.engine), &cursor, &effect)) {
        if (text_is(effect.uid, uid) && effect.kind == kind)
            return 1;
    }
    return 0;
}

/* PreEnqueue, where the scheduler knows no more than it did. */
static bool passes(const char *uid)
{
    struct verdict verdict;

    return engine_pre_enqueue_known(kit.engine, text_of(uid), 1, true, &verdict) && verdict.pass;
}

static void test_what_is_left(void)
{
    grant("");
    kit_do(&kit, "queue q cpu=3");
    is_str(kit_granted(&kit), "b n", "what is left goes by rank, before anything was written");
    ok(passes("b"), "at once");
    is_int(live("b", EFFECT_SET_CONDITION), 0,
           "who was not told otherwise is Unschedulable for lack of nodes");
    is_int(live("a", EFFECT_SET_CONDITION), 1, "who waits does not");
    kit_close(&kit);

    grant("strict");
    kit_do(&kit, "queue q cpu=3 strict");
    is_str(kit_granted(&kit), "", "a head that was demoted is not passed");
    is_str(kit_why(&kit, "n"), "QueueOrder", "by anybody");
    kit_do(&kit, "queue q cpu=6 strict");
    is_str(kit_granted(&kit), "a", "and comes back first");
    kit_close(&kit);
}

/* The host is at work for all of them, when there is room again. */
static void test_order_of_acks(void)
{
    struct effect writes[3];

    grant("");
    kit_do(&kit, "queue q cpu=1 pods=0");
    is_str(kit_granted(&kit), "", "all are demoted");
    take_overwrites(writes);
    kit_do(&kit, "queue q cpu=3");
    is_str(kit_granted(&kit), "b n", "the room is theirs whose turn it is");
    is_str(kit_why(&kit, "b"), "ConditionStale", "but the scheduler hears of it later");
    ok(!passes("b"), "in no way");
    is_int(live("b", EFFECT_ACTIVATE), 0, "and is not told");
    for (int i = 2; i >= 0; i--)
        kit_ack(&kit, &writes[i], EFFECT_DONE);
    see("c", 2, "bare");
    see("a", 5, "bare");
    is_str(kit_granted(&kit), "b n", "whoever's write is seen first");
    is_str(kit_why(&kit, "b"), "ConditionStale", "it waits for its own");
    see("b", 2, "bare");
    is_str(kit_why(&kit, "b"), "", "and goes on");
    is_int(live("b", EFFECT_ACTIVATE), 1, "as the scheduler is told");
    kit_close(&kit);
}

/* Nobody knows whether an attempt that failed wrote something: it is made again. */
static void test_write_that_fails(void)
{
    struct effect writes[3];

    grant("");
    kit_do(&kit, "lose-pod n; queue q cpu=1");
    take_overwrites(writes);
    kit_do(&kit, "queue q cpu=3");
    is_str(kit_granted(&kit), "b", "one fits");
    for (int i = 0; i < 3; i++)
        kit_ack(&kit, &writes[i], EFFECT_RETRY);
    is_str(kit_why(&kit, "b"), "ConditionStale", "it may have been written, or not");
    is_int(live("b", EFFECT_SET_CONDITION), 1, "and is written again");
    kit_do(&kit, "time 100; pod b queue=q cpu=2 created=98 version=900 bare unschedulable");
    is_str(kit_why(&kit, "b"), "", "a later version that says the same was not");
    is_int(live("b", EFFECT_ACTIVATE), 1, "so the scheduler may look");
    kit_close(&kit);

    grant("");
    kit_do(&kit, "lose-pod n; queue q cpu=1");
    take_overwrites(writes);
    kit_do(&kit, "queue q cpu=3; time 310");
    is_str(kit_why(&kit, "b"), "Backoff", "nobody keeps room for ever");
    is_str(kit_granted(&kit), "c", "others may have it");
    kit_close(&kit);
}

static void test_gang(void)
{
    struct effect writes[3];

    kit_open(&kit, "answers");
    kit_do(&kit, "queue q cpu=6; group g min=3 queue=q created=1; time 1");
    for (int i = 0; i < 3; i++)
        kit_dof(&kit, "pod m%d queue=q cpu=2 created=1 group=g version=1", i);
    kit_do(&kit, "pod n queue=q cpu=2 created=9 version=1");
    for (int i = 0; i < 3; i++)
        kit_dof(&kit, "pod m%d queue=q cpu=2 created=1 group=g version=2 bare unschedulable", i);
    is_str(kit_granted(&kit), "m0 m1 m2", "a gang is granted");
    kit_do(&kit, "queue q cpu=1");
    is_str(kit_granted(&kit), "", "and demoted as one");
    take_overwrites(writes);
    kit_do(&kit, "queue q cpu=6");
    is_str(kit_granted(&kit), "m0 m1 m2", "it comes back as one, at its turn");
    is_str(kit_why(&kit, "m1"), "ConditionStale", "each when its write was seen");
    kit_do(&kit, "pod m1 queue=q cpu=2 created=1 group=g version=3 bare");
    is_str(kit_why(&kit, "m1"), "", "one");
    is_str(kit_why(&kit, "m2"), "ConditionStale", "after the other");
    kit_close(&kit);
}

/* A restart that finds grants that do not fit any more is a shrink. */
static void test_restart(void)
{
    struct effect writes[3];

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=1");
    see("a", 5, "bare stamp=1 unschedulable");
    see("b", 2, "bare stamp=2 unschedulable");
    see("c", 2, "bare stamp=3 unschedulable");
    see("n", 2, "");
    see("o", 1, "unschedulable");
    kit_do(&kit, "synced; lead");
    is_str(kit_granted(&kit), "", "nobody fits any more");
    is_str(kit_why(&kit, "a"), "QueueCapacity", "who was granted waits in its turn");
    is_str(kit_why(&kit, "o"), "ConditionStale", "of who was not nobody knows");
    kit_do(&kit, "lose-pod o");
    take_overwrites(writes);
    kit_do(&kit, "queue q cpu=3");
    is_str(kit_granted(&kit), "b", "so the room is its own");
    kit_do(&kit, "follow; queue q cpu=0 memory=1; lead");
    is_str(kit_why(&kit, "b"), "", "with no ceiling it is granted again");
    kit_close(&kit);
}

/* A reservation stays while its queue is suspended, but the scheduler put the pod among those that
 * no node fits; and with its condition gone nothing would make it look there. */
static void test_resumed(void)
{
    struct effect writes[3];

    grant("");
    for (const char *uid = "abc"; *uid != '\0'; uid++)
        ok(passes((const char[]){*uid, '\0'}), "the scheduler has looked at %c", *uid);
    kit_do(&kit, "lose-pod n; queue q cpu=9 suspended");
    take_overwrites(writes);
    for (int i = 0; i < 3; i++)
        kit_ack(&kit, &writes[i], EFFECT_DONE);
    see("a", 5, "bare");
    is_int(live("a", EFFECT_ACTIVATE), 0, "who is suspended is not looked at");
    kit_do(&kit, "queue q cpu=9");
    is_int(live("a", EFFECT_ACTIVATE), 1, "but as soon as its queue is resumed");
    kit_close(&kit);
}

int main(void)
{
    test_what_is_left();
    test_order_of_acks();
    test_write_that_fails();
    test_gang();
    test_restart();
    test_resumed();
    return tap_done();
}
