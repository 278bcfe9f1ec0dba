/* SPDX-License-Identifier: Apache-2.0 */

/* What is asked of the host: once, until it is done or no longer wanted. */
#include "plugin/base/outbox.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static const int64_t millisecond = INT64_C(1000000);
static struct effect effect;

static void test_activate(void)
{
    struct kit kit;

    kit_open_parked(&kit, "");
    is_int(kit_lease(&kit, &effect), -1,
           "nobody is activated who was not granted, or was never held");
    kit_do(&kit, "lose-pod a");
    is_int(outbox_pending(engine_outbox(kit.engine)), 1,
           "whom PreEnqueue held, the scheduler is told of");
    is_int(kit_lease(&kit, &effect), EFFECT_ACTIVATE, "once");
    ok(text_is(effect.uid, "b") && text_is(effect.space, "default") && text_is(effect.name, "b"),
       "by uid, namespace and name");
    ok(outbox_pending(engine_outbox(kit.engine)) == 0 && kit_lease(&kit, &effect) == -1,
       "nothing is given out twice");
    is_int(kit_live_effects(&kit), 1, "but it lives until it is acknowledged");
    ok(kit_ack(&kit, &effect, EFFECT_DONE), "done");
    ok(!kit_ack(&kit, &effect, EFFECT_DONE), "a second time is unknown");
    is_int(kit_live_effects(&kit), 0, "nothing is live");
    kit_close(&kit);
}

static void test_ids(void)
{
    struct kit kit;
    uint32_t record;
    int64_t old;

    kit_open_parked(&kit, "");
    kit_do(&kit, "lose-pod a");
    kit_lease(&kit, &effect);
    old = effect.id;
    ok(!outbox_ack(engine_outbox(kit.engine), 0, EFFECT_DONE, 0) &&
           !outbox_ack(engine_outbox(kit.engine), -1, EFFECT_DONE, 0) &&
           !outbox_ack(engine_outbox(kit.engine), INT64_MAX, EFFECT_DONE, 0),
       "made-up ids are unknown");
    ok(!outbox_ack(engine_outbox(kit.engine), old + 1, EFFECT_DONE, 0),
       "so is another kind that is not live");
    record = kit_claim(&kit, "b");
    kit_do(&kit, "pod x queue=q cpu=1; lose-pod b");
    kit_pre_enqueue(&kit, "c queue=q cpu=1");
    is_int(kit_claim(&kit, "c"), record, "the record of a claim that is gone is used again");
    kit_do(&kit, "lose-pod x");
    is_int(kit_lease(&kit, &effect), EFFECT_ACTIVATE, "a claim in the record of an earlier one");
    ok(effect.id != old, "has other ids");
    ok(!outbox_ack(engine_outbox(kit.engine), old, EFFECT_DONE, 0),
       "the earlier one's are unknown");
    ok(kit_ack(&kit, &effect, EFFECT_DONE), "its own are not");
    kit_close(&kit);
}

static void test_lease_runs_out(void)
{
    struct kit kit;

    kit_open_parked(&kit, "");
    kit_do(&kit, "lose-pod a");
    kit_lease(&kit, &effect);
    is_int(effect.attempt, 1, "the first attempt");
    is_int(engine_next(kit.engine), 61 * SECOND, "is waited for a minute");
    kit_do(&kit, "time 60");
    is_int(kit_lease(&kit, &effect), -1, "and not given out again before");
    kit_do(&kit, "time 61");
    ok(!kit_ack(&kit, &effect, EFFECT_DONE), "an ack that comes too late is unknown");
    is_int(kit_lease(&kit, &effect), EFFECT_ACTIVATE, "then it is given out again");
    is_int(effect.attempt, 2, "as the second attempt");
    kit_close(&kit);
}

static void test_results(void)
{
    struct kit kit;

    kit_open_parked(&kit, "");
    kit_do(&kit, "lose-pod a");
    kit_lease(&kit, &effect);
    ok(kit_ack(&kit, &effect, EFFECT_RETRY), "to be tried again");
    is_int(kit_lease(&kit, &effect), -1, "but not at once");
    kit_do(&kit, "time 2");
    is_int(kit_lease(&kit, &effect), EFFECT_ACTIVATE, "a second later it is");
    ok(kit_ack(&kit, &effect, EFFECT_CONFLICT), "the world moved");
    kit_do(&kit, "time 3");
    is_int(kit_lease(&kit, &effect), EFFECT_ACTIVATE, "it is still wanted: again");
    ok(kit_ack(&kit, &effect, EFFECT_GONE), "its object is gone");
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

    kit_open_parked(&kit, "");
    kit_do(&kit, "lose-pod a; lose-pod nobody");
    engine_pre_filter(kit.engine, text_of("b"), &(struct verdict){0}, &(bool){false},
                      &(bool){false});
    for (int attempt = 1; attempt <= 14; attempt++) {
        int64_t wait;

        grows = grows && kit_lease(&kit, &effect) == EFFECT_ACTIVATE &&
                effect.attempt == (uint32_t)attempt;
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_RETRY, 0);
        wait = engine_next(kit.engine) - now;
        grows = grows && wait >= (ms - ms / 4) * millisecond && wait <= ms * millisecond;
        engine_set_time(kit.engine, now + wait - 1);
        engine_tick(kit.engine);
        grows = grows && outbox_pending(engine_outbox(kit.engine)) == 0;
        now += wait;
        engine_set_time(kit.engine, now);
        engine_tick(kit.engine);
        ms = ms * 2 > 60000 ? 60000 : ms * 2;
    }
    ok(grows, "each attempt waits twice as long, to a minute");
    kit_lease(&kit, &effect);
    kit_ack(&kit, &effect, EFFECT_DONE);
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
        kit_lease(&kit, &effect);
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_RETRY, 0);
        due[i] = outbox_due(engine_outbox(kit.engine), EFFECT_OF_POD,
                            kit_claim(&kit, i == 0 ? "a" : "b"));
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
