/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_tree.h"

#include "admission_check.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/quota_edit.h"
#include "plugin/notes.h"
#include "plugin/order/contest.h"
#include "plugin/order/guard.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"

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

    if (slab_reserve(&e->queues.records, 1) < 0 || index_reserve(&e->queues.by_name) < 0 ||
        heap_reserve(&e->queues.timers, slab_end(&e->queues.records) + 1) < 0 ||
        guard_reserve(e) < 0 || name_get(e, name, &word) < 0)
        return ENGINE_NO_MEMORY;

    id = slab_take(&e->queues.records);
    queue_at(e, id)->name = word;
    queue_at(e, id)->kind = kind;
    queue_at(e, id)->reclaimable = true; /* as Volcano has it, where nothing is said */
    queue_at(e, id)->said.state = queue_at(e, id)->wrote.state = STATE_UNSAID;
    index_put(&e->queues.by_name, hash_text(name, kind), id);
    tree_insert(&queues_by_identity, e, &e->queues.in_order, id);
    if (kind == QUEUE_VOLCANO && e->queues.volcano_root != 0) {
        queue_at(e, id)->parent = e->queues.volcano_root;
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

void queue_hang(struct engine *e, uint32_t id, uint32_t parent)
{
    struct queue *queue = queue_at(e, id);

    note_tree_changes(e);
    recount_moves(e, id);
    queue->parent = parent;
    quota_attach(e, id);
    if (parent == 0)
        return;
    link_child(e, id);
    queue_note_change(e, parent); /* it may have been a leaf */
    queue_count_below(e, id, 1);
    backlog_hang(e, id);
    note_queue_leaf(e, parent);
}

void queue_unhang(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);
    uint32_t parent = queue->parent;

    note_tree_changes(e);
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
    note_queue_leaf(e, parent);
}

void queue_free_groups(struct engine *e, struct queue_group *groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < groups[i].resource_count; k++)
            intern_unref(&e->names, groups[i].resources[k]);
        for (uint32_t k = 0; k < groups[i].flavor_count; k++)
            flavor_unref(e, groups[i].flavors[k]);
    }
    mem_free(&e->mem, groups, count * sizeof(*groups));
}

static void release(struct engine *e, struct queue *queue)
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
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);)
        release(e, queue_at(e, id));
}

void queue_drop_unused(struct engine *e, uint32_t id)
{
    while (slab_live(&e->queues.records, id)) {
        struct queue *queue = queue_at(e, id);
        uint32_t parent = queue->parent;

        if (queue->known || queue->line_count > 0 || queue->first_child != 0 ||
            queue->wanted_by > 0)
            return;
        note_queue_goes(e, id);
        contest_leave(e, id);
        quota_detach(e, id);
        if (parent != 0)
            unlink_child(e, id);
        for (enum todo_list list = TODO_DIRTY; list < TODO_LISTS; list++)
            queue_done(e, list, id);
        outbox_forget(&e->outbox, EFFECT_OF_QUEUE, id);
        guard_forget(e, id);
        heap_clear(&e->queues.timers, id);
        index_drop(&e->queues.by_name, hash_text(name_text(e, queue->name), queue->kind), id);
        tree_remove(&queues_by_identity, e, &e->queues.in_order, id);
        release(e, queue);
        slab_give(&e->queues.records, id);
        contest_refresh(e, parent);
        id = parent;
    }
}

void queue_hold(struct engine *e, uint32_t id)
{
    if (id != 0)
        queue_at(e, id)->wanted_by++;
}

void queue_let_go(struct engine *e, uint32_t id)
{
    if (id == 0)
        return;
    queue_at(e, id)->wanted_by--;
    queue_drop_unused(e, id);
}
