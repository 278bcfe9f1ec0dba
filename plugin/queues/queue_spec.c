/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_spec.h"

#include "plugin/base/facts.h"
#include "plugin/base/mix.h"

static uint64_t hash_flavor(uint64_t hash, const struct group_flavor *flavor)
{
    hash = mix_text(hash, flavor->name);
    for (uint32_t i = 0; i < flavor->count; i++) {
        const struct flavor_quota *quota = &flavor->quotas[i];
        const int64_t numbers[5] = {quota->nominal, quota->has_borrowing, quota->borrowing,
                                    quota->has_lending, quota->lending};

        hash = hash_bytes64(numbers, sizeof(numbers), mix_text(hash, quota->resource));
    }
    return hash;
}

static uint64_t hash_group(uint64_t hash, const struct resource_group *group)
{
    hash = mix(mix(hash, group->resource_count), group->flavor_count);
    for (uint32_t i = 0; i < group->resource_count; i++)
        hash = mix_text(hash, group->resources[i]);
    for (uint32_t i = 0; i < group->flavor_count; i++)
        hash = hash_flavor(hash, &group->flavors[i]);
    return hash;
}

static uint64_t hash_check(uint64_t hash, const struct queue_check_facts *check)
{
    hash = mix(mix_text(hash, check->name), check->flavor_count);
    for (uint32_t i = 0; i < check->flavor_count; i++)
        hash = mix_text(hash, check->flavors[i]);
    return hash;
}

static uint64_t hash_amounts(uint64_t hash, const struct named_amounts *amounts)
{
    hash = mix(hash, amounts->count);
    for (uint32_t i = 0; i < amounts->count; i++)
        hash = mix(mix_text(hash, amounts->item[i].resource), amounts->item[i].amount);
    return hash;
}

uint64_t queue_spec(const struct queue_facts *facts)
{
    uint64_t hash = hash_bytes64(facts->parent.at, facts->parent.len, 12);
    const struct preempt_policy *preempts = &facts->preempts;
    const int64_t numbers[14] = {
        facts->priority,         facts->strict,        facts->reclaimable,
        preempts->within,        preempts->reclaim,    preempts->while_borrowing,
        preempts->has_threshold, preempts->threshold,  facts->borrows_last,
        facts->preempts_last,    facts->borrows_least, facts->check_count,
        facts->group_count,      facts->deleted,
    };

    hash = hash_bytes64(numbers, sizeof(numbers), hash);
    hash = hash_amounts(hash, &facts->capability);
    hash = hash_amounts(hash, &facts->deserved);
    hash = hash_amounts(hash, &facts->guarantee);
    for (uint32_t i = 0; i < facts->group_count; i++)
        hash = hash_group(hash, &facts->groups[i]);
    for (uint32_t i = 0; i < facts->check_count; i++)
        hash = hash_check(hash, &facts->checks[i]);
    return hash | 1;
}
