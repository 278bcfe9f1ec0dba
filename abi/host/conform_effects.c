/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define MINUTE (60 * (int64_t)STORY_SECOND)

static void row(struct story *s, const char *want)
{
    s_ask(s, LOADER_INSPECT, "{what: effects}");
    s_want(s, "{effects: [%s]}", want);
}

static void leased_once(struct story *s)
{
    int64_t id = s_wake(s);

    s_want(s,
           "{pending: 0, effects: [{kind: activate, uid: p, namespace: n, name: p, attempt: 1}]}");
    s_holds(s, id != 0, "the effect has an id");
    for (int i = 0; i < 3; i++) {
        s_drain(s);
        s_want(s, "{effects: [], pending: 0}");
        s_tick(s, s->now += MINUTE / 4);
    }
    row(s, "{kind: activate, leased: true, attempt: 1}");
}

static void lease_ends(struct story *s)
{
    int64_t begin = s->now;
    int64_t id = s_wake(s);

    s_want(s, "{next: %lld}", (long long)(begin + MINUTE));
    s_tick(s, begin + MINUTE - 1);
    s_want(s, "{pending: 0}");
    s_drain(s);
    s_want(s, "{effects: []}");
    s->now = begin + 2 * MINUTE;
    s_drain(s);
    s_want(s, "{effects: []}");
    s_tick(s, s->now);
    s_want(s, "{pending: 1}");
    s_drain(s);
    s_want(s, "{effects: [{id: %lld, attempt: 2}]}", (long long)id);
}

static void lease_lasts_to_the_tick(struct story *s)
{
    int64_t id = s_wake(s);

    s->now += 10 * MINUTE;
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
    s_tick(s, s->now);
    s_want(s, "{pending: 0}");
}

/* A pod that says Unschedulable before its queue has granted it, and is then granted: two effects
 * are wanted, the condition, and what follows from the grant. */
static void one_for_a_pod(struct story *s)
{
    s_open(s, "{removal: onAdmission}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 1}, created: 1}");
    s_drain(s);
    s_ack(s, s_effect(s, "removeGates", "a"), "done");
    s_pod(s, "b",
          "{queue: q, requests: {cpu: 1}, created: 2, unschedulable: true, "
          "resourceVersion: 4}");
    s_drain(s);
    s_want(s,
           "{effects: [{kind: setCondition, uid: b, resourceVersion: 4, reason: QueueCapacity}]}");
    int64_t id = s_effect(s, "setCondition", "b");
    s_pod(s, "b", "{queue: q, requests: {cpu: 1}, created: 2, resourceVersion: 5}");
    s_lose(s, "pod", "{uid: a}");
    s_state(s, "b", "reserved");
    s_drain(s);
    s_want(s, "{effects: [], pending: 0}");
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
    s_drain(s); /* who looked at it because of that write was told to hold it */
    s_want(s, "{effects: [{kind: activate, uid: b}]}");
    s_ack(s, s_effect(s, "activate", "b"), "done");
    s_drain(s);
    s_want(s, "{effects: [{kind: removeGates, uid: b}]}");
}

/* The scheduler has looked at a pod that it is still to be told of: that effect is superseded, and
 * the next one waits for its ack all the same. */
static void one_until_the_ack(struct story *s)
{
    s_open(s, "{removal: onAdmission}");
    s_lead(s);
    s_pod(s, "p", "{queue: q, resourceVersion: 1}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: p, resourceVersion: 1}");
    s_see(s, "queue", "{kind: Queue, name: q}");
    s_drain(s);
    s_want(s, "{effects: [{kind: activate, uid: p}]}");
    int64_t id = s_effect(s, "activate", "p");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: p, resourceVersion: 1}");
    s_drain(s);
    s_want(s, "{effects: [], pending: 0}");
    s_ack(s, id, "retry");
    s_want(s, "{unknown: 0}");
    s_drain(s);
    s_want(s, "{effects: [{kind: removeGates, uid: p, attempt: 1}]}");
}

static void drain_takes(struct story *s)
{
    char uid[16];
    char *pod;

    s_lead(s);
    for (int i = 0; i < 150; i++) {
        snprintf(uid, sizeof(uid), "p%d", i);
        pod = story_pod(uid, "{queue: q}");
        s_ask(s, LOADER_PRE_ENQUEUE, "{pod: %s}", pod);
        s_ask(s, LOADER_OBSERVE, "{kind: pod, object: %s}", pod);
        free(pod);
    }
    s_see(s, "queue", "{kind: Queue, name: q}");
    for (int i = 0; i < 10 && json_is_true(s_value(s, "more")); i++)
        s_tick(s, s->now);
    s_want(s, "{pending: 150, more: false}");
    s_refuse(s, SLUICE_FIELD, "max", LOADER_DRAIN, "{max: 0}");
    s_refuse(s, SLUICE_FIELD, "max", LOADER_DRAIN, "{max: 1025}");
    s_ask(s, LOADER_DRAIN, "{}");
    s_equal(s, (int64_t)s_count(s, "effects"), 64, "what drain gives when it is not told");
    s_want(s, "{pending: 86}");
    s_ask(s, LOADER_DRAIN, "{max: 1}");
    s_equal(s, (int64_t)s_count(s, "effects"), 1, "what drain gives of max 1");
    s_ask(s, LOADER_DRAIN, "{max: 1024}");
    s_equal(s, (int64_t)s_count(s, "effects"), 85, "what drain gives of the rest");
}

/* What does not fit into `cap` stays for the next drain; nothing is lost or given twice. */
static void drain_fills(struct story *s)
{
    char uid[65];
    size_t given = 0;

    s_open(s, "{removal: onAdmission}");
    s_lead(s);
    for (int i = 0; i < 100; i++) {
        snprintf(uid, sizeof(uid), "%064d", i);
        s_pod(s, uid, "{queue: default}");
    }
    s_want(s, "{pending: 100}");
    for (int i = 0; i < 100 && given < 100; i++) {
        s_drain(s);
        given += s_count(s, "effects");
        s_want(s, "{pending: %zu}", 100 - given);
        s_holds(s, s_count(s, "effects") > 0, "at least one effect fits into 16 KiB");
        s_holds(s, i > 0 || given < 100, "100 long effects do not fit into 16 KiB");
    }
}

static void ids_are_used_once(struct story *s)
{
    int64_t seen[64];
    int count = 0;

    s_lead(s);
    for (int i = 0; i < 8; i++) {
        s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}, state: Closed}");
        s_pod(s, "p", "{queue: q, unschedulable: true, resourceVersion: %d}", i + 1);
        s_drain(s);
        int64_t id = s_effect(s, "setCondition", "p");
        s_holds(s, id != 0, "each new condition is overwritten");
        for (int k = 0; k < count; k++)
            s_holds(s, seen[k] != id, "an id that was acknowledged is never given again");
        seen[count++] = id;
        s_ack(s, id, i % 2 ? "done" : "gone");
        s_ack(s, id, "done");
        s_want(s, "{unknown: 1}");
    }
}

static void renewed_has_a_new_id(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, state: Closed}");
    s_pod(s, "p", "{queue: q, unschedulable: true, resourceVersion: 1}");
    s_drain(s);
    int64_t old = s_effect(s, "setCondition", "p");
    s_pod(s, "p", "{queue: q, unschedulable: true, resourceVersion: 2}");
    s_drain(s);
    s_want(s, "{effects: [], pending: 0}");
    s_ack(s, old, "done");
    s_want(s, "{unknown: 0, pending: 1}");
    s_drain(s);
    int64_t renewed = s_effect(s, "setCondition", "p");
    s_want(s, "{effects: [{kind: setCondition, uid: p, resourceVersion: 2, attempt: 1}]}");
    s_holds(s, renewed != old, "what is renewed while it is under way has a new id");
    s_ack(s, old, "done");
    s_want(s, "{unknown: 1}");
    s_ack(s, renewed, "done");
    s_want(s, "{unknown: 0, pending: 0}");
}

static void a_pod_that_returns(struct story *s)
{
    int64_t old = s_wake(s);
    char *pod = story_pod("p", "{requests: {cpu: 1}, queue: r}");

    s_lose(s, "pod", "{uid: p}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{pod: %s}", pod);
    s_ask(s, LOADER_OBSERVE, "{kind: pod, object: %s}", pod);
    free(pod);
    s_see(s, "queue", "{kind: Queue, name: r}");
    s_drain(s);
    int64_t id = s_effect(s, "activate", "p");
    s_holds(s, id != 0 && id != old, "who comes back under the same uid has new effects");
    s_ack(s, old, "done");
    s_want(s, "{unknown: 1}");
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
}

/* Neither drain nor ack looks at the clock; what observes or commands does what is due. */
static void lease_ends_at_a_sight(struct story *s)
{
    for (int i = 0; i < 2; i++) {
        s_open(s, "{effects: [queueStatus]}");
        int64_t id = s_wake(s);

        s->now += 61 * (int64_t)STORY_SECOND;
        if (i == 0)
            s_see(s, "node", "{name: a}");
        else
            s_ask(s, LOADER_COMMAND, "{gone: true, command: {uid: nobody}}");
        s_ack(s, id, "done");
        s_want(s, "{unknown: 1}");
    }
}

static void not_listed(struct story *s)
{
    int64_t id = s_wake(s);

    s_ask(s, LOADER_INSPECT, "{what: effects}");
    s_want(s,
           "{effects: [{id: %lld, kind: activate, uid: p, namespace: n, name: p, attempt: 1, "
           "leased: true, due: %lld}], from: 0}",
           (long long)id, (long long)(s->now + MINUTE));
}

const struct promise promises_of_effects[] = {
    {"an effect is given once, and counts as pending until then", leased_once},
    {"a lease ends at the first tick after a minute; drain ends none", lease_ends},
    {"a lease ends at the first observe or command after its minute", lease_ends_at_a_sight},
    {"until a lease ended an ack counts as known, however late", lease_lasts_to_the_tick},
    {"one effect is under way for a pod", one_for_a_pod},
    {"what is superseded is under way until its ack, which says nothing", one_until_the_ack},
    {"drain gives `max` effects, 64 when it is not told", drain_takes},
    {"drain gives as many effects as fit into `cap`", drain_fills},
    {"an id that was acknowledged is never given again", ids_are_used_once},
    {"an effect that is renewed while it is under way has a new id", renewed_has_a_new_id},
    {"who comes back under the same uid has effects of its own", a_pod_that_returns},
    {"inspect lists effects with their leases", not_listed},
    {0},
};
