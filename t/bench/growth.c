/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/telling/report.h"
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

#include <stdio.h>
#include <stdlib.h>

/* The same work in worlds of different sizes, in turns: what is printed is how much longer it takes
 * in the larger ones than in the smallest, turn by turn. */
enum { SIZES = 4, BATCH = 256, NEWCOMERS = 16 * LEAVES };

struct setting {
    const struct effort *effort;
    const struct door *door;
    bool tree;
    enum shapes shapes;
    struct world *worlds[SIZES];
    struct delivery *deliveries; /* BATCH of them */
};

/* Does the work once in a world and returns how long it took. */
typedef int64_t timed_work(struct setting *setting, struct world *world);

enum { SIZE_NAME_BYTES = 16 };

static const char *size_name(uint32_t size, char *out)
{
    bool millions = size >= 1000000;

    snprintf(out, SIZE_NAME_BYTES, "%u %c", size / (millions ? 1000000 : 1000),
             millions ? 'M' : 'k');
    return out;
}

static const char *shapes_name(enum shapes shapes)
{
    return shapes == SHAPES_ONE ? "one shape" : shapes == SHAPES_MANY ? "many shapes" : "two kinds";
}

static void report(const struct setting *setting, const char *what,
                   const struct samples times[SIZES], unsigned base, double budget)
{
    const uint32_t *sizes = setting->effort->sizes;
    char label[128], from[SIZE_NAME_BYTES], to[SIZE_NAME_BYTES];

    for (unsigned s = base + 1; s < SIZES; s++) {
        struct samples ratios = {0};

        for (size_t i = 0; i < times[s].count; i++)
            samples_add(&ratios, times[s].value[i] / times[base].value[i]);
        snprintf(label, sizeof(label), "%s, %s, %s, %s: %s/%s", what,
                 setting->door ? "sluice.so" : "engine", setting->tree ? "tree" : "flat",
                 shapes_name(setting->shapes), size_name(sizes[s], to),
                 size_name(sizes[base], from));
        table_row(label, &ratios, UNIT_TIMES, s == SIZES - 1 ? budget : -1);
    }
    snprintf(label, sizeof(label), "    one of these at %s", size_name(sizes[base], from));
    table_row(label, &times[base], UNIT_NANOSECONDS, -1);
}

static void compare(struct setting *setting, const char *what, timed_work *work, double per,
                    unsigned base, double budget)
{
    struct samples times[SIZES] = {{0}};

    progress("%s, %s, %s, %s", what, setting->door ? "sluice.so" : "engine",
             setting->tree ? "tree" : "flat", shapes_name(setting->shapes));
    for (unsigned turn = 0; turn < setting->effort->turns; turn++) {
        for (unsigned i = base; i < SIZES; i++) {
            unsigned s = turn % 2 == 0 ? i : SIZES - 1 - (i - base);

            samples_add(&times[s], (double)work(setting, setting->worlds[s]) / per);
        }
    }
    report(setting, what, times, base, budget);
}

static uint32_t any_waiting(const struct world *world)
{
    static uint64_t state;

    return (uint32_t)(mix(++state) % world->count);
}

static int64_t time_asks(struct setting *setting, struct world *world, enum errand errand,
                         uint32_t count)
{
    int64_t start = clock_cpu(), end;

    for (uint32_t i = 0; i < count; i++) {
        if (world_deliver(world, errand, &setting->deliveries[i]))
            fail("a pod passes: the queues are not full");
    }
    end = clock_cpu();
    return end - start;
}

/* Pods that wait are asked about again, in no order. */
static int64_t ask_again_by(struct setting *setting, struct world *world, enum errand errand)
{
    for (unsigned i = 0; i < BATCH; i++) {
        world_pod(world, world->serials[any_waiting(world)], &setting->deliveries[i].pod);
        world_prepare(world, errand, &setting->deliveries[i]);
    }
    return time_asks(setting, world, errand, BATCH);
}

static int64_t ask_again(struct setting *setting, struct world *world)
{
    return ask_again_by(setting, world, ERRAND_ASK);
}

static int64_t ask_by_name(struct setting *setting, struct world *world)
{
    return ask_again_by(setting, world, ERRAND_NAME);
}

/* As many pods go as come: so the world keeps its size, and records are used again in no order. */
static void make_way(struct setting *setting, struct world *world, uint32_t count)
{
    struct delivery leaving;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = any_waiting(world);

        world_pod(world, world->serials[at], &leaving.pod);
        world_prepare(world, ERRAND_LOSE, &leaving);
        world_deliver(world, ERRAND_LOSE, &leaving);
        world->serials[at] = world->next_serial++;
        world_pod(world, world->serials[at], &setting->deliveries[i].pod);
        world_prepare(world, ERRAND_ASK, &setting->deliveries[i]);
    }
    world_settle(world);
}

static int64_t ask_new(struct setting *setting, struct world *world)
{
    make_way(setting, world, BATCH);
    return time_asks(setting, world, ERRAND_ASK, BATCH);
}

/* Of all that waits in a queue, those behind some pod, in their order. */
static int64_t page(struct setting *setting, struct world *world)
{
    struct waiting_walk walk = {0};
    struct pod_facts facts;
    uint32_t cursor, next, rows = 0;
    struct pod pod;
    int64_t start;

    (void)setting;
    world_pod(world, world->serials[any_waiting(world)], &pod);
    pod_tell(&pod, &facts);
    cursor = engine_find_pod(world->engine, facts.uid);
    walk.queue = engine_find_queue(world->engine, facts.queue_kind, facts.queue);
    if (cursor == 0 || walk.queue == 0)
        fail("a pod that waits is not known");
    start = clock_cpu();
    while (rows < WALK_TAKES && engine_next_waiting(world->engine, &walk, &cursor, &next))
        rows++;
    return clock_cpu() - start;
}

/* Of a running pod; and whoever was granted is followed by as many new ones. */
static int64_t release(struct setting *setting, struct world *world, bool large, uint32_t grants)
{
    struct delivery *delivery = setting->deliveries;
    uint32_t before = world_pending(world), after;
    int64_t start, end;

    world_prepare_release(world, large, delivery);
    start = clock_cpu();
    if (world_deliver(world, ERRAND_LOSE, delivery))
        world_settle(world);
    end = clock_cpu();
    after = world_pending(world);
    if (after - before != grants)
        fail("a release granted %u pods, not %u", after - before, grants);
    for (uint32_t i = 0; i < grants; i++) {
        world_pod(world, world->next_serial++, &delivery->pod);
        world_prepare(world, ERRAND_ASK, delivery);
        world_deliver(world, ERRAND_ASK, delivery);
    }
    return end - start;
}

enum { RELEASES = 4 };

static int64_t release_one(struct setting *setting, struct world *world)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < RELEASES; i++)
        sum += release(setting, world, false, 1);
    return sum;
}

static int64_t release_hundred(struct setting *setting, struct world *world)
{
    return release(setting, world, true, LARGE);
}

static int64_t release_for_nobody(struct setting *setting, struct world *world)
{
    return release(setting, world, false, 0);
}

static void build_worlds(struct setting *setting)
{
    for (unsigned s = 0; s < SIZES; s++) {
        struct world_plan plan = {setting->door, setting->tree, setting->shapes,
                                  setting->effort->sizes[s]};

        progress("%u pods begin to wait", plan.waiting);
        setting->worlds[s] = world_build(&plan, NULL, NULL);
    }
}

static void free_worlds(struct setting *setting)
{
    for (unsigned s = 0; s < SIZES; s++)
        world_free(setting->worlds[s]);
}

static void bench_budgets(struct setting *setting)
{
    double limit = setting->shapes == SHAPES_ONE ? 1.5 : 3;

    /* The budget is for what a host waits for: the hook. Within it the engine's part alone is so
     * short that a single cache miss is a multiple of it. */
    if (setting->door == NULL && setting->effort->door != NULL)
        limit = -1;
    build_worlds(setting);
    compare(setting, "asked again", ask_again, BATCH, 0, limit);
    compare(setting, "asked again, short", ask_by_name, BATCH, 0, -1);
    compare(setting, "new pod", ask_new, BATCH, 0, limit);
    if (setting->door == NULL && !setting->tree) /* there are few in each queue of the tree */
        compare(setting, "a page of 256", page, 1, 0, 2);
    compare(setting, "release, k=1", release_one, RELEASES, 1, 1.5);
    compare(setting, "release, k=100", release_hundred, LARGE, 1, 1.5);
    free_worlds(setting);
}

/* Nobody fits, and no single resource tells so: half of the pods ask for too much of one, half for
 * too much of the other. The hardest search there is. */
static void bench_hardest(struct setting *setting)
{
    setting->door = NULL;
    setting->shapes = SHAPES_AWRY;
    for (int tree = 0; tree < 2; tree++) {
        setting->tree = tree;
        build_worlds(setting);
        compare(setting, "release, k=0", release_for_nobody, 1, 1, 1.5);
        free_worlds(setting);
    }
}

void bench_growth(const struct effort *effort)
{
    struct setting setting = {.effort = effort};

    setting.deliveries = calloc(BATCH, sizeof(*setting.deliveries));
    if (setting.deliveries == NULL)
        fail("no memory");
    table_head("as more pods wait");
    for (int through = 0; through < (effort->door ? 2 : 1); through++) {
        setting.door = through ? effort->door : NULL;
        for (int tree = 0; tree < 2; tree++) {
            for (int many = 0; many < 2; many++) {
                setting.tree = tree;
                setting.shapes = many ? SHAPES_MANY : SHAPES_ONE;
                bench_budgets(&setting);
            }
        }
    }
    bench_hardest(&setting);
    free(setting.deliveries);
}

void bench_newcomers(const struct effort *effort, uint32_t waiting, bool come)
{
    struct setting setting = {.effort = effort, .door = effort->door, .tree = true};
    struct world_plan plan = {setting.door, setting.tree, SHAPES_MANY, waiting};
    struct world *world = world_build(&plan, NULL, NULL);
    uint32_t count = waiting < NEWCOMERS ? waiting : NEWCOMERS;

    setting.deliveries = calloc(count, sizeof(*setting.deliveries));
    if (setting.deliveries == NULL)
        fail("no memory");
    make_way(&setting, world, count);
    if (come)
        time_asks(&setting, world, ERRAND_ASK, count);
    printf("%u of %u pods that wait have gone, %u new ones have come\n", count, waiting,
           come ? count : 0);
    free(setting.deliveries);
    world_free(world);
}
