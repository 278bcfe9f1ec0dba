/* SPDX-License-Identifier: Apache-2.0 */

/* Which queue stops a claim, and whose doing that is; whose turn it is in it; what it never has. */
#include "plugin/telling/explain_queue.h"

#include "plugin/base/sentence.h"
#include "plugin/state.h"
#include "plugin/telling/explain.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static void stops(const char *words, const char *pod, const char *reason, const char *message)
{
    char out[VERDICT_MESSAGE_MAX];
    struct sentence say = sentence_in(out, sizeof(out));
    enum reason is;
    struct kit kit;
    uint32_t queue;

    kit_open(&kit, "");
    kit_do(&kit, words);
    queue = claim_queue(kit.engine, kit_claim(&kit, pod));
    is = queue_stops(kit.engine, queue);
    explain_halt(&say, kit.engine, queue, is);
    is_str(reason_name(is), reason, "%s: the reason", message);
    is_str(out, message, "and the words");
    kit_close(&kit);
}

static void test_not_selected(void)
{
    char out[VERDICT_MESSAGE_MAX];
    struct sentence say = sentence_in(out, sizeof(out));
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; pod a queue=q cpu=1");
    explain_not_selected(&say, kit.engine, claim_queue(kit.engine, kit_claim(&kit, "a")),
                         claim_at(kit.engine, kit_claim(&kit, "a"))->space);
    is_str(out, "queue q is not for namespace default", "for whom it is not");
    kit_close(&kit);
}

/* Whose turn it is, in words that name nobody of another namespace. */
static void waits_behind(struct workload_kit *kit, const char *uid, const char *message)
{
    struct verdict verdict = {0};

    explain_claim(kit->kit.engine, kit_claim(&kit->kit, uid), true, &verdict);
    is_str(reason_name(verdict.reason), "QueueOrder", "%s waits for its turn", uid);
    is_str(verdict.message, message, "%s is told whose it is", uid);
}

static void test_turn(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "queue s strict cpu=1; pod a queue=s cpu=2; pod b queue=s cpu=1; "
                          "pod tenant queue=s namespace=other");
    waits_behind(&kit, "b", "its turn comes after default/a, the head of queue s");
    waits_behind(&kit, "tenant", "its turn comes after UID a, the head of queue s");
    workload_kit_do(&kit, "flavor f; cluster c strict group=cpu flavor=f cpu=1; local l cluster=c; "
                          "add w queue=l cpu=2 created=1; pod p cluster=c cpu=1 second=2");
    waits_behind(&kit, "p", "its turn comes after workload default/w, the head of cluster queue c");
    workload_kit_do(&kit, "pod stranger cluster=c cpu=1 second=3 namespace=other");
    waits_behind(&kit, "stranger",
                 "its turn comes after workload UID w, the head of cluster queue c");
    workload_kit_close(&kit);
    workload_kit_open(&kit, "guard=10");
    workload_kit_do(&kit, "queue p cpu=4; queue q parent=p; queue o parent=p; pod u queue=q cpu=1; "
                          "pod big queue=q cpu=4; pod w queue=q cpu=1; time 11; "
                          "pod n queue=o cpu=1; pod tenant queue=o cpu=1 namespace=other");
    waits_behind(&kit, "n", "its turn comes after default/big, the head of queue q");
    waits_behind(&kit, "tenant", "its turn comes after UID big, the head of another queue");
    workload_kit_close(&kit);
}

/* Why something can never be granted: which amount of whose is too much for which queue. */
static void is_never(const char *words, const char *pod, const char *message, const char *what)
{
    char out[VERDICT_MESSAGE_MAX];
    struct sentence say = sentence_in(out, sizeof(out));
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, words);
    explain_never(&say, kit.engine, kit_claim(&kit, pod));
    is_str(out, message, "%s", what);
    kit_close(&kit);
}

static void test_never(void)
{
    is_never("queue p cpu=1; queue q parent=p cpu=9; pod used queue=q cpu=1; pod a queue=q cpu=2",
             "a", "the pod asks for 2m cpu, and queue p may never have more than 1m",
             "the queue above, whatever is used");
    is_never("queue p cpu=9; queue q parent=p cpu=3; pod a queue=q cpu=4", "a",
             "the pod asks for 4m cpu, and queue q may never have more than 3m",
             "the queue itself");
    is_never(
        "flavor f; cluster c group=cpu,pods flavor=f cpu=3 pods=9; pod a cluster=c cpu=1 gpu=1",
        "a", "the pod asks for 1 gpu, and cluster queue c may never have more than 0",
        "a resource that nobody gave it");
    is_never(
        "flavor f; flavor g; cluster c group=cpu,memory,pods flavor=f cpu=3 memory=1 pods=9 "
        "flavor=g cpu=1 memory=3 pods=9; pod a cluster=c cpu=2 memory=2",
        "a",
        "the pod asks for more of some resource than any one flavor of cluster queue c may ever "
        "have beside the others",
        "each resource fits, but nowhere both");
    is_never(
        "queue p cpu=9 memory=9; queue q parent=p cpu=9 memory=1; pod a queue=q cpu=1 memory=2",
        "a", "the pod asks for 2 memory, and queue q may never have more than 1",
        "the resource that is too much");
}

int main(void)
{
    stops("pod a queue=q cpu=1", "a", "QueueUnknown", "queue q does not exist");
    stops("queue q parent=p; pod a queue=q cpu=1", "a", "QueueUnknown", "queue p does not exist");
    stops("queue p; queue q parent=p; pod a queue=p cpu=1", "a", "QueueInactive",
          "queue p has queues below it: only leaves hold pods");
    stops("queue p state=Suspended; queue q parent=p; pod a queue=q cpu=1", "a", "QueueSuspended",
          "queue p is suspended");
    stops("queue q state=Closed; pod a queue=q cpu=1", "a", "QueueClosed", "queue q is closed");
    test_not_selected();
    test_turn();
    test_never();
    return tap_done();
}
