/* SPDX-License-Identifier: Apache-2.0 */

/* Claims learn that their queues stop them: one event each, and no time runs. */
#include "plugin/pods/stop_notice.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/tap.h"

#include <stdio.h>

static struct kit kit;
static struct effect effect;

static void ack(enum effect_result result)
{
    ok(kit_ack(&kit, &effect, result), "was under way");
}

static int events(void)
{
    int count = 0;

    for (int kind = kit_lease(&kit, &effect); kind >= 0; kind = kit_lease(&kit, &effect)) {
        count += kind == EFFECT_EVENT;
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0);
    }
    return count;
}

static void test_one_event_each(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue q parent=p cpu=1; pod a queue=q cpu=1; pod b queue=q cpu=1");
    is_int(events(), 0, "nobody is told while nothing is suspended");
    kit_do(&kit, "command 1 p SuspendQueue; time 2");
    is_int(events(), 2, "one event for each that waits, granted or not");
    kit_do(&kit, "time 9; pod c queue=q cpu=1");
    is_int(events(), 1, "and one for who comes later");
    kit_do(&kit, "pod c queue=q cpu=1; queue q parent=p cpu=2; time 99");
    is_int(events(), 0, "never a second one");
    kit_do(&kit, "command 2 p ResumeQueue; time 100");
    is_str(kit_granted(&kit), "a b", "resumed");
    is_int(events(), 0, "nobody is told");
    kit_do(&kit, "command 3 q SuspendQueue; time 101");
    is_int(events(), 3, "suspended again, it is said again");
    kit_close(&kit);
}

static void test_words(void)
{
    uint64_t key;

    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue q parent=p; command 1 p SuspendQueue; pod a queue=q cpu=1");
    while (kit_lease(&kit, &effect) != EFFECT_EVENT)
        ack(EFFECT_DONE);
    is_str(effect.message, "queue p is suspended", "the queue that was suspended is named");
    ok(text_is(effect.uid, "a") && effect.reason == REASON_QUEUE_SUSPENDED, "to the pod");
    key = effect.key;
    kit_close(&kit);
    kit_open(&kit, "writes standby");
    kit_do(&kit, "queue p state=Suspended; pod a queue=p cpu=1; synced; lead");
    while (kit_lease(&kit, &effect) != EFFECT_EVENT)
        ack(EFFECT_DONE);
    ok(effect.key == key, "after a restart it is the same event");
    kit_close(&kit);
}

/* What stops a claim may change while it waits. */
static void test_other_stops(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q cpu=1 createSuspended; pod a queue=q cpu=1; pod b queue=q cpu=1;"
                 "command 1 q OpenQueue");
    for (uint32_t cursor = 0; outbox_next_live(engine_outbox(kit.engine), &cursor, &effect);)
        ok(effect.kind != EFFECT_EVENT, "who never was told is not told of what is over");
    kit_do(&kit, "queue r parent=nowhere; pod c queue=r cpu=1; command 2 r SuspendQueue");
    is_int(events(), 0, "a queue that does not exist is no suspended one");
    kit_do(&kit, "queue r");
    is_int(events(), 1, "below one that does it is");
    kit_do(&kit,
           "queue s; queue t parent=s; command 3 t SuspendQueue; pod d queue=t cpu=1; time 3");
    while (kit_lease(&kit, &effect) != EFFECT_EVENT)
        ack(EFFECT_DONE);
    kit_do(&kit, "lose-queue s");
    ack(EFFECT_DONE);
    kit_do(&kit, "queue s");
    is_int(events(), 0, "whatever happened between, once is enough");
    kit_close(&kit);
}

/* Reservations are not lost by waiting for a queue. */
static void test_no_time_runs(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue q parent=p; pod a queue=q cpu=1; command 1 p SuspendQueue;"
                 "time 1000");
    is_str(kit_state(&kit, "a"), "reserved", "it keeps its reservation, however long");
    kit_do(&kit, "command 2 p ResumeQueue; time 1299");
    is_str(kit_state(&kit, "a"), "reserved", "has its time anew when it is resumed");
    kit_do(&kit, "time 1301");
    is_str(kit_why(&kit, "a"), "Backoff", "and no more than that");
    kit_close(&kit);
}

/* A slice ends before all are told; who is asked about one in between asks its queues. */
static void test_slices(void)
{
    kit_open(&kit, "writes onAdmission");
    kit_do(&kit, "queue p; queue q parent=p");
    for (int i = 0; i < 600; i++) {
        char step[64];

        snprintf(step, sizeof(step), "pod a%d queue=q cpu=1", i);
        kit_quick(&kit, step);
    }
    kit_quick(&kit, "command 1 p SuspendQueue");
    ok(stop_notice_is_due(kit.engine), "not all are told in one slice");
    is_str(kit_why(&kit, "a599"), "QueueSuspended", "but all are stopped");
    while (kit_lease(&kit, &effect) >= 0 && effect.kind != EFFECT_REMOVE_GATES)
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0);
    ok(effect.kind != EFFECT_REMOVE_GATES, "no gate goes");
    kit_work_off(&kit);
    is_int(kit.engine->pods.stop_notice.left, 0, "in the end they are");
    kit_close(&kit);
}

/* What is granted in a queue that is a root of its own for the moment is not counted where the
 * cluster's nodes are. */
static void test_comes_below_a_bounded_root(void)
{
    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q parent=q; pod a queue=q cpu=1 bare unschedulable");
    is_str(kit_state(&kit, "a"), "reserved", "a reservation is restored where nothing bounds it");
    kit_do(&kit, "queue q");
    is_str(kit_state(&kit, "a"), "waiting", "and given back where no node has anything");
    kit_close(&kit);
}

int main(void)
{
    test_one_event_each();
    test_words();
    test_other_stops();
    test_no_time_runs();
    test_slices();
    test_comes_below_a_bounded_root();
    return tap_done();
}
