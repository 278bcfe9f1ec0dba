/* SPDX-License-Identifier: Apache-2.0 */

/* Out of memory at every allocation of every call: the call says so, nothing has changed, and the
 * same call works afterwards as if nothing had been. Calls that cannot fail work without memory. */
#include "t/kit/tap.h"
#include "t/oracle/drive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const script[] = {
    "queue name=2 parent=1 capability.cpu=4 guarantee.cpu=1 deserved.memory=3",
    "queue name=3 parent=3 capability.cpu=3 strict=1",
    "queue name=4 parent=3 guarantee.cpu=2 priority=2",
    "queue name=5 parent=7",
    "queue name=6 parent=6",
    "queue name=5 parent=1 capability.gpu=2 deserved.gpu=1",
    "queue kind=2 name=2 group.cpu=1 flavors.1=12 nominal.0.cpu=2 nominal.1.cpu=2",
    "queue kind=1 name=3 parent=3 group.cpu=1 group.memory=2 group.pods=1 flavors.1=21 flavors.2=3 "
    "nominal.0.cpu=2 nominal.1.cpu=1 borrowing.1.cpu=1 lending.0.cpu=1 nominal.0.pods=9 "
    "nominal.1.pods=9 nominal.2.memory=8",
    "queue kind=1 name=4 parent=4 group.cpu=1 flavors.1=1 nominal.0.cpu=3",
    "flavor flavor=0 label=1 toleration=1",
    "flavor flavor=1 label=1",
    "flavor flavor=2",
    "node node=0 flavor=1 allocatable.cpu=8 allocatable.memory=64",
    "node node=1 flavor=2 allocatable.gpu=2",
    "node node=0 flavor=2 allocatable.cpu=4",
    "see uid=0 created=5 gates=1 optedIn=1 queue=4 asks.cpu=2 stamp=7",
    "see uid=1 created=6 optedIn=1 queue=5 asks.cpu=1 node=1",
    "enqueue uid=2 created=7 gates=1 optedIn=1 queue=4 asks.cpu=1",
    "synced",
    "leader n=1",
    "see uid=2 created=7 gates=1 optedIn=1 queue=4 asks.cpu=1",
    "see uid=3 created=8 gates=2 optedIn=1 queue=5 asks.cpu=1 asks.gpu=1 foreign=2",
    "see uid=3 created=8 gates=2 optedIn=1 queue=5 asks.cpu=2",
    "see uid=3 created=8 gates=2 optedIn=1 queue=4 asks.cpu=2",
    "see uid=4 created=9 gates=1 optedIn=1 queue=9 asks.memory=1",
    "see uid=4 created=9 gates=1 optedIn=1 namespaceQueue=6 asks.memory=1",
    "enqueue uid=5 created=9 gates=1 optedIn=1 queue=4 kind=1 asks.cpu=1 asks.memory=4",
    "enqueue uid=5 created=9 gates=1 optedIn=1 queue=4 kind=1 asks.cpu=2 asks.memory=4",
    "see uid=5 created=9 gates=1 optedIn=1 queue=4 kind=1 asks.cpu=2 asks.memory=4",
    "see uid=6 created=9 gates=1 optedIn=1 queue=4 kind=1 asks.cpu=2",
    "see uid=7 created=9 queue=4 kind=1 asks.cpu=1 node=1",
    "see uid=32 created=10 gates=1 optedIn=1 queue=5 kind=1 asks.cpu=1",
    "see uid=9 created=9 gates=1 optedIn=1 group=1 queue=5 asks.cpu=1",
    "group group=1 created=3 min=2 queue=5 least.cpu=1",
    "see uid=10 created=9 gates=1 optedIn=1 group=2 queue=4 asks.cpu=1",
    "see uid=11 created=9 gates=1 optedIn=1 group=2 queue=5 asks.cpu=1",
    "group group=1 uid=1 created=3 min=2 queue=4 least.memory=1 priority=3",
    "see uid=10 created=9 gates=1 optedIn=1 group=2 queue=4 asks.cpu=2",
    "see uid=11 created=9 finished=1 group=2 queue=5",
    "lose uid=11",
    "lose-group group=1",
    "group group=1 uid=1 created=3 min=3",
    "lease n=3",
    "ack uid=5 effect=0 result=3",
    "pre-filter uid=5",
    "post-filter uid=5",
    "reserve uid=5",
    "unreserve uid=5",
    "reserve uid=5",
    "post-bind uid=5",
    "see uid=5 created=9 optedIn=1 queue=4 kind=1 asks.cpu=2 asks.memory=4 stamp=9 "
    "stamped.cpu=1 stamped.memory=3 node=1",
    "see uid=6 created=9 gates=1 optedIn=1 queue=4 kind=1 asks.cpu=2 unschedulable=1",
    "queue kind=2 name=2 parent=3 group.cpu=1 flavors.1=12 nominal.0.cpu=5 nominal.1.cpu=5",
    "queue kind=1 name=3 parent=4 group.cpu=1 group.gpu=2 flavors.1=3 flavors.2=21 "
    "nominal.2.cpu=1",
    "queue name=2 parent=1 capability.cpu=1",
    "queue name=3 parent=5 capability.cpu=3 capability.memory=7",
    "queue name=5 parent=4 capability.gpu=2",
    "queue name=5 parent=1 capability.gpu=2",
    "lose-flavor flavor=0",
    "flavor flavor=0",
    "lose-node node=0",
    "lose-queue kind=1 name=3",
    "lose-queue name=3",
    "lose-queue name=2",
    "leader n=0",
    "leader n=1",
    "command uid=1 created=5 action=2 target=4",
    "command uid=0 created=6 action=3 target=2",
    "command uid=2 created=7 action=1 target=9",
    "command uid=1 created=5 action=2 target=4",
    "queue name=4 parent=3 guarantee.cpu=2 command=1 suspendedBy=1 object=1 version=7",
    "lease n=9",
    "ack uid=4 object=1 effect=3 version=8",
    "ack uid=1 object=2 effect=5",
    "queue name=9 parent=5 createdSuspended=1 command=5 object=2 version=9",
    "lose-command uid=0",
    "lose uid=2",
    "see uid=3 created=8 finished=1 queue=4",
    "lose uid=5",
    "queue name=6 parent=1 capability.cpu=2 within=1 reclaim=3",
    "see uid=20 created=20 optedIn=1 queue=7 asks.cpu=1 node=1",
    "see uid=21 created=21 optedIn=1 queue=7 asks.cpu=1 node=1",
    "see uid=22 created=22 gates=1 optedIn=1 queue=7 priority=5 asks.cpu=2",
    "lease n=30",
    "ack uid=20 effect=10",
    "ack uid=21 effect=10 result=1",
    "see uid=20 version=2 created=20 optedIn=1 queue=7 asks.cpu=1 node=1 deleted=1",
    "lose uid=20",
    "lose uid=22",
};
enum { SCRIPT_LENGTH = sizeof script / sizeof script[0], MOST_ALLOCATIONS = 1000 };

/* Gives n more times, then never again. */
struct supply {
    size_t bytes;
    uint32_t left;
    bool refused;
};

static void *take(void *ctx, size_t size)
{
    struct supply *supply = ctx;

    if (supply->left == 0) {
        supply->refused = true;
        return NULL;
    }
    if (supply->left != UINT32_MAX)
        supply->left--;
    supply->bytes += size;
    return malloc(size);
}

static void give_back(void *ctx, void *p, size_t size)
{
    struct supply *supply = ctx;

    supply->bytes -= size;
    free(p);
}

struct world {
    struct supply supply;
    struct mem mem;
    struct engine *engine;
};

static void world_init(struct world *world)
{
    *world = (struct world){.supply.left = UINT32_MAX};
    world->mem = (struct mem){take, give_back, &world->supply, NULL};
}

static int world_open(struct world *world, const struct step *config)
{
    struct engine_config facts;

    world_config(config->v, &facts);
    return engine_create(&facts, &world->mem, &world->engine);
}

static void work_off(struct engine *engine)
{
    while (engine_more(engine))
        engine_tick(engine);
}

/* Whether the engine is as sound as it was, and the same. */
static bool unchanged(const struct engine *engine, uint64_t digest)
{
    const char *broken = engine_check(engine);

    if (broken != NULL)
        tap_diag("invariant: %s", broken);
    return broken == NULL && engine_digest(engine, true) == digest;
}

/* The call of a step with ever more memory, until it succeeds. False: a failure was not clean. */
static bool starve(struct world *world, const struct step *step, struct answer *ret_answer)
{
    uint64_t before = engine_digest(world->engine, true);

    for (uint32_t n = 0; n < MOST_ALLOCATIONS; n++) {
        int error;

        world->supply.left = n;
        world->supply.refused = false;
        error = drive(world->engine, step, ret_answer);
        world->supply.left = UINT32_MAX;
        if (error == 0)
            return true;
        if (error != ENGINE_NO_MEMORY || !world->supply.refused) {
            tap_diag("allocation %u: error %d", n + 1, error);
            return false;
        }
        if (!unchanged(world->engine, before)) {
            tap_diag("allocation %u: not the state before", n + 1);
            return false;
        }
    }
    return false;
}

static bool same_answers(const struct answer *a, const struct answer *b)
{
    return a->verdict.pass == b->verdict.pass && a->verdict.would == b->verdict.would &&
           a->verdict.reason == b->verdict.reason &&
           strcmp(a->verdict.message, b->verdict.message) == 0 &&
           a->acknowledged == b->acknowledged;
}

static void play_script(const char *what, const struct step *config)
{
    struct world poor, rich;

    world_init(&poor);
    world_init(&rich);
    for (uint32_t n = 0;; n++) {
        poor.supply.left = n;
        if (world_open(&poor, config) == 0)
            break;
        if (poor.supply.bytes > 0 || n == MOST_ALLOCATIONS) {
            ok(false, "%s: a failed engine_create keeps nothing", what);
            return;
        }
    }
    poor.supply.left = UINT32_MAX;
    world_open(&rich, config);
    ok(engine_digest(poor.engine, true) == engine_digest(rich.engine, true), "%s: engine_create",
       what);
    for (int n = 0; n < SCRIPT_LENGTH; n++) {
        struct answer got, wanted;
        struct step step;
        bool clean;

        if (!step_parse(script[n], &step)) {
            ok(false, "a step: %s", script[n]);
            continue;
        }
        engine_set_time(poor.engine, (n + 1) * SECOND);
        engine_set_time(rich.engine, (n + 1) * SECOND);
        clean = starve(&poor, &step, &got) && drive(rich.engine, &step, &wanted) == 0;
        poor.supply.left = 0;
        work_off(poor.engine);
        poor.supply.left = UINT32_MAX;
        work_off(rich.engine);
        ok(clean && same_answers(&got, &wanted) &&
               unchanged(poor.engine, engine_digest(rich.engine, true)),
           "%s: %s", what, script[n]);
    }
    engine_destroy(poor.engine);
    engine_destroy(rich.engine);
    is_int(poor.supply.bytes, 0, "%s: all memory is given back", what);
}

int main(void)
{
    struct step config = step_make(STEP_CONFIG);

    play_script("on bind", &config);
    config.v[CONFIG_REMOVAL] = REMOVE_ON_ADMISSION;
    config.v[CONFIG_ROOT] = ROOT_CLUSTER;
    play_script("on admission, the cluster's size", &config);
    config.v[CONFIG_ROOT] = ROOT_AMOUNTS;
    config.v[CONFIG_ROOT_AMOUNT] = 5;
    config.v[CONFIG_MANAGE_ALL] = 1;
    play_script("a root of 5 cpu, everybody managed", &config);
    config = step_make(STEP_CONFIG);
    config.v[CONFIG_WRITES] = 1;
    play_script("the states of queues are written", &config);
    config.v[CONFIG_EVICTS] = 1;
    play_script("pods are evicted", &config);
    return tap_done();
}
