/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

/* Each hook with a request that it answers, without `now`. */
static const struct {
    enum loader_hook hook;
    const char *request;
} asked[] = {
    {LOADER_OBSERVE, "kind: node, object: {name: n1}"},
    {LOADER_ADMIT, "kind: pod, operation: CREATE, object: {namespace: n}"},
    {LOADER_PRE_ENQUEUE, "uid: nobody, resourceVersion: 1"},
    {LOADER_PRE_FILTER, "uid: nobody"},
    {LOADER_FILTER, "uid: nobody, nodes: []"},
    {LOADER_POST_FILTER, "uid: nobody"},
    {LOADER_RESERVE, "uid: nobody, node: n1"},
    {LOADER_UNRESERVE, "uid: nobody, node: n1"},
    {LOADER_PERMIT, "uid: nobody, node: n1"},
    {LOADER_BIND, "uid: nobody, node: n1"},
    {LOADER_POST_BIND, "uid: nobody, node: n1"},
    {LOADER_COMMAND, "command: {uid: c, namespace: n, name: c, action: OpenQueue, "
                     "target: {kind: Queue, name: default}}"},
    {LOADER_TICK, ""},
    {LOADER_DRAIN, "max: 1"},
    {LOADER_ACK, "acks: []"},
    {LOADER_INSPECT, "what: limits"},
};

enum { ASKED = sizeof(asked) / sizeof(asked[0]) };

static void begin(struct story *s)
{
    s_open(s, "{effects: [queueStatus, answerPermit]}");
    s_lead(s);
}

static void same_time(struct story *s, int64_t want, const char *after)
{
    int64_t got = s_clock(s);

    s_holds(s, got == want, "after %s the time is %lld s after %lld s", after,
            (long long)((got - s->now) / STORY_SECOND),
            (long long)((want - s->now) / STORY_SECOND));
}

static void advances(struct story *s)
{
    begin(s);
    for (int i = 0; i < ASKED; i++) {
        int64_t before = s_clock(s);
        int64_t later = before + STORY_SECOND;
        bool reads = s->probe->samples[asked[i].hook].reads;

        s_ask(s, asked[i].hook, "{now: %lld, %s}", (long long)later, asked[i].request);
        same_time(s, reads ? before : later, loader_hook_name(asked[i].hook));
    }
}

static void readers_leave_it(struct story *s)
{
    static const char *const views[] = {
        "what: queues",      "what: queue, kind: Queue, name: default",
        "what: pod, uid: p", "what: groups",
        "what: effects",     "what: pending, kind: Queue, name: default",
        "what: limits",      "what: digest",
        "what: memory",      "what: check",
        "what: recording",   "what: fleet",
        "what: clusters",    "what: localQueues",
    };

    begin(s);
    s_pod(s, "p", "{}");
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        s_ask(s, LOADER_INSPECT, "{now: %lld, %s}", (long long)(s->now + 3600LL * STORY_SECOND),
              views[i]);
        same_time(s, s->now, views[i]);
    }
    s_ask(s, LOADER_FILTER, "{now: %lld, uid: p, nodes: nil}",
          (long long)(s->now + 3600LL * STORY_SECOND));
    same_time(s, s->now, "filter of every node");
}

static void older_counts_as_newest(struct story *s)
{
    begin(s);
    for (int i = 0; i < ASKED; i++) {
        s_tick(s, s->now + (i + 1) * (int64_t)STORY_SECOND);
        s_ask(s, asked[i].hook, "{now: %lld, %s}", (long long)(s->now - STORY_SECOND),
              asked[i].request);
        same_time(s, s->now + (i + 1) * (int64_t)STORY_SECOND, "an older `now`");
        s_ask(s, asked[i].hook, "{now: 0, %s}", asked[i].request);
        same_time(s, s->now + (i + 1) * (int64_t)STORY_SECOND, "a `now` of 0");
    }
}

static void now_has_an_end(struct story *s)
{
    begin(s);
    for (int i = 0; i < ASKED; i++) {
        s_refuse(s, SLUICE_FIELD, "now", asked[i].hook, "{now: %lld, %s}",
                 (long long)(STORY_LATEST + 1), asked[i].request);
        s_refuse(s, SLUICE_FIELD, "now", asked[i].hook, "{now: -1, %s}", asked[i].request);
        s_refuse(s, SLUICE_FIELD, "now", asked[i].hook, "{now: soon, %s}", asked[i].request);
    }
    same_time(s, s->now, "times that are refused");
    s_refuse_open(s, SLUICE_FIELD, "now", "{now: %lld}", (long long)(STORY_LATEST + 1));
}

static void now_is_required(struct story *s)
{
    struct request r;

    begin(s);
    request_init(&r);
    for (int i = 0; i < ASKED; i++) {
        request_clear(&r);
        r_map(&r);
        r_key_str(&r, "uid", "nobody");
        r_key_str(&r, "what", "limits");
        r_end(&r);
        s_refuse_bytes(s, SLUICE_FIELD, asked[i].hook, request_bytes(&r), request_len(&r));
    }
    request_finish(&r);
}

/* A leap to the last second that there is: what is due then is done, and no sum overflows. */
static void leaps(struct story *s)
{
    s_open(s, "{effects: [queueStatus], reservationTimeout: %lld}", (long long)STORY_LATEST);
    s_lead(s);
    s_ask(s, LOADER_PRE_ENQUEUE,
          "{pod: {uid: p, namespace: n, name: p, created: 1, gates: "
          "[" STORY_GATE "], annotations: {" STORY_QUEUE ": q}}}");
    s_pod(s, "p", "{queue: q}");
    s_tick(s, STORY_LATEST);
    s_holds(s, s_clock(s) == STORY_LATEST, "`now` may leap to the last time that there is");
    s_see(s, "queue", "{kind: Queue, name: q}");
    s_state(s, "p", "reserved");
    s_drain(s);
    s_holds(s, s_effect(s, "activate", "p") != 0, "an effect is given out at the last time");
    s_holds(s, s_int(s, "next") > STORY_LATEST, "its lease ends a minute later");
    s_tick(s, s->now);
    s_holds(s, s_clock(s) == STORY_LATEST, "after such a leap the time stands");
}

static void failed_calls_leave_it(struct story *s)
{
    begin(s);
    for (int i = 0; i < ASKED; i++) {
        long long later = (long long)(s->now + 3600LL * STORY_SECOND);

        s_try(s, asked[i].hook, "{now: %lld, '!new': 1, %s}", later, asked[i].request);
        s_holds(s, s->result < 0, "a key with ! is refused");
        same_time(s, s->now, "FIELD");
        s->cap = 8;
        s_try(s, asked[i].hook, "{now: %lld, %s}", later, asked[i].request);
        s->cap = 0;
        s_holds(s, sluice_error_code(s->result) == SLUICE_TOO_SMALL, "8 bytes are too few");
        same_time(s, s->now, "TOO_SMALL");
    }
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{now: %lld, what: pod, uid: nobody}",
             (long long)STORY_LATEST);
    same_time(s, s->now, "inspect of nobody");
    s_refuse(s, SLUICE_UNSUPPORTED, "kind", LOADER_OBSERVE,
             "{now: %lld, kind: cluster, object: {name: c}}", (long long)STORY_LATEST);
    same_time(s, s->now, "UNSUPPORTED");
    s_refuse(s, SLUICE_UNSUPPORTED, "kind", LOADER_ADMIT,
             "{now: %lld, kind: weather, operation: CREATE, object: {}}", (long long)STORY_LATEST);
    same_time(s, s->now, "UNSUPPORTED of admit");
}

static void limit_leaves_it(struct story *s)
{
    s_open(s, "{limits: {nodes: 1, pods: 2}}");
    s_lead(s);
    s_see(s, "node", "{name: n1}");
    s_refuse(s, SLUICE_LIMIT, "limits.nodes", LOADER_OBSERVE,
             "{now: %lld, kind: node, object: {name: n2}}", (long long)STORY_LATEST);
    same_time(s, s->now, "LIMIT");
}

static void open_begins_it(struct story *s)
{
    s_open(s, "{now: %lld}", (long long)(s->now + 5LL * STORY_SECOND));
    s_lead(s);
    same_time(s, s->now + 5LL * STORY_SECOND, "open with a later `now`");
    s_open(s, "{now: %lld}", (long long)STORY_LATEST);
    s_open(s, "{}");
    s->now = 0;
    s_lead(s);
    s_pod(s, "p", "{}");
    s_state(s, "p", "reserved");
}

const struct promise promises_of_time[] = {
    {"time goes on with each call but those of filter and inspect", advances},
    {"inspect and filter leave the time as it is", readers_leave_it},
    {"an older `now` counts as the newest one seen", older_counts_as_newest},
    {"`now` is below 2^62 and not below 0", now_has_an_end},
    {"`now` is required", now_is_required},
    {"`now` may leap as far as it goes", leaps},
    {"a call that fails does not advance the time", failed_calls_leave_it},
    {"LIMIT does not advance the time", limit_leaves_it},
    {"the engine's time begins at `now` of open", open_begins_it},
    {0},
};
