/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_queue.h"

#include "plugin/base/sentence.h"
#include "plugin/order/fit.h"
#include "plugin/order/headroom.h"
#include "plugin/state.h"

void explain_queue(struct sentence *say, const struct engine *e, uint32_t id, const char *behind)
{
    const struct queue *queue = queue_at(e, id);

    sentence_named(say,
                   queue->kind == QUEUE_COHORT    ? "cohort "
                   : queue->kind == QUEUE_CLUSTER ? "cluster queue "
                                                  : "queue ",
                   name_text(e, queue->name), behind);
}

void explain_not_selected(struct sentence *say, const struct engine *e, uint32_t queue,
                          uint32_t space)
{
    bool selects = queue_at(e, queue)->kind == QUEUE_CLUSTER;

    sentence_str(say, selects ? "the namespaceSelector of " : "");
    explain_queue(say, e, queue,
                  selects ? " does not select namespace " : " is not for namespace ");
    sentence_text(say, name_text(e, space));
}

/* The nearest queue on the way to the root that lets nothing advance, by a command of its own. */
static uint32_t nearest_halting(const struct engine *e, uint32_t id, bool closed)
{
    for (uint32_t up = id; up != 0; up = queue_at(e, up)->parent) {
        const struct queue *queue = queue_at(e, up);

        if (queue_state_halts((enum queue_state)queue->state) && queue->own == queue->state &&
            (queue->state == QUEUE_CLOSED) == closed)
            return up;
    }
    return id;
}

static uint32_t nearest_unknown(const struct engine *e, uint32_t id)
{
    while (queue_at(e, id)->known && queue_at(e, id)->parent != 0)
        id = queue_at(e, id)->parent;
    return id;
}

static void say_inactive(struct sentence *say, const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    explain_queue(say, e, id, "");
    if (queue->first_child != 0 || id == e->queues.volcano_root || queue->kind == QUEUE_COHORT) {
        sentence_str(say, " has queues below it: only leaves hold pods");
        return;
    }
    if (queue->deleted) {
        sentence_str(say, " is being deleted");
        return;
    }
    for (uint32_t up = id; up != 0; up = queue_at(e, up)->parent) {
        if (queue_is_misplaced(queue_at(e, up))) {
            sentence_str(say, " is in a cycle of parents, or too deep: ");
            explain_queue(say, e, up, " cannot be below ");
            explain_queue(say, e, queue_at(e, up)->wanted, "");
            return;
        }
    }
    sentence_str(say, " is too deep in the tree");
}

void explain_halt(struct sentence *say, const struct engine *e, uint32_t queue, enum reason reason)
{
    switch (reason) {
    case REASON_QUEUE_UNKNOWN:
        explain_queue(say, e, nearest_unknown(e, queue), " does not exist");
        break;
    case REASON_QUEUE_SUSPENDED:
        explain_queue(say, e, nearest_halting(e, queue, false), " is suspended");
        break;
    case REASON_QUEUE_CLOSED:
        explain_queue(say, e, nearest_halting(e, queue, true), " is closed");
        break;
    default:
        say_inactive(say, e, queue);
        break;
    }
}

void explain_other(struct sentence *say, const struct engine *e, uint32_t other, uint32_t id)
{
    struct workload_name is = claim_full_name(e, other);

    if (claim_at(e, other)->space == claim_at(e, id)->space) {
        sentence_named(say, "", is.space, "/");
        sentence_text(say, is.name);
    } else {
        sentence_named(say, "UID ", is.uid, "");
    }
}

/* The head may be of a queue that others have for themselves: that one's name is theirs, too. */
void explain_turn(struct sentence *say, const struct engine *e, uint32_t head, uint32_t id)
{
    sentence_str(say, "its turn comes after ");
    sentence_str(say, claim_is_workload(e, head) ? "workload " : "");
    explain_other(say, e, head, id);
    if (claim_queue(e, head) == claim_queue(e, id) ||
        claim_at(e, head)->space == claim_at(e, id)->space) {
        sentence_str(say, ", the head of ");
        explain_queue(say, e, claim_queue(e, head), "");
    } else {
        sentence_str(say, ", the head of another queue");
    }
}

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
