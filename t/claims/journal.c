/* SPDX-License-Identifier: Apache-2.0 */

/* What the engine tells of its pods: each thing once, in order, with the right times. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static const char *const kinds[] = {
    [EVENT_SEEN] = "seen",
    [EVENT_ELIGIBLE] = "eligible",
    [EVENT_GRANTED] = "granted",
    [EVENT_HANDED_OUT] = "handed-out",
    [EVENT_ACKNOWLEDGED] = "acknowledged",
    [EVENT_RESERVED] = "reserved",
    [EVENT_BOUND] = "bound",
    [EVENT_RELEASED] = "released",
    [EVENT_LEASED] = "leased",
    [EVENT_RETRIED] = "retried",
};

/* Whether b is a time. */
static bool two_times(enum event_kind kind)
{
    return kind == EVENT_GRANTED || kind == EVENT_ACKNOWLEDGED || kind == EVENT_BOUND;
}

static int64_t seconds(int64_t ns)
{
    return ns < 0 ? ns : ns / SECOND;
}

/* "a: seen 1, eligible 0; b: seen 1": in seconds, -1 for what is not known. */
static const char *told(struct kit *kit)
{
    uint64_t pod = 0;
    size_t at = 0;
    struct event event;

    kit->text[0] = '\0';
    while (engine_next_event(kit->engine, &event)) {
        char *out = kit->text + at;
        size_t room = sizeof(kit->text) - at;
        bool time = event.kind < EVENT_LEASED;
        int n;

        if (event.pod == pod)
            n = snprintf(out, room, ", %s", kinds[event.kind]);
        else
            n = snprintf(out, room, "%s%s: %s", at > 0 ? "; " : "", event.name, kinds[event.kind]);
        at += (size_t)n;
        n = snprintf(kit->text + at, sizeof(kit->text) - at, " %lld",
                     (long long)(time ? seconds(event.a) : event.a));
        at += (size_t)n;
        if (two_times(event.kind) || event.kind >= EVENT_RELEASED)
            at += (size_t)snprintf(kit->text + at, sizeof(kit->text) - at, " %lld",
                                   (long long)(two_times(event.kind) ? seconds(event.b) : event.b));
        pod = event.pod;
    }
    return kit->text;
}

static void begin(struct kit *kit, const char *words, const char *steps)
{
    kit_open(kit, words);
    kit_do(kit, steps);
    told(kit);
}

/* The patch of the bind hook, as a host asks for it. */
static void hand_out(struct kit *kit, const char *uid)
{
    struct removal_patch patch;

    engine_bind(kit->engine, text_of(uid), &patch);
    engine_hand_out(kit->engine, text_of(uid));
}

static void lease(struct kit *kit, struct effect *ret)
{
    ok(outbox_next(engine_outbox(kit->engine), ret) > 0, "an effect is ready");
    outbox_lease(engine_outbox(kit->engine), ret, 0);
}

static void test_on_bind(void)
{
    struct kit kit;

    begin(&kit, "journal", "queue q cpu=4; time 10");
    kit_do(&kit, "pod a queue=q cpu=3 created=7000000000 version=1; pod b queue=q cpu=3 "
                 "created=8000000000 foreign");
    is_str(told(&kit), "a: seen 3, eligible 0, granted 0 3; b: seen 2", "creation is in the past");
    kit_do(&kit, "time 15; pod b queue=q cpu=3 created=8000000000");
    is_str(told(&kit), "b: eligible 5", "eligible once nobody else's gate is on");
    kit_do(&kit, "time 16; reserve a");
    is_str(told(&kit), "a: reserved 6", "the reserve hook");
    kit_do(&kit, "unreserve a; time 18; reserve a");
    is_str(told(&kit), "a: reserved 8", "and again after it was given up");
    hand_out(&kit, "a");
    is_str(told(&kit), "a: handed-out 8", "the bind hook hands the removal out");
    kit_do(&kit, "time 20; bind a");
    is_str(told(&kit), "a: acknowledged 10 13, bound 2 13", "bound: so the gate is gone");
    kit_do(&kit, "pod a queue=q cpu=3 created=7000000000 version=2 bare stamp=10000000000");
    is_str(told(&kit), "", "what was before the binding is seen after it");
    kit_do(&kit, "pod a queue=q cpu=3 created=7000000000 version=3 bare node=n stamp=10000000000");
    is_str(told(&kit), "", "what was told once is not told again");
    kit_do(&kit, "time 21; lose-pod a");
    is_str(told(&kit), "a: released 11 259; b: granted 6 13", "a room that is left is granted");
    kit_do(&kit, "time 22; lose-pod b");
    is_str(told(&kit), "b: released 1 258", "gone while reserved");
    kit_close(&kit);
}

static void test_effects(void)
{
    struct effect effect;
    struct kit kit;

    begin(&kit, "journal onAdmission", "queue q cpu=4; time 5");
    kit_do(&kit, "pod a queue=q cpu=1 created=5000000000");
    is_str(told(&kit), "a: seen 0, eligible 0, granted 0 0", "granted at once");
    lease(&kit, &effect);
    is_str(told(&kit), "a: leased 1 1, handed-out 0", "the removal of a gate is handed out");
    kit_do(&kit, "time 6");
    outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_RETRY, 0);
    is_str(told(&kit), "a: retried 1 1", "in vain");
    kit_do(&kit, "time 7");
    lease(&kit, &effect);
    is_str(told(&kit), "a: leased 1 2, handed-out 2", "and again");
    kit_do(&kit, "time 100");
    is_str(told(&kit), "a: retried 1 2", "a lease that runs out is one more in vain");
    lease(&kit, &effect);
    outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0);
    is_str(told(&kit), "a: leased 1 3, handed-out 95, acknowledged 95 95", "done");
    kit_do(&kit, "pod a queue=q cpu=1 created=5000000000 bare stamp=5000000000");
    is_str(told(&kit), "", "seen without its gate: nothing new");
    kit_do(&kit, "time 101; pod a queue=q cpu=1 created=5000000000 bare stamp=5000000000 node=n");
    is_str(told(&kit), "a: bound -1 96", "bound by somebody who did not ask");
    kit_close(&kit);
}

/* The effects of other objects are not a pod's. */
static void test_other_effects(void)
{
    struct effect effect;
    struct kit kit;
    int queues = 0;

    begin(&kit, "journal writes", "queue q cpu=4 suspended; time 5; pod a queue=q cpu=1");
    while (outbox_next(engine_outbox(kit.engine), &effect) > 0) {
        queues += effect.object == EFFECT_OF_QUEUE;
        outbox_lease(engine_outbox(kit.engine), &effect, 0);
    }
    ok(queues > 0, "a queue's state is written");
    is_str(told(&kit), "a: leased 4 1", "but only what is said of the pod is told");
    kit_do(&kit, "time 100");
    is_str(told(&kit), "a: retried 4 1", "and so when the leases have run out");
    kit_close(&kit);
}

static void test_demotion(void)
{
    struct kit kit;

    begin(&kit, "journal", "queue q cpu=4; time 5; pod a queue=q cpu=3 created=5000000000");
    kit_do(&kit, "time 8; queue q cpu=2");
    is_str(told(&kit), "a: released 3 2, eligible -1", "demoted, and eligible again");
    kit_do(&kit, "time 9; queue q cpu=3");
    is_str(told(&kit), "a: granted 1 4", "granted once more");
    kit_close(&kit);
}

static void test_silence(void)
{
    struct kit kit;

    kit_open(&kit, "journal standby");
    kit_do(&kit, "time 50; queue q cpu=1; pod a queue=q cpu=1 created=5000000000; "
                 "pod b queue=q cpu=1 created=6000000000 node=n bare stamp=9000000000");
    is_str(told(&kit), "a: seen -1, eligible 0", "of what was there before, the past is unknown");
    kit_do(&kit, "synced; lead; time 60; lose-pod b");
    is_str(told(&kit), "b: released 51 259; a: granted 10 55", "but not what comes then");
    kit_close(&kit);

    begin(&kit, "journal", "queue q cpu=4");
    struct pod_facts pod = {.uid = text_of("u"),
                            .name = text_of("u"),
                            .scheduler = text_of("default-scheduler"),
                            .node = text_of("n"),
                            .queue = text_of("q")};
    is_int(engine_see_pod(kit.engine, &pod), 0, "a pod that never opted in");
    engine_lose_pod(kit.engine, pod.uid);
    is_str(told(&kit), "", "pods that do not obey the queues leave no events");
    kit_close(&kit);

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=1");
    is_str(told(&kit), "", "nothing is kept that nobody asked for");
    is_int(engine_take_lost_events(kit.engine), 0, "nor is it lost");
    kit_close(&kit);
}

/* As in a host: taken after each call, many pods. */
static void test_bounds(void)
{
    struct event event;
    struct kit kit;
    int count = 0;

    begin(&kit, "journal standby", "queue a-queue cpu=1000");
    for (int i = 0; i < JOURNAL_EVENTS; i++)
        kit_dof(&kit, "pod p%d queue=a-queue cpu=1", i);
    while (engine_next_event(kit.engine, &event)) {
        if (count++ == 1)
            is_str(event.queue_name, "a-queue", "an event has its queue's name");
    }
    is_int(count, JOURNAL_EVENTS, "as many as there is room for");
    is_int(engine_take_lost_events(kit.engine), JOURNAL_EVENTS, "the rest is counted");
    is_int(engine_take_lost_events(kit.engine), 0, "once");
    kit_do(&kit, "pod late queue=a-queue cpu=1");
    is_str(told(&kit), "late: seen -1, eligible 0", "an empty journal has room again");
    kit_close(&kit);
}

static void test_numbers(void)
{
    struct event first, second, other;
    struct kit kit;

    begin(&kit, "journal", "queue q cpu=4; queue r cpu=4");
    kit_do(&kit, "pod a queue=q cpu=1; lose-pod a; pod b queue=r cpu=1");
    engine_next_event(kit.engine, &first);
    while (engine_next_event(kit.engine, &second) && second.pod == first.pod)
        continue;
    ok(second.pod != first.pod, "a number is not used again when its pod is gone");
    ok(second.queue != first.queue, "queues have different numbers");
    kit_close(&kit);

    begin(&kit, "journal", "queue x cpu=1; queue q cpu=1; pod b queue=x; pod a queue=q");
    kit_do(&kit, "pod c queue=q cpu=1");
    engine_next_event(kit.engine, &other);
    ok(other.queue == first.queue, "a queue's number is the same in every engine");
    kit_close(&kit);
}

/* An engine that tells is the same engine. */
static void test_no_state(void)
{
    static const char story[] = "queue q cpu=2; pod a queue=q cpu=2; pod b queue=q cpu=1; "
                                "time 9; reserve a; bind a; lose-pod a; reserve b";
    struct kit silent, telling;

    kit_open(&silent, "");
    kit_open(&telling, "journal");
    kit_do(&silent, story);
    kit_do(&telling, story);
    ok(engine_digest(silent.engine, true) == engine_digest(telling.engine, true),
       "the journal is not in the digest");
    kit_close(&silent);
    kit_close(&telling);
}

int main(void)
{
    test_on_bind();
    test_effects();
    test_other_effects();
    test_demotion();
    test_silence();
    test_bounds();
    test_numbers();
    test_no_state();
    return tap_done();
}
