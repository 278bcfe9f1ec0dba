/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/workload_kit.h"

#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

#include <stdio.h>

static bool add_check(struct words_queue *facts, struct text name)
{
    facts->queue.checks = facts->checks;
    if (facts->queue.check_count == FACTS_MAX_CHECKS)
        return false;
    facts->checks[facts->queue.check_count++] = (struct queue_check_facts){.name = name};
    return true;
}

bool words_workload_config(const struct word *word, struct engine_config *config)
{
    if (text_is(word->key, "admits"))
        config->effects |= 1u << EFFECT_WRITE_WORKLOAD;
    else if (text_is(word->key, "gates"))
        config->preemption_gates = true;
    else if (text_is(word->key, "reasons"))
        config->waiting_reasons = true;
    else if (text_is(word->key, "after"))
        config->waiting_reasons_after = word->number * SECOND;
    else if (text_is(word->key, "perSecond"))
        config->waiting_reasons_per_second = (uint32_t)word->number;
    else
        return false;
    return true;
}

bool words_workload_queue(const struct word *word, struct words_queue *facts)
{
    if (text_is(word->key, "drain"))
        facts->queue.stop = QUEUE_HOLD_AND_DRAIN;
    else if (text_is(word->key, "preemptsLast"))
        facts->queue.preempts_last = true;
    else if (text_is(word->key, "borrowsLeast"))
        facts->queue.borrows_least = true;
    else
        return text_is(word->key, "check") && add_check(facts, word->value);
    return true;
}

static void keep(char *to, size_t size, struct text text)
{
    snprintf(to, size, "%.*s", (int)text.len, text.at);
}

void words_workload(struct workload_object *object, const struct word *word)
{
    struct workload_facts *facts = &object->facts;
    struct text resource;

    if (text_is(word->key, "queue")) {
        keep(object->queue, sizeof(object->queue), word->value);
    } else if (text_is(word->key, "count")) {
        object->set.count = object->set.minimum = word->number;
    } else if (text_is(word->key, "min")) {
        object->set.minimum = word->number;
    } else if (text_is(word->key, "priority")) {
        facts->priority = (int32_t)word->number;
    } else if (text_is(word->key, "created")) {
        facts->created = word->number * SECOND;
    } else if (text_is(word->key, "gate")) {
        keep(object->gates[facts->gate_count], sizeof(object->gates[0]), word->value);
        facts->gates[facts->gate_count].name = text_of(object->gates[facts->gate_count]);
        facts->gate_count++;
    } else if (text_is(word->key, "cannotPreempt")) {
        facts->yields = true;
    } else if (text_is(word->key, "unsupported")) {
        keep(object->unsupported, sizeof(object->unsupported), word->value);
        facts->unsupported = text_of(object->unsupported);
    } else if (text_is(word->key, "job")) {
        keep(object->job, sizeof(object->job), word->value);
        facts->job = text_of(object->job);
    } else if (text_is(word->key, "gatedBy")) {
        keep(object->unsupported, sizeof(object->unsupported), word->value);
        facts->unsupported = text_of(object->unsupported);
        facts->admission_gated = true;
    } else if (text_is(word->key, "selects")) {
        const char *colon = memchr(word->value.at, ':', word->value.len);
        size_t len = colon == NULL ? 0 : (size_t)(colon - word->value.at);

        keep(object->key, sizeof(object->key), (struct text){word->value.at, len});
        keep(object->value, sizeof(object->value),
             (struct text){word->value.at + len + 1, word->value.len - len - 1});
        object->selector = (struct label){text_of(object->key), text_of(object->value)};
        object->set.placement.selector = &object->selector;
        object->set.placement.selector_count = 1;
    } else if (words_resource(word, "", &resource) && text_is(resource, "cpu")) {
        words_add_amount(&object->set.requests, text_of("cpu"), word->number);
    } else if (words_resource(word, "", &resource) && text_is(resource, "memory")) {
        words_add_amount(&object->set.requests, text_of("memory"), word->number);
    } else {
        ok(false, "a word of a workload: %.*s", (int)word->key.len, word->key.at);
    }
}
