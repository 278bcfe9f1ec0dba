/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_PAIRING_H
#define SLUICE_PLUGIN_BASE_PAIRING_H

#include <stdint.h>

/* Who is first among many, where few are asked for: pairing heaps. To put a record in costs one
 * comparison, so the first of n is found with n - 1 of them; each one behind it costs about the
 * logarithm of n. The links live in the caller's records. A heap is the id of its first record; 0
 * is the empty heap. Nothing is recursive, nothing allocates.
 *
 * If the order of records changes while they are in a heap, none is lost, but another than the
 * first may be given for it. A heap that is no longer of use is just forgotten. */
struct pairing_link {
    uint32_t child, sibling;
};

struct pairing_type {
    struct pairing_link *(*link)(const void *ctx, uint32_t id);

    /* Below 0 if a comes first, above 0 if b does. */
    int (*compare)(const void *ctx, uint32_t a, uint32_t b);
};

/* Whatever the record's link was. [id is in no heap that is still of use] */
void pairing_insert(const struct pairing_type *type, const void *ctx, uint32_t *heap, uint32_t id);

/* [*heap is not empty] */
void pairing_remove_first(const struct pairing_type *type, const void *ctx, uint32_t *heap);

#endif
