/* SPDX-License-Identifier: Apache-2.0 */

/* 1,000 ClusterQueues in 100 cohorts, 10,000 workloads that are admitted there and 50,000 that
 * wait: what it costs to admit the next one when one has ended, and to find victims among 1,000
 * candidates; beside a program that looks at all of them each time. */
#include "plugin/engine.h"
#include "t/bench/bench.h"
#include "t/bench/pod.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

#include <stdio.h>
#include <string.h>

enum {
    QUEUES = 1000,
    COHORTS = 100,
    HOLD = 10, /* of each queue */
    WAIT = 50,
    CANDIDATES = 1000,
    PRIORITIES = 100,
    ROUNDS = 51,
    NAME = 24
};

struct workload {
    char name[NAME];
    uint32_t queue;
    int32_t priority;
    int64_t created, cpu;
    bool holds, waits, away;
};

struct scene {
    struct heap_use use;
    struct engine *engine;
    int64_t version;
    struct workload loads[QUEUES * (HOLD + WAIT)];
    struct workload candidates[CANDIDATES];
};

static void settle(struct scene *scene)
{
    while (engine_more(scene->engine))
        engine_tick(scene->engine);
}

static void see_queue(struct scene *scene, const char *name, const char *cohort, int64_t cpu,
                      enum preempt_whom within)
{
    struct flavor_quota quota = {.resource = text_of("cpu"), .nominal = cpu};
    struct group_flavor flavor = {text_of("plain"), 1, &quota};
    struct resource_group group = {.resource_count = 1, .flavor_count = 1, .flavors = &flavor};
    struct queue_facts queue = {.kind = QUEUE_CLUSTER,
                                .name = text_of(name),
                                .parent = text_of(cohort),
                                .group_count = 1,
                                .groups = &group};
    struct local_queue_facts local = {.space = text_of("default"),
                                      .name = text_of(name),
                                      .queue = text_of(name),
                                      .selected = true};

    group.resources[0] = text_of("cpu");
    queue.preempts.within = within;
    if (engine_see_queue(scene->engine, &queue) < 0 ||
        engine_see_local_queue(scene->engine, &local) < 0)
        fail("no memory for a queue");
}

static void see_load(struct scene *scene, const struct workload *load, const char *queue)
{
    static struct set_facts set;
    static struct granted_facts granted;
    struct load_facts facts = {.uid = text_of(load->name),
                               .space = text_of("default"),
                               .name = text_of(load->name),
                               .created = load->created,
                               .version = ++scene->version,
                               .queue = text_of(queue),
                               .priority = load->priority,
                               .active = true,
                               .job_stopped = !load->holds,
                               .set_count = 1,
                               .sets = &set,
                               .granted_count = 1,
                               .granted = &granted};

    set.name = granted.name = text_of("main");
    set.count = set.minimum = granted.count = 1;
    set.requests.count = 1;
    set.requests.item[0] = (struct named_amount){text_of("cpu"), load->cpu};
    granted.flavor_count = 1;
    granted.flavors[0].resource = text_of("cpu");
    granted.flavors[0].flavor = text_of("plain");
    facts.has_admission = load->holds;
    facts.granted_queue = text_of(queue);
    facts.conditions[CONDITION_RESERVED].is_true = load->holds;
    facts.conditions[CONDITION_RESERVED].since = load->created;
    facts.conditions[CONDITION_ADMITTED].is_true = load->holds;
    if (engine_see_load(scene->engine, &facts) < 0)
        fail("no memory for a workload");
}

static void name_queue(char *name, uint32_t queue)
{
    snprintf(name, NAME, "queue-%04u", queue);
}

static void fill(struct scene *scene)
{
    char queue[NAME], cohort[NAME];

    for (uint32_t q = 0; q < QUEUES; q++) {
        name_queue(queue, q);
        snprintf(cohort, sizeof(cohort), "cohort-%02u", q % COHORTS);
        see_queue(scene, queue, cohort, HOLD, PREEMPT_NEVER);
        for (uint32_t i = 0; i < HOLD + WAIT; i++) {
            struct workload *load = &scene->loads[q * (HOLD + WAIT) + i];

            snprintf(load->name, sizeof(load->name), "load-%04u-%02u", q, i);
            load->queue = q;
            load->holds = i < HOLD;
            load->waits = !load->holds;
            load->priority = (int32_t)(i % 3);
            load->created = 1 + (int64_t)((i * 7919 + q) % 100000);
            load->cpu = load->holds ? 1 : 1 + i % 4;
            see_load(scene, load, queue);
        }
    }
    see_queue(scene, "contested", "", CANDIDATES, PREEMPT_LOWER);
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        struct workload *load = &scene->candidates[i];

        snprintf(load->name, sizeof(load->name), "candidate-%04u", i);
        load->holds = true;
        load->priority = (int32_t)(i * 37 % PRIORITIES);
        load->created = 1 + (int64_t)(i * 7919 % CANDIDATES);
        load->cpu = 1;
        see_load(scene, load, "contested");
    }
}

static void start(struct scene *scene)
{
    const struct engine_config config = {.effects = 1u << EFFECT_WRITE_WORKLOAD};
    struct flavor_facts flavor = {.name = text_of("plain")};

    memset(scene, 0, sizeof(*scene));
    heap_use_init(&scene->use);
    if (engine_create(&config, &scene->use.mem, &scene->engine) < 0)
        fail("no memory for an engine");
    engine_set_time(scene->engine, BENCH_EPOCH);
    engine_see_flavor(scene->engine, &flavor);
    fill(scene);
    engine_set_synced(scene->engine);
    engine_set_leader(scene->engine, true);
    settle(scene);
    if (engine_pending(scene->engine) != 0)
        fail("%u writes where nobody fits", engine_pending(scene->engine));
}

/* What is reserved is written, and seen so. */
static struct workload *take_effect(struct scene *scene)
{
    struct effect effect;

    if (!engine_next_effect(scene->engine, &effect))
        fail("nobody was admitted");
    engine_lease(scene->engine, effect.id);
    for (uint32_t i = 0; i < QUEUES * (HOLD + WAIT); i++) {
        struct workload *load = &scene->loads[i];

        if (!text_is(effect.name, load->name))
            continue;
        engine_ack(scene->engine, effect.id, EFFECT_DONE, scene->version + 1);
        return load;
    }
    fail("an effect of a stranger");
}

/* What a program would do that keeps no order and no sums: the first by rank that has room. */
static const struct workload *scan(const struct scene *scene)
{
    static int64_t used[QUEUES], of_cohort[COHORTS];
    const struct workload *best = NULL;

    memset(used, 0, sizeof(used));
    memset(of_cohort, 0, sizeof(of_cohort));
    for (uint32_t i = 0; i < QUEUES * (HOLD + WAIT); i++) {
        const struct workload *load = &scene->loads[i];

        used[load->queue] += load->holds ? load->cpu : 0;
        of_cohort[load->queue % COHORTS] += load->holds ? load->cpu : 0;
    }
    for (uint32_t i = 0; i < QUEUES * (HOLD + WAIT); i++) {
        const struct workload *load = &scene->loads[i];
        bool borrows, best_borrows;

        if (!load->waits || of_cohort[load->queue % COHORTS] + load->cpu > QUEUES / COHORTS * HOLD)
            continue;
        borrows = used[load->queue] + load->cpu > HOLD;
        best_borrows = best != NULL && used[best->queue] + best->cpu > HOLD;
        if (best == NULL || (borrows != best_borrows            ? best_borrows
                             : load->priority != best->priority ? load->priority > best->priority
                                                                : load->created < best->created))
            best = load;
    }
    return best;
}

static void measure_admission(struct scene *scene)
{
    static struct samples engine, naive, ratio;
    char queue[NAME];

    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct workload *ends = &scene->loads[round * 17 * (HOLD + WAIT)], *next;
        const struct workload *expected;
        int64_t began = clock_cpu();

        engine_lose_load(scene->engine, text_of("default"), text_of(ends->name), text_of(""));
        settle(scene);
        samples_add(&engine, (double)(clock_cpu() - began));
        ends->holds = false;
        began = clock_cpu();
        expected = scan(scene);
        samples_add(&naive, (double)(clock_cpu() - began));
        samples_add(&ratio, engine.value[round] / naive.value[round]);
        next = take_effect(scene);
        if (expected == NULL || next->priority != expected->priority || next->cpu != expected->cpu)
            fail("%s was admitted, and %s should be", next->name, expected ? expected->name : "");
        next->holds = true;
        next->waits = false;
        name_queue(queue, next->queue);
        see_load(scene, next, queue);
        settle(scene);
        if (engine_pending(scene->engine) != 0)
            fail("more than one was admitted");
    }
    table_row("one ends, and the next is admitted", &engine, UNIT_NANOSECONDS, -1);
    table_row("    by a full scan", &naive, UNIT_NANOSECONDS, -1);
    table_row("    the engine's time by that", &ratio, UNIT_TIMES, 1);
}

static int64_t used(const struct scene *scene)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < CANDIDATES; i++)
        sum += scene->candidates[i].away ? 0 : scene->candidates[i].cpu;
    return sum;
}

static bool goes_first(const struct workload *a, const struct workload *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority;
    return a->created != b->created ? a->created > b->created : strcmp(a->name, b->name) < 0;
}

static uint32_t scan_victims(struct scene *scene, int64_t cpu)
{
    uint32_t away[CANDIDATES], count = 0, victims = 0;

    while (used(scene) + cpu > CANDIDATES) {
        uint32_t first = CANDIDATES;

        for (uint32_t i = 0; i < CANDIDATES; i++) {
            if (!scene->candidates[i].away &&
                (first == CANDIDATES ||
                 goes_first(&scene->candidates[i], &scene->candidates[first])))
                first = i;
        }
        scene->candidates[first].away = true;
        away[count++] = first;
    }
    for (uint32_t i = count - 1; i-- > 0;) {
        scene->candidates[away[i]].away = false;
        scene->candidates[away[i]].away = used(scene) + cpu > CANDIDATES;
    }
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        victims += scene->candidates[i].away;
        scene->candidates[i].away = false;
    }
    return victims;
}

static void measure_preemption(struct scene *scene, uint32_t victims)
{
    struct samples engine = {0}, naive = {0}, ratio = {0};
    struct workload asks = {.name = "asks", .priority = PRIORITIES, .created = 1000000};
    char label[128];

    asks.cpu = victims;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t began = clock_cpu();

        see_load(scene, &asks, "contested");
        settle(scene);
        samples_add(&engine, (double)(clock_cpu() - began));
        if (engine_pending(scene->engine) != victims)
            fail("%u writes for %u victims", engine_pending(scene->engine), victims);
        engine_lose_load(scene->engine, text_of("default"), text_of("asks"), text_of(""));
        settle(scene);
        if (engine_pending(scene->engine) != 0)
            fail("not all victims were left where they are");
        began = clock_cpu();
        if (scan_victims(scene, victims) != victims)
            fail("the scan finds others");
        samples_add(&naive, (double)(clock_cpu() - began));
        samples_add(&ratio, engine.value[round] / naive.value[round]);
    }
    snprintf(label, sizeof(label), "a newcomer takes the room of %u of 1,000", victims);
    table_row(label, &engine, UNIT_NANOSECONDS, -1);
    table_row("    by a full scan at each step", &naive, UNIT_NANOSECONDS, -1);
    table_row("    the engine's time by that", &ratio, UNIT_TIMES, victims > 1 ? 1 : -1);
}

void bench_loads(const struct effort *effort)
{
    static struct scene scene;

    (void)effort;
    table_head("workloads: 50,000 wait, 10,000 are admitted, in 1,000 queues of 100 cohorts");
    progress("workloads: %d of them", QUEUES * (HOLD + WAIT));
    start(&scene);
    measure_admission(&scene);
    measure_preemption(&scene, 1);
    measure_preemption(&scene, 10);
    measure_preemption(&scene, 100);
    measure_preemption(&scene, 500);
    table_value("bytes for a workload and its queue's part", (double)scene.use.bytes / 61000,
                UNIT_BYTES, -1);
    if (engine_check(scene.engine) != NULL)
        fail("the engine is broken: %s", engine_check(scene.engine));
    engine_destroy(scene.engine);
}
