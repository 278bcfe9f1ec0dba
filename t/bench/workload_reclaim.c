/* SPDX-License-Identifier: Apache-2.0 */

/* A cohort of 101 queues: all but one use ten times their share, in 1,000 workloads. The last one
 * takes back what is its own; beside a program that looks at all of them at each step. */
#include "plugin/base/outbox.h"
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/workload_world.h"

#include <stdio.h>
#include <string.h>

enum { LENDERS = 100, EACH = 10, CANDIDATES = LENDERS * EACH, PRIORITIES = 100, ROUNDS = 51 };

struct cohort {
    struct workload_world world;
    struct workload candidates[CANDIDATES];
    int64_t used[LENDERS];
};

static void start(struct cohort *cohort)
{
    const struct preempt_policy never = {0}, reclaim = {.reclaim = PREEMPT_ANY};
    char queue[WORKLOAD_NAME];

    memset(cohort, 0, sizeof(*cohort));
    workload_world_open(&cohort->world);
    workload_world_queue(&cohort->world, "owner", "all",
                         (struct workload_quota){CANDIDATES - LENDERS, 0}, reclaim);
    for (uint32_t q = 0; q < LENDERS; q++) {
        snprintf(queue, sizeof(queue), "borrower-%03u", q);
        workload_world_queue(&cohort->world, queue, "all", (struct workload_quota){1, 0}, never);
        for (uint32_t i = 0; i < EACH; i++) {
            struct workload *workload = &cohort->candidates[q * EACH + i];

            snprintf(workload->name, sizeof(workload->name), "candidate-%03u-%02u", q, i);
            workload->queue = q;
            workload->holds = true;
            workload->cpu = 1;
            workload->priority = (int32_t)((q * EACH + i) * 37 % PRIORITIES);
            workload->created = 1 + (int64_t)((q * EACH + i) * 7919 % CANDIDATES);
            workload_world_see(&cohort->world, workload, queue);
        }
        cohort->used[q] = EACH;
    }
    workload_world_lead(&cohort->world);
}

static bool goes_first(const struct workload *a, const struct workload *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority;
    return a->created != b->created ? a->created > b->created : strcmp(a->name, b->name) < 0;
}

static int64_t count_used(struct cohort *cohort)
{
    int64_t sum = 0;

    memset(cohort->used, 0, sizeof(cohort->used));
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        cohort->used[cohort->candidates[i].queue] += !cohort->candidates[i].away;
        sum += !cohort->candidates[i].away;
    }
    return sum;
}

static uint32_t scan(struct cohort *cohort, int64_t cpu)
{
    uint32_t victims = 0;

    while (count_used(cohort) + cpu > CANDIDATES) {
        struct workload *first = NULL;

        for (uint32_t i = 0; i < CANDIDATES; i++) {
            struct workload *workload = &cohort->candidates[i];

            if (!workload->away && cohort->used[workload->queue] > 1 &&
                (first == NULL || goes_first(workload, first)))
                first = workload;
        }
        first->away = true;
        victims++;
    }
    for (uint32_t i = 0; i < CANDIDATES; i++)
        cohort->candidates[i].away = false;
    return victims;
}

static void measure(struct cohort *cohort, uint32_t victims)
{
    struct samples engine = {0}, naive = {0}, ratio = {0};
    struct workload asks = {.name = "asks", .created = 1000000, .cpu = victims};
    char label[128];

    for (int round = 0; round < ROUNDS; round++) {
        int64_t began = clock_cpu();

        workload_world_see(&cohort->world, &asks, "owner");
        workload_world_settle(&cohort->world);
        samples_add(&engine, (double)(clock_cpu() - began));
        if (outbox_pending(engine_outbox(cohort->world.engine)) !=
            victims + 1) /* it says that it waits */
            fail("%u writes for %u victims", outbox_pending(engine_outbox(cohort->world.engine)),
                 victims);
        workload_world_lose(&cohort->world, &asks);
        workload_world_settle(&cohort->world);
        if (outbox_pending(engine_outbox(cohort->world.engine)) != 0)
            fail("not all victims were left where they are");
        began = clock_cpu();
        if (scan(cohort, victims) != victims)
            fail("the scan finds others");
        samples_add(&naive, (double)(clock_cpu() - began));
        samples_add(&ratio, engine.value[round] / naive.value[round]);
    }
    snprintf(label, sizeof(label), "a newcomer takes back the room of %u of 1,000", victims);
    table_row(label, &engine, UNIT_NANOSECONDS, -1);
    table_row("    by a full scan at each step", &naive, UNIT_NANOSECONDS, -1);
    table_row("    the engine's time by that", &ratio, UNIT_TIMES, victims > 1 ? 1 : -1);
}

void bench_workload_reclaim(void)
{
    static struct cohort cohort;

    table_head("workloads: reclaim from 100 queues of a cohort, 1,000 candidates");
    start(&cohort);
    measure(&cohort, 1);
    measure(&cohort, 10);
    measure(&cohort, 100);
    measure(&cohort, 500);
    workload_world_close(&cohort.world);
}
