/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

/* Bytes for a pod that waits: as the engine asked for them, as malloc gave them, and as the kernel
 * counts them. Tables that grow are largest for their pods right after that. */
struct watch {
    uint32_t pods;
    size_t base_bytes, base_usable;
    double resident; /* before the first pod */
    double worst;
    int64_t last, longest; /* time of the processor */
};

static double resident_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void look(void *ctx, const struct world *world)
{
    struct watch *watch = ctx;

    if (watch->pods == 0) {
        watch->base_bytes = world->use.bytes;
        watch->base_usable = world->use.usable;
    }
    watch->pods++;
    if (watch->pods * 2 > world->count) {
        double each = (double)(world->use.bytes - watch->base_bytes) / (watch->pods - 1);

        watch->worst = each > watch->worst ? each : watch->worst;
    }
}

static void measure(const struct effort *effort, bool tree, enum shapes shapes, double budget)
{
    struct world_plan plan = {NULL, tree, shapes, effort->sizes[3]};
    struct watch watch = {0};
    struct world *world;
    double pods, resident;
    char label[128];

    progress("memory: %u pods begin to wait", plan.waiting);
    malloc_trim(0);
    watch.resident = resident_bytes();
    world = world_build(&plan, look, &watch);
    pods = watch.pods - 1;
    resident = resident_bytes() - watch.resident - plan.waiting * sizeof(*world->serials);

    const char *where = tree ? "tree" : "flat";
    const char *what = shapes == SHAPES_ONE ? "one shape" : "many shapes";

    snprintf(label, sizeof(label), "a pod's memory, %s, %s: asked for, of %u", where, what,
             plan.waiting);
    table_value(label, (double)(world->use.bytes - watch.base_bytes) / pods, UNIT_BYTES, budget);
    snprintf(label, sizeof(label), "a pod's memory, %s, %s: at most from half of that on", where,
             what);
    table_value(label, watch.worst, UNIT_BYTES, budget);
    snprintf(label, sizeof(label), "    the same in malloc's blocks");
    table_value(label, (double)(world->use.usable - watch.base_usable) / pods, UNIT_BYTES, -1);
    snprintf(label, sizeof(label), "    the same in resident pages");
    table_value(label, resident / pods, UNIT_BYTES, -1);
    world_free(world);
}

void bench_memory(const struct effort *effort)
{
    table_head("memory");
    measure(effort, false, SHAPES_ONE, 300);
    measure(effort, true, SHAPES_ONE, 300);
    measure(effort, false, SHAPES_MANY, 300);
}
