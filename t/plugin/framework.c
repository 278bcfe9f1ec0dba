/* SPDX-License-Identifier: Apache-2.0 */

/* The scheduling framework's hooks: they may come early, late, twice, or for a pod that is not
 * ours. */
#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static struct verdict verdict;
static bool nodes_matter, unschedulable;

static struct verdict *pre_enqueue(struct kit *kit, const char *words)
{
    struct pod_facts pod;

    words_to_pod(words, &pod);
    pod.created = 50;
    is_int(engine_pre_enqueue(kit->engine, &pod, true, &verdict), 0, "pre_enqueue %s", words);
    return &verdict;
}

static struct verdict *pre_filter(struct kit *kit, const char *uid)
{
    engine_pre_filter(kit->engine, text_of(uid), &verdict, &nodes_matter, &unschedulable);
    return &verdict;
}

static struct verdict *reserve(struct kit *kit, const char *uid)
{
    engine_reserve(kit->engine, text_of(uid), false, &verdict);
    return &verdict;
}

static void test_strangers(void)
{
    struct removal_patch patch = {.gates = 3, .stamp = 7};
    struct kit kit;

    kit_open(&kit, "");
    ok(pre_filter(&kit, "x")->pass && !nodes_matter, "pre_filter passes who is not ours");
    ok(reserve(&kit, "x")->pass, "so does reserve");
    engine_post_filter(kit.engine, text_of("x"));
    kit_do(&kit, "unreserve x; bind x");
    engine_bind(kit.engine, text_of("x"), &patch);
    ok(patch.gates == 0 && patch.stamp == 0, "there is nothing to remove before it is bound");
    is_int(engine_count_pods(kit.engine), 0, "and nobody is made known by it");
    kit_close(&kit);
}

static void test_pre_enqueue(void)
{
    struct kit kit;
    uint64_t before;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4");
    ok(pre_enqueue(&kit, "a queue=q cpu=3 version=5")->pass, "it may come before the pod is seen");
    is_str(kit_state(&kit, "a"), "reserved", "and grants");
    before = engine_digest(kit.engine, true);
    ok(pre_enqueue(&kit, "a queue=q cpu=3 version=5")->pass, "asked again it says the same");
    ok(pre_enqueue(&kit, "a queue=q cpu=9 version=4")->pass, "also with an older pod");
    ok(engine_digest(kit.engine, true) == before, "and changes nothing");
    ok(!pre_enqueue(&kit, "a queue=q cpu=9 version=6")->pass, "a newer pod is taken as it is");

    pre_enqueue(&kit, "b uid=b2 queue=q cpu=1");
    kit_do(&kit, "pod b uid=b3 queue=q cpu=1 created=60");
    ok(!pre_enqueue(&kit, "b uid=b2 queue=q cpu=1")->pass, "a pod whose name another one has");
    is_str(reason_name(verdict.reason), "NotReady", "must not pass any more");
    is_str(verdict.message, "a newer pod of this name was seen", "and is told why");
    kit_close(&kit);
}

static bool knows(struct kit *kit, const char *uid, int64_t version)
{
    return engine_pre_enqueue_known(kit->engine, text_of(uid), version, true, &verdict);
}

static void test_pre_enqueue_known(void)
{
    struct verdict said;
    struct kit kit;
    uint64_t before;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3 version=5; pod n queue=q cpu=1 bare");
    said = *pre_enqueue(&kit, "b queue=q cpu=3 version=7");
    before = engine_digest(kit.engine, true);
    ok(knows(&kit, "b", 7), "who was shown is known");
    ok(!verdict.pass && verdict.reason == said.reason, "and is told the same again,");
    is_str(verdict.message, said.message, "in the same words");
    ok(knows(&kit, "b", 6), "also at an older version");
    ok(engine_digest(kit.engine, true) == before, "and nothing changes");
    ok(!knows(&kit, "b", 8) && !knows(&kit, "b", 0), "not at a newer one, or at none");
    ok(!knows(&kit, "c", 1), "nor a stranger");
    ok(!knows(&kit, "n", 1), "nor who was shown without a version");
    ok(engine_digest(kit.engine, true) == before, "who is not known changes nothing either");

    kit_do(&kit, "lose-pod a");
    ok(knows(&kit, "b", 7) && verdict.pass, "granted, it passes");
    is_int(outbox_pending(engine_outbox(kit.engine)), 0,
           "and need not be told, since it has just asked");
    kit_do(&kit, "lose-pod b");
    ok(!knows(&kit, "b", 7), "who is gone is not known");
    kit_close(&kit);
}

static void test_without_words(void)
{
    struct pod_facts pod;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1");
    words_to_pod("b queue=q cpu=1", &pod);
    pod.created = 50;
    engine_pre_enqueue(kit.engine, &pod, false, &verdict);
    ok(!verdict.pass && verdict.reason == REASON_QUEUE_CAPACITY, "a reason without words");
    is_str(verdict.message, "", "has no message");
    kit_close(&kit);
}

static void test_foreign_gates(void)
{
    struct pod_facts pod;
    struct kit kit;

    words_to_pod("u bare foreign", &pod);
    pod.opted_in = false;
    kit_open(&kit, "");
    engine_pre_enqueue(kit.engine, &pod, true, &verdict);
    ok(!verdict.pass && verdict.reason == REASON_FOREIGN_GATE,
       "without the in-tree plugin we hold every pod with a foreign gate");
    ok(verdict.message[0] != '\0', "and say so");
    engine_pre_enqueue(kit.engine, &pod, false, &verdict);
    ok(!verdict.pass && verdict.message[0] == '\0', "to who asks for words");
    kit_close(&kit);

    kit_open(&kit, "onAdmission");
    engine_pre_enqueue(kit.engine, &pod, true, &verdict);
    ok(verdict.pass, "beside it those that are not managed are its business");
    kit_close(&kit);
}

static void test_pre_filter(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3; pod b queue=q cpu=3");
    ok(pre_filter(&kit, "a")->pass, "a granted pod passes");
    ok(!nodes_matter, "and any node will do");
    ok(!pre_filter(&kit, "b")->pass, "one that waits does not");
    is_str(reason_name(verdict.reason), "QueueCapacity", "for its queue's sake");
    kit_do(&kit, "queue q cpu=2");
    ok(!pre_filter(&kit, "a")->pass, "nor one that was demoted since it passed PreEnqueue");
    ok(!reserve(&kit, "a")->pass, "reserve refuses it as well");
    is_str(kit_state(&kit, "a"), "waiting", "and gives it nothing");
    kit_close(&kit);

    kit_open(&kit, "");
    kit_do(&kit, "flavor spot label=kind:spot; cluster c group=cpu flavor=spot cpu=4;"
                 "pod a cluster=c cpu=1");
    ok(pre_filter(&kit, "a")->pass && nodes_matter, "a flavor with labels makes nodes matter");
    kit_close(&kit);
}

static void test_reserve(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3");
    ok(reserve(&kit, "a")->pass && reserve(&kit, "a")->pass, "reserve may come twice");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "and counts once");
    kit_do(&kit, "queue q cpu=1");
    is_str(kit_state(&kit, "a"), "allocated", "past it, a shrinking ceiling takes nothing away");
    kit_do(&kit, "unreserve a");
    is_str(kit_state(&kit, "a"), "waiting", "before it again, the ceiling holds");
    kit_do(&kit, "unreserve a; queue q cpu=3");
    is_str(kit_state(&kit, "a"), "reserved", "and room is given to it as to others");
    kit_do(&kit, "reserve a; queue q cpu=3 suspended");
    ok(reserve(&kit, "a")->pass, "on its way to a node, a suspended queue stops it no more");
    kit_close(&kit);
}

/* A scheduler may take a pod that has its node through a cycle once more: one whose resize does not
 * fit there. */
static void test_bound(void)
{
    static const char *const grown = "a queue=q cpu=6 node=n bare version=3";
    struct kit kit;
    bool allow;
    int64_t until;

    kit_open(&kit, "answers");
    kit_do(&kit, "queue q cpu=4; group g min=2; pod a queue=q cpu=1 group=g node=n bare version=2;"
                 "pod b queue=q cpu=1 group=g; queue q cpu=4 suspended");
    ok(pre_enqueue(&kit, grown)->pass, "a bound pod is never held, whatever its queue says");
    is_int(kit_usage(&kit, "q", "cpu"), 6, "what it asks for by now counts");
    ok(pre_filter(&kit, "a")->pass, "nor does a later hook refuse it");
    ok(reserve(&kit, "a")->pass, "nor reserve");
    allow = engine_permit(kit.engine, text_of("a"), &until);
    ok(allow, "it waits for nobody in Permit");
    kit_do(&kit, "unreserve a");
    is_str(kit_state(&kit, "a"), "allocated", "and where its cycle fails it keeps what it has");
    is_int(kit_usage(&kit, "q", "cpu"), 6, "all of it");
    kit_close(&kit);
}

static void test_bind(void)
{
    struct removal_patch patch;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "flavor spot label=kind:spot; cluster c group=cpu,memory flavor=spot cpu=4 memory=9;"
           "time 7; pod a cluster=c cpu=1 memory=2 generation=6; reserve a");
    engine_bind(kit.engine, text_of("a"), &patch);
    is_int(patch.gates, GATE_LONG, "the gate that it carries goes");
    is_int(patch.generation, 6, "of the spec that was seen");
    is_int(patch.stamp, 7 * SECOND, "with the time of the grant");
    is_int(patch.flavor_count, 1, "each flavor that asks for something once");
    is_int(patch.flavors[0], kit_flavor(&kit, "spot/"), "by its number");
    is_int(patch.pair_count, 2, "and for each resource its name");
    kit_do(&kit, "pod a cluster=c cpu=1 memory=2 generation=7 bare stamp=7000000000");
    engine_bind(kit.engine, text_of("a"), &patch);
    is_int(patch.gates, 0, "no gate, nothing to remove");
    kit_do(&kit, "bind a");
    is_str(kit_state(&kit, "a"), "allocated", "bound");
    kit_close(&kit);
}

static void test_observe_only(void)
{
    struct removal_patch patch;
    struct kit kit;

    kit_open(&kit, "observe");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1; pod b queue=q cpu=1 unschedulable;"
                 "pod f queue=q cpu=1 foreign");
    ok(pre_enqueue(&kit, "b queue=q cpu=1 created=2")->pass && !verdict.would,
       "who only observes holds nobody, and says what it would do");
    is_int(verdict.reason, REASON_NONE, "who passes has no reason");
    is_str(verdict.message, "", "and no message");
    ok(pre_filter(&kit, "b")->pass && reserve(&kit, "b")->pass, "in no hook");
    is_int(verdict.reason, REASON_NONE, "nor a reason there");
    is_str(verdict.message, "", "nor a message");
    is_str(kit_state(&kit, "b"), "waiting", "but decides as if it did");
    engine_bind(kit.engine, text_of("a"), &patch);
    is_int(patch.gates, 0, "it removes nothing");
    is_int(outbox_pending(engine_outbox(kit.engine)), 0, "and asks for nothing");
    kit_do(&kit, "time 1000");
    is_str(kit_granted(&kit), "a", "nor does a grant run out that nobody can use");
    kit_close(&kit);
}

int main(void)
{
    test_strangers();
    test_pre_enqueue();
    test_pre_enqueue_known();
    test_without_words();
    test_foreign_gates();
    test_pre_filter();
    test_reserve();
    test_bound();
    test_bind();
    test_observe_only();
    return tap_done();
}
