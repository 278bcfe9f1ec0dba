/* SPDX-License-Identifier: Apache-2.0 */

/* The status of queues: what it says, and how seldom. */
#include "plugin/queues/queue_effects.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/tap.h"

#include <stdio.h>

static struct kit kit;
static struct effect effect;

/* Takes the next effect about a queue, and does all others; its kind, or -1 if there is none. */
static int lease(void)
{
    while (outbox_next(engine_outbox(kit.engine), &effect) > 0) {
        outbox_lease(engine_outbox(kit.engine), &effect, 0);
        if (effect.object == EFFECT_OF_QUEUE)
            return (int)effect.kind;
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0);
    }
    return -1;
}

static void ack(enum effect_result result)
{
    ok(kit_ack(&kit, &effect, result), "was under way");
}

static void test_status(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q cpu=3 uid=u; pod a queue=q cpu=2; pod b queue=q cpu=2");
    is_int(lease(), EFFECT_QUEUE_STATUS, "a queue without a state gets one");
    ok(text_is(effect.name, "q") && text_is(effect.uid, "u") && effect.space.len == 0 &&
           effect.object == EFFECT_OF_QUEUE,
       "by its name and uid");
    is_int(effect.state.state, QUEUE_OPEN, "Open");
    ok(effect.groups[CLAIM_RESERVED] == 1 && effect.groups[CLAIM_WAITING] == 1,
       "with its groups counted");
    is_int(effect.usage.item[0].reserved, 2, "and what is reserved");
    is_int(lease(), -1, "once");
    ack(EFFECT_DONE);
    is_int(lease(), -1, "and not again while nothing changes");
    kit_do(&kit, "reserve a");
    is_int(lease(), -1, "nor within the second");
    is_int(engine_next(kit.engine), 2 * SECOND, "which is waited for");
    kit_do(&kit, "time 2");
    is_int(lease(), EFFECT_QUEUE_STATUS, "then it is");
    is_int(effect.usage.item[0].allocated, 2, "with what is allocated");
    ack(EFFECT_DONE);
    kit_do(&kit, "unreserve a; reserve a; time 3");
    is_int(lease(), -1, "what changed back needs no write");
    kit_do(&kit, "command 1 q SuspendQueue; time 4");
    is_int(lease(), EFFECT_QUEUE_STATUS, "a state is written");
    is_int(effect.state.state, QUEUE_SUSPENDED, "in its word");
    ack(EFFECT_RETRY);
    is_int(lease(), -1, "failed, it waits");
    kit_do(&kit, "time 5");
    is_int(lease(), EFFECT_QUEUE_STATUS, "and is tried again");
    is_int(effect.attempt, 2, "for the second time");
    ack(EFFECT_GONE);
    kit_do(&kit, "time 9");
    is_int(lease(), -1, "of a queue that is gone nothing is asked");
    kit_close(&kit);
}

/* Takes the next effect about this queue, and does all others before it. */
static void lease_of(const char *queue)
{
    while (lease() >= 0 && !text_is(effect.name, queue))
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0);
}

/* Whether a queue's status is written, of those that are asked for. */
static bool writes(const char *queue)
{
    bool found = false;

    while (lease() >= 0) {
        found = found || text_is(effect.name, queue);
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0);
    }
    return found;
}

static void test_when(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q state=Open uid=u");
    ok(writes("q"), "who begins to lead writes each once");
    kit_do(&kit, "time 5; queue q state=Open uid=u disk=4");
    ok(!writes("q"), "a quota alone is no news");
    kit_do(&kit, "queue q state=Open uid=v disk=4");
    ok(writes("q"), "another object of the name has no status yet");
    kit_do(&kit, "time 9; queue r parent=q");
    ok(writes("q"), "who is no leaf any more says so");
    kit_do(&kit, "time 19; queue s parent=r");
    ok(writes("r"), "the same");
    kit_do(&kit, "time 29; lose-queue q");
    ok(writes("s"), "who is cut off, too, however far below");
    kit_do(&kit, "time 39; queue q");
    ok(writes("s"), "and who is joined again");
    kit_do(&kit, "time 49; command 1 r CloseQueue; time 59");
    ok(writes("s"), "who is closed with its parent");
    kit_do(&kit, "time 69; command 2 q SuspendQueue");
    ok(writes("s"), "who stays closed, but is stopped by more than that");
    kit_close(&kit);
    kit_open(&kit, "writes standby");
    kit_do(&kit,
           "queue q state=Open; queue r state=Open; pod a queue=r bare stamp=1; synced; lead");
    ok(writes("q"), "also when earlier grants are restored first");
    kit_close(&kit);
}

/* A status tells of a resource that some quota names, its own or another's. */
static void test_what_is_counted(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q state=Open cpu=9; queue r state=Open; queue s parent=q state=Open; "
                 "pod a queue=q cpu=2 disk=3 node=n");
    ok(writes("q"), "a queue tells what is used");
    kit_do(&kit, "time 9; queue r state=Open disk=4");
    ok(!writes("q"), "a quota beside it is no news");
    kit_do(&kit, "time 19; queue s parent=q state=Open disk=1");
    lease_of("q");
    is_int(effect.usage.count, 2, "one below it is, that makes more of what it holds count");
    is_int(effect.usage.item[1].allocated, 3, "as it says");
    ack(EFFECT_DONE);
    writes("q");
    kit_do(&kit, "time 29; queue s parent=q state=Open");
    ok(writes("q"), "and once it does not count any more");
    kit_close(&kit);
}

/* What is beyond the largest amount is told as that. */
static void test_beyond_all_amounts(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q state=Open cpu=9; pod a queue=q cpu=4000000000000000000 node=n;"
                 "pod b queue=q cpu=1000000000000000000 node=n");
    lease_of("q");
    ok(effect.usage.item[0].allocated == AMOUNT_MAX, "the largest amount that there is");
    ack(EFFECT_DONE);
    kit_do(&kit, "time 9; lose-pod b; pod b queue=q cpu=1000000000000000001 node=n");
    ok(!writes("q"), "and what is still beyond it is no news");
    kit_close(&kit);
}

/* What the pass over all claims has not counted to its end is not told. */
static void test_half_a_count(void)
{
    char text[64];

    kit_open(&kit, "writes");
    kit_do(&kit, "queue q state=Open cpu=9000");
    for (int i = 0; i < 4 * RECOUNT_SLICE; i++) {
        snprintf(text, sizeof(text), "pod p%d queue=q cpu=1 disk=1", i);
        kit_quick(&kit, text);
    }
    kit_work_off(&kit);
    writes("q");
    kit_quick(&kit, "time 9");
    kit_quick(&kit, "lose-pod p0");
    kit_work_off(&kit);
    kit_quick(&kit, "queue q state=Open cpu=9000 disk=9000");
    ok(kit.engine->claims.recount.cells > 0, "it is being counted");
    lease_of("q");
    is_int(effect.usage.count, 1, "a status tells of what is known");
    ack(EFFECT_DONE);
    kit_work_off(&kit);
    kit_quick(&kit, "time 19");
    lease_of("q");
    is_int(effect.usage.count, 2, "and of the rest when it is");
    is_int(effect.usage.item[1].reserved, 4 * RECOUNT_SLICE - 1, "in full");
    ack(EFFECT_DONE);
    kit_close(&kit);
}

static void test_marks(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue a parent=p; command 1 a SuspendQueue; command 2 p CloseQueue");
    for (int i = 0; i < 2; i++) {
        is_int(lease(), EFFECT_QUEUE_STATUS, "two queues are written");
        if (text_is(effect.name, "a"))
            is_str(queue_mark_text(effect.state.closed_by), "Suspended",
                   "the child's mark says where it goes back to");
        else
            is_int(effect.state.closed_by, 0, "the parent has none");
        is_int(effect.state.state, QUEUE_CLOSED, "closed");
        ack(EFFECT_DONE);
    }
    kit_close(&kit);
}

static void test_nobody_asks(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=3; pod a queue=q cpu=2; time 5");
    is_int(lease(), -1, "a host that writes no statuses is not asked to");
    kit_close(&kit);
    kit_open(&kit, "writes standby");
    kit_do(&kit, "queue q cpu=3; synced; time 5");
    is_int(lease(), -1, "nor is a standby");
    kit_do(&kit, "lead");
    is_int(lease(), EFFECT_QUEUE_STATUS, "who leads is");
    kit_do(&kit, "follow");
    ok(!outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0),
       "an ack after that is unknown");
    is_int(engine_next(kit.engine), 0, "nothing is waited for");
    kit_close(&kit);
}

int main(void)
{
    test_status();
    test_when();
    test_what_is_counted();
    test_beyond_all_amounts();
    test_half_a_count();
    test_marks();
    test_nobody_asks();
    return tap_done();
}
