/* SPDX-License-Identifier: Apache-2.0 */

/* What is asked of the host: once, until it is done or no longer wanted. */
#include "plugin/outbox.h"
#include "t/engine_kit.h"
#include "t/engine_kit_words.h"
#include "t/tap.h"

static const int64_t millisecond = INT64_C(1000000);
static struct effect effect;

/* Takes the next effect; its kind, or -1 if there is none. */
static int lease(struct kit *kit)
{
    if (!engine_next_effect(kit->engine, &effect))
        return -1;
    engine_lease(kit->engine, effect.id);
    return (int)effect.kind;
}

static bool ack(struct kit *kit, enum effect_result result)
{
    bool known = engine_ack(kit->engine, effect.id, result, 0);

    kit_work_off(kit);
    is_str(engine_check(kit->engine), NULL, "sound after an ack");
    return known;
}

static bool pre_enqueue(struct kit *kit, const char *words)
{
    struct verdict verdict;
    struct pod_facts pod;

    words_to_pod(words, &pod);
    pod.created = 50;
    engine_pre_enqueue(kit->engine, &pod, false, &verdict);
    return verdict.pass;
}

static uint32_t live(const struct kit *kit)
{
    uint32_t cursor = 0, count = 0;
    struct effect each;

    while (engine_next_live_effect(kit->engine, &cursor, &each))
        count++;
    return count;
}

/* q is full of a; b was held by PreEnqueue. */
static void open_with_parked(struct kit *kit, const char *words)
{
    kit_open(kit, words);
    kit_do(kit, "queue q cpu=1; pod a queue=q cpu=1");
    ok(!pre_enqueue(kit, "b queue=q cpu=1"), "the queue is full");
    kit_do(kit, "pod b queue=q cpu=1 created=50");
}

static void test_activate(void)
{
    struct kit kit;

    open_with_parked(&kit, "");
    is_int(lease(&kit), -1, "nobody is activated who was not granted, or was never held");
    kit_do(&kit, "lose-pod a");
    is_int(engine_pending(kit.engine), 1, "whom PreEnqueue held, the scheduler is told of");
    is_int(lease(&kit), EFFECT_ACTIVATE, "once");
    ok(text_is(effect.uid, "b") && text_is(effect.space, "default") && text_is(effect.name, "b"),
       "by uid, namespace and name");
    ok(engine_pending(kit.engine) == 0 && lease(&kit) == -1, "nothing is given out twice");
    is_int(live(&kit), 1, "but it lives until it is acknowledged");
    ok(ack(&kit, EFFECT_DONE), "done");
    ok(!ack(&kit, EFFECT_DONE), "a second time is unknown");
    is_int(live(&kit), 0, "nothing is live");
    kit_close(&kit);
}

static void test_ids(void)
{
    struct kit kit;
    uint32_t record;
    int64_t old;

    open_with_parked(&kit, "");
    kit_do(&kit, "lose-pod a");
    lease(&kit);
    old = effect.id;
    ok(!engine_ack(kit.engine, 0, EFFECT_DONE, 0) && !engine_ack(kit.engine, -1, EFFECT_DONE, 0) &&
           !engine_ack(kit.engine, INT64_MAX, EFFECT_DONE, 0),
       "made-up ids are unknown");
    ok(!engine_ack(kit.engine, old + 1, EFFECT_DONE, 0), "so is another kind that is not live");
    record = kit_claim(&kit, "b");
    kit_do(&kit, "pod x queue=q cpu=1; lose-pod b");
    pre_enqueue(&kit, "c queue=q cpu=1");
    is_int(kit_claim(&kit, "c"), record, "the record of a claim that is gone is used again");
    kit_do(&kit, "lose-pod x");
    is_int(lease(&kit), EFFECT_ACTIVATE, "a claim in the record of an earlier one");
    ok(effect.id != old, "has other ids");
    ok(!engine_ack(kit.engine, old, EFFECT_DONE, 0), "the earlier one's are unknown");
    ok(ack(&kit, EFFECT_DONE), "its own are not");
    kit_close(&kit);
}

static void test_lease_runs_out(void)
{
    struct kit kit;

    open_with_parked(&kit, "");
    kit_do(&kit, "lose-pod a");
    lease(&kit);
    is_int(effect.attempt, 1, "the first attempt");
    is_int(engine_next(kit.engine), 61 * SECOND, "is waited for a minute");
    kit_do(&kit, "time 60");
    is_int(lease(&kit), -1, "and not given out again before");
    kit_do(&kit, "time 61");
    ok(!ack(&kit, EFFECT_DONE), "an ack that comes too late is unknown");
    is_int(lease(&kit), EFFECT_ACTIVATE, "then it is given out again");
    is_int(effect.attempt, 2, "as the second attempt");
    kit_close(&kit);
}

static void test_results(void)
{
    struct kit kit;

    open_with_parked(&kit, "");
    kit_do(&kit, "lose-pod a");
    lease(&kit);
    ok(ack(&kit, EFFECT_RETRY), "to be tried again");
    is_int(lease(&kit), -1, "but not at once");
    kit_do(&kit, "time 2");
    is_int(lease(&kit), EFFECT_ACTIVATE, "a second later it is");
    ok(ack(&kit, EFFECT_CONFLICT), "the world moved");
    kit_do(&kit, "time 3");
    is_int(lease(&kit), EFFECT_ACTIVATE, "it is still wanted: again");
    ok(ack(&kit, EFFECT_GONE), "its object is gone");
    is_str(kit_state(&kit, "b"), "", "and so is the claim");
    is_int(kit_usage(&kit, "q", "cpu"), 0, "with all that it held");
    kit_close(&kit);
}

/* From 100 ms, doubling, to a minute; a quarter of it is the effect's own jitter. */
static void test_backoff(void)
{
    int64_t ms = 100, now = SECOND;
    bool grows = true;
    struct kit kit;

    open_with_parked(&kit, "");
    kit_do(&kit, "lose-pod a; lose-pod nobody");
    engine_pre_filter(kit.engine, text_of("b"), &(struct verdict){0}, &(bool){false},
                      &(bool){false});
    for (int attempt = 1; attempt <= 14; attempt++) {
        int64_t wait;

        grows = grows && lease(&kit) == EFFECT_ACTIVATE && effect.attempt == (uint32_t)attempt;
        engine_ack(kit.engine, effect.id, EFFECT_RETRY, 0);
        wait = engine_next(kit.engine) - now;
        grows = grows && wait >= (ms - ms / 4) * millisecond && wait <= ms * millisecond;
        engine_set_time(kit.engine, now + wait - 1);
        engine_tick(kit.engine);
        grows = grows && engine_pending(kit.engine) == 0;
        now += wait;
        engine_set_time(kit.engine, now);
        engine_tick(kit.engine);
        ms = ms * 2 > 60000 ? 60000 : ms * 2;
    }
    ok(grows, "each attempt waits twice as long, to a minute");
    lease(&kit);
    ack(&kit, EFFECT_DONE);
    is_int(engine_next(kit.engine), 0, "done, nothing is waited for");
    kit_close(&kit);
}

static void test_jitter(void)
{
    int64_t due[2];
    struct kit kit;

    kit_open(&kit, "onAdmission");
    kit_do(&kit, "pod a; pod b");
    for (int i = 0; i < 2; i++) {
        lease(&kit);
        engine_ack(kit.engine, effect.id, EFFECT_RETRY, 0);
        due[i] = claim_at(kit.engine, kit_claim(&kit, i == 0 ? "a" : "b"))->due[effect.kind];
    }
    ok(due[0] != due[1], "effects that failed together come back at different times");
    kit_close(&kit);
}

int main(void)
{
    test_activate();
    test_ids();
    test_lease_runs_out();
    test_results();
    test_backoff();
    test_jitter();
    return tap_done();
}
