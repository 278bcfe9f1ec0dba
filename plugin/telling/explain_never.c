/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_never.h"

#include "explain_queue.h"
#include "plugin/base/sentence.h"
#include "plugin/order/fit.h"
#include "plugin/order/headroom.h"
#include "plugin/state.h"

/* The most that the line may ever have of a need, in one flavor. */
static wide most_of(const struct engine *e, uint32_t id, uint32_t need, uint32_t *ret_queue)
{
    const struct line *line = line_at(e, id);
    uint32_t leaf = line_queue(e, line), resource = line_resource(e, line, need), queue;
    const struct queue_group *group = queue_group_of(queue_at(e, leaf), resource);
    wide most = 0;

    *ret_queue = leaf;
    if (queue_at(e, leaf)->kind == QUEUE_VOLCANO)
        return headroom_written_by(e, leaf, 0, resource, ret_queue);
    if (group == NULL && fit_counts_nowhere(e, resource))
        return HEADROOM_UNLIMITED;
    for (uint32_t k = 0; group != NULL && k < group->flavor_count; k++) {
        wide room = headroom_written_by(e, leaf, group->flavors[k], resource, &queue);

        if (!fit_may_have(e, line, group->flavors[k]) || room <= most)
            continue;
        most = room;
        *ret_queue = queue;
    }
    return most;
}

/* The need of which no flavor would ever have enough, the most that one would have, and the queue
 * whose ceiling that is. False: of each some flavor has enough, but none of all of them. */
static bool find_excess(const struct engine *e, uint32_t id, uint32_t *ret_need,
                        uint32_t *ret_queue, wide *ret_most)
{
    const struct line *line = line_at(e, id);

    for (*ret_need = 0; *ret_need < line_count(e, line); ++*ret_need) {
        *ret_most = most_of(e, id, *ret_need, ret_queue);
        if (*ret_most < line_amount(e, line, *ret_need))
            return true;
    }
    return false;
}

void explain_never(struct sentence *say, const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    uint32_t need, queue;
    struct text resource;
    wide most;

    sentence_str(say, claim->flags & CLAIM_GANG ? "the group asks for " : "the pod asks for ");
    if (!find_excess(e, claim->line, &need, &queue, &most)) {
        sentence_str(say, "more of some resource than any one flavor of ");
        explain_queue(say, e, line_queue(e, line), " may ever have beside the others");
        return;
    }
    resource = name_text(e, line_resource(e, line, need));
    sentence_amount(say, resource, line_amount(e, line, need));
    sentence_named(say, " ", resource, ", and ");
    explain_queue(say, e, queue, " may never have more than ");
    sentence_amount(say, resource, wide_max(most, 0));
}
