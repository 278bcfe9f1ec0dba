/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/claims/pledge.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static struct workload_kit kit;

static uint32_t workload(const char *name)
{
    return workload_find(kit.kit.engine, text_of("default"), text_of(name));
}

/* Of a queue of 4 a pod has 1 and a workload 3; another workload wants all of it. */
static void open_scene(void)
{
    workload_kit_open(&kit, "evicts");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                          "local l cluster=c; jobsStay; budgetHolds; pod p cluster=c cpu=1 node=n; "
                          "add w queue=l cpu=3; add ask queue=l cpu=4 priority=1");
}

static void test_both_kinds(void)
{
    struct engine *e;
    uint32_t pod, job, ask;

    open_scene();
    e = kit.kit.engine;
    pod = kit_claim(&kit.kit, "p");
    job = workload("w");
    ask = workload("ask");
    ok(e->claims.promises.all.first == ask && e->claims.promises.all.last == ask,
       "one is promised room");
    is_int(pledge_count_victims(e, ask, true), 1, "for it goes a workload");
    is_int(pledge_count_victims(e, ask, false), 1, "and a pod");
    ok(pledge_victims(e, ask) == pod && pledge_at(e, pod)->peers.next == job, "in one list");
    ok(pledge_at(e, pod)->of == ask && pledge_at(e, job)->of == ask, "each knows for whom");
    is_int(pledge_count_victims(e, pod, false), 0, "nobody goes for who is promised nothing");
    pledge_remove_victim(e, pod);
    pledge_add_victim(e, pod, 0);
    ok(pledge_victims(e, 0) == pod, "it may go for nobody alone");
    ok(pledge_victims(e, ask) == job, "then the other one is left");
    ok(pledge_check(e) == NULL, "and all is in order");
    workload_kit_close(&kit);
}

static void breaks(bool broken, const char *want)
{
    const char *got = pledge_check(kit.kit.engine);

    ok(broken ? got != NULL && strcmp(got, want) == 0 : got == NULL, "%s", want);
}

static void test_check(void)
{
    struct engine *e;
    uint32_t job, ask;

    open_scene();
    e = kit.kit.engine;
    job = workload("w");
    ask = workload("ask");
    pledge_at(e, job)->of = 0;
    breaks(true, "a victim is among those of the claim that it goes for");
    pledge_at(e, job)->of = ask;
    claim_at(e, job)->flags |= CLAIM_PROMISED;
    breaks(true, "who is promised something, or goes, is listed");
    claim_at(e, job)->flags &= ~(uint32_t)CLAIM_PROMISED;
    claim_at(e, ask)->flags &= ~(uint32_t)CLAIM_PROMISED;
    breaks(true, "whoever is promised room is listed once");
    claim_at(e, ask)->flags |= CLAIM_PROMISED;
    breaks(false, "as it was");
    workload_kit_close(&kit);
}

/* A page is there before it is needed, and none where nobody can be evicted. */
static void test_pages(void)
{
    struct kit pods;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=4; local l cluster=c; "
                          "pod p cluster=c cpu=1; add w queue=l cpu=3");
    is_int(slab_end(&kit.kit.engine->claims.promises.pledges), 3, "each claim has a page");
    workload_kit_close(&kit);
    kit_open(&pods, "");
    kit_do(&pods, "queue q cpu=4; pod p queue=q cpu=1");
    is_int(slab_end(&pods.engine->claims.promises.pledges), 1, "where nobody goes, nobody has one");
    kit_close(&pods);
}

int main(void)
{
    test_both_kinds();
    test_check();
    test_pages();
    return tap_done();
}
