/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_LIST_H
#define SLUICE_PLUGIN_BASE_LIST_H

#include <stdint.h>

/* Whoever comes stands where it is put, mostly behind all others, and anybody can leave at once.
 * The links live in the caller's records, so a record that has its link can always be appended. A
 * record that left has a link of zeros, and a list of zeros is empty. */
struct list_link {
    uint32_t next, prev; /* 0: it is the last, the first */
};

struct list {
    uint32_t first, last; /* 0: it is empty */
};

/* link(ctx, id) is the link of a record, which comes behind `prev`, or, with 0, before all others.
 * [id is not in the list, prev is] */
void list_insert(struct list_link *(*link)(const void *ctx, uint32_t id), const void *ctx,
                 struct list *list, uint32_t prev, uint32_t id);

/* Behind all others. [id is not in the list] */
void list_append(struct list_link *(*link)(const void *ctx, uint32_t id), const void *ctx,
                 struct list *list, uint32_t id);

/* [id is in the list] */
void list_remove(struct list_link *(*link)(const void *ctx, uint32_t id), const void *ctx,
                 struct list *list, uint32_t id);

#endif
