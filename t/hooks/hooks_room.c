/* SPDX-License-Identifier: Apache-2.0 */

/* A call whose answer has no room changes nothing, not even the engine's time; and the size that it
 * asks for is enough. */
#include "hooks/handle.h"
#include "plugin/engine.h"
#include "t/kit/ask.h"
#include "t/kit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GATE "scheduling.volcano.sh/queue-allocation-gate"

enum { WORLD = 64 << 10, FLAVORS = 4 };

/* As if it had never been called: the digest, and what is told of time. */
struct state {
    char digest[17];
    int64_t time;
    char told[200];
};

static void look(uint64_t handle, struct state *ret)
{
    struct engine *engine = handle_enter(handle)->engine;

    ret->time = engine_set_time(engine, 0);
    handle_leave(handle);
    ask_digest(handle, ret->digest);
    snprintf(ret->told, sizeof(ret->told), "%s",
             ask(handle, HOOK_INSPECT, "{now: 0, what: check}"));
}

static bool same(const struct state *a, const struct state *b)
{
    return strcmp(a->digest, b->digest) == 0 && a->time == b->time && strcmp(a->told, b->told) == 0;
}

/* With every buffer that is too small, at some distance from what is needed at each second one. */
static void starve(uint64_t handle, enum hook_id hook, const char *request, bool fills)
{
    static uint8_t out[WORLD], bytes[WORLD];
    size_t len = ask_pack(request, bytes, sizeof(bytes));
    uint64_t need = 0;
    bool unchanged = true;
    struct state before, after;
    int64_t result = -1;

    look(handle, &before);
    for (uint64_t cap = 0; cap<sizeof(out); cap += need> cap + 200 ? 97 : 1) {
        result = ask_call(handle, hook, bytes, len, out, cap);
        if (result >= 0)
            break;
        unchanged = unchanged && sluice_error_code(result) == SLUICE_TOO_SMALL &&
                    sluice_error_length(result) > cap;
        need = sluice_error_length(result);
        look(handle, &after);
        unchanged = unchanged && same(&before, &after);
    }
    ok(result >= 0 && unchanged, "%s: too little room changes nothing", hook_table[hook].name);
    ok(!fills || result > CALL_LEAST_ROOM, "%s: %ld bytes are answered", hook_table[hook].name,
       (long)result);
}

static void test_samples(void)
{
    uint64_t handle = ask_open("{effects: [queueStatus], now: 5}");
    static const char *const requests[HOOK_COUNT] = {
        [HOOK_OBSERVE] = "{now: 9, kind: synced}",
        [HOOK_ADMIT] = "{now: 10, kind: pod, operation: CREATE, object: {namespace: d, "
                       "annotations: {" GATE ": 'true'}}}",
        [HOOK_PRE_ENQUEUE] = "{now: 11, explain: true, pod: {uid: u, namespace: d, name: n, "
                             "created: 1, gates: [" GATE "], annotations: {" GATE ": 'true'}}}",
        [HOOK_PRE_FILTER] = "{now: 12, uid: u}",
        [HOOK_FILTER] = "{now: 13, uid: u, nodes: [1]}",
        [HOOK_POST_FILTER] = "{now: 14, uid: u}",
        [HOOK_RESERVE] = "{now: 15, uid: u, node: n}",
        [HOOK_UNRESERVE] = "{now: 16, uid: u, node: n}",
        [HOOK_PERMIT] = "{now: 17, uid: u, node: n}",
        [HOOK_BIND] = "{now: 18, uid: u, node: n}",
        [HOOK_POST_BIND] = "{now: 19, uid: u, node: n}",
        [HOOK_COMMAND] = ("{now: 20, command: {uid: c, namespace: d, name: c, action: OpenQueue, "
                          "target: {kind: Queue, name: q}}}"),
        [HOOK_TICK] = "{now: 21}",
        [HOOK_DRAIN] = "{now: 22}",
        [HOOK_ACK] = "{now: 23, acks: [{id: 1, result: done}]}",
        [HOOK_INSPECT] = "{now: 24, what: queues}",
    };

    for (int hook = 0; hook < HOOK_COUNT; hook++)
        starve(handle, (enum hook_id)hook, requests[hook], false);
    sluice_close(handle);
}

static void add_text(char *world, const char *text)
{
    size_t len = strlen(world);

    if (len + strlen(text) >= WORLD)
        abort();
    memcpy(world + len, text, strlen(text) + 1);
}

/* Names as long as may be, so that what is written into the pod is, too. */
static void see_flavor(uint64_t handle, int number)
{
    static char request[WORLD], part[1024];
    char longest[60];

    memset(longest, 'v', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    snprintf(request, sizeof(request), "{now: 2, kind: flavor, object: {name: f%d, nodeLabels: {",
             number);
    for (int i = 0; i < 8; i++) {
        snprintf(part, sizeof(part), "%sk%d.%d/%s%s%s%s: %s", i == 0 ? "" : ", ", number, i,
                 longest, longest, longest, longest, longest);
        add_text(request, part);
    }
    add_text(request, "}, tolerations: [");
    for (int i = 0; i < 8; i++) {
        snprintf(part, sizeof(part), "%s{key: t%d.%d/%s%s%s%s, operator: Exists, effect: %s}",
                 i == 0 ? "" : ", ", number, i, longest, longest, longest, longest, longest);
        add_text(request, part);
    }
    add_text(request, "]}}");
    is_str(ask_own(handle, HOOK_OBSERVE, request), "{\"ignored\"=>false}", "flavor %d", number);
}

/* A pod in one flavor for each of its resources: all that is told of them is written into it. */
static void test_long_answers(void)
{
    uint64_t handle = ask_open("{removal: onAdmission}");
    static char request[WORLD];
    char part[256];

    for (int i = 0; i < FLAVORS; i++)
        see_flavor(handle, i);
    snprintf(request, sizeof(request),
             "{now: 3, kind: queue, object: {kind: ClusterQueue, name: q, groups: [");
    for (int i = 0; i < FLAVORS; i++) {
        snprintf(part, sizeof(part),
                 "%s{resources: [r%d], flavors: [{name: f%d, quotas: {r%d: {nominal: 9}}}]}",
                 i == 0 ? "" : ", ", i, i, i);
        add_text(request, part);
    }
    add_text(request, "]}}");
    ask_own(handle, HOOK_OBSERVE, request);
    ask(handle, HOOK_OBSERVE, "{now: 4, kind: synced}");
    ask(handle, HOOK_OBSERVE, "{now: 4, kind: leader}");
    snprintf(request, sizeof(request),
             "{now: 5, kind: pod, object: {uid: u, namespace: d, name: n, created: 1, gates: [" GATE
             "], queueKind: ClusterQueue, annotations: {" GATE
             ": 'true', scheduling.volcano.sh/queue-name: q}, requests: {");
    for (int i = 0; i < FLAVORS; i++) {
        snprintf(part, sizeof(part), "%sr%d: 1", i == 0 ? "" : ", ", i);
        add_text(request, part);
    }
    add_text(request, "}}}");
    ask(handle, HOOK_OBSERVE, request);
    starve(handle, HOOK_BIND, "{now: 50, uid: u, node: n}", true);
    starve(handle, HOOK_DRAIN, "{now: 60}", true);
    sluice_close(handle);
}

int main(void)
{
    test_samples();
    test_long_answers();
    return tap_done();
}
