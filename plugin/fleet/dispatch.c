/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch.h"

#include "fleet_state.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &dispatch_at(ctx, id)->link;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct fleet *f = ctx;
    int order = text_compare(fleet_text(f, dispatch_at(f, a)->space),
                             fleet_text(f, dispatch_at(f, b)->space));

    return order != 0 ? order
                      : text_compare(fleet_text(f, dispatch_at(f, a)->name),
                                     fleet_text(f, dispatch_at(f, b)->name));
}

const struct tree_type dispatches_by_name = {link_of, compare, NULL};

uint32_t dispatch_find(const struct fleet *f, struct text space, struct text name)
{
    return directory_find(&f->dispatches_by_name, space, name);
}

int dispatch_get(struct fleet *f, struct text space, struct text name, uint32_t *ret_dispatch)
{
    uint32_t id = dispatch_find(f, space, name);
    struct dispatch d = {0};

    if (id != 0) {
        *ret_dispatch = id;
        return 0;
    }
    if (slab_count(&f->dispatches) >= f->config.max_dispatches)
        return ENGINE_FULL_WORKLOADS;
    if (slab_reserve(&f->dispatches, 1) < 0 || index_reserve(&f->dispatches_by_name.index) < 0 ||
        heap_reserve(&f->dispatch_timers, slab_end(&f->dispatches) + 1) < 0 ||
        fleet_intern(f, space, &d.space) < 0 || fleet_intern(f, name, &d.name) < 0) {
        intern_unref(&f->names, d.space);
        return ENGINE_NO_MEMORY;
    }
    id = slab_take(&f->dispatches);
    d.orphaned = f->now;
    *dispatch_at(f, id) = d;
    directory_put(&f->dispatches_by_name, id);
    tree_insert(&dispatches_by_name, f, &f->dispatches_in_order, id);
    *ret_dispatch = id;
    return 0;
}

static struct list_link *todo_of(const void *ctx, uint32_t id)
{
    return &dispatch_at(ctx, id)->todo;
}

void dispatch_todo(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (dispatch_is(d, DISPATCH_TODO))
        return;
    dispatch_set(d, DISPATCH_TODO, true);
    list_append(todo_of, f, &f->todo, id);
}

void dispatch_drop_todo(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (!dispatch_is(d, DISPATCH_TODO))
        return;
    dispatch_set(d, DISPATCH_TODO, false);
    list_remove(todo_of, f, &f->todo, id);
}

void dispatch_release_details(struct fleet *f, const struct dispatch_details *details)
{
    intern_unref(&f->names, details->uid);
    for (uint32_t i = 0; i < details->gate_count; i++)
        intern_unref(&f->names, details->gates[i]);
    worker_unref(f, details->cluster);
}

void dispatch_release(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (dispatch_is(d, DISPATCH_KNOWN) || d->places != 0)
        return;
    dispatch_drop_todo(f, id);
    outbox_forget(f->outbox, EFFECT_OF_DISPATCH, id);
    heap_clear(&f->dispatch_timers, id);
    directory_drop(&f->dispatches_by_name, id);
    tree_remove(&dispatches_by_name, f, &f->dispatches_in_order, id);
    intern_unref(&f->names, d->space);
    intern_unref(&f->names, d->name);
    dispatch_release_details(f, &d->said);
    slab_give(&f->dispatches, id);
}
