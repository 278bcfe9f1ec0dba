/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

/* A bound pod counts wherever it is, whether it fits or not. */
static void use(struct kit *kit, const char *pod, const char *queue, long long cpu)
{
    kit_dof(kit, "pod %s queue=%s cpu=%lld node=n", pod, queue, cpu);
}

static void test_ceilings(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=10; queue a parent=p cpu=6; queue b parent=p");
    use(&kit, "x", "a", 4);
    is_int(kit_room(&kit, "a", "cpu"), 2, "a queue has room up to its own ceiling");
    use(&kit, "y", "b", 5);
    is_int(kit_room(&kit, "a", "cpu"), 1, "and up to that of each queue above it");
    is_int(kit_usage(&kit, "p", "cpu"), 9, "where the usage of all below adds up");
    is_int(kit_room(&kit, "b", "memory"), AMOUNT_MAX, "what nobody names has no ceiling");
    ok(kit_cell(&kit, "p", "memory") == NULL, "and is not counted");
    kit_close(&kit);
}

static void test_kept(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=10; queue a parent=p guarantee.cpu=4; queue b parent=p");
    is_int(kit_room(&kit, "a", "cpu"), 10, "what is kept for a is a's beside the rest");
    is_int(kit_room(&kit, "b", "cpu"), 6, "and nobody else's");
    use(&kit, "x", "a", 3);
    is_int(kit_usage(&kit, "p", "cpu"), 0, "what a uses of it does not arrive above");
    use(&kit, "y", "a", 3);
    is_int(kit_usage(&kit, "p", "cpu"), 2, "what it uses beyond does");
    is_int(kit_room(&kit, "b", "cpu"), 4, "and is taken from the others' room");
    use(&kit, "z", "b", 4);
    is_int(kit_room(&kit, "a", "cpu"), 0, "together never more than the ceiling");
    kit_do(&kit, "lose-pod y");
    is_int(kit_room(&kit, "a", "cpu"), 3, "a gets 1 that is kept for it, and 2 that are free");
    kit_close(&kit);
}

/* c guarantees 4, all of which it promised to g. */
static void test_nested_guarantee(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=10; queue c parent=p guarantee.cpu=4;"
                 "queue g parent=c guarantee.cpu=4; queue h parent=p");
    is_int(kit_room(&kit, "h", "cpu"), 6, "what a child was promised is not kept twice");
    kit_do(&kit, "pod h6 queue=h cpu=6; pod h1 queue=h cpu=1; pod g4 queue=g cpu=4;"
                 "pod g1 queue=g cpu=1");
    is_str(kit_granted(&kit), "g4 h6", "10 of 10 are granted, and no more");
    kit_do(&kit, "lose-pod g1; lose-pod h1; pod h6 queue=h cpu=6 node=n;"
                 "queue c parent=p guarantee.cpu=6; queue k parent=c");
    is_int(kit_cell(&kit, "c", "cpu")->kept, 2, "c keeps what its child does not");
    is_int(kit_room(&kit, "k", "cpu"), 0, "which just outweighs what h uses too much");
    kit_do(&kit, "lose-pod h6");
    is_int(kit_room(&kit, "h", "cpu"), 4, "what is kept for c and g is out of h's reach");
    is_int(kit_room(&kit, "k", "cpu"), 6, "and within k's, as far as it is not g's");
    kit_close(&kit);
}

static void test_debt(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=10; queue a parent=p guarantee.cpu=4; queue b parent=p");
    use(&kit, "x", "b", 8);
    is_int(kit_room(&kit, "b", "cpu"), -2, "b is 2 in debt");
    is_int(kit_room(&kit, "a", "cpu"), 2, "which eats what is kept for a");
    use(&kit, "y", "b", 4);
    is_int(kit_room(&kit, "a", "cpu"), -2, "to the last, and beyond");
    kit_do(&kit, "pod z queue=a cpu=1");
    is_str(kit_state(&kit, "z"), "waiting", "so a grants nothing");
    kit_do(&kit, "lose-pod y");
    is_str(kit_state(&kit, "z"), "reserved", "until the debt is smaller");
    kit_close(&kit);
}

static void test_exact(void)
{
    const long long most = AMOUNT_MAX;
    struct kit kit;

    kit_open(&kit, "");
    kit_dof(&kit, "queue q gpu=%lld", most);
    for (int i = 0; i < 5; i++)
        kit_dof(&kit, "pod p%d queue=q gpu=%lld node=n", i, most);
    ok(kit_cell(&kit, "q", "gpu")->usage == (wide)5 << 62, "5 times 2^62 is counted to the unit");
    ok(kit_cell(&kit, "root", "gpu")->usage == (wide)5 << 62, "all the way up");
    kit_do(&kit, "pod one queue=q gpu=1 node=n");
    ok(kit_cell(&kit, "root", "gpu")->usage == ((wide)5 << 62) + 1, "and so is 1 more");
    for (int i = 0; i < 5; i++)
        kit_dof(&kit, "lose-pod p%d", i);
    is_int(kit_usage(&kit, "root", "gpu"), 1, "and it comes back to 1");
    is_int(kit_room(&kit, "q", "gpu"), most - 1, "beside which there is room for 2^62 - 1");
    kit_dof(&kit, "pod fits queue=q gpu=%lld", most - 1);
    is_str(kit_state(&kit, "fits"), "reserved", "to the unit");
    kit_close(&kit);
}

static void test_kueue(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; cohort co group=cpu flavor=f cpu=2;"
                 "cluster a parent=co group=cpu flavor=f cpu=6 lend.cpu=4 borrow.cpu=3;"
                 "cluster b parent=co group=cpu flavor=f cpu=5; cluster alone group=cpu flavor=f "
                 "cpu=7 borrow.cpu=9");
    is_int(kit_cell(&kit, "cohort/co", "f/cpu")->share, 2 + 4 + 5,
           "a cohort has its own nominal quota and what its children lend");
    is_int(kit_cell(&kit, "cluster/a", "f/cpu")->kept, 2, "nominal less the lending limit is kept");
    is_int(kit_cell(&kit, "cluster/b", "f/cpu")->kept, 0, "without a limit all is lent");
    is_int(kit_room(&kit, "cluster/a", "f/cpu"), 9, "nominal and the borrowing limit");
    is_int(kit_room(&kit, "cluster/b", "f/cpu"), 11, "without a limit all that the cohort has");
    is_int(kit_room(&kit, "cluster/alone", "f/cpu"), 7, "who has no cohort borrows from nobody");
    kit_do(&kit, "pod x cluster=b cpu=8");
    is_int(kit_room(&kit, "cluster/a", "f/cpu"), 5, "2 that are kept, and 3 that are left");
    is_int(kit_room(&kit, "cluster/b", "f/cpu"), 3, "b may have these, too");
    kit_do(&kit, "pod y cluster=a cpu=4");
    is_int(kit_usage(&kit, "cohort/co", "f/cpu"), 10, "a passes up what it uses beyond 2");
    is_int(kit_room(&kit, "cluster/a", "f/cpu"), 1, "and 1 is left for everybody");
    kit_close(&kit);
}

/* available(n) by Kueue's formula on trees made at random, against headroom_now. */
struct model {
    int parent[7];
    wide nominal[7], lending[7], borrowing[7], used[7];
};

static wide model_quota(const struct model *m, int n);

static wide model_kept(const struct model *m, int n)
{
    return m->lending[n] < 0 ? 0 : wide_max(0, model_quota(m, n) - m->lending[n]);
}

static wide model_quota(const struct model *m, int n)
{
    wide sum = m->nominal[n];

    for (int i = 0; i < 7; i++) {
        if (i != n && m->parent[i] == n)
            sum += model_quota(m, i) - model_kept(m, i);
    }
    return sum;
}

static wide model_usage(const struct model *m, int n)
{
    wide sum = m->used[n];

    for (int i = 0; i < 7; i++) {
        if (i != n && m->parent[i] == n)
            sum += wide_max(0, model_usage(m, i) - model_kept(m, i));
    }
    return sum;
}

static wide model_available(const struct model *m, int n)
{
    wide usage = model_usage(m, n), quota = model_quota(m, n), room;

    if (m->parent[n] < 0)
        return quota - usage;
    room = wide_max(0, model_kept(m, n) - usage) + model_available(m, m->parent[n]);
    return m->borrowing[n] < 0 ? room : wide_min(room, quota + m->borrowing[n] - usage);
}

/* Nodes 0 to 2 are cohorts, 0 their root; 3 to 6 are cluster queues. */
static void model_build(struct model *m, struct kit *kit, unsigned long long *seed)
{
    for (int n = 0; n < 7; n++) {
        char limits[64] = "", parent[32] = "";

        m->parent[n] = n == 0 ? -1 : (int)(test_random(seed) % (n < 3 ? (unsigned)n : 3u));
        m->nominal[n] = test_random(seed) % 10;
        m->lending[n] = n == 0 || test_random(seed) % 2 ? -1 : (int)(test_random(seed) % 10);
        m->borrowing[n] = n == 0 || test_random(seed) % 2 ? -1 : (int)(test_random(seed) % 10);
        m->used[n] = n < 3 ? 0 : test_random(seed) % 12;
        if (n > 0)
            snprintf(parent, sizeof(parent), "parent=n%d ", m->parent[n]);
        if (m->lending[n] >= 0)
            snprintf(limits, sizeof(limits), " lend.cpu=%d", (int)m->lending[n]);
        if (m->borrowing[n] >= 0)
            snprintf(limits + strlen(limits), sizeof(limits) - strlen(limits), " borrow.cpu=%d",
                     (int)m->borrowing[n]);
        kit_dof(kit, "%s n%d %sgroup=cpu flavor=f cpu=%d%s", n < 3 ? "cohort" : "cluster", n,
                parent, (int)m->nominal[n], limits);
        if (m->used[n] > 0)
            kit_dof(kit, "pod p%d cluster=n%d cpu=%d node=x", n, n, (int)m->used[n]);
    }
}

static void test_available(void)
{
    unsigned long long seed = 7;
    int wrong = 0;

    for (int round = 0; round < 150; round++) {
        struct model model;
        struct kit kit;

        kit_open(&kit, "");
        kit_do(&kit, "flavor f");
        model_build(&model, &kit, &seed);
        for (int n = 3; n < 7; n++) {
            char queue[32];

            snprintf(queue, sizeof(queue), "cluster/n%d", n);
            wrong += kit_room(&kit, queue, "f/cpu") != amount_clamp(model_available(&model, n));
        }
        engine_destroy(kit.engine);
    }
    is_int(wrong, 0, "room is what Kueue's formula calls available, on 150 random trees");
}

static bool bounds(const char *options, const char *queue)
{
    struct kit kit;
    bool all;

    kit_open(&kit, options);
    kit_do(&kit, "queue q; flavor f; cluster c group=cpu flavor=f cpu=1");
    all = root_bounds_all(kit.engine, kit_queue(&kit, queue));
    kit_close(&kit);
    return all;
}

static void test_devices(void)
{
    struct kit kit;

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q cpu=9 deviceclass/gpu=1; node n pods=9; pod a queue=q deviceclass/gpu=1;"
                 "pod b queue=q deviceclass/gpu=1; pod c queue=q gpu=1; queue r cpu=9;"
                 "pod d queue=r deviceclass/gpu=1");
    is_str(kit_granted(&kit), "a d", "nodes bound no devices of claims, but queues do");
    kit_do(&kit, "node n pods=1");
    is_str(kit_granted(&kit), "a", "and what they do bound, they bound");
    kit_close(&kit);
}

static void test_root(void)
{
    ok(bounds("root=cluster", "root"), "what no node has is not to be had");
    ok(!bounds("root=cluster", "q"), "which is the root's to say");
    ok(!bounds("root=cluster", "cluster/c"), "and nothing of Kueue's");
    ok(!bounds("root.cpu=4", "root"), "amounts bound what they name");
    ok(!bounds("", "root"), "and nothing is bound where nothing is said");
}

int main(void)
{
    test_ceilings();
    test_kept();
    test_nested_guarantee();
    test_debt();
    test_exact();
    test_kueue();
    test_available();
    test_root();
    test_devices();
    return tap_done();
}
