/* SPDX-License-Identifier: Apache-2.0 */
#include "shown.h"

#include "state.h"

int shown_has_room(const struct engine *e, enum shown_kind kind)
{
    if (kind == SHOWN_GROUPS)
        return e->shown[kind] < e->config.max_pods ? 0 : ENGINE_FULL_PODS;
    return e->shown[kind] < e->config.max_queues ? 0 : ENGINE_FULL_QUEUES;
}

void shown_set(struct engine *e, enum shown_kind kind, bool *known, bool is)
{
    if (*known == is)
        return;
    *known = is;
    e->shown[kind] += is ? 1 : UINT32_MAX;
}

const char *shown_check(const struct engine *e)
{
    uint32_t counts[SHOWN_KINDS] = {0};

    for (uint32_t id = 1; id < slab_end(&e->queues); id++)
        counts[SHOWN_QUEUES] += slab_live(&e->queues, id) && queue_at(e, id)->known;
    for (uint32_t id = 1; id < slab_end(&e->local_queues); id++)
        counts[SHOWN_LOCAL_QUEUES] +=
            slab_live(&e->local_queues, id) && local_queue_at(e, id)->known;
    for (uint32_t id = 1; id < slab_end(&e->groups); id++)
        counts[SHOWN_GROUPS] += slab_live(&e->groups, id) && group_at(e, id)->known;
    for (int kind = 0; kind < SHOWN_KINDS; kind++) {
        if (counts[kind] != e->shown[kind])
            return "what counts against a limit is what is shown";
    }
    return NULL;
}
