/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/outbox.h"
#include "plugin/pods/let_go.h"

#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

static struct kit kit;

/* Asks for a pod in PreEnqueue; opted: it still names its queue. */
static bool passes(const char *uid, bool opted)
{
    struct verdict verdict;
    struct pod_facts pod = {
        .uid = text_of(uid),
        .space = text_of("s"),
        .name = text_of(uid),
        .created = 1,
        .opted_in = opted,
        .queue = text_of(opted ? "q" : ""),
        .gates = {.ours = opted ? GATE_LONG : 0},
    };

    engine_pre_enqueue(kit.engine, &pod, true, &verdict);
    return verdict.pass;
}

static void leave(const char *uid)
{
    struct pod_facts pod = {
        .uid = text_of(uid), .space = text_of("s"), .name = text_of(uid), .created = 1};

    engine_see_pod(kit.engine, &pod);
    kit_work_off(&kit);
}

static const char *next_effect(int64_t *ret_id)
{
    struct effect effect;

    *ret_id = 0;
    while (outbox_next(engine_outbox(kit.engine), &effect) > 0) {
        outbox_lease(engine_outbox(kit.engine), &effect, 0);
        *ret_id = effect.id;
        if (effect.object == EFFECT_OF_POD)
            return effect.kind == EFFECT_ACTIVATE       ? "activate"
                   : effect.kind == EFFECT_REMOVE_GATES ? "removeGates"
                                                        : "another";
    }
    return "none";
}

static void test_opts_out(void)
{
    int64_t id;

    kit_open(&kit, "");
    kit_do(&kit, "queue q closed");
    ok(!passes("a", true), "who waits is held");
    leave("a");
    is_int(engine_find_pod(kit.engine, text_of("a")), 0, "who leaves the queues makes no claim");
    is_str(next_effect(&id), "activate", "but the scheduler is told");
    outbox_ack(engine_outbox(kit.engine), id, EFFECT_DONE, 0);
    engine_tick(kit.engine);
    is_int(slab_count(&kit.engine->claims.records), 0, "and that is all");
    kit_close(&kit);
}

static void test_looks_by_itself(void)
{
    int64_t id;

    kit_open(&kit, "");
    kit_do(&kit, "queue q closed");
    passes("a", true);
    leave("a");
    ok(passes("a", false), "the scheduler may look before it is told");
    is_str(next_effect(&id), "none", "then it need not be told");
    is_int(slab_count(&kit.engine->claims.records), 0, "and nothing is left");
    kit_close(&kit);
}

static void test_comes_back(void)
{
    int64_t id;

    kit_open(&kit, "");
    kit_do(&kit, "queue q closed");
    passes("a", true);
    leave("a");
    ok(!passes("a", true), "who opts in again is held again");
    is_str(next_effect(&id), "none", "and not told anything");
    leave("a");
    kit_do(&kit, "lose-pod a");
    is_str(next_effect(&id), "none", "nor who is gone");
    kit_close(&kit);
}

static void test_leaves_its_gang(void)
{
    int64_t id;

    kit_open(&kit, "");
    kit_do(&kit, "queue q closed; group g min=2 queue=q");
    ok(!passes("b", true), "a pod is there");
    kit_do(&kit, "pod b group=g cpu=1; pod c group=g cpu=1");
    leave("b");
    is_str(next_effect(&id), "activate", "also who leaves a group is told");
    is_int(engine_find_pod(kit.engine, text_of("b")), 0, "and is none of its members");
    kit_close(&kit);
}

static void test_never_held(void)
{
    int64_t id;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1");
    leave("a");
    is_int(slab_count(&kit.engine->claims.records), 0,
           "whom the scheduler does not hold just goes");
    is_str(next_effect(&id), "none", "and nobody is told");
    kit_close(&kit);
}

static void test_lead_is_lost(void)
{
    int64_t id;

    kit_open(&kit, "");
    kit_do(&kit, "queue q closed");
    passes("a", true);
    leave("a");
    kit_do(&kit, "follow; lead");
    is_str(next_effect(&id), "activate", "who leads again tells the scheduler");
    kit_close(&kit);
}

/* What gives back at once rests for a second (rest.h): in this life only. */
static void test_does_not_rest(void)
{
    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q within=lower cpu=2; pod runs queue=q cpu=1 priority=9 node=n;"
                 "pod low queue=q cpu=1; pod first queue=q cpu=1 priority=1");
    is_str(kit_granted(&kit), "first runs", "a pod gave its room back");
    leave("low");
    kit_do(&kit, "pod low queue=q cpu=1 node=n");
    is_str(kit_victims(&kit), "low>first", "and left the queues: when it comes back, it may go");
    kit_close(&kit);
}

static void test_leaves_its_queue(void)
{
    struct queue_report report;

    kit_open(&kit, "writes");
    kit_do(&kit, "queue q cpu=1 createSuspended");
    passes("a", true);
    kit_do(&kit, "command c q CloseQueue");
    engine_report_queue(kit.engine, kit_queue(&kit, "q"), &report);
    ok(text_is(report.state, "Closing") && report.reserved == 1,
       "a queue that closes waits for who is in it");
    leave("a");
    engine_report_queue(kit.engine, kit_queue(&kit, "q"), &report);
    is_int(report.held + report.waiting, 0, "no queue counts who left");
    ok(text_is(report.state, "Closed"), "nor waits for who is let go");
    kit_close(&kit);
}

/* As if nothing had been known of it: its object says that it was granted. */
static void test_comes_back_granted(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4 suspended");
    passes("a", true);
    leave("a");
    kit_do(&kit, "pod a queue=q cpu=1 stamp=5 bare created=1");
    is_str(kit_state(&kit, "a"), "reserved", "who comes back with a stamp has its reservation");
    kit_close(&kit);
}

/* It was granted in a queue that nobody had seen, where nothing was counted. */
static void test_comes_back_without_flavors(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "pod a cluster=c bare stamp=5 grantedCluster=c created=1");
    is_str(kit_state(&kit, "a"), "reserved", "what its stamp says is believed");
    kit_do(&kit, "follow");
    leave("a");
    kit_do(&kit, "pod a cluster=c bare unschedulable created=1;"
                 "cluster c group=pods flavor=f pods=4; lead");
    is_str(kit_state(&kit, "a"), "waiting", "but who comes back needs a flavor that there is");
    kit_close(&kit);
}

/* It had a node before it had flavors: they were guessed. When it comes back its object names
 * one. */
static void test_comes_back_with_a_flavor(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "flavor f; flavor g; cluster c; cluster d; pod a cluster=c bare created=1;"
                 "pod a cluster=d bare created=1; reserve a; time 1; pod a bare created=1");
    leave("a");
    kit_do(&kit, "cluster e group=memory flavor=f memory=4 flavor=g memory=0; time 5;"
                 "pod a cluster=e bare memory=4 unschedulable stamped=memory=g created=1");
    is_int(claim_at(kit.engine, kit_claim(&kit, "a"))->stamp, 5 * SECOND,
           "in which there is no room: it is granted another one now, as a newcomer");
    kit_close(&kit);
}

/* Only PreEnqueue has named it, but for as long as any other. */
static void test_never_seen(void)
{
    struct verdict verdict;
    struct pod_facts pod = {.uid = text_of("a"),
                            .space = text_of("s"),
                            .name = text_of("a"),
                            .created = 1,
                            .gates = {.foreign = 1, .a_foreign = text_of("x")}};

    kit_open(&kit, "");
    kit_do(&kit, "queue q closed");
    passes("a", true);
    engine_pre_enqueue(kit.engine, &pod, true, &verdict);
    is_int(slab_count(&kit.engine->claims.records), 1, "another's gate holds who left");
    kit_do(&kit, "time 70");
    is_int(slab_count(&kit.engine->claims.records), 0, "whose object never comes is forgotten");
    passes("b", true);
    pod.uid = pod.name = text_of("b");
    engine_see_pod(kit.engine, &pod);
    kit_do(&kit, "time 140");
    is_int(slab_count(&kit.engine->claims.records), 1, "and not whose object says that it left");
    kit_close(&kit);
}

/* What the scheduler was told before it looked says nothing of what it saw. */
static void test_looks_in_between(void)
{
    struct verdict verdict;
    struct pod_facts pod = {.uid = text_of("a"),
                            .space = text_of("s"),
                            .name = text_of("a"),
                            .created = 1,
                            .gates = {.foreign = 1, .a_foreign = text_of("x")}};
    int64_t id;

    kit_open(&kit, "");
    kit_do(&kit, "queue q closed");
    passes("a", true);
    leave("a");
    is_str(next_effect(&id), "activate", "the scheduler is being told");
    engine_pre_enqueue(kit.engine, &pod, true, &verdict);
    ok(!verdict.pass, "when it looks, and another's gate holds the pod");
    outbox_ack(engine_outbox(kit.engine), id, EFFECT_DONE, 0);
    is_str(next_effect(&id), "activate", "so it is told once more");
    kit_close(&kit);
}

int main(void)
{
    test_opts_out();
    test_looks_by_itself();
    test_comes_back();
    test_leaves_its_gang();
    test_never_held();
    test_lead_is_lost();
    test_does_not_rest();
    test_leaves_its_queue();
    test_comes_back_granted();
    test_comes_back_without_flavors();
    test_comes_back_with_a_flavor();
    test_never_seen();
    test_looks_in_between();
    return tap_done();
}
