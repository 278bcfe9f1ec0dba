/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_TREE_H
#define SLUICE_PLUGIN_BASE_TREE_H

#include "slab.h"

#include <stdbool.h>
#include <stdint.h>

/* Ordered sets: weight-balanced binary search trees. The links live in the caller's records, so a
 * record that has its link can always be inserted. A tree is the id of its root; 0 is the empty
 * tree. Each operation costs the logarithm of the size; nothing is recursive, nothing allocates.
 *
 * A record that is in no tree has a link of zeros. */
struct tree_link {
    uint32_t left;
    uint32_t right;
    uint32_t parent;
    uint32_t size; /* of the subtree below and with this record; 0: in no tree */
};

struct tree_type {
    struct tree_link *(*link)(const void *ctx, uint32_t id);

    /* Below 0 if a comes first, above 0 if b does; never 0 for two records. The order of records
     * that are in a tree must not change. */
    int (*compare)(const void *ctx, uint32_t a, uint32_t b);

    /* Computes what the record knows of its subtree from its own value and its two children, which
     * are up to date; tells whether that differs from what it knew. NULL: it knows nothing. Must
     * not touch the tree. */
    bool (*update)(void *ctx, uint32_t id);
};

/* [id is in no tree] */
void tree_insert(const struct tree_type *type, void *ctx, uint32_t *root, uint32_t id);

/* [id is in this tree] */
void tree_remove(const struct tree_type *type, void *ctx, uint32_t *root, uint32_t id);

/* The value of id changed, not its order: updates it and all above it. [id is in a tree] */
void tree_refresh(const struct tree_type *type, void *ctx, uint32_t id);

/* All return 0 where there is none. */
uint32_t tree_first(const struct tree_type *type, const void *ctx, uint32_t root);
uint32_t tree_last(const struct tree_type *type, const void *ctx, uint32_t root);
uint32_t tree_next(const struct tree_type *type, const void *ctx, uint32_t id);
uint32_t tree_prev(const struct tree_type *type, const void *ctx, uint32_t id);

/* Moves *cursor to the next one of a tree whose records are these, from 0 to the first. False:
 * there is none, or the cursor's record has gone; and it is 0. */
bool tree_step(const struct tree_type *type, const void *ctx, uint32_t root,
               const struct slab *records, uint32_t *cursor);

/* The record with n others before it. */
uint32_t tree_at(const struct tree_type *type, const void *ctx, uint32_t root, uint32_t n);

/* How many records come before id in its tree. [id is in a tree] */
uint32_t tree_rank(const struct tree_type *type, const void *ctx, uint32_t id);

/* Of the tree, or of what is below and with one of its records. */
uint32_t tree_size(const struct tree_type *type, const void *ctx, uint32_t id);

/* For checks: whether links, sizes, balance and order are all as they must be. */
bool tree_check(const struct tree_type *type, const void *ctx, uint32_t root);

#endif
