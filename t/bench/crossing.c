/* SPDX-License-Identifier: Apache-2.0 */
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

#include "abi/msg/check.h"
#include "hooks/decode.h"
#include "hooks/encode.h"

#include <stdlib.h>

/* One pre_enqueue of a pod that waits, through the door, and its parts one by one. The yardstick is
 * a call through the same kind of pointer into the same library that does nothing. */
enum { CALLS = 2000, PODS = 1000, BESIDE_TURNS = SAMPLES_MAX };

struct parts {
    struct samples nothing, whole, check, decode, ask, answer, brief, times, brief_times;
};

static double each(int64_t start)
{
    return (double)(clock_cpu() - start) / CALLS;
}

static double time_nothing(const struct door *door)
{
    int64_t start = clock_cpu();

    for (int i = 0; i < CALLS; i++) {
        if (door->abi() == 0)
            fail("sluice_abi answers 0");
    }
    return each(start);
}

static double time_calls(struct world *world, enum errand errand, const struct delivery *deliveries)
{
    int64_t start = clock_cpu();

    for (int i = 0; i < CALLS; i++)
        world_deliver(world, errand, &deliveries[i % PODS]);
    return each(start);
}

static double time_check(const struct delivery *deliveries)
{
    static const struct msg_limits limits = {MSG_BYTES_DEFAULT, MSG_DEPTH_DEFAULT};
    int64_t start = clock_cpu();
    size_t at;

    for (int i = 0; i < CALLS; i++) {
        if (msg_check(deliveries[i % PODS].request, deliveries[i % PODS].len, &limits, &at) < 0)
            fail("a request is no message");
    }
    return each(start);
}

static void decode_request(const struct delivery *delivery, struct pod_facts *pod)
{
    struct msg_reader in;
    struct msg_map keys;
    struct msg_text key;
    uint8_t opted;
    int64_t now;

    msg_reader_init(&in, delivery->request, delivery->len);
    msg_open_map(&in, &keys);
    while (msg_next_key(&in, &keys, &key)) {
        if (msg_text_is(key, "pod"))
            decode_pod(&in, POD_SEEN, pod, &opted);
        else
            msg_get_int(&in, 0, DECODE_TIME_MAX, &now);
    }
    if (in.error < 0)
        fail("a request cannot be decoded: %s", in.fault.path);
}

static double time_decode(const struct delivery *deliveries)
{
    struct pod_facts pod;
    int64_t start = clock_cpu();

    for (int i = 0; i < CALLS; i++)
        decode_request(&deliveries[i % PODS], &pod);
    return each(start);
}

static double time_answer(void)
{
    static const struct verdict verdict = {.reason = REASON_QUEUE_CAPACITY};
    uint8_t out[1024];
    struct msg_writer w;
    int64_t start = clock_cpu();

    for (int i = 0; i < CALLS; i++) {
        msg_writer_init(&w, out, sizeof(out));
        msg_put_map(&w, VERDICT_KEYS + 5);
        put_verdict(&w, &verdict);
        put_key_bool(&w, "would", verdict.would);
        put_key_bool(&w, "known", true);
        put_key_int(&w, "pending", 0);
        put_key_int(&w, "next", BENCH_EPOCH);
        put_key_bool(&w, "more", false);
        if (!msg_writer_fits(&w))
            fail("an answer has no room");
    }
    return each(start);
}

static struct delivery *prepare(const struct world *world, enum errand errand)
{
    struct delivery *deliveries = calloc(PODS, sizeof(*deliveries));

    if (deliveries == NULL)
        fail("no memory");
    for (uint32_t i = 0; i < PODS; i++) {
        world_pod(world, i, &deliveries[i].pod);
        world_prepare(world, errand, &deliveries[i]);
    }
    return deliveries;
}

void bench_crossing(const struct effort *effort)
{
    struct world_plan through = {effort->door, false, SHAPES_ONE, PODS};
    struct world_plan within = {NULL, false, SHAPES_ONE, PODS};
    struct world *library, *engine;
    struct delivery *asks, *names;
    struct parts parts = {0};

    progress("one crossing");
    table_head("one crossing of pre_enqueue in C");
    library = world_build(&through, NULL, NULL);
    engine = world_build(&within, NULL, NULL);
    asks = prepare(library, ERRAND_ASK);
    names = prepare(library, ERRAND_NAME);
    for (unsigned turn = 0; turn < effort->turns; turn++) {
        double nothing = time_nothing(effort->door);
        double whole = time_calls(library, ERRAND_ASK, asks);
        double brief = time_calls(library, ERRAND_NAME, names);

        samples_add(&parts.nothing, nothing);
        samples_add(&parts.whole, whole);
        samples_add(&parts.times, whole / nothing);
        samples_add(&parts.brief, brief);
        samples_add(&parts.brief_times, brief / whole);
        samples_add(&parts.check, time_check(asks));
        samples_add(&parts.decode, time_decode(asks));
        samples_add(&parts.ask, time_calls(engine, ERRAND_ASK, asks));
        samples_add(&parts.answer, time_answer());
    }
    table_row("a crossing", &parts.whole, UNIT_NANOSECONDS, -1);
    table_row("    of that the check of the message", &parts.check, UNIT_NANOSECONDS, -1);
    table_row("    reading it", &parts.decode, UNIT_NANOSECONDS, -1);
    table_row("    the engine", &parts.ask, UNIT_NANOSECONDS, -1);
    table_row("    writing the answer", &parts.answer, UNIT_NANOSECONDS, -1);
    table_row("a crossing, short", &parts.brief, UNIT_NANOSECONDS, -1);
    table_row("a crossing, short, in long ones", &parts.brief_times, UNIT_TIMES, -1);
    table_row("a call that does nothing", &parts.nothing, UNIT_NANOSECONDS, -1);
    table_row("a crossing, in calls that do nothing", &parts.times, UNIT_TIMES, -1);
    world_free(engine);
    world_free(library);
    free(names);
    free(asks);
}

void bench_beside(const struct effort *effort, const struct door *other)
{
    struct world_plan here = {effort->door, false, SHAPES_ONE, PODS};
    struct world_plan there = {other, false, SHAPES_ONE, PODS};
    struct world *ours, *theirs;
    struct delivery *asks;
    struct samples our_time = {0}, their_time = {0}, times = {0};

    progress("one crossing, beside another library");
    table_head("one crossing of pre_enqueue in two libraries, in turns");
    ours = world_build(&here, NULL, NULL);
    theirs = world_build(&there, NULL, NULL);
    asks = prepare(ours, ERRAND_ASK);
    for (unsigned turn = 0; turn < BESIDE_TURNS; turn++) {
        double one = time_calls(ours, ERRAND_ASK, asks);
        double another = time_calls(theirs, ERRAND_ASK, asks);

        samples_add(&our_time, one);
        samples_add(&their_time, another);
        samples_add(&times, one / another);
    }
    table_row("a crossing", &our_time, UNIT_NANOSECONDS, -1);
    table_row("a crossing in the other", &their_time, UNIT_NANOSECONDS, -1);
    table_row("times as long", &times, UNIT_TIMES, -1);
    world_free(theirs);
    world_free(ours);
    free(asks);
}
