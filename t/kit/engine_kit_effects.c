/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit_effects.h"

#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

int kit_lease(const struct kit *kit, struct effect *ret_effect)
{
    if (outbox_next(engine_outbox(kit->engine), ret_effect) <= 0)
        return -1;
    outbox_lease(engine_outbox(kit->engine), ret_effect, 0);
    return (int)ret_effect->kind;
}

bool kit_ack(struct kit *kit, const struct effect *effect, enum effect_result result)
{
    bool known = outbox_ack(engine_outbox(kit->engine), effect->id, result, 0);

    kit_work_off(kit);
    is_str(engine_check(kit->engine), NULL, "sound after an ack");
    return known;
}

uint32_t kit_live_effects(const struct kit *kit)
{
    uint32_t cursor = 0, count = 0;
    struct effect each;

    while (outbox_next_live(engine_outbox(kit->engine), &cursor, &each))
        count++;
    return count;
}

bool kit_pre_enqueue(struct kit *kit, const char *words)
{
    struct verdict verdict;
    struct pod_facts pod;

    words_to_pod(words, &pod);
    pod.created = 50;
    engine_pre_enqueue(kit->engine, &pod, false, &verdict);
    return verdict.pass;
}

void kit_open_parked(struct kit *kit, const char *words)
{
    kit_open(kit, words);
    kit_do(kit, "queue q cpu=1; pod a queue=q cpu=1");
    ok(!kit_pre_enqueue(kit, "b queue=q cpu=1"), "the queue is full");
    kit_do(kit, "pod b queue=q cpu=1 created=50");
}
