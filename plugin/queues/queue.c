/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include "plugin/base/outbox.h"
#include "plugin/grant/promise.h"
#include "plugin/order/guard.h"
#include "plugin/pods/assembly.h"
#include "plugin/state.h"
#include "queue_life.h"

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

bool queue_before(const void *e, uint32_t a, uint32_t b)
{
    return compare_identity(e, a, b) < 0;
}

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

static uint32_t identity_hash(enum queue_kind kind, struct text name)
{
    return hash_bytes(name.at, name.len, kind);
}

uint32_t queue_find(const struct engine *e, enum queue_kind kind, struct text name)
{
    struct queue_question q = {e, kind, name};

    return index_find(&e->queues_by_name, identity_hash(kind, name), same_identity, &q);
}

/* Among its parent's children. */
static void link_child(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    queue->next_sibling = queue_at(e, queue->parent)->first_child;
    if (queue->next_sibling != 0)
        queue_at(e, queue->next_sibling)->prev_sibling = id;
    queue_at(e, queue->parent)->first_child = id;
    height_join(e, id);
}

static void unlink_child(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id), *parent = queue_at(e, queue->parent);

    height_leave(e, id);
    if (parent->next_child == id)
        parent->next_child = queue->next_sibling;
    if (queue->prev_sibling != 0)
        queue_at(e, queue->prev_sibling)->next_sibling = queue->next_sibling;
    else
        parent->first_child = queue->next_sibling;
    if (queue->next_sibling != 0)
        queue_at(e, queue->next_sibling)->prev_sibling = queue->prev_sibling;
    queue->prev_sibling = queue->next_sibling = queue->parent = 0;
}

/* A queue that nobody has seen hangs below Volcano's root, or is a root of its own. That is news
 * for nobody: it holds nothing, and Volcano's root is no leaf. So whoever finds that what it needs
 * besides does not fit drops it again, and has changed nothing. */
static int make_unknown(struct engine *e, enum queue_kind kind, struct text name,
                        uint32_t *ret_queue)
{
    uint32_t id, word;

    if (slab_reserve(&e->queues, 1) < 0 || index_reserve(&e->queues_by_name) < 0 ||
        heap_reserve(&e->guard_timers, slab_end(&e->queues) + 1) < 0 ||
        heap_reserve(&e->queue_timers, slab_end(&e->queues) + 1) < 0 ||
        intern_get(&e->names, name.at, name.len, &word) < 0)
        return ENGINE_NO_MEMORY;

    id = slab_take(&e->queues);
    queue_at(e, id)->name = word;
    queue_at(e, id)->kind = kind;
    queue_at(e, id)->reclaimable = true; /* as Volcano has it, where nothing is said */
    queue_at(e, id)->said.state = queue_at(e, id)->wrote.state = STATE_UNSAID;
    index_put(&e->queues_by_name, identity_hash(kind, name), id);
    tree_insert(&queues_by_identity, e, &e->queues_in_order, id);
    if (kind == QUEUE_VOLCANO && e->volcano_root != 0) {
        queue_at(e, id)->parent = e->volcano_root;
        link_child(e, id);
    }
    queue_settle_later(e, id);
    *ret_queue = id;
    return 0;
}

int queue_get(struct engine *e, enum queue_kind kind, struct text name, uint32_t *ret_queue)
{
    uint32_t id = queue_find(e, kind, name);

    if (id == 0)
        return make_unknown(e, kind, name, ret_queue);
    *ret_queue = id;
    return 0;
}

/* Of a leaf that becomes none, or the other way. */
static void tell_reserved(struct engine *e, uint32_t id)
{
    assembly_queue_changed(e);
    if (queue_at(e, id)->reserved != 0)
        queue_stops_changed(e);
}

void queue_hang(struct engine *e, uint32_t id, uint32_t parent)
{
    struct queue *queue = queue_at(e, id);

    demote_restart(e);
    recount_moves(e, id);
    queue->parent = parent;
    quota_attach(e, id);
    if (parent == 0)
        return;
    link_child(e, id);
    queue_note_change(e, parent); /* it may have been a leaf */
    queue_count_below(e, id, 1);
    backlog_hang(e, id);
    tell_reserved(e, parent);
}

void queue_unhang(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);
    uint32_t parent = queue->parent;

    demote_restart(e);
    promise_end_of_queue(e, id);
    recount_moves(e, id);
    contest_leave(e, id);
    if (parent == 0)
        return;
    guard_unhang(e, id);
    quota_detach(e, id);
    queue_note_change(e, parent);
    queue_count_below(e, id, -1);
    backlog_unhang(e, id);
    unlink_child(e, id);
    tell_reserved(e, parent);
}

void queue_release(struct engine *e, struct queue *queue)
{
    queue_free_groups(e, queue->groups, queue->group_count);
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        flavor_unref(e, queue->cells[i].flavor);
        intern_unref(&e->names, queue->cells[i].resource);
    }
    cluster_queue_free_checks(e, queue->cluster.checks, queue->cluster.check_count);
    mem_free(&e->mem, queue->cells, queue->cell_cap * sizeof(*queue->cells));
    intern_unref(&e->names, queue->state_text);
    intern_unref(&e->names, queue->uid);
    intern_unref(&e->names, queue->name);
}

void queue_release_all(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->queues); id++) {
        if (slab_live(&e->queues, id))
            queue_release(e, queue_at(e, id));
    }
}

void queue_drop_unused(struct engine *e, uint32_t id)
{
    while (slab_live(&e->queues, id)) {
        struct queue *queue = queue_at(e, id);
        uint32_t parent = queue->parent;

        if (queue->known || queue->line_count > 0 || queue->first_child != 0 ||
            queue->wanted_by > 0)
            return;
        demote_forget_queue(e, id);
        contest_leave(e, id);
        quota_detach(e, id);
        if (parent != 0)
            unlink_child(e, id);
        for (enum todo_list list = TODO_DIRTY; list < TODO_LISTS; list++)
            queue_done(e, list, id);
        outbox_forget(&e->outbox, EFFECT_OF_QUEUE, id);
        heap_clear(&e->guard_timers, id);
        heap_clear(&e->queue_timers, id);
        index_drop(&e->queues_by_name, identity_hash(queue->kind, name_text(e, queue->name)), id);
        tree_remove(&queues_by_identity, e, &e->queues_in_order, id);
        queue_release(e, queue);
        slab_give(&e->queues, id);
        contest_refresh(e, parent);
        id = parent;
    }
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
    if (queue->first_child != 0 || queue->kind == QUEUE_COHORT || id == e->volcano_root ||
        queue->deleted)
        return REASON_QUEUE_INACTIVE;

    for (uint32_t up = id; up != 0; up = queue_at(e, up)->parent) {
        const struct queue *above = queue_at(e, up);

        if (above->misplaced)
            return REASON_QUEUE_INACTIVE;
        if (!above->known && above->kind == QUEUE_VOLCANO)
            return REASON_QUEUE_UNKNOWN;
        levels += up != e->volcano_root;
    }
    if (levels > (queue->kind == QUEUE_VOLCANO ? QUEUE_MAX_DEPTH_VOLCANO : QUEUE_MAX_DEPTH_KUEUE))
        return REASON_QUEUE_INACTIVE;
    return REASON_NONE;
}

enum reason queue_stops(const struct engine *e, uint32_t id)
{
    enum reason reason = queue_misfit(e, id);

    for (uint32_t up = id; up != 0 && reason != REASON_QUEUE_UNKNOWN;
         up = queue_at(e, up)->parent) {
        enum queue_state state = (enum queue_state)queue_at(e, up)->state;

        if (reason == REASON_QUEUE_INACTIVE)
            return reason;
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
