/* SPDX-License-Identifier: Apache-2.0 */

/* One queue in which more and more workloads wait, no two of which ask for the same: a release that
 * lets one of them in, and nobody else. */
#include "plugin/base/outbox.h"
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/workload_world.h"

#include <stdio.h>

enum {
    HOLD = 1000,
    SMALL = 200, /* of those that hold, who may have to go for most that wait */
    UNIT = 1000000,
    SIZES = 3,
    TURNS = 31
};

enum too_much { OF_CPU, OF_EITHER, FOR_ITS_VICTIMS };

struct room {
    struct workload_world world;
    uint32_t ended, came;
};

static void see(struct room *room, const char *kind, uint32_t number, struct workload workload)
{
    snprintf(workload.name, sizeof(workload.name), "%s-%06u", kind, number);
    workload.memory = workload.memory > 0 ? workload.memory : UNIT;
    workload.created = number + 1;
    workload_world_see(&room->world, &workload, "queue");
}

/* Of those that would send others away nobody finds enough whom it may. */
static struct workload waits(enum too_much what, uint32_t i)
{
    struct workload workload = {.cpu = 2 * UNIT + (int)i, .waits = true};

    if (what == OF_EITHER && i % 2 == 0) {
        workload.cpu = UNIT / 2;
        workload.memory = 2 * UNIT + (int)i;
    } else if (what == FOR_ITS_VICTIMS) {
        workload.cpu += (int64_t)(SMALL + 100) * UNIT; /* some of those that come are as small */
        workload.priority = 1 + (int)(i % 3);
    }
    return workload;
}

static void start(struct room *room, enum too_much what, uint32_t size)
{
    struct preempt_policy preempts = {.within =
                                          what == FOR_ITS_VICTIMS ? PREEMPT_LOWER : PREEMPT_NEVER};

    room->ended = room->came = 0;
    workload_world_open(&room->world);
    workload_world_queue(&room->world, "queue", "",
                         (struct workload_quota){HOLD * UNIT, HOLD * UNIT}, preempts);
    for (uint32_t i = 0; i < HOLD; i++)
        see(room, "holds", i,
            (struct workload){.cpu = UNIT, .holds = true, .priority = i < SMALL ? 0 : 9});
    for (uint32_t i = 0; i < size; i++)
        see(room, "waits", i, waits(what, i));
    workload_world_lead(&room->world);
}

/* Who comes last is the only one that fits. */
static double measure(struct room *room)
{
    struct workload ends = {.cpu = UNIT}, comes = {.cpu = UNIT, .waits = true};
    struct effect effect;
    int64_t began, took;

    see(room, "comes", room->came, comes);
    workload_world_settle(&room->world);
    snprintf(ends.name, sizeof(ends.name), "holds-%06u", HOLD - 1 - room->ended++);
    began = clock_cpu();
    workload_world_lose(&room->world, &ends);
    workload_world_settle(&room->world);
    took = clock_cpu() - began;
    if (outbox_pending(engine_outbox(room->world.engine)) != 1 ||
        outbox_next(engine_outbox(room->world.engine), &effect) <= 0 || effect.name.at[0] != 'c')
        fail("not who fits is admitted");
    outbox_lease(engine_outbox(room->world.engine), &effect, 0);
    outbox_ack(engine_outbox(room->world.engine), effect.id, EFFECT_DONE, room->world.version + 1);
    comes.holds = true;
    comes.waits = false;
    see(room, "comes", room->came++, comes);
    workload_world_settle(&room->world);
    return (double)took;
}

static void compare(const char *label, enum too_much what, const uint32_t sizes[SIZES],
                    unsigned turns)
{
    static struct room rooms[SIZES];
    struct samples times[SIZES] = {0}, ratio = {0};
    char row[128];

    for (uint32_t k = 0; k < SIZES; k++)
        start(&rooms[k], what, sizes[k]);
    for (uint32_t turn = 0; turn < turns; turn++) {
        for (uint32_t k = 0; k < SIZES; k++)
            samples_add(&times[k], measure(&rooms[k]));
        samples_add(&ratio, times[SIZES - 1].value[turn] / times[0].value[turn]);
    }
    for (uint32_t k = 0; k < SIZES; k++) {
        snprintf(row, sizeof(row), "%s: %u wait", label, sizes[k]);
        table_row(row, &times[k], UNIT_NANOSECONDS, -1);
        workload_world_close(&rooms[k].world);
    }
    table_row("    the most by the fewest", &ratio, UNIT_TIMES, 1.5);
}

void bench_workload_waits(void)
{
    static const uint32_t sizes[SIZES] = {1000, 10000, 50000};

    table_head("workloads: a release that lets one in, of as many shapes as workloads");
    compare("too much cpu", OF_CPU, sizes, TURNS);
    compare("too much cpu, or memory", OF_EITHER, sizes, TURNS);
    compare("more than all whom they may send away", FOR_ITS_VICTIMS, sizes, TURNS);
}
