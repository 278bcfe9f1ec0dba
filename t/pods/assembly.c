/* SPDX-License-Identifier: Apache-2.0 */

/* Gangs on nodes: one at a time, all together. */
#include "plugin/pods/assembly.h"
#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

#include <stdio.h>
#include <string.h>

/* Effects that were drained and acknowledged, as "kind uid" or "allow uid", "reject uid". */
static char told[4096];

static const char *drain(struct kit *kit)
{
    static const char *const kinds[] = {"activate", "removeGates", "setCondition", NULL};
    struct effect effect;
    size_t len = 0;

    told[0] = '\0';
    while (outbox_next(engine_outbox(kit->engine), &effect) > 0) {
        const char *kind = effect.kind == EFFECT_ANSWER_PERMIT ? effect.allow ? "allow" : "reject"
                                                               : kinds[effect.kind];

        len += (size_t)snprintf(told + len, sizeof(told) - len, "%s%s %.*s", len > 0 ? ", " : "",
                                kind, (int)effect.uid.len, effect.uid.at);
        outbox_lease(engine_outbox(kit->engine), &effect, 0);
        outbox_ack(engine_outbox(kit->engine), effect.id, EFFECT_DONE, 0);
        kit_work_off(kit);
        is_str(engine_check(kit->engine), NULL, "sound after an ack");
    }
    return told;
}

static const char *pre_enqueue(struct kit *kit, const char *words)
{
    struct verdict verdict;
    struct pod_facts pod;

    words_to_pod(words, &pod);
    pod.created = claim_at(kit->engine, kit_claim(kit, words))->queued;
    engine_pre_enqueue_known(kit->engine, pod.uid, 1, false, &verdict);
    return verdict.pass ? "pass" : reason_name(verdict.reason);
}

/* One cycle of the scheduler, up to Permit: what comes of it. */
static const char *cycle(struct kit *kit, const char *uid, bool fits)
{
    bool nodes, unschedulable, allow;
    struct verdict verdict;
    int64_t until;

    engine_pre_filter(kit->engine, text_of(uid), &verdict, &nodes, &unschedulable);
    if (!verdict.pass)
        return unschedulable ? "no nodes for the gang" : "refused";
    if (!fits) {
        engine_post_filter(kit->engine, text_of(uid));
        is_str(engine_check(kit->engine), NULL, "sound after PostFilter");
        return "no node";
    }
    engine_reserve(kit->engine, text_of(uid), false, &verdict);
    if (!verdict.pass)
        return "not reserved";
    allow = engine_permit(kit->engine, text_of(uid), &until);
    is_str(engine_check(kit->engine), NULL, "sound after Permit");
    if (!allow)
        ok(until > 0, "a wait has an end");
    return allow ? "goes" : "waits";
}

static void open_two(struct kit *kit)
{
    kit_open(kit, "answers");
    kit_do(kit, "queue q cpu=9; group g min=2; group h min=2;"
                "pod a0 queue=q cpu=1 group=g version=1; pod a1 queue=q cpu=1 group=g version=1;"
                "pod b0 queue=q cpu=1 group=h version=1; pod b1 queue=q cpu=1 group=h version=1");
    is_str(kit_granted(kit), "a0 a1 b0 b1", "both are granted");
}

static void test_together(void)
{
    struct kit kit;

    open_two(&kit);
    is_str(pre_enqueue(&kit, "b0"), "GroupTurn", "the second waits for the first");
    is_str(pre_enqueue(&kit, "a0"), "pass", "which has its turn");
    is_str(cycle(&kit, "a0", true), "waits", "the first member waits in Permit");
    is_str(drain(&kit), "activate a1", "its sibling is activated");
    is_str(cycle(&kit, "b0", true), "refused", "the other gang gets no node meanwhile");
    is_str(cycle(&kit, "a1", true), "goes", "the last member goes at once");
    is_str(drain(&kit), "allow a0, activate b0", "and lets the others go; then the next gang");
    is_str(cycle(&kit, "b0", true), "waits", "whose first waits");
    is_str(drain(&kit), "activate b1", "for its sibling");
    is_str(cycle(&kit, "b1", true), "goes", "and so on");
    is_str(drain(&kit), "allow b0", "until all went");
    kit_do(&kit, "bind a0; bind a1; bind b0; bind b1; lose-pod b1;"
                 "pod b2 queue=q cpu=1 group=h version=1");
    is_str(cycle(&kit, "b2", true), "goes", "one that takes another's place waits for nobody");
    kit_close(&kit);
}

static void test_no_node(void)
{
    struct kit kit;

    open_two(&kit);
    is_str(pre_enqueue(&kit, "b1"), "GroupTurn", "the second waits");
    is_str(cycle(&kit, "a0", true), "waits", "one has a node");
    drain(&kit);
    is_str(cycle(&kit, "a1", false), "no node", "the other finds none");
    is_str(drain(&kit), "reject a0, removeGates a1", "both are to be seen by the autoscaler");
    is_str(cycle(&kit, "b0", true), "refused", "its node is not free yet");
    kit_do(&kit, "unreserve a0");
    is_str(kit_state(&kit, "a0"), "reserved", "the gang keeps its place in the queue");
    is_str(drain(&kit), "removeGates a0, activate b1", "now the next has its turn");
    is_str(pre_enqueue(&kit, "a0"), "GroupBackoff", "the first one backs off");
    is_str(cycle(&kit, "a0", true), "no nodes for the gang", "and says why");
    is_str(cycle(&kit, "b0", true), "waits", "the second assembles");
    kit_do(&kit, "time 3; node n cpu=9");
    is_str(pre_enqueue(&kit, "a0"), "GroupTurn", "then only its turn is waited for");
    is_str(cycle(&kit, "b1", true), "goes", "the second is complete");
    is_str(drain(&kit), "allow b0, activate a0, activate a1", "the first is looked at again");
    is_str(cycle(&kit, "a1", true), "waits", "with a new node");
    is_str(cycle(&kit, "a0", true), "goes", "it is complete");
    kit_close(&kit);
}

static void test_all_are_told(void)
{
    struct kit kit;

    kit_open(&kit, "answers");
    kit_do(&kit, "queue q cpu=9; group g min=3; pod a queue=q cpu=1 group=g version=1;"
                 "pod b queue=q cpu=1 group=g version=1; pod c queue=q cpu=1 group=g version=1");
    is_str(cycle(&kit, "a", false), "no node", "the first finds no node");
    is_str(drain(&kit), "removeGates a, activate b, activate c, removeGates b, removeGates c",
           "all lose their gates, and those that were not tried are asked for");
    is_str(pre_enqueue(&kit, "b"), "pass", "they pass");
    is_str(cycle(&kit, "b", true), "no nodes for the gang", "to hear that there are no nodes");
    is_str(pre_enqueue(&kit, "b"), "GroupBackoff", "once");
    kit_close(&kit);
}

static void test_time_is_over(void)
{
    struct kit kit;

    open_two(&kit);
    is_str(cycle(&kit, "a0", true), "waits", "one waits");
    pre_enqueue(&kit, "b0");
    drain(&kit);
    kit_do(&kit, "time 62");
    is_str(drain(&kit), "reject a0", "the other never came");
    kit_do(&kit, "unreserve a0");
    is_str(drain(&kit), "activate b0", "the next gang has its turn");
    kit_do(&kit, "lose-pod b0");
    is_str(kit_granted(&kit), "a0 a1", "which is whole no more");
    is_str(cycle(&kit, "a1", true), "refused", "the first backs off");
    kit_do(&kit, "time 64");
    is_str(drain(&kit), "activate a0, activate a1", "and comes back");
    kit_close(&kit);
}

static void test_suspended(void)
{
    struct kit kit;

    open_two(&kit);
    is_str(cycle(&kit, "a0", true), "waits", "one waits");
    kit_do(&kit, "queue q cpu=9 suspended");
    is_str(drain(&kit), "reject a0", "a suspended queue keeps no node");
    kit_do(&kit, "unreserve a0; queue q cpu=9; time 3");
    is_str(cycle(&kit, "b0", true), "waits", "the next in line goes on when it is resumed");
    kit_do(&kit, "follow");
    is_str(drain(&kit), "", "without the lease nobody is answered");
    kit_do(&kit, "lead");
    kit_close(&kit);
}

static void test_one_leaves(void)
{
    struct kit kit;

    open_two(&kit);
    is_str(cycle(&kit, "a0", true), "waits", "the first member waits in Permit");
    kit_do(&kit, "pod a0 queue=q cpu=1 version=2");
    ok(strstr(drain(&kit), "allow a0") != NULL, "who has left its gang waits for nobody: %s", told);
    kit_close(&kit);
}

static void test_hosts_that_cannot_wait(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; group g min=2; pod a queue=q cpu=1 group=g;"
                 "pod b queue=q cpu=1 group=g");
    is_str(cycle(&kit, "a", true), "goes", "nobody waits whom nobody could let go");
    kit_close(&kit);
}

/* Nodes that were not there for a reservation that it lost are no news of the next one. */
static void test_granted_anew(void)
{
    struct kit kit;

    kit_open(&kit, "answers");
    kit_do(&kit, "queue q cpu=2; group g min=2; pod a0 queue=q cpu=1 group=g version=1;"
                 "pod a1 queue=q cpu=1 group=g version=1");
    is_str(cycle(&kit, "a0", false), "no node", "a member finds none");
    is_str(cycle(&kit, "a1", true), "no nodes for the gang", "and the other one hears it");
    kit_do(&kit, "queue q cpu=1");
    is_str(kit_granted(&kit), "", "it gives back");
    kit_do(&kit, "queue q cpu=2");
    is_str(kit_granted(&kit), "a0 a1", "and is granted anew");
    is_str(cycle(&kit, "a0", true), "refused", "before its turn it waits");
    kit_do(&kit, "time 9");
    is_str(cycle(&kit, "a0", true), "waits", "when it has its turn");
    is_str(cycle(&kit, "a1", true), "goes", "and nobody is told what was");
    kit_close(&kit);
}

int main(void)
{
    test_together();
    test_no_node();
    test_all_are_told();
    test_time_is_over();
    test_suspended();
    test_one_leaves();
    test_hosts_that_cannot_wait();
    test_granted_anew();
    return tap_done();
}
