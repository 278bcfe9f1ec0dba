/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <stddef.h>

/* The weight of a subtree is its size and one. No weight is more than HEAVY times the one beside
 * it; a single rotation serves if the inner grandchild weighs less than INNER times the outer one.
 * 3 and 2 are the only whole numbers for which this is proved to hold under insertion and removal
 * (Hirai and Yamamoto, Balancing weight-balanced trees, 2011). */
enum { HEAVY = 3, INNER = 2 };

uint32_t tree_size(const struct tree_type *type, const void *ctx, uint32_t id)
{
    return id == 0 ? 0 : type->link(ctx, id)->size;
}

static uint64_t weight(uint32_t size)
{
    return (uint64_t)size + 1;
}

static uint32_t *child(struct tree_link *link, bool right)
{
    return right ? &link->right : &link->left;
}

static bool update(const struct tree_type *type, void *ctx, uint32_t id)
{
    return type->update != NULL && type->update(ctx, id);
}

static void set_parent(const struct tree_type *type, const void *ctx, uint32_t id, uint32_t parent)
{
    if (id != 0)
        type->link(ctx, id)->parent = parent;
}

/* Where the parent, or the tree itself, points to id. */
static uint32_t *pointer_to(const struct tree_type *type, const void *ctx, uint32_t *root,
                            uint32_t id, uint32_t parent)
{
    if (parent == 0)
        return root;

    struct tree_link *link = type->link(ctx, parent);

    return child(link, link->right == id);
}

/* Raises one child of id above it; drawn for the right one:
 *
 *      id                up
 *     /  \              /  \
 *    a    up    ──▶   id    c
 *        /  \        /  \
 *       b    c      a    b
 *
 * id is updated; up is left to the caller. Returns up. */
static uint32_t raise_child(const struct tree_type *type, void *ctx, uint32_t *root, uint32_t id,
                            bool right)
{
    struct tree_link *low = type->link(ctx, id);
    uint32_t up = *child(low, right);
    struct tree_link *high = type->link(ctx, up);
    uint32_t inner = *child(high, !right);
    uint32_t size = low->size;

    low->size = size - high->size + tree_size(type, ctx, inner);
    high->size = size;
    *pointer_to(type, ctx, root, id, low->parent) = up;
    high->parent = low->parent;
    low->parent = up;
    *child(low, right) = inner;
    set_parent(type, ctx, inner, id);
    *child(high, !right) = id;
    update(type, ctx, id);
    return up;
}

/* One side of id is too heavy. Returns what is now in its place, not yet updated. */
static uint32_t lighten(const struct tree_type *type, void *ctx, uint32_t *root, uint32_t id,
                        bool right)
{
    uint32_t heavy = *child(type->link(ctx, id), right);
    struct tree_link *link = type->link(ctx, heavy);
    uint64_t inner = weight(tree_size(type, ctx, *child(link, !right)));
    uint64_t outer = weight(tree_size(type, ctx, *child(link, right)));

    if (inner >= INNER * outer)
        raise_child(type, ctx, root, heavy, !right);
    return raise_child(type, ctx, root, id, right);
}

/* Balances and updates everything from id up to the root. `from`, a child of id or 0, is what
 * changed; the size of its sibling follows from the others, so no sibling is read: that is half of
 * the cache misses of a large tree. */
static void repair(const struct tree_type *type, void *ctx, uint32_t *root, uint32_t id,
                   uint32_t from, uint32_t shrunk_by, uint32_t moved)
{
    uint32_t from_size = tree_size(type, ctx, from);
    bool changed = true;

    while (id != 0) {
        struct tree_link *link = type->link(ctx, id);

        link->size -= shrunk_by;

        bool from_right = link->left != from;
        uint64_t near = weight(from_size);
        uint64_t far = weight(link->size - 1 - from_size);

        from = id;
        if (near > HEAVY * far || far > HEAVY * near) {
            from = lighten(type, ctx, root, id, from_right == (near > far));
            link = type->link(ctx, from);
            update(type, ctx, from);
            changed = true; /* what is known here was another record's to know */
        } else if (from == moved) {
            update(type, ctx, from);
            changed = true;
        } else if (changed) {
            changed = update(type, ctx, from);
        }

        from_size = link->size;
        id = link->parent;
    }
}

void tree_insert(const struct tree_type *type, void *ctx, uint32_t *root, uint32_t id)
{
    uint32_t *at = root;
    uint32_t parent = 0;

    while (*at != 0) {
        parent = *at;

        struct tree_link *link = type->link(ctx, parent);

        link->size++;
        at = child(link, type->compare(ctx, id, parent) > 0);
    }
    *at = id;
    *type->link(ctx, id) = (struct tree_link){.parent = parent, .size = 1};
    update(type, ctx, id);
    repair(type, ctx, root, parent, id, 0, 0);
}

static uint32_t outermost(const struct tree_type *type, const void *ctx, uint32_t id, bool right)
{
    uint32_t found = 0;

    while (id != 0) {
        found = id;
        id = *child(type->link(ctx, id), right);
    }
    return found;
}

/* A record between two children is replaced by its neighbour on the heavier side: `heir`, whose
 * only child `orphan` takes the heir's own place. */
static void remove_inner(const struct tree_type *type, void *ctx, uint32_t *root, uint32_t id)
{
    struct tree_link *gone = type->link(ctx, id);
    bool right = tree_size(type, ctx, gone->right) > tree_size(type, ctx, gone->left);
    uint32_t heir = outermost(type, ctx, *child(gone, right), !right);
    struct tree_link *link = type->link(ctx, heir);
    uint32_t orphan = *child(link, right);
    uint32_t start = heir;

    if (link->parent != id) {
        start = link->parent;
        *child(type->link(ctx, start), !right) = orphan;
        set_parent(type, ctx, orphan, start);
        *child(link, right) = *child(gone, right);
        set_parent(type, ctx, *child(link, right), heir);
    }
    *child(link, !right) = *child(gone, !right);
    set_parent(type, ctx, *child(link, !right), heir);
    *pointer_to(type, ctx, root, id, gone->parent) = heir;
    link->parent = gone->parent;
    link->size = gone->size;
    *gone = (struct tree_link){0};
    repair(type, ctx, root, start, orphan, 1, heir);
}

void tree_remove(const struct tree_type *type, void *ctx, uint32_t *root, uint32_t id)
{
    struct tree_link *gone = type->link(ctx, id);

    if (gone->left != 0 && gone->right != 0) {
        remove_inner(type, ctx, root, id);
        return;
    }

    uint32_t orphan = gone->left != 0 ? gone->left : gone->right;
    uint32_t parent = gone->parent;

    *pointer_to(type, ctx, root, id, parent) = orphan;
    set_parent(type, ctx, orphan, parent);
    *gone = (struct tree_link){0};
    repair(type, ctx, root, parent, orphan, 1, 0);
}

void tree_refresh(const struct tree_type *type, void *ctx, uint32_t id)
{
    while (id != 0 && update(type, ctx, id))
        id = type->link(ctx, id)->parent;
}

uint32_t tree_first(const struct tree_type *type, const void *ctx, uint32_t root)
{
    return outermost(type, ctx, root, false);
}

uint32_t tree_last(const struct tree_type *type, const void *ctx, uint32_t root)
{
    return outermost(type, ctx, root, true);
}

static uint32_t step(const struct tree_type *type, const void *ctx, uint32_t id, bool right)
{
    struct tree_link *link = type->link(ctx, id);

    if (*child(link, right) != 0)
        return outermost(type, ctx, *child(link, right), !right);

    for (uint32_t from = id; (id = link->parent) != 0; from = id) {
        link = type->link(ctx, id);
        if (*child(link, right) != from)
            return id;
    }
    return 0;
}

uint32_t tree_next(const struct tree_type *type, const void *ctx, uint32_t id)
{
    return step(type, ctx, id, true);
}

uint32_t tree_prev(const struct tree_type *type, const void *ctx, uint32_t id)
{
    return step(type, ctx, id, false);
}

bool tree_step(const struct tree_type *type, const void *ctx, uint32_t root,
               const struct slab *records, uint32_t *cursor)
{
    if (*cursor == 0)
        *cursor = tree_first(type, ctx, root);
    else
        *cursor = slab_live(records, *cursor) ? tree_next(type, ctx, *cursor) : 0;
    return *cursor != 0;
}

uint32_t tree_at(const struct tree_type *type, const void *ctx, uint32_t root, uint32_t n)
{
    uint32_t id = root;

    while (id != 0) {
        const struct tree_link *link = type->link(ctx, id);
        uint32_t before = tree_size(type, ctx, link->left);

        if (n == before)
            return id;
        if (n < before) {
            id = link->left;
        } else {
            n -= before + 1;
            id = link->right;
        }
    }
    return 0;
}

uint32_t tree_rank(const struct tree_type *type, const void *ctx, uint32_t id)
{
    const struct tree_link *link = type->link(ctx, id);
    uint32_t rank = tree_size(type, ctx, link->left);

    while (link->parent != 0) {
        const struct tree_link *above = type->link(ctx, link->parent);

        if (above->right == id)
            rank += above->size - link->size;
        id = link->parent;
        link = above;
    }
    return rank;
}

static bool node_is_sound(const struct tree_type *type, const void *ctx, uint32_t id)
{
    const struct tree_link *link = type->link(ctx, id);
    uint64_t left = weight(tree_size(type, ctx, link->left));
    uint64_t right = weight(tree_size(type, ctx, link->right));

    return link->size == left + right - 1 && left <= HEAVY * right && right <= HEAVY * left &&
           (link->left == 0 || type->link(ctx, link->left)->parent == id) &&
           (link->right == 0 || type->link(ctx, link->right)->parent == id);
}

bool tree_check(const struct tree_type *type, const void *ctx, uint32_t root)
{
    if (root == 0)
        return true;
    if (type->link(ctx, root)->parent != 0)
        return false;

    uint32_t left = tree_size(type, ctx, root);
    uint32_t id = tree_first(type, ctx, root);
    uint32_t before = 0;

    for (; id != 0 && left > 0; left--) {
        if (!node_is_sound(type, ctx, id))
            return false;
        if (before != 0 && type->compare(ctx, before, id) >= 0)
            return false;
        before = id;
        id = tree_next(type, ctx, id);
    }
    return id == 0 && left == 0;
}
