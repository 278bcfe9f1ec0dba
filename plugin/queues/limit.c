/* SPDX-License-Identifier: Apache-2.0 */
#include "limit.h"

#include "plugin/state.h"

int limit_has_room(const struct engine *e, enum limited kind)
{
    if (kind == LIMITED_GROUPS)
        return e->queues.counted[kind] < e->config.max_pods ? 0 : ENGINE_FULL_PODS;
    return e->queues.counted[kind] < e->config.max_queues ? 0 : ENGINE_FULL_QUEUES;
}

void limit_count(struct queues_room *queues, enum limited kind, bool *known, bool is)
{
    if (*known == is)
        return;
    *known = is;
    queues->counted[kind] += is ? 1 : UINT32_MAX;
}

const char *limit_check(const struct engine *e)
{
    uint32_t counts[LIMITED_KINDS] = {0};

    for (uint32_t id = 0; slab_step(&e->queues.records, &id);)
        counts[LIMITED_QUEUES] += queue_at(e, id)->known;
    for (uint32_t id = 0; slab_step(&e->workloads.local_queues, &id);)
        counts[LIMITED_LOCAL_QUEUES] += local_queue_at(e, id)->known;
    for (uint32_t id = 0; slab_step(&e->pods.groups, &id);)
        counts[LIMITED_GROUPS] += group_at(e, id)->known;
    for (int kind = 0; kind < LIMITED_KINDS; kind++) {
        if (counts[kind] != e->queues.counted[kind])
            return "what counts against a limit is what is shown";
    }
    return NULL;
}
