/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit_preempt.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/tap.h"

#include <stdio.h>

bool words_preempt_queue(const struct word *word, struct queue_facts *queue)
{
    struct preempt_policy *policy = &queue->preempts;

    if (text_is(word->key, "within")) {
        policy->within = text_is(word->value, "newer") ? PREEMPT_LOWER_OR_NEWER : PREEMPT_LOWER;
    } else if (text_is(word->key, "reclaim")) {
        policy->reclaim = text_is(word->value, "any") ? PREEMPT_ANY : PREEMPT_LOWER;
    } else if (text_is(word->key, "whileBorrowing")) {
        policy->while_borrowing = true;
    } else if (text_is(word->key, "threshold")) {
        policy->has_threshold = true;
        policy->threshold = (int32_t)word->number;
    } else if (text_is(word->key, "reclaimable")) {
        queue->reclaimable = true;
    } else {
        return false;
    }
    return true;
}

bool words_preempt_pod(const struct word *word, struct pod_facts *pod)
{
    pod->yields = pod->yields || text_is(word->key, "yields");
    pod->settled = pod->settled || text_is(word->key, "settled");
    return text_is(word->key, "yields") || text_is(word->key, "settled");
}

static void add(struct kit *kit, struct text name, const char *behind, struct text other)
{
    size_t len = strlen(kit->text);

    snprintf(kit->text + len, sizeof(kit->text) - len, "%s%.*s%s%.*s", len == 0 ? "" : " ",
             (int)name.len, name.at, behind, (int)other.len, other.at);
}

const char *kit_victims(struct kit *kit)
{
    const struct engine *e = kit->engine;

    kit->text[0] = '\0';
    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (slab_live(&e->claims.records, id) && !claim_is_workload(e, id) &&
            (claim_at(e, id)->flags & CLAIM_VICTIM) != 0) {
            uint32_t of = pledge_at(e, id)->of;

            add(kit, claim_name(e, id), ">", of == 0 ? text_of("") : claim_name(e, of));
        }
    }
    return kit->text;
}

const char *kit_promised(struct kit *kit)
{
    const struct engine *e = kit->engine;

    kit->text[0] = '\0';
    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (slab_live(&e->claims.records, id) && !claim_is_workload(e, id) &&
            (claim_at(e, id)->flags & CLAIM_PROMISED) != 0)
            add(kit, claim_name(e, id), "", text_of(""));
    }
    return kit->text;
}

void kit_evict(struct kit *kit, const char *name, enum effect_result result)
{
    struct effect effect;
    int kind = kit_lease(kit, &effect);

    ok(kind == EFFECT_EVICT_POD && text_is(effect.name, name), "%s is to be evicted", name);
    if (kind >= 0)
        kit_ack(kit, &effect, result);
}

void kit_hunt(struct kit *kit, const char *name, struct hunt *ret)
{
    const struct engine *e = kit->engine;
    const struct claim *claim = claim_at(e, kit_claim(kit, name));
    const struct line *line = line_at(e, claim->line);
    const struct queue *queue = queue_at(e, line_queue(e, line));
    bool volcano = queue->kind == QUEUE_VOLCANO;

    *ret = (struct hunt){.e = kit->engine,
                         .queue = line_queue(e, line),
                         .rank = {claim->priority, claim->queued},
                         .group = claim_group(e, claim)};
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (volcano || line_resource(e, line, i) != e->name_pods)
            ret->needs[ret->count++] =
                (struct claim_need){line_amount(e, line, i), line_resource(e, line, i),
                                    volcano ? 0 : queue->groups[0].flavors[0]};
    }
}
