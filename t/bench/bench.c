/* SPDX-License-Identifier: Apache-2.0 */
#include "t/bench/bench.h"
#include "t/bench/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(FILE *to, int code)
{
    fputs("usage: sluice-bench [--quick] [--strict] [--only PART] [--beside FILE]\n"
          "       sluice-bench --newcomers WAITING | --leavers WAITING\n"
          "\n"
          "Measures the engine against its budgets, and prints a row for each. $SLUICE_LIB, or\n"
          "build/sluice.so, is the library; without it the rows that need it are left out.\n"
          "\n"
          "  --quick    up to 100,000 waiting pods instead of 1,000,000, in a few seconds\n"
          "  --strict   exit 1 if a row is over its budget\n"
          "  --only     growth, memory, restart, idle, queues, fleet, preempt, workloads or "
          "crossing\n"
          "  --beside   only compares a crossing with one in this library, another build\n"
          "\n"
          "  --newcomers, --leavers  measure nothing: of so many waiting pods some go, and\n"
          "             as many come, or none; t/cache_misses counts the difference\n",
          to);
    return code;
}

static void crossing(const struct effort *effort)
{
    if (effort->door != NULL)
        bench_crossing(effort);
}

static const struct part {
    const char *name;
    void (*run)(const struct effort *effort);
} parts[] = {
    {"growth", bench_growth},   {"memory", bench_memory},       {"restart", bench_restart},
    {"idle", bench_idle},       {"queues", bench_queues},       {"fleet", bench_fleet},
    {"preempt", bench_preempt}, {"workloads", bench_workloads}, {"crossing", crossing},
};

enum { PARTS = sizeof(parts) / sizeof(*parts) };

static bool is_part(const char *name)
{
    for (int i = 0; i < PARTS; i++) {
        if (strcmp(parts[i].name, name) == 0)
            return true;
    }
    return false;
}

/* How many wait, if it is said with this option; 0: it is another one, or that is no number. */
static uint32_t waiting_of(const char *option, char **words)
{
    return strcmp(words[0], option) == 0 && words[1] != NULL ? (uint32_t)strtoul(words[1], NULL, 10)
                                                             : 0;
}

static int compare(const struct effort *effort, const char *other)
{
    struct door door;

    if (!effort->door || !door_load(other, &door)) {
        fputs("sluice-bench: two libraries are wanted, and one is not there\n", stderr);
        return 2;
    }
    bench_beside(effort, &door);
    return 0;
}

int main(int argc, char **argv)
{
    struct effort effort = {.sizes = {1000, 10000, 100000, 1000000}, .turns = 31};
    const char *library = getenv("SLUICE_LIB");
    const char *only = NULL, *other = NULL;
    uint32_t leavers = 0, newcomers = 0;
    struct door door;
    bool strict = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            effort.quick = true;
        else if (strcmp(argv[i], "--strict") == 0)
            strict = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc && is_part(argv[i + 1]))
            only = argv[++i];
        else if (strcmp(argv[i], "--beside") == 0 && i + 1 < argc)
            other = argv[++i];
        else if ((leavers = waiting_of("--leavers", argv + i)) > 0 ||
                 (newcomers = waiting_of("--newcomers", argv + i)) > 0)
            i++;
        else
            return usage(strcmp(argv[i], "--help") == 0 ? stdout : stderr,
                         strcmp(argv[i], "--help") == 0 ? 0 : 2);
    }
    if (effort.quick) {
        effort.sizes[2] = 30000;
        effort.sizes[3] = 100000;
        effort.turns = 11;
        puts("quick: at most 100,000 pods wait here; the budgets are for 1,000,000");
    }
    if (door_load(library ? library : "build/sluice.so", &door))
        effort.door = &door;
    else
        puts("without sluice.so: only the engine's rows");
    if (other)
        return compare(&effort, other);
    if (leavers + newcomers > 0) {
        bench_newcomers(&effort, leavers + newcomers, newcomers > 0);
        return 0;
    }

    for (int i = 0; i < PARTS; i++) {
        if (only == NULL || strcmp(parts[i].name, only) == 0)
            parts[i].run(&effort);
    }
    printf("\n%u over budget\n", table_over());
    return strict && table_over() > 0 ? 1 : 0;
}
