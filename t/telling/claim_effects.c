/* SPDX-License-Identifier: Apache-2.0 */

/* What a claim asks of the host, and when it no longer does. */
#include "plugin/telling/claim_effects.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static struct effect effect;

static void test_pass_needs_no_activation(void)
{
    struct kit kit;

    kit_open_parked(&kit, "");
    kit_do(&kit, "lose-pod a");
    ok(kit_pre_enqueue(&kit, "b queue=q cpu=1"), "the scheduler asks by itself, and passes");
    is_int(kit_lease(&kit, &effect), -1, "it need not be told any more");
    kit_close(&kit);
}

static void test_gates_on_admission(void)
{
    struct kit kit;

    kit_open(&kit, "onAdmission");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1 generation=4; pod b queue=q cpu=1");
    is_int(kit_lease(&kit, &effect), EFFECT_REMOVE_GATES, "the gate goes at the grant");
    ok(text_is(effect.uid, "a") && effect.patch.gates == GATE_LONG &&
           effect.patch.generation == 4 && effect.patch.stamp == SECOND,
       "with all that makes it safe");
    is_int(kit_lease(&kit, &effect), -1, "not for who waits");
    kit_ack(&kit, &effect, EFFECT_DONE);
    kit_do(&kit, "pod a queue=q cpu=1 generation=4");
    is_int(kit_lease(&kit, &effect), -1, "what was done is not asked for again, seen or not");
    kit_do(&kit, "pod a queue=q cpu=1 generation=5");
    is_int(kit_lease(&kit, &effect), EFFECT_REMOVE_GATES,
           "unless a later spec has the gate after all");
    kit_ack(&kit, &effect, EFFECT_DONE);
    kit_do(&kit, "pod a queue=q cpu=1 generation=6 bare stamp=1000000000");
    is_int(kit_lease(&kit, &effect), -1, "without it nothing is left to do");
    kit_close(&kit);
}

static void test_gates_on_bind(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; pod a queue=q cpu=1; pod b queue=q cpu=1");
    is_int(kit_lease(&kit, &effect), -1, "the gate stays until it is bound");
    engine_post_filter(kit.engine, text_of("a"));
    is_int(kit_lease(&kit, &effect), EFFECT_REMOVE_GATES, "unless no node fits");
    ok(text_is(effect.uid, "a"), "then the autoscaler must see it");
    kit_do(&kit, "pod b queue=q cpu=1 unschedulable nominated");
    is_int(kit_lease(&kit, &effect), -1, "a nominated pod waits for its node");
    kit_do(&kit, "pod b queue=q cpu=1 unschedulable");
    is_int(kit_lease(&kit, &effect), EFFECT_REMOVE_GATES,
           "an Unschedulable one without is seen as well");
    kit_close(&kit);
}

static void test_effects_that_are_not_wanted(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1");
    engine_post_filter(kit.engine, text_of("a"));
    is_int(outbox_pending(engine_outbox(kit.engine)), 1, "a gate is to go");
    kit_do(&kit, "queue q cpu=1 suspended");
    is_int(outbox_pending(engine_outbox(kit.engine)), 0, "not while the queue is suspended");
    kit_do(&kit, "queue q cpu=1");
    is_int(outbox_pending(engine_outbox(kit.engine)), 1, "but afterwards");
    kit_do(&kit, "queue q cpu=2 closed");
    is_int(outbox_pending(engine_outbox(kit.engine)), 1, "closing lets granted pods go on");
    kit_do(&kit, "follow");
    ok(outbox_pending(engine_outbox(kit.engine)) == 0 && kit_live_effects(&kit) == 0,
       "who does not lead asks for nothing");
    kit_close(&kit);
}

/* An autoscaler must not see Unschedulable on a pod that waits for its queue. */
static void test_conditions(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1; pod b queue=q cpu=1 version=3");
    is_int(kit_lease(&kit, &effect), -1, "who merely waits has nothing to be overwritten");
    kit_do(&kit, "pod b queue=q cpu=1 version=4 unschedulable");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_CONDITION, "Unschedulable is overwritten");
    is_int(effect.resource_version, 4, "in the version that was seen");
    is_str(reason_name(effect.reason), "QueueCapacity", "with what it waits for");
    is_str(effect.message, "queue q has room for 0 more cpu, the pod asks for 1m", "in words");
    ok(effect.gated, "of a pod that has a gate");
    kit_do(&kit, "lose-pod a");
    is_str(kit_why(&kit, "b"), "ConditionStale", "before the overwrite it is not granted");
    kit_ack(&kit, &effect, EFFECT_DONE);
    is_str(kit_why(&kit, "b"), "ConditionStale", "nor before it is observed");
    kit_do(&kit, "pod b queue=q cpu=1 version=4 unschedulable");
    is_int(kit_lease(&kit, &effect), -1, "which is waited for");
    kit_do(&kit, "pod b queue=q cpu=1 version=5");
    is_str(kit_state(&kit, "b"), "reserved", "then it is");
    kit_close(&kit);
}

/* Whose gate is on its pod still; the engine knows of ours, and that there are others. */
static void test_condition_of_the_gated(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod n queue=q cpu=1 node=n;"
                 "pod a queue=q cpu=1 bare unschedulable");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_CONDITION, "a pod without a gate");
    ok(!effect.gated, "has none");
    kit_do(&kit, "pod b queue=q cpu=1 bare foreign unschedulable");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_CONDITION, "one with another's");
    ok(effect.gated && effect.reason == REASON_FOREIGN_GATE, "has that");
    kit_do(&kit, "pod c queue=q cpu=1 bare missing=x unschedulable");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_CONDITION, "one that lacks a ResourceClaim");
    ok(!effect.gated && effect.reason == REASON_CLAIM_MISSING, "has no gate for that");
    kit_close(&kit);
}

static void test_condition_again(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1; pod b queue=q cpu=1 version=4 unschedulable");
    kit_lease(&kit, &effect);
    kit_ack(&kit, &effect, EFFECT_DONE);
    kit_do(&kit, "pod b queue=q cpu=1 version=6 unschedulable");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_CONDITION,
           "said again in a later version: overwritten again");
    is_int(effect.resource_version, 6, "in that version");
    kit_do(&kit, "pod b queue=q cpu=1 version=8 unschedulable");
    kit_ack(&kit, &effect, EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), EFFECT_SET_CONDITION,
           "a write that came before the latest does not count");
    kit_close(&kit);
}

static void test_condition_of_a_suspended_queue(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1 version=1;"
                 "pod a queue=q cpu=1 version=2 bare stamp=1000000000 unschedulable");
    is_int(kit_lease(&kit, &effect), -1, "a granted pod may say Unschedulable");
    kit_do(&kit, "queue q cpu=1 suspended");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_CONDITION, "but not while its queue is suspended");
    is_str(reason_name(effect.reason), "QueueSuspended", "which it says instead");
    kit_close(&kit);
}

/* The scheduler may ask between the grant that it is told of and the ack. */
static void test_held_again_while_activated(void)
{
    struct kit kit;

    kit_open_parked(&kit, "");
    kit_do(&kit, "lose-pod a");
    is_int(kit_lease(&kit, &effect), EFFECT_ACTIVATE, "the scheduler is being told of a grant");
    kit_do(&kit, "queue q cpu=1 suspended");
    ok(!kit_pre_enqueue(&kit, "b queue=q cpu=1"), "which is stopped when it asks");
    kit_do(&kit, "queue q cpu=1");
    kit_ack(&kit, &effect, EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), EFFECT_ACTIVATE, "it must be told again");
    kit_close(&kit);
}

/* It has passed PreEnqueue, and lies where the scheduler does not look again by itself. */
static void test_granted_again(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1");
    ok(kit_pre_enqueue(&kit, "a queue=q cpu=1"), "granted, it passes");
    kit_do(&kit, "queue q cpu=1 pods=0");
    is_str(kit_state(&kit, "a"), "waiting", "demoted");
    kit_do(&kit, "queue q cpu=1");
    is_str(kit_state(&kit, "a"), "reserved", "and granted again");
    is_int(kit_lease(&kit, &effect), EFFECT_ACTIVATE, "the scheduler is told");
    kit_close(&kit);
}

/* HoldAndDrain: who runs there goes, once, unless it goes already. */
static void test_drain(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster c group=cpu,pods flavor=f cpu=9 pods=9;"
                 "pod a cluster=c cpu=1 node=n; pod going cluster=c cpu=1 node=n deleted;"
                 "pod waits cluster=c cpu=99");
    kit_work_off(&kit);
    kit_do(&kit, "cluster c group=cpu,pods flavor=f cpu=9 pods=9 drain");
    is_int(kit_lease(&kit, &effect), EFFECT_EVICT_POD, "who runs in a queue that is drained goes");
    ok(text_is(effect.uid, "a"), "and nobody else");
    is_str(effect.message, "cluster queue c is drained: its stopPolicy is HoldAndDrain",
           "it is said why");
    outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0);
    kit_do(&kit, "time 99");
    is_int(kit_lease(&kit, &effect), -1, "it is sent away once");
    kit_do(&kit, "lose-pod a; pod b cluster=c cpu=1 node=n");
    is_int(kit_lease(&kit, &effect), EFFECT_EVICT_POD, "as is who gets there elsewhere");
    kit_do(&kit, "cluster c group=cpu,pods flavor=f cpu=9 pods=9");
    outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_RETRY, 0);
    kit_do(&kit, "time 199");
    is_int(kit_lease(&kit, &effect), -1, "when that is over nobody has to go");
    kit_close(&kit);
}

/* Who goes is told for whom, but no name of another namespace. */
static void test_for_whom(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=1 within=lower; pod a queue=q cpu=1 node=n;"
                 "pod urgent queue=q cpu=1 priority=5");
    is_int(kit_lease(&kit, &effect), EFFECT_EVICT_POD, "who is less important goes");
    is_str(effect.message, "preempted to make room for pod default/urgent of priority 5 in queue q",
           "and is told for whom");
    kit_do(&kit, "lose-pod urgent; lose-pod a; pod b queue=q cpu=1 node=n;"
                 "pod secret uid=u-1 namespace=other queue=q cpu=1 priority=7");
    is_int(kit_lease(&kit, &effect), EFFECT_EVICT_POD, "also for somebody of another namespace");
    is_str(effect.message, "preempted to make room for pod UID u-1 of priority 7 in queue q",
           "whose name it does not tell");
    kit_close(&kit);
}

int main(void)
{
    test_pass_needs_no_activation();
    test_gates_on_admission();
    test_gates_on_bind();
    test_effects_that_are_not_wanted();
    test_conditions();
    test_condition_of_the_gated();
    test_condition_again();
    test_condition_of_a_suspended_queue();
    test_held_again_while_activated();
    test_granted_again();
    test_drain();
    test_for_whom();
    return tap_done();
}
