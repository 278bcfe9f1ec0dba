/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_LIST_H
#define SLUICE_PLUGIN_BASE_LIST_H

#include <stdint.h>

/* Who came first is first, and anybody can leave at once. The links live in the caller's records,
 * so a record that has its link can always be appended. A record that left has a link of zeros, and
 * a list of zeros is empty. */
struct list_link {
    uint32_t next, prev; /* 0: it is the last, the first */
};

struct list {
    uint32_t first, last; /* 0: it is empty */
};

/* The link of the record with this id. */
typedef struct list_link *list_link_of(const void *ctx, uint32_t id);

/* [id is not in the list] */
void list_append(list_link_of *link, const void *ctx, struct list *list, uint32_t id);

/* [id is in the list] */
void list_remove(list_link_of *link, const void *ctx, struct list *list, uint32_t id);

#endif
