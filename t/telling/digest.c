/* SPDX-License-Identifier: Apache-2.0 */

/* Equal states have equal digests, whatever order they were made in; any change shows. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static const char world[] =
    "flavor f label=kind:spot toleration=paid; node n cpu=4 label=kind:spot; cohort o;"
    "cluster c parent=o group=cpu flavor=f cpu=4; queue p cpu=8; queue q parent=p cpu=4;"
    "pod a queue=q cpu=3 created=1; pod b queue=q cpu=3 created=2 foreign;"
    "pod x cluster=c cpu=1 created=3 bare stamp=5 stamped=cpu=f node=n";

static uint64_t digest_of(const char *first, const char *second, bool timers)
{
    uint64_t digest;
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, first);
    kit_do(&kit, second);
    digest = engine_digest(kit.engine, timers);
    engine_destroy(kit.engine);
    return digest;
}

/* Steps that leave the world another than it was. */
static void test_changes(void)
{
    static const char *const changes[] = {
        "synced",
        "lead",
        "lose-flavor f",
        "flavor f label=kind:spot",
        "flavor f label=kind:other toleration=paid",
        "flavor f label=zone:spot toleration=paid",
        "flavor f label=kind:spot toleration=free",
        "flavor g",
        "lose-node n",
        "node n cpu=5 label=kind:spot",
        "node n gpu=4 label=kind:spot",
        "node n cpu=4 label=kind:other",
        "node m",
        "cluster c parent=o group=cpu flavor=f cpu=5",
        "cluster c parent=o group=cpu flavor=f cpu=4 borrow.cpu=1",
        "cluster c parent=o group=cpu flavor=f cpu=4 lend.cpu=1",
        "cluster c parent=o group=cpu,gpu flavor=f cpu=4",
        "cluster c group=cpu flavor=f cpu=4",
        "lose-cluster c",
        "queue q parent=p cpu=5",
        "queue q parent=p cpu=4 memory=1",
        "queue q parent=p cpu=4 guarantee.cpu=1",
        "queue q parent=p cpu=4 deserved.cpu=1",
        "queue q parent=p cpu=4 priority=1",
        "queue q parent=p cpu=4 strict",
        "queue q parent=p cpu=4 suspended",
        "queue q parent=p cpu=4 closed",
        "queue q parent=p cpu=4 state=Open",
        "queue q cpu=4",
        "lose-queue q",
        "queue r",
        "pod a queue=q cpu=2 created=1",
        "pod a queue=q cpu=3 created=2",
        "pod a queue=q cpu=3 created=1 priority=1",
        "pod a queue=p cpu=3 created=1",
        "pod a queue=q cpu=3 gpu=1 created=1",
        "pod a uid=a2 queue=q cpu=3 created=1",
        "pod a queue=q cpu=3 created=1 node=n",
        "pod a queue=q cpu=3 created=1 bare stamp=7",
        "pod b queue=q cpu=3 created=2",
        "pod x cluster=c cpu=1 created=3 bare stamp=5 stamped=cpu=f node=m",
        "lose-pod a",
        "pod new",
        "command 1 q SuspendQueue",
        "command 2 q SuspendQueue",
        "command 1 p SuspendQueue",
        "command 1 q CloseQueue",
        "queue q parent=p cpu=4 createSuspended",
    };
    uint64_t seen[sizeof(changes) / sizeof(changes[0])];
    uint64_t before = digest_of(world, "", false);

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        bool differs = true;

        seen[i] = digest_of(world, changes[i], false);
        for (size_t k = 0; k < i; k++)
            differs = differs && seen[k] != seen[i];
        ok(seen[i] != before && differs, "a change shows: %s", changes[i]);
    }
}

/* What a restart forgets, and a replay does not. */
static void test_timers(void)
{
    static const char *const changes[] = {
        "time 9",
        "pod a queue=q cpu=3 created=1 version=9",
        "pod a queue=q cpu=3 created=1 generation=9",
    };

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        ok(digest_of(world, changes[i], true) != digest_of(world, "", true), "with timers: %s",
           changes[i]);
        ok(digest_of(world, changes[i], false) == digest_of(world, "", false), "not without: %s",
           changes[i]);
    }
}

static void test_orders(void)
{
    static const char *const orders[] = {
        "pod x cluster=c cpu=1 created=3 bare stamp=5 stamped=cpu=f node=n;"
        "pod b queue=q cpu=3 created=2 foreign; pod a queue=q cpu=3 created=1;"
        "queue q parent=p cpu=4; queue p cpu=8; cluster c parent=o group=cpu flavor=f cpu=4;"
        "cohort o; node n cpu=4 label=kind:spot; flavor f label=kind:spot toleration=paid",
        "queue q parent=p cpu=4; cluster c parent=o group=cpu flavor=f cpu=4;"
        "pod b queue=q cpu=3 created=2 foreign; flavor f label=kind:spot toleration=paid;"
        "pod x cluster=c cpu=1 created=3 bare stamp=5 stamped=cpu=f node=n; queue p cpu=8;"
        "node n cpu=4 label=kind:spot; pod a queue=q cpu=3 created=1; cohort o",
    };

    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        ok(digest_of(orders[i], "", false) == digest_of(world, "", false), "the order is not seen");
        ok(digest_of(orders[i], "", true) == digest_of(world, "", true), "nor with timers");
        ok(digest_of(orders[i], "synced; lead", true) == digest_of(world, "synced; lead", true),
           "nor in what is granted then");
    }
    ok(digest_of(world, world, true) == digest_of(world, "", true),
       "the same again changes nothing");
    ok(digest_of(world, "queue r; pod r queue=r; lose-pod r; lose-queue r", true) ==
           digest_of(world, "", true),
       "what came and went leaves nothing behind");
    ok(digest_of(world, "command 1 q OpenQueue; lose-command 1", true) ==
           digest_of(world, "", true),
       "nor does a command");
}

/* A bound pod without stamp is taken to use a flavor that its node has, whichever is seen first. */
static void test_guesses(void)
{
    static const char objects[] = "synced; flavor f label=kind:f; flavor g label=kind:g;"
                                  "cluster c group=cpu flavor=f cpu=4 flavor=g cpu=4";
    static const char pod_first[] = "pod x cluster=c cpu=1 created=3 bare node=n;"
                                    "node n label=kind:g";
    static const char node_first[] = "node n label=kind:g;"
                                     "pod x cluster=c cpu=1 created=3 bare node=n";
    uint64_t digest = digest_of(objects, node_first, true);

    ok(digest_of(objects, pod_first, true) == digest, "the pod before its node");
    ok(digest_of(node_first, objects, true) == digest, "the pod before its queue");
    ok(digest_of(pod_first, objects, true) == digest, "the pod before both");
}

int main(void)
{
    test_changes();
    test_timers();
    test_orders();
    test_guesses();
    return tap_done();
}
