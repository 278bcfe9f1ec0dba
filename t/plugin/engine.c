/* SPDX-License-Identifier: Apache-2.0 */

/* An engine's beginning and end: its configuration, its limits, its memory and its time. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct test_mem memory;

static struct engine *create(const struct engine_config *config)
{
    struct engine *e = NULL;

    test_mem_init(&memory);
    if (engine_create(config, &memory.mem, &e) < 0)
        return NULL;
    engine_set_synced(e);
    engine_set_leader(e, true);
    return e;
}

static bool destroy(struct engine *e)
{
    engine_destroy(e);
    return test_mem_clean(&memory);
}

static uint32_t see(struct engine *e, const char *scheduler)
{
    struct pod_facts pod = {.uid = text_of(scheduler),
                            .space = text_of("s"),
                            .name = text_of(scheduler),
                            .scheduler = text_of(scheduler),
                            .opted_in = true};

    engine_see_pod(e, &pod);
    return engine_find_pod(e, text_of(scheduler));
}

static void test_schedulers(void)
{
    char names[] = "onetwo";
    struct engine_config config = {.scheduler_count = 2,
                                   .schedulers = {{names, 3}, {names + 3, 3}}};
    struct engine *e = create(&(struct engine_config){0});

    ok(see(e, "default-scheduler") != 0, "without a word we are the default scheduler's");
    is_int(see(e, "one"), 0, "and no other's");
    ok(destroy(e), "all memory was given back");

    e = create(&config);
    memset(names, 'x', sizeof(names) - 1);
    ok(see(e, "one") != 0 && see(e, "two") != 0, "names are not the caller's any more");
    is_int(see(e, "default-scheduler"), 0, "who names schedulers names all of them");
    ok(destroy(e), "all memory was given back");
}

static void test_built_in(void)
{
    struct engine *e = create(&(struct engine_config){0});
    struct queue_report report;

    is_int(engine_count_queues(e), 2, "two queues are built in");
    engine_report_queue(e, engine_find_queue(e, QUEUE_VOLCANO, text_of("default")), &report);
    ok(report.known && report.leaf && text_is(report.parent, "root"), "default, below root");
    ok(see(e, "default-scheduler") != 0, "it takes pods without being told");
    engine_lose_queue(e, QUEUE_VOLCANO, text_of("default"));
    engine_lose_queue(e, QUEUE_VOLCANO, text_of("root"));
    is_int(engine_count_queues(e), 2, "neither goes with its object");
    is_str(engine_check(e), NULL, "and all is sound");
    ok(engine_find_queue(e, QUEUE_CLUSTER, text_of("default")) == 0, "a kind has its own names");
    ok(destroy(e), "all memory was given back");
}

static void test_limits(void)
{
    struct kit kit;

    kit_open(&kit, "maxPods=1 maxQueues=4");
    kit_do(&kit, "queue a; pod x queue=a");
    is_int(kit_try(&kit, "pod y queue=a"), ENGINE_FULL_PODS, "one pod more than there may be");
    is_int(kit_try(&kit, "pod y queue=new"), ENGINE_FULL_PODS, "in a queue that nobody has seen");
    is_int(kit_queue(&kit, "new"), 0, "which is not kept for it");
    kit_do(&kit, "queue b");
    is_int(kit_try(&kit, "queue c"), ENGINE_FULL_QUEUES, "one queue more");
    is_int(kit_try(&kit, "queue b parent=c"), 0, "a parent that nobody has seen is none");
    is_int(kit_try(&kit, "queue c"), ENGINE_FULL_QUEUES, "and has no place for being named");
    is_int(kit_try(&kit, "queue b cpu=3"), 0, "what is there may be edited");
    kit_do(&kit, "lose-queue b; queue c; lose-pod x; pod y queue=c");
    is_str(kit_granted(&kit), "y", "and what goes makes room");
    kit_close(&kit);
    kit_open(&kit, "maxQueues=1");
    is_int(kit_try(&kit, "pod x"), 0, "those built in are there whatever the limit");
    is_int(kit_try(&kit, "queue a"), ENGINE_FULL_QUEUES, "and count");
    kit_close(&kit);
}

/* Of a hundred that hold too much the search has found those that go first. */
static void test_limits_amid_demotion(void)
{
    struct kit kit;
    uint64_t before;

    kit_open(&kit, "maxPods=100 maxQueues=3");
    kit_do(&kit, "queue q cpu=100");
    for (int i = 0; i < 100; i++)
        kit_dof(&kit, "pod p%d queue=q cpu=1", i);
    is_int(kit_try(&kit, "queue q cpu=1"), 0, "a queue shrinks");
    ok(engine_more(kit.engine), "and not all has gone yet that must");
    before = engine_digest(kit.engine, true);
    is_int(kit_try(&kit, "pod x queue=new"), ENGINE_FULL_PODS, "a pod too many, of a new queue");
    is_int(kit_try(&kit, "queue low parent=high"), ENGINE_FULL_QUEUES, "a queue too many");
    ok(engine_digest(kit.engine, true) == before, "the search goes on where it was");
    kit_close(&kit);
}

static void test_root(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "pod a cpu=4611686018427387904");
    is_str(kit_granted(&kit), "a", "the root has no ceiling, if nobody says so");
    kit_close(&kit);

    kit_open(&kit, "root.gpu=2");
    kit_do(&kit, "queue q; queue root gpu=9; pod a queue=q gpu=1; pod b gpu=1; pod c gpu=1;"
                 "pod d cpu=9");
    is_str(kit_granted(&kit), "a b d", "amounts bound what they name, whatever an object says");
    kit_close(&kit);

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "pod a gpu=1; node n pods=9 cpu=8; pod b cpu=8");
    is_str(kit_granted(&kit), "b", "the cluster has what its nodes have");
    kit_close(&kit);
}

/* Each allocation of the opening fails once. */
static void test_no_memory(void)
{
    struct engine_config config = {.scheduler_count = 2,
                                   .schedulers = {text_of("one"), text_of("two")},
                                   .root_ceiling = ROOT_AMOUNTS};
    struct engine *e = NULL;
    bool clean = true;
    int error;
    long n = 0;

    config.root_amounts.count = 2;
    config.root_amounts.item[0] = (struct named_amount){text_of("cpu"), 5};
    config.root_amounts.item[1] = (struct named_amount){text_of("gpu"), 5};
    do {
        test_mem_init(&memory);
        memory.fail_at = ++n;
        error = engine_create(&config, &memory.mem, &e);
        if (error < 0)
            clean = clean && error == ENGINE_NO_MEMORY && e == NULL && test_mem_clean(&memory);
    } while (error < 0 && n < 1000);
    ok(clean && n > 10, "an opening that fails leaves nothing behind");
    ok(e != NULL && destroy(e), "all memory was given back");
    engine_destroy(NULL);
    ok(true, "to destroy nothing is nothing");
}

/* With all kinds of objects in all states. */
static void test_destroy(void)
{
    struct kit kit;

    kit_open(&kit, "guard=10 timeout=60 onAdmission");
    kit_do(&kit, "flavor f label=a:b toleration=t; node n cpu=4 label=a:b; cohort o; cohort lost;"
                 "cluster c parent=o group=cpu,memory flavor=f cpu=4 memory=3; queue p cpu=9;"
                 "queue q parent=p cpu=2; queue x parent=y; queue y parent=x; queue z parent=gone;"
                 "pod a queue=q cpu=2; pod b queue=q cpu=2 foreign; pod w queue=q cpu=1;"
                 "pod c cluster=c cpu=1 memory=1; pod d cluster=c cpu=9; pod u queue=nowhere;"
                 "pod n cluster=c cpu=1 node=n; pod s queue=q unschedulable");
    is_int(engine_count_pods(kit.engine), 8, "a world of its own");
    kit_close(&kit);
}

static void test_time(void)
{
    struct kit kit;

    kit_open(&kit, "");
    engine_set_time(kit.engine, 50);
    is_int(kit.engine->now, SECOND, "time does not go back");
    kit_do(&kit, "pod a");
    is_int(engine_next(kit.engine), 301 * SECOND, "the engine says when it must be called");
    ok(!engine_more(kit.engine), "and that it need not be before");
    engine_set_time(kit.engine, 301 * SECOND);
    ok(engine_more(kit.engine), "then it must");
    engine_tick(kit.engine);
    is_str(kit_state(&kit, "a"), "held", "which does what is due");
    kit_do(&kit, "lose-pod a");
    is_int(engine_next(kit.engine), 0, "without pods nothing ever is");
    kit_close(&kit);
}

int main(void)
{
    test_schedulers();
    test_built_in();
    test_limits();
    test_limits_amid_demotion();
    test_root();
    test_no_memory();
    test_destroy();
    test_time();
    return tap_done();
}
