/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any message to any decoder: the first byte chooses it, the others are the message. Scratch is as
 * large as the decoder says that it needs, so that the sanitizer sees a byte too many.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "abi/msg/check.h"
#include "hooks/decode.h"
#include "plugin/base/amount.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void refuse(const char *what)
{
    fprintf(stderr, "fuzz_decode: %s\n", what);
    abort();
}

static void check_amounts(const struct named_amounts *amounts)
{
    if (amounts->count > FACTS_MAX_NEEDS - 1)
        refuse("too many amounts");
    for (uint32_t i = 0; i < amounts->count; i++) {
        if (amounts->item[i].amount < 0 || amounts->item[i].amount > AMOUNT_MAX)
            refuse("an amount that is none");
        if (amounts->item[i].resource.len == 0)
            refuse("an amount of nothing");
    }
}

static void fuzz_pod(struct msg_reader *r, enum pod_use use)
{
    struct pod_facts pod;
    uint8_t opted;

    decode_pod(r, use, &pod, &opted);
    if (r->error < 0)
        return;
    check_amounts(&pod.requests);
    if (pod.space.len == 0 || (use == POD_SEEN && (pod.uid.len == 0 || pod.name.len == 0)))
        refuse("a pod without its names");
    if (pod.created < 0 || pod.stamp < 0 || pod.generation < 0)
        refuse("a number below 0");
}

static void fuzz_queue(struct msg_reader *r, struct scratch *scratch)
{
    struct queue_facts queue;
    int64_t sum = 0;

    decode_queue(r, scratch, &queue);
    if (scratch->used > scratch->size)
        refuse("more scratch than was said");
    if (r->error < 0)
        return;
    check_amounts(&queue.capability);
    check_amounts(&queue.deserved);
    check_amounts(&queue.guarantee);
    if (queue.version < 0 || queue.closed_by > QUEUE_STATES || queue.suspended_by > QUEUE_STATES)
        refuse("a version or a mark that is none");
    for (uint32_t g = 0; g < queue.group_count; g++) {
        for (uint32_t f = 0; f < queue.groups[g].flavor_count; f++) {
            const struct group_flavor *flavor = &queue.groups[g].flavors[f];

            for (uint32_t q = 0; q < flavor->count; q++)
                sum |= flavor->quotas[q].nominal | flavor->quotas[q].borrowing |
                       flavor->quotas[q].lending;
        }
    }
    if (sum < 0)
        refuse("a quota below 0");
}

static void fuzz_node(struct msg_reader *r, struct scratch *scratch)
{
    struct node_facts node;

    decode_node(r, scratch, &node);
    if (r->error < 0)
        return;
    check_amounts(&node.allocatable);
    for (uint32_t i = 0; i < node.label_count; i++) {
        if (node.labels[i].key.len == 0)
            refuse("a label without a key");
    }
}

static void fuzz_lost(struct msg_reader *r, uint8_t which)
{
    struct text text = {NULL, 0};
    enum queue_kind kind = QUEUE_VOLCANO;

    if (which == 0)
        decode_lost_pod(r, &text);
    else if (which == 1)
        decode_lost_named(r, &text);
    else
        decode_lost_queue(r, &kind, &text);
    if (r->error == 0 && (text.len == 0 || kind > QUEUE_COHORT))
        refuse("a loss of nothing");
}

static void fuzz_config(struct msg_reader *r)
{
    struct open_config config;

    decode_config(r, &config);
    if (r->error == 0 && (config.message_limit < 1024 || config.engine.max_pods == 0 ||
                          config.engine.scheduler_count == 0))
        refuse("limits that are none");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct msg_limits limits = {.bytes = MSG_BYTES_DEFAULT, .depth = MSG_DEPTH_DEFAULT};
    struct scratch scratch = {NULL, 0, 0};
    struct flavor_facts flavor;
    struct msg_reader r;
    size_t at;

    if (len == 0 || msg_check(bytes + 1, len - 1, &limits, &at) < 0 ||
        !scratch_reserve(&scratch, decode_scratch(len - 1)))
        return 0;
    msg_reader_init(&r, bytes + 1, len - 1);
    switch (bytes[0] % 9) {
    case 0:
        fuzz_pod(&r, POD_SEEN);
        break;
    case 1:
        fuzz_pod(&r, POD_ADMITTED);
        break;
    case 2:
        fuzz_queue(&r, &scratch);
        break;
    case 3:
        fuzz_node(&r, &scratch);
        break;
    case 4:
        decode_flavor(&r, &flavor);
        break;
    case 5:
        fuzz_config(&r);
        break;
    default:
        fuzz_lost(&r, (uint8_t)(bytes[0] % 9 - 6));
        break;
    }
    scratch_finish(&scratch);
    return 0;
}
