/* SPDX-License-Identifier: Apache-2.0 */

/* What waits in a queue and below it, by resource. Every step is checked against a recount. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

/* "cpu 3 pods 1 " */
static const char *asks_of(const struct kit *kit, const char *queue)
{
    static char out[512];
    struct quota_row row;
    uint32_t cursor = 0;

    out[0] = '\0';
    while (engine_next_ask(kit->engine, kit_queue(kit, queue), &cursor, &row))
        snprintf(out + strlen(out), sizeof(out) - strlen(out), "%.*s %lld ", (int)row.resource.len,
                 row.resource.at, (long long)row.usage);
    return out;
}

static void test_sums(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=4; queue l parent=p; queue r parent=p; pod a queue=l cpu=4");
    is_str(asks_of(&kit, "p"), "", "what was granted waits no more");
    kit_do(&kit, "pod b queue=l cpu=2; pod c queue=l cpu=3 gpu=1; pod d queue=r cpu=1");
    is_str(asks_of(&kit, "l"), "cpu 5 gpu 1 pods 2 ", "a leaf's own, by name");
    is_str(asks_of(&kit, "r"), "cpu 1 pods 1 ", "each its own");
    is_str(asks_of(&kit, "p"), "cpu 6 gpu 1 pods 3 ", "above them, together");
    is_str(asks_of(&kit, "root"), "cpu 6 gpu 1 pods 3 ", "also of what nobody has a quota of");
    kit_do(&kit, "pod c queue=l cpu=3 gpu=1 foreign");
    is_str(asks_of(&kit, "p"), "cpu 3 pods 2 ", "who is held does not wait");
    kit_do(&kit, "pod b queue=l cpu=7; pod d queue=l cpu=1");
    is_str(asks_of(&kit, "l"), "cpu 8 pods 2 ", "another amount, another queue");
    is_str(asks_of(&kit, "r"), "", "left");
    kit_do(&kit, "lose-pod a");
    is_str(asks_of(&kit, "root"), "cpu 7 pods 1 ", "d got its turn");
    kit_do(&kit, "lose-pod b; lose-pod c; lose-pod d");
    is_int(slab_count(&kit.engine->order.backlogs), 0, "nothing is left of those that are gone");
    kit_close(&kit);
}

static void test_moves(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p pods=0; queue q suspended; queue l parent=p; pod a queue=l cpu=4;"
                 "pod b queue=u gpu=1");
    is_str(asks_of(&kit, "u"), "gpu 1 pods 1 ", "a queue that does not exist has them, too");
    kit_do(&kit, "queue l parent=q");
    is_str(asks_of(&kit, "p"), "", "with its queue it goes");
    is_str(asks_of(&kit, "q"), "cpu 4 pods 1 ", "to the other parent");
    kit_do(&kit, "queue q parent=l suspended");
    is_str(asks_of(&kit, "root"), "gpu 1 pods 1 ", "queues in a cycle hang nowhere");
    kit_do(&kit, "queue l parent=u; queue u parent=p");
    is_str(asks_of(&kit, "p"), "cpu 4 gpu 1 pods 2 ", "a whole branch comes back");
    kit_do(&kit, "lose-queue u; lose-queue p");
    is_str(asks_of(&kit, "root"), "cpu 4 gpu 1 pods 2 ", "and stays below the root");
    is_str(asks_of(&kit, "l"), "cpu 4 pods 1 ", "where it waits");
    kit_close(&kit);
}

static void test_cohorts(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "cohort c; cluster a parent=c; cluster b; pod x cluster=a cpu=1 memory=2;"
                 "pod y cluster=b cpu=8");
    is_str(asks_of(&kit, "cohort/c"), "cpu 1 memory 2 pods 1 ", "of the cohort's queues");
    is_str(asks_of(&kit, "cluster/b"), "cpu 8 pods 1 ", "a root of its own");
    is_str(asks_of(&kit, "root"), "", "Volcano's tree is another");
    kit_do(&kit, "cluster b parent=c");
    is_str(asks_of(&kit, "cohort/c"), "cpu 9 memory 2 pods 2 ", "until it joins");
    kit_close(&kit);
}

static void test_gangs(void)
{
    struct kit kit;

    kit_open(&kit, "answers");
    kit_do(&kit, "queue q cpu=4; group g min=3 gpu=9; pod a queue=q cpu=2 group=g;"
                 "pod b queue=q cpu=2 group=g");
    is_str(asks_of(&kit, "q"), "", "an incomplete group is held");
    kit_do(&kit, "pod c queue=q cpu=2 group=g; pod d queue=q cpu=2 group=g");
    is_str(kit_state(&kit, "d"), "waiting", "all of it waits");
    is_str(asks_of(&kit, "q"), "cpu 8 pods 4 ", "and each pod counts for what it asks itself");
    kit_do(&kit, "lose-pod d; lose-pod c");
    is_str(asks_of(&kit, "q"), "", "held again");
    kit_do(&kit, "pod c queue=q cpu=0 group=g; group g min=3");
    is_str(kit_granted(&kit), "a b c", "granted");
    is_str(asks_of(&kit, "q"), "", "it waits no more");
    kit_close(&kit);
}

static void test_amounts(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=0");
    for (int i = 0; i < 3; i++)
        kit_dof(&kit, "pod p%d queue=q cpu=4611686018427387904", i);
    is_str(asks_of(&kit, "q"), "cpu 4611686018427387904 pods 3 ", "told up to 2^62");
    kit_do(&kit, "lose-pod p0; lose-pod p1; pod p2 queue=q cpu=5");
    is_str(asks_of(&kit, "q"), "cpu 5 pods 1 ", "and counted beyond");
    ok(kit_starve(&kit, "pod z queue=q r1=1 r2=1 r3=1") > 2, "their memory is had beforehand");
    ok(kit_starve(&kit, "queue q parent=n") > 0, "also that of a queue which moves");
    kit_close(&kit);
}

int main(void)
{
    test_sums();
    test_moves();
    test_cohorts();
    test_gangs();
    test_amounts();
    return tap_done();
}
