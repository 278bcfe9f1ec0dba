/* SPDX-License-Identifier: Apache-2.0 */

/* Without memory: whichever allocation of a call fails, the call says so and has changed nothing,
 * and with memory it works. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/memory.h"
#include "t/kit/ask.h"
#include "t/kit/tap.h"

static long calls, fail_at, held;

static void *failing(size_t size, bool zeroed)
{
    void *p = ++calls == fail_at ? NULL : zeroed ? calloc(1, size) : malloc(size);

    held += p != NULL;
    return p;
}

static void give_back(void *p)
{
    held -= p != NULL;
    free(p);
}

static const struct ask_line story[] = {
    {HOOK_OBSERVE, "{now: 1, kind: synced}", "{\"ignored\"=>false}"},
    {HOOK_OBSERVE, "{now: 1, kind: leader}", "{\"ignored\"=>false}"},
    {HOOK_OBSERVE, "{now: 1, kind: flavor, object: {name: f, nodeLabels: {a: b}}}",
     "{\"ignored\"=>false}"},
    {HOOK_OBSERVE, "{now: 1, kind: node, object: {name: n, labels: {a: b, c: d}}}",
     "{\"ignored\"=>false, \"id\"=>1}"},
    {HOOK_OBSERVE,
     "{now: 1, kind: queue, object: {kind: ClusterQueue, name: cq, parent: c, groups: [{resources: "
     "[cpu], flavors: [{name: f, quotas: {cpu: {nominal: 5}}}]}]}}",
     "{\"ignored\"=>false}"},
    {HOOK_OBSERVE,
     "{now: 1, kind: pod, object: {uid: u, namespace: d, name: n, created: 1, queueKind: "
     "ClusterQueue, gates: [volcano.sh/queue-allocation-gate], annotations: "
     "{volcano.sh/queue-allocation-gate: 'true', scheduling.volcano.sh/queue-name: cq}, requests: "
     "{cpu: 3}}}",
     "{\"ignored\"=>false}"},
    {HOOK_FILTER, "{now: 2, uid: u, nodes: nil}", "{\"bits\"=>\"\\x02\"}"},
    {HOOK_OBSERVE, "{now: 2, kind: queue, gone: true, object: {kind: ClusterQueue, name: cq}}",
     "{\"ignored\"=>false}"},
    {HOOK_OBSERVE,
     "{now: 2, kind: queue, object: {kind: Queue, name: q, uid: q1, state: Suspended, "
     "resourceVersion: 3, annotations: {volcano.sh/suspended-by-parent: Closing}}}",
     "{\"ignored\"=>false}"},
    {HOOK_ADMIT,
     "{now: 2, kind: queue, operation: CREATE, object: {kind: Queue, name: r, parent: q, "
     "deserved: {cpu: 1}, guarantee: {cpu: 1}}}",
     "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
    {HOOK_COMMAND,
     "{now: 2, command: {uid: c, namespace: d, name: c, created: 2, action: OpenQueue, target: "
     "{kind: Queue, name: q}}}",
     "{\"ignored\"=>false, \"waits\"=>false, \"state\"=>\"Open\", \"changed\"=>true, "
     "\"reason\"=>\"\"}"},
    {HOOK_COMMAND, "{now: 2, gone: true, command: {uid: c}}",
     "{\"ignored\"=>false, \"waits\"=>false, \"state\"=>\"\", \"changed\"=>false, "
     "\"reason\"=>\"\"}"},
};

/* Its allocations fail in turn until there is none left to fail. */
static long play_without_memory(uint64_t handle, const struct ask_line *line)
{
    char before[17], after[17];
    long failures = 0;
    bool unchanged = true;

    ask_digest(handle, before);
    for (;;) {
        calls = 0;
        fail_at = failures + 1;
        const char *text = ask_own(handle, line->hook, line->request);
        fail_at = 0;
        if (strcmp(text, "NO_MEMORY 0") != 0) {
            is_str(text, line->answer, "%s", line->request);
            break;
        }
        failures++;
        ask_digest(handle, after);
        unchanged = unchanged && strcmp(before, after) == 0;
    }
    ok(unchanged, "and %ld failures before it changed nothing", failures);
    return failures;
}

int main(void)
{
    static const struct memory_source source = {failing, give_back};
    long failures = 0;

    memory_set_source(&source);
    uint64_t handle = ask_open("{effects: [queueStatus, event, deleteCommand]}");
    for (size_t i = 0; i < sizeof(story) / sizeof(story[0]); i++)
        failures += play_without_memory(handle, &story[i]);
    ok(failures > 10, "%ld allocations failed", failures);
    is_str(ask_own(handle, HOOK_INSPECT, "{now: 1, what: check}"),
           "{\"ok\"=>true, \"broken\"=>\"\"}", "every invariant holds");
    sluice_close(handle);
    is_int(held, 0, "all was given back");
    memory_set_source(NULL);

    struct memory memory;
    memory_init(&memory);
    void *one = mem_alloc(&memory.mem, 100);
    void *two = mem_zalloc(&memory.mem, 50);
    mem_free(&memory.mem, one, 100);
    ok(memory.bytes == 50 && memory.peak == 150, "what is held now, and was held at most");
    ok(two && ((char *)two)[49] == 0, "zeroed where it was asked for");
    mem_free(&memory.mem, two, 50);
    return tap_done();
}
