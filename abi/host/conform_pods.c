/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

static void asks_short(struct story *s, const char *uid, int64_t version, bool known)
{
    char before[STORY_DIGEST];

    s_digest(s, before);
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: %s, resourceVersion: %lld}", uid, (long long)version);
    if (known)
        s_want(s, "{known: true}");
    else
        s_want(s, "{known: false, pass: false, would: false, reason: '', message: ''}");
    if (!known)
        probe_unchanged(s->probe, "the short form", s->handle, before);
}

static void short_form(struct story *s)
{
    s_lead(s);
    asks_short(s, "p", 1, false);
    s_pod(s, "p", "{resourceVersion: 5}");
    asks_short(s, "p", 5, true);
    s_want(s, "{pass: true}");
    asks_short(s, "p", 4, true);
    asks_short(s, "p", 6, false);
    asks_short(s, "p", 0, false);
    s_pod(s, "p", "{resourceVersion: 6}");
    asks_short(s, "p", 6, true);
    s_lose(s, "pod", "{uid: p}");
    asks_short(s, "p", 6, false);
    s_pod(s, "none", "{}");
    asks_short(s, "none", 1, false);
    asks_short(s, "none", 0, false);
    s_pod(s, "out", "{resourceVersion: 5, gates: [], annotations: {" STORY_GATE ": nil}}");
    asks_short(s, "out", 5, false);
    char *pod = story_pod("long", "{resourceVersion: 9}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{pod: %s}", pod);
    s_want(s, "{known: true, pass: true, would: true}");
    asks_short(s, "long", 9, true);
    s_refuse(s, SLUICE_FIELD, NULL, LOADER_PRE_ENQUEUE, "{pod: %s, uid: long, resourceVersion: 9}",
             pod);
    free(pod);
    s_refuse(s, SLUICE_FIELD, "resourceVersion", LOADER_PRE_ENQUEUE, "{uid: p}");
    s_refuse(s, SLUICE_FIELD, NULL, LOADER_PRE_ENQUEUE, "{}");
}

/* It says what the long form would. */
static void short_form_parks(struct story *s)
{
    s_lead(s);
    s_pod(s, "p", "{queue: q, resourceVersion: 5}");
    asks_short(s, "p", 5, true);
    s_want(s, "{pass: false, reason: QueueUnknown, message: ''}");
    s_see(s, "queue", "{kind: Queue, name: q}");
    s_want(s, "{pending: 1}");
    s_drain(s);
    s_holds(s, s_effect(s, "activate", "p") != 0, "who was held by the short form is activated");
}

static void explains_if_asked(struct story *s)
{
    static const char *const pods[] = {
        "{queue: unseen}",    "{queue: shut}",   "{queue: full, requests: {cpu: 9}}",
        "{gates: [foreign]}", "{queue: paused}",
    };

    s_open(s, "{effects: [answerPermit]}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: shut, state: Closed}");
    s_see(s, "queue", "{kind: Queue, name: paused, state: Suspended}");
    s_see(s, "queue", "{kind: Queue, name: full, capability: {cpu: 1}}");
    for (size_t i = 0; i < sizeof(pods) / sizeof(pods[0]); i++) {
        char *pod = story_pod("p", "%s", pods[i]);

        s_ask(s, LOADER_PRE_ENQUEUE, "{pod: %s}", pod);
        s_want(s, "{pass: false, would: false, message: ''}");
        s_holds(s, s_text(s, "reason")[0] != '\0', "who is held has a reason");
        s_ask(s, LOADER_PRE_ENQUEUE, "{pod: %s, explain: true}", pod);
        s_holds(s, s_text(s, "message")[0] != '\0', "with `explain` there is a message (%s)",
                pods[i]);
        free(pod);
    }
}

/* The name of a queue that would paint, turn the text round, and begin a line. */
static void sentences_are_plain(struct story *s)
{
    static const char name[] = "a \x1b[31m\xe2\x80\xae\n";

    s_lead(s);
    s_ask(s, LOADER_PRE_ENQUEUE,
          "{pod: {uid: p, namespace: n, name: p, created: 1, gates: [" STORY_GATE
          "], annotations: {" STORY_GATE ": 'true', " STORY_QUEUE ": '%s'}}, explain: true}",
          name);
    s_holds(s, strstr(s_text(s, "message"), "\"a \\x1b[31m\\u202e\\n\"") != NULL,
            "a name is in quotes, and escaped (%s)", s_text(s, "message"));
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
    s_holds(s, strcmp(s_text(s, "queue"), name) == 0, "as an answer of its own it is exact");
}

static void reasons(struct story *s)
{
    static const struct {
        const char *pod, *reason;
    } held[] = {
        {"{queue: unseen}", "QueueUnknown"},
        {"{queue: shut}", "QueueClosed"},
        {"{queue: paused}", "QueueSuspended"},
        {"{queue: full, requests: {cpu: 2}}", "QueueCapacity"},
        {"{gates: [foreign, " STORY_GATE "]}", "ForeignGate"},
        {"{queue: root}", "QueueInactive"},
        {"{annotations: {scheduling.k8s.io/group-name: unseen}}", "GroupMissing"},
        {"{annotations: {scheduling.volcano.sh/group-min-member: none}}", "GroupInvalid"},
    };

    s_open(s, "{effects: [answerPermit]}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: shut, state: Closed}");
    s_see(s, "queue", "{kind: Queue, name: paused, state: Suspended}");
    s_see(s, "queue", "{kind: Queue, name: full, capability: {cpu: 1}}");
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
        s_pod(s, "p", "{resourceVersion: 1}");
        s_lose(s, "pod", "{uid: p}");
        char *pod = story_pod("p", "%s", held[i].pod);
        s_ask(s, LOADER_PRE_ENQUEUE, "{pod: %s}", pod);
        s_want(s, "{pass: false, reason: %s}", held[i].reason);
        s_ask(s, LOADER_OBSERVE, "{kind: pod, object: %s}", pod);
        s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
        s_want(s, "{reason: %s}", held[i].reason);
        free(pod);
    }
}

static void newest_version_counts(struct story *s)
{
    s_lead(s);
    s_pod(s, "p", "{resourceVersion: 7, priority: 7}");
    s_pod(s, "p", "{resourceVersion: 6, priority: 6}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
    s_want(s, "{priority: 7}");
    s_pod(s, "p", "{resourceVersion: 7, priority: 5}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
    s_want(s, "{priority: 5}");
    s_pod(s, "p", "{resourceVersion: 6, phase: Succeeded}");
    s_state(s, "p", "reserved");
}

/* Without one it is as it was shown last, whatever came before. */
static void without_version(struct story *s)
{
    static const char *const none[] = {"", "resourceVersion: 0,"};

    for (int i = 0; i < 2; i++) {
        s_open(s, "{}");
        s_lead(s);
        s_see(s, "queue", "{kind: Queue, name: q, state: Closed}");
        s_pod(s, "p", "{queue: q, resourceVersion: 7, priority: 7}");
        s_pod(s, "p", "{queue: q, %s priority: 1}", none[i]);
        s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
        s_want(s, "{priority: 1}");
        asks_short(s, "p", 7, false);
        s_pod(s, "p", "{queue: q, resourceVersion: 2, priority: 2}");
        s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
        s_want(s, "{priority: 2}");
        for (int k = 0; k < 3; k++) {
            s_pod(s, "p", "{queue: q, %s unschedulable: true}", none[i]);
            s_drain(s);
            s_holds(s, s_effect(s, "setCondition", "p") != 0,
                    "each such sight of a condition counts as written anew");
            s_want(s, "{effects: [{resourceVersion: 0}]}");
            s_ack(s, s_effect(s, "setCondition", "p"), "done");
        }
    }
}

static void same_sight_again(struct story *s)
{
    char before[STORY_DIGEST], after[STORY_DIGEST];

    s_lead(s);
    for (int i = 0; i < 3; i++) {
        s_pod(s, "p", "{resourceVersion: 7, requests: {cpu: 1}}");
        s_see(s, "node", "{name: a, labels: {x: y}, allocatable: {cpu: 4}}");
        s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
        s_lose(s, "pod", "{uid: nobody}");
        s_lose(s, "node", "{name: nobody}");
        s_lose(s, "queue", "{kind: Queue, name: nobody}");
        s_digest(s, i == 0 ? before : after);
    }
    s_holds(s, strcmp(before, after) == 0, "the same object may come any number of times");
}

static void replaced_by_name(struct story *s)
{
    s_lead(s);
    s_pod(s, "p", "{name: web, created: 5}");
    s_pod(s, "older", "{name: web, created: 4}");
    s_state(s, "p", "reserved");
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{what: pod, uid: older}");
    s_pod(s, "younger", "{name: web, created: 5}");
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{what: pod, uid: p}");
    s_ask(s, LOADER_INSPECT, "{what: pod, namespace: n, name: web}");
    s_want(s, "{uid: younger}");
    s_lose(s, "pod", "{uid: p, namespace: n, name: web}");
    s_state(s, "younger", "reserved");
    s_lose(s, "pod", "{uid: younger, namespace: x, name: y}");
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{what: pod, uid: younger}");
}

static void who_counts(struct story *s)
{
    static const struct {
        const char *pod, *state;
    } shown[] = {
        {"{}", "reserved"},
        {"{scheduler: other}", ""},
        {"{owner: DaemonSet}", ""},
        {"{owner: Job}", "reserved"},
        {"{mirror: true}", ""},
        {"{namespace: kube-system}", ""},
        {"{phase: Succeeded}", ""},
        {"{phase: Failed}", ""},
        {"{phase: Weird}", "reserved"},
        {"{deleted: true}", ""},
        {"{deleted: true, node: a}", "allocated"},
        {"{node: a}", "allocated"},
        {"{gates: [], annotations: {" STORY_GATE ": nil}}", ""},
        {"{gates: [], annotations: {" STORY_GATE ": nil}, node: a}", "allocated"},
        {"{gates: [], annotations: {" STORY_GATE ": 'false'}}", ""},
        {"{gates: [volcano.sh/queue-allocation-gate], annotations: {" STORY_GATE ": nil}}",
         "reserved"},
        {"{gates: [other]}", "held"},
        {"{queueKind: ClusterQueue}", "waiting"},
        {"{queueKind: ClusterQueue, selected: true}", "waiting"},
        {"{queueKind: ClusterQueue, selected: false}", "held"},
        {"{selected: false}", "reserved"},
        {"{mayUse: true}", "reserved"},
        {"{mayUse: false}", "held"},
        {"{mayUse: false, node: a}", "allocated"},
    };

    s_lead(s);
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        s_pod(s, "p", "%s", shown[i].pod);
        s_try(s, LOADER_INSPECT, "{what: pod, uid: p}");
        s_holds(s, strcmp(s_text(s, "state"), shown[i].state) == 0, "a pod %s is '%s', want '%s'",
                shown[i].pod, s_text(s, "state"), shown[i].state);
        s_lose(s, "pod", "{uid: p}");
    }
    s_open(s, "{schedulers: [other, third]}");
    s_lead(s);
    s_pod(s, "p", "{scheduler: third}");
    s_state(s, "p", "reserved");
    s_pod(s, "r", "{}");
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{what: pod, uid: r}");
    s_open(s, "{manage: all}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: default, capability: {pods: 1}}");
    s_pod(s, "p", "{gates: [], annotations: {" STORY_GATE ": nil}}");
    s_state(s, "p", "reserved");
}

static void queue_of(struct story *s)
{
    s_lead(s);
    s_pod(s, "p", "{}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
    s_want(s, "{queue: default, queueKind: Queue}");
    s_pod(s, "p", "{namespaceQueue: nq}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
    s_want(s, "{queue: nq}");
    s_pod(s, "p", "{namespaceQueue: nq, queue: own}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
    s_want(s, "{queue: own}");
    s_pod(s, "r", "{queue: own, queueKind: ClusterQueue}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: r}");
    s_want(s, "{queue: own, queueKind: ClusterQueue}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: ClusterQueue, name: own}");
    s_want(s, "{known: false, waiting: 1}");
}

static void waits_its_turn(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
    s_pod(s, "first", "{queue: q, requests: {cpu: 1}, created: 1}");
    s_pod(s, "b", "{queue: q, requests: {cpu: 1}, created: 4}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 1}, created: 4}");
    s_pod(s, "old", "{queue: q, requests: {cpu: 1}, created: 3}");
    s_pod(s, "high", "{queue: q, requests: {cpu: 1}, created: 5, priority: 1}");
    s_ask(s, LOADER_INSPECT, "{what: pending, kind: Queue, name: q}");
    s_want(s, "{pods: [{uid: high, members: 0}, {uid: old}, {uid: a}, {uid: b}], from: 0}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: a}");
    s_want(s, "{state: waiting, position: 3, ahead: {cpu: 2, pods: 2}, reason: QueueCapacity}");
    static const char *const order[] = {"first", "high", "old", "a", "b"};
    for (int i = 0; i + 1 < 5; i++) {
        s_lose(s, "pod", "{uid: %s}", order[i]);
        s_state(s, order[i + 1], "reserved");
    }
}

static void unconfirmed_is_forgotten(struct story *s)
{
    s_lead(s);
    char *pod = story_pod("p", "{}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{pod: %s}", pod);
    s_state(s, "p", "reserved");
    s_tick(s, s->now + 60 * (int64_t)STORY_SECOND - 1);
    s_state(s, "p", "reserved");
    s_tick(s, s->now + 60 * (int64_t)STORY_SECOND);
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{what: pod, uid: p}");
    free(pod);
}

static void without_cycle(struct story *s)
{
    int64_t seconds = STORY_SECOND;

    s_open(s, "{reservationTimeout: %lld}", (long long)(1000 * seconds));
    s_lead(s);
    s_pod(s, "idle", "{}");
    s_pod(s, "busy", "{}");
    s_ask(s, LOADER_PRE_FILTER, "{uid: busy}");
    s_want(s, "{next: %lld}", (long long)(s->now + 300 * seconds));
    s_tick(s, s->now + 300 * seconds - 1);
    s_state(s, "idle", "reserved");
    s_tick(s, s->now + 300 * seconds);
    s_state(s, "idle", "held");
    s_want(s, "{reason: Backoff}");
    s_state(s, "busy", "reserved");
    s_tick(s, s->now + 1000 * seconds - 1);
    s_state(s, "busy", "reserved");
    s_tick(s, s->now + 1000 * seconds);
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: busy}");
    s_want(s, "{state: held, reason: Backoff}");
}

static void leaves_the_queues(struct story *s)
{
    static const char left[] = "{uid: p, namespace: n, name: p, created: 1}";

    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, state: Closed}");
    s_pod(s, "p", "{queue: q, resourceVersion: 1}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: p, resourceVersion: 1}");
    s_want(s, "{pass: false}");
    s_see(s, "pod", left);
    s_refuse(s, SLUICE_FIELD, NULL, LOADER_INSPECT, "{what: pod, uid: p}");
    s_drain(s);
    s_holds(s, s_effect(s, "activate", "p") != 0, "the scheduler is told of who leaves the queues");
    s_ask(s, LOADER_PRE_ENQUEUE, "{pod: %s}", left);
    s_want(s, "{pass: true}");
    s_settle(s);
    s_drain(s);
    s_want(s, "{effects: []}");
}

const struct promise promises_of_pods[] = {
    {"the short form knows a pod at the version that was shown, or an earlier one", short_form},
    {"the short form decides as the long one", short_form_parks},
    {"the message stays empty unless `explain` asks for it", explains_if_asked},
    {"what others wrote is data in a sentence, and exact elsewhere", sentences_are_plain},
    {"who is held is told the reason", reasons},
    {"of a pod the highest resourceVersion counts", newest_version_counts},
    {"a pod without resourceVersion is as it was shown last", without_version},
    {"the same object may come any number of times, and what is not known may be gone",
     same_sight_again},
    {"another pod of the same name replaces the older one", replaced_by_name},
    {"which pods count, and which are nothing", who_counts},
    {"who leaves the queues while pre_enqueue holds it is activated", leaves_the_queues},
    {"a pod's queue is that of its annotation, else its namespace's, else default", queue_of},
    {"pods wait by priority, then creation, then uid", waits_its_turn},
    {"a pod that only pre_enqueue has named is forgotten after a minute", unconfirmed_is_forgotten},
    {"a reservation that is not used ends after its time", without_cycle},
    {0},
};
