/* SPDX-License-Identifier: Apache-2.0 */

/* Counts of queues are written so many a second, whatever the number of queues. */
#include "plugin/queues/status_turn.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/tap.h"

#include <stdio.h>

enum { QUEUES = 8 };

static struct kit kit;
static struct effect effect;

/* How many statuses are asked for now; each is written. The name of the last one is in `last`. */
static int written(char *last, size_t size)
{
    int count = 0;

    while (outbox_next(engine_outbox(kit.engine), &effect) > 0) {
        outbox_lease(engine_outbox(kit.engine), &effect, 0);
        if (effect.object == EFFECT_OF_QUEUE) {
            count++;
            snprintf(last, size, "%.*s", (int)effect.name.len, effect.name.at);
        }
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0);
    }
    kit_work_off(&kit);
    return count;
}

/* The same, of those that are asked for within a number of seconds. */
static int written_within(int from, int seconds)
{
    char words[32], last[16];
    int count = 0;

    for (int half = 0; half <= 2 * seconds; half++) {
        snprintf(words, sizeof(words), "ms %d", 1000 * from + 500 * half);
        kit_do(&kit, words);
        count += written(last, sizeof(last));
    }
    return count;
}

/* All queues are there, and were written. */
static void open_with(const char *words)
{
    char text[64], last[16];

    kit_open(&kit, words);
    for (int i = 0; i < QUEUES; i++) {
        snprintf(text, sizeof(text), "queue q%d cpu=9 state=Open uid=u%d", i, i);
        kit_do(&kit, text);
    }
    is_int(written(last, sizeof(last)), QUEUES, "what nothing is known of is written at once");
    kit_do(&kit, "time 5");
    is_int(written(last, sizeof(last)), 0, "and then it is known");
}

static void fill(void)
{
    char text[64];

    for (int i = 0; i < QUEUES; i++) {
        snprintf(text, sizeof(text), "pod p%d queue=q%d cpu=1", i, i);
        kit_do(&kit, text);
    }
}

static void test_all(void)
{
    char last[16];

    open_with("writes");
    fill();
    is_int(written(last, sizeof(last)), QUEUES, "without a limit all counts are written at once");
    kit_close(&kit);
}

static void test_limit(void)
{
    char last[16];

    open_with("writes statusesPerSecond=2");
    fill();
    is_int(written(last, sizeof(last)), 1, "with two a second one has its turn now");
    is_str(last, "q0", "that which waits longest");
    is_int(status_turn_deadline(kit.engine), 5500000000, "and the next one's is known");
    kit_do(&kit, "ms 5400");
    is_int(written(last, sizeof(last)), 0, "not before half a second");
    kit_do(&kit, "ms 5500");
    is_int(written(last, sizeof(last)), 1, "then it is written");
    is_str(last, "q1", "the next in the order in which they changed");
    is_int(written_within(6, 10), QUEUES - 2, "each has its turn");
    is_int(status_turn_deadline(kit.engine), 0, "and nothing is waited for");
    kit_close(&kit);
}

struct step {
    const char *words;
    int written;
};

/* Five have had their turn, one a second, and three wait: how many each step has written then. */
static void expect_written(const struct step *steps, size_t count)
{
    char last[16];

    open_with("writes statusesPerSecond=1");
    fill();
    is_int(written(last, sizeof(last)) + written_within(6, 3), 5,
           "while counts change one a second");
    for (size_t i = 0; i < count; i++) {
        kit_do(&kit, steps[i].words);
        is_int(written(last, sizeof(last)), steps[i].written, "then, %s", steps[i].words);
    }
}

/* Counts of which none has changed for five seconds stay so. */
static void test_calm(void)
{
    static const struct step calm[] = {
        {"ms 10000", 1}, {"ms 10049", 0}, {"ms 10050", 1}, {"ms 10100", 1}};
    static const struct step busy[] = {
        {"ms 9900; pod late queue=q0 cpu=1", 0}, {"ms 10000", 1}, {"ms 10999", 0}, {"ms 11000", 1}};

    expect_written(calm, sizeof(calm) / sizeof(calm[0]));
    is_int(status_turn_deadline(kit.engine), 0, "and all are written");
    kit_close(&kit);
    expect_written(busy, sizeof(busy) / sizeof(busy[0]));
    kit_close(&kit);
}

static void test_comes_back(void)
{
    char last[16];

    open_with("writes statusesPerSecond=1");
    fill();
    is_int(written(last, sizeof(last)), 1, "one is written");
    kit_do(&kit, "lose-pod p1; lose-pod p2");
    kit_do(&kit, "time 6");
    is_int(written(last, sizeof(last)), 1, "the next");
    is_str(last, "q3", "is one that differs: what came back to its word needs no turn");
    kit_close(&kit);
}

static void test_states(void)
{
    char last[16];

    open_with("writes statusesPerSecond=1");
    fill();
    written(last, sizeof(last));
    kit_do(&kit, "ms 5100; command 1 q7 CloseQueue");
    is_int(written(last, sizeof(last)), 1, "a state waits for no turn");
    is_str(last, "q7", "of the queue that was closed");
    kit_do(&kit, "time 6");
    is_int(written(last, sizeof(last)), 1, "and takes none away");
    kit_close(&kit);
}

/* A state goes out with the counts of then; when that failed, the state is what it was before. */
static void test_failed(void)
{
    char last[16];

    open_with("writes statusesPerSecond=1");
    kit_do(&kit, "command 1 q0 CloseQueue");
    while (outbox_next(engine_outbox(kit.engine), &effect) > 0 && effect.object != EFFECT_OF_QUEUE)
        outbox_lease(engine_outbox(kit.engine), &effect, 0);
    outbox_lease(engine_outbox(kit.engine), &effect, 0);
    fill();
    kit_do(&kit, "command 2 q0 OpenQueue");
    outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_RETRY, 0);
    is_int(written(last, sizeof(last)), 1, "another queue has its turn");
    kit_do(&kit, "ms 5500");
    is_int(written(last, sizeof(last)), 1, "what had gone out, and failed, is tried again");
    is_str(last, "q0", "without one");
    kit_do(&kit, "time 6");
    is_int(written(last, sizeof(last)), 1, "and takes none away");
    kit_close(&kit);
}

static void test_who_goes(void)
{
    char last[16];

    open_with("writes statusesPerSecond=1");
    fill();
    written(last, sizeof(last));
    kit_do(&kit, "lose-queue q1; lose-pod p1; lose-queue q2");
    kit_do(&kit, "time 6");
    is_int(written(last, sizeof(last)), 1, "a queue that has gone has no turn");
    is_str(last, "q3", "the one behind it has");
    kit_do(&kit, "follow");
    is_int(status_turn_deadline(kit.engine), 0, "who does not lead gives none");
    kit_do(&kit, "lead");
    is_int(written(last, sizeof(last)), QUEUES - 2, "and who leads anew writes all that are left");
    kit_close(&kit);
}

static struct queue_words words(void)
{
    return queue_words_of(kit.engine, kit_queue(&kit, "q"));
}

static void differ(const char *line, bool stop, bool counts, const char *why)
{
    struct queue_words before = words();

    kit_do(&kit, line);
    ok((words().stop != before.stop) == stop && (words().counts != before.counts) == counts, "%s",
       why);
}

/* The hashes of what a status says: another state, and other counts, are told apart. */
static void test_words(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q cpu=9 state=Open uid=u");
    ok(words().stop != 0, "what is said is never nothing");
    differ("pod a queue=q cpu=2", false, true, "a claim more");
    differ("pod b queue=q cpu=20", false, true, "one that waits");
    differ("queue q cpu=12 state=Open uid=u", false, false, "a quota alone is no word");
    differ("command 1 q CloseQueue", true, false, "a state is a word of its own");
    differ("lose-pod b", false, true, "one less");
    kit_close(&kit);
}

int main(void)
{
    test_words();
    test_all();
    test_limit();
    test_calm();
    test_comes_back();
    test_states();
    test_failed();
    test_who_goes();
    return tap_done();
}
