/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_queue.h"

#include "plugin/base/sentence.h"
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
