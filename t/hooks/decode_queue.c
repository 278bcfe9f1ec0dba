/* SPDX-License-Identifier: Apache-2.0 */

/* From messages to the facts of a queue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/decode.h"
#include "t/kit/ask.h"
#include "t/kit/tap.h"

static uint8_t room[1 << 20];
static struct msg_reader reader;

static size_t pack(const char *text)
{
    size_t len = ask_pack(text, room, sizeof(room));

    msg_reader_init(&reader, room, len);
    return len;
}

/* The first error in words, or "". */
static const char *fault(void)
{
    static char text[512];

    snprintf(text, sizeof(text), "%s: %s, want %s", reader.fault.path, reader.fault.value,
             reader.fault.want);
    return reader.error < 0 ? text : "";
}

static const char *read_queue(const char *text, struct scratch *scratch, struct queue_facts *ret)
{
    size_t len = pack(text);

    scratch_finish(scratch);
    scratch_reserve(scratch, decode_scratch(len));
    decode_queue(&reader, scratch, ret);
    return fault();
}

static void test_queue(void)
{
    struct scratch scratch = {NULL, 0, 0};
    struct queue_facts queue;

    is_str(read_queue("{kind: Queue, name: q}", &scratch, &queue), "", "the least of a queue");
    ok(queue.kind == QUEUE_VOLCANO && text_is(queue.name, "q") && queue.parent.len == 0 &&
           !queue.strict && queue.stop == QUEUE_OPEN && queue.reclaimable &&
           queue.capability.count == 0 && queue.group_count == 0,
       "grants, and may be reclaimed from");
    is_str(read_queue("{kind: Queue, name: q, parent: p, created: 4, priority: 6, strategy: fifo, "
                      "state: Closed, reclaimable: false, capability: {cpu: '3'}, deserved: {cpu: "
                      "'2'}, guarantee: {cpu: '1', pods: 7}}",
                      &scratch, &queue),
           "", "all of Volcano's");
    ok(text_is(queue.parent, "p") && queue.priority == 6 && queue.strict &&
           text_is(queue.state, "Closed") && !queue.reclaimable &&
           queue.capability.item[0].amount == 3000 && queue.deserved.item[0].amount == 2000 &&
           queue.guarantee.count == 2 && queue.guarantee.item[1].amount == 7,
       "is read");
    read_queue("{kind: Queue, name: q, state: Suspended}", &scratch, &queue);
    ok(text_is(queue.state, "Suspended"), "suspended by its state");
    read_queue("{kind: Queue, name: q, state: Closing, stopPolicy: None, strategy: x}", &scratch,
               &queue);
    ok(queue.stop == QUEUE_OPEN && !queue.strict, "other words mean their fallback");
    read_queue("{kind: ClusterQueue, name: q, stopPolicy: HoldAndDrain, strategy: StrictFIFO}",
               &scratch, &queue);
    ok(queue.stop == QUEUE_HOLD_AND_DRAIN && queue.strict && queue.kind == QUEUE_CLUSTER,
       "Kueue's words");
    ok(!queue.borrows_last, "who says nothing of it takes what fits");
    read_queue("{kind: ClusterQueue, name: q, whenCanBorrow: TryNextFlavor}", &scratch, &queue);
    ok(queue.borrows_last, "a queue that looks for what it need not borrow");
    read_queue("{kind: ClusterQueue, name: q, whenCanBorrow: MayStopSearch}", &scratch, &queue);
    ok(!queue.borrows_last, "and one that does not");
    is_str(read_queue(
               "{kind: Cohort, name: c, groups: [{flavors: [{name: f, quotas: {cpu: {nominal: '1', "
               "borrowing: 0}, memory: {nominal: 5, lending: 4}}}, {name: g, quotas: {}}], "
               "resources: [cpu, memory]}, {resources: [gpu], flavors: [{name: h, quotas: {gpu: "
               "{nominal: 8}}}]}]}",
               &scratch, &queue),
           "", "groups of a cohort");
    const struct resource_group *group = queue.groups;
    ok(queue.kind == QUEUE_COHORT && queue.group_count == 2 && group[0].resource_count == 2 &&
           group[0].flavor_count == 2 && group[1].flavor_count == 1,
       "as many as there are");
    const struct flavor_quota *quotas = group[0].flavors[0].quotas;
    ok(group[0].flavors[0].count == 2 && quotas[0].nominal == 1000 && quotas[0].has_borrowing &&
           quotas[0].borrowing == 0 && !quotas[0].has_lending && quotas[1].nominal == 5 &&
           !quotas[1].has_borrowing && quotas[1].lending == 4 && group[0].flavors[1].count == 0 &&
           group[1].flavors[0].quotas[0].nominal == 8,
       "each with its quotas");
    scratch_finish(&scratch);
}

static void test_queue_faults(void)
{
#define GROUPS(text) "{kind: Cohort, name: c, groups: [" text "]}"
#define FLAVOR(name, quotas) "{name: " name ", quotas: {" quotas "}}"
    static const struct {
        const char *text, *fault;
    } faults[] = {
        {"{name: q}", "kind: nothing, want a value, the key is required"},
        {"{kind: Queue}", "name: nothing, want a value, the key is required"},
        {"{kind: queue, name: q}", "kind: \"queue\", want one of Queue, ClusterQueue, Cohort"},
        {"{kind: Queue, name: q, deserved: {a: -5}}",
         "deserved.a: -5, want an amount that is not negative"},
        {GROUPS("{resources: [], flavors: []}"),
         "groups[0].resources: an array, want 1 to 32 names of resources"},
        {GROUPS("{resources: [a], flavors: []}"),
         "groups[0].flavors: an array, want 1 to 64 flavors"},
        {GROUPS("{resources: [a]}"),
         "groups[0].flavors: nothing, want a value, the key is required"},
        {GROUPS("{flavors: [" FLAVOR("f", "") "]}"),
         "groups[0].resources: nothing, want a value, the key is required"},
        {GROUPS("{resources: [a], flavors: [{name: f}]}"),
         "groups[0].flavors[0].quotas: nothing, want a value, the key is required"},
        {GROUPS("{resources: [a], flavors: [" FLAVOR("f", "a: {}") "]}"),
         "groups[0].flavors[0].quotas.a.nominal: nothing, want a value, the key is required"},
        {GROUPS("{resources: [a], flavors: [" FLAVOR("f", "b: {nominal: 1}") "]}"),
         "groups[0]: a map, want quotas only for the group's own resources"},
        {GROUPS("{resources: [a, a], flavors: [" FLAVOR("f", "") "]}"),
         "groups[0]: a map, want no resource and no flavor twice"},
        {GROUPS("{resources: [a], flavors: [" FLAVOR("f", "") "," FLAVOR("f", "") "]}"),
         "groups[0]: a map, want no resource and no flavor twice"},
        {GROUPS("{resources: [a], flavors: [" FLAVOR("f", "") "]}, {resources: [b, a], flavors: "
                                                              "[" FLAVOR("g", "") "]}"),
         "groups[1]: a map, want no resource and no flavor in two groups"},
        {GROUPS("{resources: [a], flavors: [" FLAVOR("f", "") "]}, {resources: [b], flavors: "
                                                              "[" FLAVOR("f", "") "]}"),
         "groups[1]: a map, want no resource and no flavor in two groups"},
        {GROUPS("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"),
         "groups: an array, want at most 16 groups"},
    };
    struct scratch scratch = {NULL, 0, 0};
    struct queue_facts queue;

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        is_str(read_queue(faults[i].text, &scratch, &queue), faults[i].fault, "%s", faults[i].text);
    scratch_finish(&scratch);
}

/* The largest queue there can be fits its scratch: under the address sanitizer, to the byte. */
static void test_largest_queue(void)
{
    static char text[1 << 20];
    struct scratch scratch = {NULL, 0, 0};
    struct queue_facts queue;
    size_t at = 0;

#define ADD(...) at += (size_t)snprintf(text + at, sizeof(text) - at, __VA_ARGS__)
    ADD("{kind: Cohort, name: c, groups: [");
    for (int g = 0; g < 16; g++) {
        ADD("{flavors: [");
        for (int f = 0; f < 16; f++) {
            ADD("{name: f%d-%d, quotas: {", g, f);
            for (int r = 0; r < 32; r++)
                ADD("r%d-%d: {nominal: %d}, ", g, r, r);
            ADD("}}, ");
        }
        ADD("], resources: [");
        for (int r = 0; r < 32; r++)
            ADD("r%d-%d, ", g, r);
        ADD("]}, ");
    }
    ADD("]}");
    is_str(read_queue(text, &scratch, &queue), "", "16 groups of 16 flavors with 32 quotas");
    ok(scratch.used <= scratch.size, "in %zu bytes", scratch.size);
    is_int(queue.groups[15].flavors[15].quotas[31].nominal, 31, "to the last");
    scratch_finish(&scratch);
}

static bool policy_is(const struct queue_facts *queue, enum preempt_whom within,
                      enum preempt_whom reclaim)
{
    return queue->preempts.within == within && queue->preempts.reclaim == reclaim;
}

static void test_preemption(void)
{
    struct scratch scratch = {NULL, 0, 0};
    struct queue_facts queue;

    is_str(read_queue("{kind: ClusterQueue, name: q}", &scratch, &queue), "", "nothing said");
    ok(policy_is(&queue, PREEMPT_NEVER, PREEMPT_NEVER) && !queue.preempts.while_borrowing,
       "a ClusterQueue takes nobody's room");
    is_str(read_queue("{kind: ClusterQueue, name: q, preemption: {withinClusterQueue: "
                      "LowerOrNewerEqualPriority, reclaimWithinCohort: Any, borrowWithinCohort: "
                      "{policy: LowerPriority, maxPriorityThreshold: -7}}}",
                      &scratch, &queue),
           "", "all of a ClusterQueue's");
    ok(policy_is(&queue, PREEMPT_LOWER_OR_NEWER, PREEMPT_ANY) && queue.preempts.while_borrowing &&
           queue.preempts.has_threshold && queue.preempts.threshold == -7,
       "are read");
    is_str(read_queue("{kind: Queue, name: q}", &scratch, &queue), "", "nothing said of a Queue");
    ok(policy_is(&queue, PREEMPT_LOWER, PREEMPT_ANY), "it has Volcano's policies");
    is_str(read_queue("{kind: Queue, name: q, annotations: {sluice.sh/preempt-within-queue: Never, "
                      "sluice.sh/reclaim-from-queues: LowerPriority}}",
                      &scratch, &queue),
           "", "or those of its annotations");
    ok(policy_is(&queue, PREEMPT_NEVER, PREEMPT_LOWER), "which are the same words");
    is_str(read_queue("{kind: ClusterQueue, name: q, preemption: {withinClusterQueue: Any}}",
                      &scratch, &queue),
           "preemption.withinClusterQueue: \"Any\", want one of Never, LowerPriority, "
           "LowerOrNewerEqualPriority",
           "what none of them is");
    is_str(read_queue("{kind: Queue, name: q, annotations: {sluice.sh/reclaim-from-queues: all}}",
                      &scratch, &queue),
           "annotations.sluice.sh/reclaim-from-queues: \"all\", want one of Never, "
           "LowerPriority, Any",
           "is named");
    scratch_finish(&scratch);
}

int main(void)
{
    test_queue();
    test_preemption();
    test_queue_faults();
    test_largest_queue();
    return tap_done();
}
