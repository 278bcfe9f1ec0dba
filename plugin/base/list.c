/* SPDX-License-Identifier: Apache-2.0 */
#include "list.h"

void list_insert(struct list_link *(*link)(const void *ctx, uint32_t id), const void *ctx,
                 struct list *list, uint32_t prev, uint32_t id)
{
    uint32_t *before = prev != 0 ? &link(ctx, prev)->next : &list->first;
    uint32_t *after = *before != 0 ? &link(ctx, *before)->prev : &list->last;

    *link(ctx, id) = (struct list_link){.next = *before, .prev = prev};
    *before = *after = id;
}

void list_append(struct list_link *(*link)(const void *ctx, uint32_t id), const void *ctx,
                 struct list *list, uint32_t id)
{
    list_insert(link, ctx, list, list->last, id);
}

void list_remove(struct list_link *(*link)(const void *ctx, uint32_t id), const void *ctx,
                 struct list *list, uint32_t id)
{
    struct list_link *gone = link(ctx, id);

    if (gone->prev != 0)
        link(ctx, gone->prev)->next = gone->next;
    else
        list->first = gone->next;
    if (gone->next != 0)
        link(ctx, gone->next)->prev = gone->prev;
    else
        list->last = gone->prev;
    *gone = (struct list_link){0};
}
