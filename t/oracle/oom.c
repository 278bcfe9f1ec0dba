/* SPDX-License-Identifier: Apache-2.0 */

/* Out of memory at every allocation of every call: the call says so, nothing has changed, and the
 * same call works afterwards as if nothing had been. Calls that cannot fail work without memory. */
#include "t/kit/tap.h"
#include "t/oracle/drive.h"
#include "t/oracle/supply.h"

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
enum { SCRIPT_LENGTH = sizeof script / sizeof script[0] };

static void work_off(struct engine *engine)
{
    while (engine_more(engine))
        engine_tick(engine);
}

/* A step, and where its answer goes. */
struct asked {
    const struct step *step;
    struct answer *answer;
};

static int call(struct engine **engine, const void *ctx)
{
    const struct asked *asked = ctx;

    return drive(*engine, asked->step, asked->answer);
}

/* Whether nothing is wrong; if something is, it is told. */
static bool is_right(const char *wrong)
{
    if (wrong != NULL)
        tap_diag("%s", wrong);
    return wrong == NULL;
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
    struct supply poor, rich;
    struct engine *starved, *fed;
    bool opened;

    supply_init(&poor, true);
    supply_init(&rich, false);
    opened = is_right(supply_open(&poor, config, &starved)) &&
             is_right(supply_open(&rich, config, &fed));
    if (!opened) {
        ok(false, "%s: a failed engine_create keeps nothing", what);
        return;
    }
    ok(engine_digest(starved, true) == engine_digest(fed, true), "%s: engine_create", what);
    for (int n = 0; n < SCRIPT_LENGTH; n++) {
        struct answer got, wanted;
        struct step step;
        const struct asked asked = {&step, &got};
        bool clean;

        if (!step_parse(script[n], &step)) {
            ok(false, "a step: %s", script[n]);
            continue;
        }
        engine_set_time(starved, (n + 1) * SECOND);
        engine_set_time(fed, (n + 1) * SECOND);
        clean =
            is_right(supply_call(&poor, &starved, call, &asked)) && drive(fed, &step, &wanted) == 0;
        supply_stop(&poor);
        work_off(starved);
        work_off(fed);
        ok(clean && same_answers(&got, &wanted) && is_right(engine_check(starved)) &&
               engine_digest(starved, true) == engine_digest(fed, true),
           "%s: %s", what, script[n]);
    }
    engine_destroy(starved);
    engine_destroy(fed);
    is_int(poor.bytes, 0, "%s: all memory is given back", what);
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
