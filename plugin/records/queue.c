/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include "plugin/state.h"

static struct tree_link *name_link(const void *ctx, uint32_t id)
{
    return &queue_at(ctx, id)->by_name;
}

static int compare_identity(const void *ctx, uint32_t a, uint32_t b)
{
    const struct queue *left = queue_at(ctx, a), *right = queue_at(ctx, b);

    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return text_compare(name_text(ctx, left->name), name_text(ctx, right->name));
}

const struct tree_type queues_by_identity = {name_link, compare_identity, NULL};

struct queue_question {
    const struct engine *e;
    enum queue_kind kind;
    struct text name;
};

static bool same_identity(const void *ctx, uint32_t id)
{
    const struct queue_question *q = ctx;
    const struct queue *queue = queue_at(q->e, id);

    return queue->kind == q->kind && text_same(name_text(q->e, queue->name), q->name);
}

uint32_t queue_find(const struct engine *e, enum queue_kind kind, struct text name)
{
    struct queue_question q = {e, kind, name};

    return index_find(&e->queues.by_name, hash_text(name, kind), same_identity, &q);
}

bool queue_state_halts(enum queue_state state)
{
    return state == QUEUE_CLOSED || state == QUEUE_SUSPENDED || state == QUEUE_HOLD ||
           state == QUEUE_HOLD_AND_DRAIN;
}

bool queue_halted(const struct engine *e, uint32_t id)
{
    while (id != 0 && !queue_state_halts((enum queue_state)queue_at(e, id)->state))
        id = queue_at(e, id)->parent;
    return id != 0;
}

static bool state_spares(enum queue_state state)
{
    return state == QUEUE_SUSPENDED || state == QUEUE_HOLD;
}

bool queue_spares(const struct engine *e, uint32_t id)
{
    while (id != 0 && !state_spares((enum queue_state)queue_at(e, id)->state))
        id = queue_at(e, id)->parent;
    return id != 0;
}

bool queue_drains(const struct engine *e, uint32_t id)
{
    return queue_at(e, id)->state == QUEUE_HOLD_AND_DRAIN;
}

enum reason queue_misfit(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    uint32_t levels = 0;

    if (!queue->known)
        return REASON_QUEUE_UNKNOWN;
    if (queue->first_child != 0 || queue->kind == QUEUE_COHORT || id == e->queues.volcano_root ||
        queue->deleted)
        return REASON_QUEUE_INACTIVE;

    for (uint32_t up = id; up != 0; up = queue_at(e, up)->parent) {
        const struct queue *above = queue_at(e, up);

        if (queue_is_misplaced(above))
            return REASON_QUEUE_INACTIVE;
        if (!above->known && above->kind == QUEUE_VOLCANO)
            return REASON_QUEUE_UNKNOWN;
        levels += up != e->queues.volcano_root;
    }
    if (levels > (queue->kind == QUEUE_VOLCANO ? QUEUE_MAX_DEPTH_VOLCANO : QUEUE_MAX_DEPTH_KUEUE))
        return REASON_QUEUE_INACTIVE;
    return REASON_NONE;
}

enum reason queue_stops(const struct engine *e, uint32_t id)
{
    enum reason reason = queue_misfit(e, id);

    if (reason != REASON_NONE)
        return reason;
    for (uint32_t up = id; up != 0; up = queue_at(e, up)->parent) {
        enum queue_state state = (enum queue_state)queue_at(e, up)->state;

        if (state == QUEUE_CLOSED)
            reason = REASON_QUEUE_CLOSED;
        else if (queue_state_halts(state))
            return REASON_QUEUE_SUSPENDED; /* stops more than closing does */
    }
    return reason;
}

bool queue_stops_granted(const struct engine *e, uint32_t id)
{
    enum reason reason = queue_stops(e, id);

    return reason != REASON_NONE && reason != REASON_QUEUE_CLOSED;
}

uint32_t queue_depth(const struct engine *e, uint32_t id)
{
    uint32_t depth = 0;

    for (; id != 0; id = queue_at(e, id)->parent)
        depth++;
    return depth;
}

uint32_t queue_root(const struct engine *e, uint32_t id)
{
    while (queue_at(e, id)->parent != 0)
        id = queue_at(e, id)->parent;
    return id;
}

bool queue_is_below(const struct engine *e, uint32_t id, uint32_t ancestor)
{
    while (id != 0 && id != ancestor)
        id = queue_at(e, id)->parent;
    return id != 0;
}

uint32_t queue_past(const struct engine *e, uint32_t id, uint32_t top)
{
    while (id != top && queue_at(e, id)->next_sibling == 0)
        id = queue_at(e, id)->parent;
    return id == top ? 0 : queue_at(e, id)->next_sibling;
}

uint32_t queue_after(const struct engine *e, uint32_t id, uint32_t top)
{
    uint32_t child = queue_at(e, id)->first_child;

    return child != 0 ? child : queue_past(e, id, top);
}

const struct queue_group *queue_group_of(const struct queue *queue, uint32_t resource)
{
    for (uint32_t i = 0; i < queue->group_count; i++) {
        for (uint32_t k = 0; k < queue->groups[i].resource_count; k++) {
            if (queue->groups[i].resources[k] == resource)
                return &queue->groups[i];
        }
    }
    return NULL;
}
