/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

/* The handle alone: nothing is written, so `out` may be empty; an error needs room for its map. */
static void returns_a_handle(struct story *s)
{
    static const uint8_t empty[] = {0x80}, wrong[] = {0x81, 0xa1, 'x', 0x01};
    uint8_t out[64];

    memset(out, 0x5a, sizeof(out));
    for (size_t cap = 0; cap <= sizeof(out); cap += 32) {
        int64_t handle = loader_open_handle(s->probe->lib, empty, 1, cap ? out : NULL, cap);

        s_holds(s, handle > 0, "open needs no room for an answer");
        for (size_t i = 0; i < sizeof(out); i++)
            s_holds(s, out[i] == 0x5a, "open writes no answer");
        if (handle > 0)
            probe_close(s->probe, (uint64_t)handle);
    }
    s_equal(s, loader_open_handle(s->probe->lib, wrong, sizeof(wrong), NULL, 0), -SLUICE_FIELD,
            "the error of open without room for its map");
    s_equal(s, loader_open_handle(s->probe->lib, NULL, 1, out, sizeof(out)), -SLUICE_ARGUMENT,
            "open of a null pointer with a length");
    s_equal(s, loader_open_handle(s->probe->lib, out, 8, out + 4, 8), -SLUICE_ARGUMENT,
            "open of buffers that overlap");
}

static void refuses_by_name(struct story *s)
{
    static const struct {
        const char *config, *key;
    } wrong[] = {
        {"schedulers: []", "schedulers"},
        {"schedulers: [a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a]", "schedulers"},
        {"schedulers: ['']", "schedulers[0]"},
        {"removal: never", "removal"},
        {"manage: some", "manage"},
        {"undeclared: perhaps", "undeclared"},
        {"reservationTimeout: -1", "reservationTimeout"},
        {"headGuard: -1", "headGuard"},
        {"effects: [paint]", "effects[0]"},
        {"effects: activate", "effects"},
        {"observeOnly: 1", "observeOnly"},
        {"record: all", "record"},
        {"preemptionGates: 1", "preemptionGates"},
        {"waitingReasons: 1", "waitingReasons"},
        {"waitingReasonsAfter: -1", "waitingReasonsAfter"},
        {"waitingReasonsPerSecond: 1000001", "waitingReasonsPerSecond"},
        {"queueStatusesPerSecond: 1000001", "queueStatusesPerSecond"},
        {"podEvents: 1", "podEvents"},
        {"limits: {pods: many}", "limits.pods"},
        {"limits: {'!pods': 1}", "limits.!pods"},
        {"multiKueue: 1", "multiKueue"},
        {"multiKueue: {workerLostTimeout: 0}", "multiKueue.workerLostTimeout"},
        {"multiKueue: {'!new': 0}", "multiKueue.!new"},
        {"colour: blue", "colour"},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        s_refuse_open(s, SLUICE_FIELD, wrong[i].key, "{%s}", wrong[i].config);
    s_open(s, "{schedulers: [a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p], effects: [activate, removeGates, "
              "setCondition, queueStatus], removal: onBind, manage: optedIn, undeclared: refused, "
              "rootCeiling: unlimited}");
}

static void unsupported_until_asked(struct story *s)
{
    static const char *const kinds[] = {
        "pod, object: {uid: p, namespace: n, name: p, created: 1}",
        "queue, object: {kind: Queue, name: q}",
        "node, object: {name: a}",
        "flavor, object: {name: f}",
        "synced",
        "leader",
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        s_ask(s, LOADER_OBSERVE, "{kind: %s}", kinds[i]);
        s_want(s, "{ignored: false}");
    }
    s_ask(s, LOADER_OBSERVE, "{kind: weather, object: {name: rain}}");
    s_want(s, "{ignored: true, pending: 0}");
    s_ask(s, LOADER_OBSERVE, "{kind: weather, gone: true, object: {name: rain}}");
    s_want(s, "{ignored: true}");
    s_refuse(s, SLUICE_FIELD, "object", LOADER_OBSERVE, "{kind: pod}");
    s_refuse(s, SLUICE_FIELD, "kind", LOADER_OBSERVE, "{object: {}}");
}

/* Without room for its map an error has the length 0; it changes nothing all the same. */
static void maps_that_do_not_fit(struct story *s)
{
    s_try(s, LOADER_PRE_FILTER, "{'!new': 1}");
    uint64_t len = sluice_error_length(s->result);
    size_t room = s->probe->samples[LOADER_PRE_FILTER].cap;
    char name[1100];

    s_holds(s, len > 0 && len <= room, "an error has its map");
    s_want(s, "{key: '!new', value: '1'}");
    memset(name, 'y', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    s_refuse(s, SLUICE_FIELD, NULL, LOADER_OBSERVE, "{kind: node, object: {name: '%s'}}", name);
    s_holds(s, sluice_error_length(s->result) <= s->probe->samples[LOADER_OBSERVE].cap,
            "a map that does not fit has the length 0");
}

static void says_when_to_come(struct story *s)
{
    s_lead(s);
    s_want(s, "{pending: 0, next: 0, more: false}");
    s_pod(s, "p", "{}");
    s_want(s, "{next: %lld}", (long long)(s->now + 300 * (int64_t)STORY_SECOND));
    s_lose(s, "pod", "{uid: p}");
    s_want(s, "{next: 0}");
}

/* More than one slice: `more` ends, and all that fits is granted then. */
static void more_ends(struct story *s)
{
    char uid[16];
    int calls = 0;

    s_lead(s);
    for (int i = 0; i < 300; i++) {
        snprintf(uid, sizeof(uid), "p%d", i);
        s_pod(s, uid, "{queue: q, requests: {cpu: 1}}");
    }
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 250}}");
    s_want(s, "{more: true}");
    for (; json_is_true(s_value(s, "more")) && calls < 100; calls++)
        s_tick(s, s->now);
    s_holds(s, calls > 1 && calls < 20, "`more` ends after some ticks (%d)", calls);
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{reserved: 250, waiting: 50}");
}

static void describes_itself(struct story *s)
{
    struct answer *manifest = &s->probe->manifest;

    s_equal(s, value_int(&manifest->root, "abi", 0), loader_abi(s->probe->lib),
            "the version of the manifest");
    s_holds(s, value_str(&manifest->root, "version", "")[0] != '\0',
            "the manifest names the build");
    s_holds(s, value_str(&manifest->root, "compiler", "")[0] != '\0',
            "the manifest names the compiler");
    for (int i = 0; i < LOADER_HOOKS; i++) {
        const struct sample *sample = &s->probe->samples[i];
        bool reads = i == LOADER_FILTER || i == LOADER_INSPECT;

        s_holds(s, sample->reads == reads, "%s %s", loader_hook_name((enum loader_hook)i),
                reads ? "only reads" : "does not only read");
    }
    s_holds(s, value_get(s->probe->samples[LOADER_PRE_ENQUEUE].keys, "pod") != NULL,
            "the sample of pre_enqueue is the long form");
}

const struct promise promises_of_open[] = {
    {"open returns a handle, and writes nothing beside it", returns_a_handle},
    {"open refuses each value that its table does not have, by name", refuses_by_name},
    {"observe takes the kinds of the first version, and ignores what it does not know",
     unsupported_until_asked},
    {"an error has a map, or the length 0", maps_that_do_not_fit},
    {"`next` is when a tick is needed, 0 if never", says_when_to_come},
    {"`more` ends, and all that fits is granted then", more_ends},
    {"the manifest describes this build, and what only reads", describes_itself},
    {0},
};
