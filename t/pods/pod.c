/* SPDX-License-Identifier: Apache-2.0 */

/* What follows from the sight of a pod: which claim is meant, whether there is one, and what
 * becomes of a grant when the pod changes. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void test_identity(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "queue q cpu=4; pod a uid=1 queue=q cpu=3 created=1; pod b queue=q cpu=3 created=2");
    kit_do(&kit, "pod a uid=2 queue=q cpu=3 created=3");
    is_str(kit_state(&kit, "1"), "", "a pod recreated under its name ends the one before");
    is_str(kit_state(&kit, "b"), "reserved", "whose room the next has");
    is_str(kit_state(&kit, "2"), "waiting", "the new one asks for itself");
    kit_do(&kit, "lose-pod 1; lose-pod nobody");
    is_str(kit_granted(&kit), "b", "losing who is not known is nothing");
    kit_do(&kit, "pod a uid=1 queue=q cpu=1 created=1");
    is_str(kit_state(&kit, "1"), "", "an older pod of a name does not come back");
    is_str(kit_state(&kit, "2"), "waiting", "nor disturb the newer one");
    kit_do(&kit, "pod a uid=1 queue=q cpu=1 created=1 finished; lose-pod b");
    is_str(kit_state(&kit, "2"), "reserved", "messages about another pod release nothing");
    kit_close(&kit);
}

static void test_versions(void)
{
    struct kit kit;
    uint64_t before;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; pod a queue=q cpu=3 version=7");
    kit_do(&kit, "pod a queue=q cpu=5 version=6");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "an old message says nothing");
    kit_do(&kit, "pod a queue=q cpu=3 version=5 finished; pod a queue=q version=5 deleted");
    is_str(kit_granted(&kit), "a", "also one that would end it");
    before = engine_digest(kit.engine, true);
    kit_do(&kit, "pod a queue=q cpu=3 version=7; pod a queue=q cpu=3 version=7");
    ok(engine_digest(kit.engine, true) == before, "the same message again changes nothing");
    kit_do(&kit, "pod a queue=q cpu=4 version=8");
    is_int(kit_usage(&kit, "q", "cpu"), 4, "a newer one counts");
    kit_close(&kit);
}

static void test_ends(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1; pod b queue=q cpu=1; pod c queue=q cpu=1;"
                 "pod d queue=q cpu=1");
    kit_do(&kit, "pod a queue=q cpu=1 deleted");
    is_str(kit_granted(&kit), "b", "deleted while it was not bound: its room is free");
    kit_do(&kit, "lose-pod a");
    is_str(kit_granted(&kit), "b", "and is not given back twice");
    kit_do(&kit, "pod b queue=q cpu=1 node=n; pod b queue=q cpu=1 node=n deleted");
    is_str(kit_granted(&kit), "b", "deleted while bound: it counts until it is gone");
    kit_do(&kit, "lose-pod b");
    is_str(kit_granted(&kit), "c", "then it does not");
    kit_do(&kit, "pod c queue=q cpu=1 node=n finished");
    is_str(kit_granted(&kit), "d", "finished, it counts no more");
    kit_do(&kit, "pod c queue=q cpu=1 node=n finished; lose-pod c");
    is_int(kit_usage(&kit, "q", "cpu"), 1, "nor is it counted twice");
    kit_close(&kit);
}

static void test_moves(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; queue p cpu=1; pod a queue=q cpu=2; pod w queue=q cpu=1;"
                 "pod b queue=p cpu=1; pod a queue=p cpu=2");
    is_str(kit_state(&kit, "a"), "waiting", "moved to another queue, it asks there");
    is_str(kit_state(&kit, "w"), "reserved", "and has left the first");
    kit_do(&kit, "queue p cpu=3");
    is_str(kit_granted(&kit), "a b w", "where it is granted like any other");
    kit_do(&kit, "pod a queue=nowhere cpu=2");
    is_str(kit_why(&kit, "a"), "QueueUnknown", "a queue that nobody has seen grants nothing");
    kit_do(&kit, "pod a queue=q cpu=2; lose-pod w");
    is_int(kit_queue(&kit, "nowhere"), 0, "and is forgotten with its last claim");
    is_str(kit_state(&kit, "a"), "reserved", "back again");
    kit_close(&kit);
}

static void test_resize(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=2; pod b queue=q cpu=3; pod a queue=q cpu=4");
    is_str(kit_granted(&kit), "a", "a grant that grows is kept while it fits");
    is_int(kit_usage(&kit, "q", "cpu"), 4, "for what it asks now");
    kit_do(&kit, "pod a queue=q cpu=1");
    is_str(kit_granted(&kit), "a b", "what it gives back is the next one's");
    kit_do(&kit, "pod a queue=q cpu=3");
    is_str(kit_state(&kit, "a"), "waiting", "one that no longer fits waits");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "and holds nothing");
    kit_do(&kit, "pod b queue=q cpu=3 node=n; pod b queue=q cpu=9 node=n");
    is_int(kit_usage(&kit, "q", "cpu"), 9, "a bound pod counts as large as it is");
    kit_close(&kit);
}

static void test_priority(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1; pod b queue=q cpu=1; pod c queue=q cpu=1");
    kit_do(&kit, "pod c queue=q cpu=1 priority=5");
    is_str(kit_waiting(&kit, "q"), "c b", "a priority moves who waits");
    kit_do(&kit, "pod a queue=q cpu=1 priority=-5");
    is_str(kit_granted(&kit), "a", "and takes nothing from who is granted");
    kit_close(&kit);
}

static void test_foreign_gates(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod x queue=q cpu=1; pod a queue=q cpu=1 foreign;"
                 "pod b queue=q cpu=1; pod c queue=q cpu=1");
    is_str(kit_waiting(&kit, "q"), "b c", "a foreign gate keeps a pod out of the line");
    kit_do(&kit, "pod a queue=q cpu=1");
    is_str(kit_waiting(&kit, "q"), "a b c", "it comes back at its original place");
    kit_do(&kit, "pod b queue=q cpu=1 group=g");
    is_str(kit_why(&kit, "b"), "GroupMissing", "so does a group that is not there");
    kit_close(&kit);
}

static void test_missing_claims(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod x queue=q cpu=1; pod a queue=q cpu=1 missing=claim/c;"
                 "pod b queue=q cpu=1; pod c queue=q cpu=1 missing=claim/c foreign");
    is_str(kit_waiting(&kit, "q"), "b", "a claim that is not there keeps a pod out of the line");
    is_str(kit_why(&kit, "a"), "ClaimMissing", "and is why");
    is_str(kit_why(&kit, "c"), "ForeignGate", "where no gate is");
    kit_do(&kit, "pod c queue=q cpu=1 missing=claim/c");
    is_str(kit_why(&kit, "c"), "ClaimMissing", "until that goes");
    kit_do(&kit, "pod a queue=q cpu=1");
    is_str(kit_waiting(&kit, "q"), "a b", "it comes back at its original place");
    kit_do(&kit, "pod x queue=q cpu=1 missing=claim/c");
    is_str(kit_granted(&kit), "a", "and who was granted, and lost it, gives its room back");
    kit_do(&kit, "pod a queue=q cpu=1 missing=claim/c node=n");
    is_str(kit_granted(&kit), "a", "unless it is bound");
    kit_close(&kit);
}

/* The annotation of the pod, else of its namespace, else `default`. */
/* A ClusterQueue says whose pods it is for; what it once granted stays granted. */
static void test_namespaces(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=2;"
                 "pod a cluster=c cpu=2 created=1 outside; pod b cluster=c cpu=1 created=2");
    is_str(kit_why(&kit, "a"), "NamespaceNotSelected", "a pod of another namespace is held");
    is_str(kit_granted(&kit), "b", "and blocks nobody");
    kit_do(&kit, "pod a cluster=c cpu=1 created=1; pod b cluster=c cpu=1 created=2 outside");
    is_str(kit_granted(&kit), "a b", "selected, it passes; who was granted keeps that");
    kit_do(&kit, "pod d cluster=c cpu=1 created=4; pod e cluster=c cpu=1 created=5;"
                 "pod d cluster=c cpu=1 created=4 outside; lose-pod a");
    is_str(kit_granted(&kit), "b e", "who waits, and is no longer selected, gets nothing");
    kit_do(&kit, "cluster c group=cpu flavor=f cpu=1");
    is_str(kit_granted(&kit), "b", "a shrink takes from the newest");
    kit_do(&kit, "cluster c group=cpu flavor=f cpu=0; cluster c group=cpu flavor=f cpu=2");
    is_str(kit_granted(&kit), "e", "who was demoted comes back only where it is selected");
    kit_do(&kit, "pod b cluster=c cpu=1 created=2");
    is_str(kit_granted(&kit), "b e", "then it does");
    kit_do(&kit, "queue q cpu=1; pod g queue=q cpu=1 outside");
    is_str(kit_why(&kit, "g"), "NamespaceNotSelected", "so does a queue of Volcano's");
    kit_do(&kit, "pod g queue=q cpu=1");
    is_str(kit_state(&kit, "g"), "reserved", "and takes a pod that it is for");
    kit_close(&kit);
}

static void test_groups_of_other_namespaces(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; group team min=2 queue=q outside;"
                 "pod a queue=q cpu=1 group=team; pod b queue=q cpu=1 group=team");
    is_str(kit_why(&kit, "a"), "NamespaceNotSelected", "a group's queue may not be for it");
    kit_do(&kit, "group team min=2 queue=q");
    is_str(kit_granted(&kit), "a b", "when it is, both are granted");
    kit_do(&kit, "group team min=2 queue=q outside");
    is_str(kit_granted(&kit), "a b", "and keep that when it is no longer");
    kit_do(&kit, "group late min=1 queue=q outside cpu=1");
    is_str(kit_granted(&kit), "a b", "no room is kept for members of one that may not use it");
    kit_close(&kit);
}

static void test_namespaces_after_a_restart(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=2;"
                 "pod a cluster=c cpu=1 bare stamp=5 outside; pod b cluster=c cpu=1 outside;"
                 "synced; lead");
    is_str(kit_granted(&kit), "a", "a restart leaves who was granted what it has");
    is_str(kit_why(&kit, "b"), "NamespaceNotSelected", "and grants others nothing");
    kit_close(&kit);
}

static void test_namespaces_of_groups(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=2; queue q cpu=2;"
                 "group team min=2; pod a cluster=c cpu=1 group=team;"
                 "pod b cluster=c cpu=1 group=team outside");
    is_str(kit_why(&kit, "a"), "GroupIncomplete", "one of two is not selected");
    kit_do(&kit, "pod b cluster=c cpu=1 group=team");
    is_str(kit_granted(&kit), "a b", "both are");
    kit_do(&kit, "group other min=0; pod g cluster=c cpu=1 group=other outside");
    is_str(kit_why(&kit, "g"), "NamespaceNotSelected", "a group without a queue changes nothing");
    kit_do(&kit, "group other min=0 queue=q");
    is_str(kit_state(&kit, "g"), "reserved", "one with a Volcano queue takes it there");
    kit_do(&kit, "lose-pod g; group other min=0 queue=q outside;"
                 "pod g cluster=c cpu=1 group=other");
    is_str(kit_why(&kit, "g"), "NamespaceNotSelected", "unless that is not for it");
    kit_do(&kit, "pod g cluster=c cpu=1 group=other outside; group other min=0 queue=q");
    is_str(kit_state(&kit, "g"), "reserved", "whatever its own queue says");
    kit_do(&kit, "lose-pod a; lose-pod b; pod a cluster=c cpu=1; group other min=0");
    is_str(kit_why(&kit, "g"), "NamespaceNotSelected", "and back");
    kit_close(&kit);
}

static void test_queue_names(void)
{
    struct pod_facts pod = {.uid = text_of("u"),
                            .space = text_of("s"),
                            .name = text_of("n"),
                            .scheduler = text_of("default-scheduler"),
                            .opted_in = true};
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; queue p");
    engine_see_pod(kit.engine, &pod);
    is_int(claim_queue(kit.engine, kit_claim(&kit, "u")), kit.engine->queues.default_queue,
           "default");
    pod.namespace_queue = text_of("p");
    engine_see_pod(kit.engine, &pod);
    is_int(claim_queue(kit.engine, kit_claim(&kit, "u")), kit_queue(&kit, "p"), "the namespace's");
    pod.queue = text_of("q");
    engine_see_pod(kit.engine, &pod);
    is_int(claim_queue(kit.engine, kit_claim(&kit, "u")), kit_queue(&kit, "q"), "its own");
    kit_close(&kit);
}

static void test_who_counts(void)
{
    struct pod_facts pod = {.uid = text_of("u"),
                            .space = text_of("s"),
                            .name = text_of("n"),
                            .scheduler = text_of("default-scheduler")};
    struct kit kit;

    kit_open(&kit, "");
    engine_see_pod(kit.engine, &pod);
    is_str(kit_state(&kit, "u"), "", "a pod that did not opt in is nothing");
    pod.node = text_of("node");
    engine_see_pod(kit.engine, &pod);
    is_str(kit_state(&kit, "u"), "allocated", "until it is bound: then it counts");
    pod.scheduler = text_of("other");
    engine_see_pod(kit.engine, &pod);
    is_str(kit_state(&kit, "u"), "", "of another scheduler it does not");
    kit_close(&kit);

    pod = (struct pod_facts){.uid = text_of("u"), .space = text_of("s"), .name = text_of("n")};
    kit_open(&kit, "manageAll");
    engine_see_pod(kit.engine, &pod);
    is_str(kit_state(&kit, "u"), "reserved", "where all are managed it asks like the others");
    pod.mirror = true;
    engine_see_pod(kit.engine, &pod);
    is_str(kit_state(&kit, "u"), "", "but for exempt pods");
    kit_close(&kit);
}

int main(void)
{
    test_identity();
    test_versions();
    test_ends();
    test_moves();
    test_resize();
    test_priority();
    test_foreign_gates();
    test_missing_claims();
    test_namespaces();
    test_namespaces_after_a_restart();
    test_namespaces_of_groups();
    test_groups_of_other_namespaces();
    test_queue_names();
    test_who_counts();
    return tap_done();
}
