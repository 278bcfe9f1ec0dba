/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit_words.h"

#include "t/kit/workload_kit.h"

static bool config_word(const struct word *word, struct engine_config *config, bool *standby)
{
    struct text resource;

    if (text_is(word->key, "root") && text_is(word->value, "cluster"))
        config->root_ceiling = ROOT_CLUSTER;
    else if (text_is(word->key, "onAdmission"))
        config->removal = REMOVE_ON_ADMISSION;
    else if (text_is(word->key, "manageAll"))
        config->manage_all = true;
    else if (text_is(word->key, "undeclaredUnlimited"))
        config->undeclared_unlimited = true;
    else if (text_is(word->key, "guard"))
        config->head_guard = word->number * SECOND;
    else if (text_is(word->key, "timeout"))
        config->reservation_timeout = word->number * SECOND;
    else if (text_is(word->key, "partial"))
        config->partial_groups = true;
    else if (text_is(word->key, "observe"))
        config->observe_only = true;
    else if (text_is(word->key, "journal"))
        config->journal = true;
    else if (text_is(word->key, "maxPods"))
        config->max_pods = (uint32_t)word->number;
    else if (text_is(word->key, "maxQueues"))
        config->max_queues = (uint32_t)word->number;
    else if (text_is(word->key, "answers"))
        config->effects |= 1u << EFFECT_ANSWER_PERMIT;
    else if (text_is(word->key, "creates"))
        config->effects |= 1u << EFFECT_CREATE_GROUP;
    else if (text_is(word->key, "createsNative"))
        config->effects |= 1u << EFFECT_CREATE_NATIVE_GROUP;
    else if (text_is(word->key, "names"))
        config->effects |= 1u << EFFECT_SET_GROUP;
    else if (text_is(word->key, "statuses"))
        config->effects |= 1u << EFFECT_SET_GROUP_STATUS;
    else if (text_is(word->key, "changes"))
        config->effects |= 1u << EFFECT_CHANGE_GROUP;
    else if (text_is(word->key, "evicts"))
        config->effects |= 1u << EFFECT_EVICT_POD;
    else if (text_is(word->key, "tells"))
        config->pod_events = true;
    else if (text_is(word->key, "writes"))
        config->effects = UINT32_MAX;
    else if (text_is(word->key, "statusesPerSecond"))
        config->queue_statuses_per_second = (uint32_t)word->number;
    else if (text_is(word->key, "standby"))
        *standby = true;
    else if (words_resource(word, "root.", &resource)) {
        config->root_ceiling = ROOT_AMOUNTS;
        return words_add_amount(&config->root_amounts, resource, word->number);
    } else {
        return words_workload_config(word, config);
    }
    return true;
}

bool words_to_config(const char *words, struct engine_config *ret, bool *ret_standby)
{
    struct word word;

    while (words_next(&words, &word)) {
        if (!config_word(&word, ret, ret_standby))
            return false;
    }
    return true;
}
