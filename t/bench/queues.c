/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/outbox.h"
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

#include <stdio.h>

/* A tree of 10,000 queues, 4 deep: top, 20, 400, and 9,579 leaves, of Volcano's queues or of
 * cohorts. In each leaf a pod runs and two more want to; so many of these are granted as the top
 * has room for. What is measured is the longest of all calls from an edit of the top until nothing
 * is left to do and all that was asked of the host is done. */
enum { MIDDLES = 20, LOWS = 400, LEAVES_BELOW = 10000 - 1 - MIDDLES - LOWS, GRANTED = 1000 };
enum { TURNS = 5, STEPS = 13 };

struct forest {
    struct heap_use use;
    struct engine *engine;
    bool kueue;
    int64_t now, cpu;
    size_t queue_bytes; /* with nobody in them */
    uint32_t commands;
    int64_t longest, spent;
    uint32_t calls;
};

struct quota {
    struct flavor_quota of[2];
    struct group_flavor flavor;
    struct resource_group group;
};

static void give(struct queue_facts *facts, struct quota *quota, bool kueue, int64_t cpu,
                 int64_t gpu)
{
    uint32_t count = gpu >= 0 ? 2 : 1;

    if (!kueue) {
        facts->capability.count = count;
        facts->capability.item[0] = (struct named_amount){text_of("cpu"), cpu};
        facts->capability.item[1] = (struct named_amount){text_of("gpu"), gpu};
        return;
    }
    quota->of[0] = (struct flavor_quota){.resource = text_of("cpu"), .nominal = cpu};
    quota->of[1] = (struct flavor_quota){.resource = text_of("gpu"), .nominal = gpu};
    quota->flavor = (struct group_flavor){text_of("plain"), count, quota->of};
    quota->group = (struct resource_group){
        .resource_count = count, .flavor_count = 1, .flavors = &quota->flavor};
    quota->group.resources[0] = text_of("cpu");
    quota->group.resources[1] = text_of("gpu");
    facts->group_count = 1;
    facts->groups = &quota->group;
}

static void begin(struct forest *forest, int64_t *ret_began)
{
    engine_set_time(forest->engine, ++forest->now);
    *ret_began = clock_cpu();
}

static void end(struct forest *forest, int64_t began)
{
    int64_t took = clock_cpu() - began;

    forest->longest = took > forest->longest ? took : forest->longest;
    forest->spent += took;
    forest->calls++;
}

static void see_queue(struct forest *forest, const struct queue_facts *facts)
{
    int64_t began;

    begin(forest, &began);
    if (engine_see_queue(forest->engine, facts) < 0)
        fail("no memory for a queue");
    end(forest, began);
}

/* Hosts do so without being asked again. */
static void carry_out_effects(struct forest *forest)
{
    struct effect effect;
    int64_t began;

    for (;;) {
        begin(forest, &began);
        if (outbox_next(engine_outbox(forest->engine), &effect) <= 0)
            break;
        outbox_lease(engine_outbox(forest->engine), &effect, 0);
        end(forest, began);
        begin(forest, &began);
        outbox_ack(engine_outbox(forest->engine), effect.id, EFFECT_DONE, 0);
        end(forest, began);
    }
}

static void settle(struct forest *forest)
{
    int64_t began;

    for (int second = 0; second < 2; second++) {
        while (engine_more(forest->engine)) {
            begin(forest, &began);
            engine_tick(forest->engine);
            end(forest, began);
        }
        carry_out_effects(forest);
        forest->now += INT64_C(1000000000); /* a queue's status is written once in it */
    }
    while (engine_more(forest->engine)) {
        begin(forest, &began);
        engine_tick(forest->engine);
        end(forest, began);
    }
}

static void see_top(struct forest *forest, const char *parent, int32_t priority, int64_t cpu,
                    int64_t gpu)
{
    struct queue_facts facts = {.name = text_of("top"), .priority = priority, .reclaimable = true};
    struct quota quota = {0};

    facts.kind = forest->kueue ? QUEUE_COHORT : QUEUE_VOLCANO;
    facts.parent = text_of(parent);
    give(&facts, &quota, forest->kueue, cpu, gpu);
    see_queue(forest, &facts);
}

static void see_other(struct forest *forest)
{
    struct queue_facts facts = {.name = text_of("other"), .reclaimable = true};

    facts.kind = forest->kueue ? QUEUE_COHORT : QUEUE_VOLCANO;
    see_queue(forest, &facts);
}

static void plant(struct forest *forest, const char *kind, int number, const char *above,
                  int parent)
{
    struct queue_facts facts = {.kind = QUEUE_VOLCANO, .reclaimable = true};
    char name[QUEUE_BYTES], parent_name[QUEUE_BYTES] = "top";
    struct quota quota = {0};

    snprintf(name, sizeof(name), "%s-%d", kind, number);
    if (parent >= 0)
        snprintf(parent_name, sizeof(parent_name), "%s-%d", above, parent);
    facts.name = text_of(name);
    facts.parent = text_of(parent_name);
    if (forest->kueue && parent >= 0 && above[0] == 'l') {
        facts.kind = QUEUE_CLUSTER;
        give(&facts, &quota, true, 0, -1);
    } else if (forest->kueue) {
        facts.kind = QUEUE_COHORT;
    }
    see_queue(forest, &facts);
}

static void see_pod(struct forest *forest, uint32_t serial)
{
    struct pod_facts facts = {0};
    struct pod pod;

    pod_name(&pod, serial);
    snprintf(pod.queue, sizeof(pod.queue), "leaf-%u", serial % LEAVES_BELOW);
    pod.cpu = 1000;
    pod.memory = 1;
    pod.bound = serial < LEAVES_BELOW;
    pod_tell(&pod, &facts);
    facts.requests.count = 1;
    facts.queue_kind = forest->kueue ? QUEUE_CLUSTER : QUEUE_VOLCANO;
    if (engine_see_pod(forest->engine, &facts) < 0)
        fail("no memory for a pod");
}

static void grow(struct forest *forest)
{
    const struct engine_config config = {.effects = 1u << EFFECT_QUEUE_STATUS | 1u << EFFECT_EVENT |
                                                    1u << EFFECT_DELETE_COMMAND};
    const struct flavor_facts plain = {.name = text_of("plain")};

    heap_use_init(&forest->use);
    if (engine_create(&config, &forest->use.mem, &forest->engine) < 0 ||
        engine_see_flavor(forest->engine, &plain) < 0)
        fail("no memory for an engine");
    forest->now = BENCH_EPOCH + INT64_C(1000000000000);
    forest->cpu = (int64_t)(LEAVES_BELOW + GRANTED) * 1000;
    see_other(forest);
    see_top(forest, "", 0, forest->cpu, -1);
    for (int n = 0; n < MIDDLES; n++)
        plant(forest, "middle", n, "top", -1);
    for (int n = 0; n < LOWS; n++)
        plant(forest, "low", n, "middle", n % MIDDLES);
    for (int n = 0; n < LEAVES_BELOW; n++)
        plant(forest, "leaf", n, "low", n % LOWS);
    forest->queue_bytes = forest->use.bytes;
    for (uint32_t n = 0; n < 3 * LEAVES_BELOW; n++)
        see_pod(forest, n);
    engine_set_synced(forest->engine);
    engine_set_leader(forest->engine, true);
    settle(forest);
}

static void command(struct forest *forest, const char *action)
{
    struct command_facts facts = {.space = text_of("n"), .created = forest->now};
    struct command_report report;
    char uid[16];
    int64_t began;

    snprintf(uid, sizeof(uid), "%u", forest->commands++);
    facts.uid = facts.name = text_of(uid);
    facts.action = text_of(action);
    facts.target = text_of("top");
    begin(forest, &began);
    if (engine_see_command(forest->engine, &facts, &report) < 0)
        fail("no memory for a command");
    end(forest, began);
    if (!report.changed)
        fail("%s changes nothing: %s", action, report.reason);
}

static void lose_top(struct forest *forest)
{
    enum queue_kind kind = forest->kueue ? QUEUE_COHORT : QUEUE_VOLCANO;
    int64_t began;

    begin(forest, &began);
    if (engine_lose_queue(forest->engine, kind, text_of("top")) < 0)
        fail("no memory to lose a queue");
    end(forest, began);
}

/* NULL: the last. Commands are for Volcano's queues alone. */
static const char *step(struct forest *forest, int number)
{
    const char *other = "other";

    switch (number) {
    case 0:
        see_top(forest, "", 5, forest->cpu, -1);
        return "another priority";
    case 1:
        see_top(forest, "", 5, forest->cpu - GRANTED * 1000, -1);
        return "less quota: 1,000 granted pods must go";
    case 2:
        see_top(forest, "", 5, forest->cpu, -1);
        return "more quota: 1,000 pods are granted";
    case 3:
        see_top(forest, "", 5, forest->cpu, 8);
        return "quota for another resource";
    case 4:
        see_top(forest, other, 5, forest->cpu, 8);
        return "moved below another queue";
    case 5:
        see_top(forest, "", 5, forest->cpu, 8);
        return "moved back";
    case 6:
        lose_top(forest);
        return "deleted";
    case 7:
        see_top(forest, "", 5, forest->cpu, 8);
        return "made again";
    default:
        break;
    }
    if (forest->kueue)
        return NULL;
    switch (number) {
    case 8:
        command(forest, "SuspendQueue");
        return "suspended";
    case 9:
        command(forest, "ResumeQueue");
        return "resumed";
    case 10:
        command(forest, "CloseQueue");
        return "closed";
    case 11:
        command(forest, "OpenQueue");
        return "opened";
    default:
        return NULL;
    }
}

static void measure(bool kueue, unsigned turns)
{
    const char *labels[STEPS] = {NULL};
    struct samples longest[STEPS] = {{0}}, spent[STEPS] = {{0}};
    uint32_t calls[STEPS] = {0};
    struct forest forest = {.kueue = kueue};
    char label[128];

    grow(&forest);
    for (unsigned turn = 0; turn < turns; turn++) {
        for (int n = 0; n < STEPS; n++) {
            forest.longest = forest.spent = forest.calls = 0;
            labels[n] = step(&forest, n);
            if (labels[n] == NULL)
                break;
            settle(&forest);
            samples_add(&longest[n], (double)forest.longest);
            samples_add(&spent[n], (double)forest.spent / 1e9);
            calls[n] = forest.calls;
        }
    }
    for (int n = 0; n < STEPS && labels[n] != NULL; n++) {
        snprintf(label, sizeof(label), "%s, the longest call: %s", kueue ? "cohort" : "queue",
                 labels[n]);
        table_row(label, &longest[n], UNIT_NANOSECONDS, 1e6);
        snprintf(label, sizeof(label), "    all of its %u calls", calls[n]);
        table_row(label, &spent[n], UNIT_SECONDS, -1);
    }
    table_value(kueue ? "memory for a cohort or cluster queue" : "memory for a queue",
                (double)forest.queue_bytes / 10000, UNIT_BYTES, -1);
    engine_destroy(forest.engine);
}

void bench_queues(const struct effort *effort)
{
    table_head("10,000 queues, 4 deep, and their root is ...");
    for (int kueue = 0; kueue < 2; kueue++) {
        progress("10,000 queues, %s", kueue ? "cohorts" : "Volcano's");
        measure(kueue, effort->quick ? 3 : TURNS);
    }
}
