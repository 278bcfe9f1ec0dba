/* SPDX-License-Identifier: Apache-2.0 */
#include "waiting.h"

#include "plugin/state.h"

/* A newcomer's link: the one before it is its left, the one after it its right, and its size is no
 * size. */
#define IN_LIST UINT32_MAX

static struct tree_link *link_of(const struct engine *e, uint32_t claim)
{
    return &claim_at(e, claim)->link;
}

static void let_newcomers_enter(struct engine *e, struct waiting *waiting)
{
    while (waiting->newcomer != 0) {
        uint32_t claim = waiting->newcomer;

        waiting->newcomer = link_of(e, claim)->right;
        *link_of(e, claim) = (struct tree_link){0};
        tree_insert(&claims_by_rank, e, &waiting->tree, claim);
    }
    waiting->newcomers = 0;
}

static void append(struct engine *e, struct waiting *waiting, uint32_t claim)
{
    bool first = waiting->newcomers++ == 0;

    *link_of(e, claim) = (struct tree_link){.left = first ? 0 : waiting->last, .size = IN_LIST};
    if (first)
        waiting->newcomer = claim;
    else
        link_of(e, waiting->last)->right = claim;
    waiting->last = claim;
}

void waiting_add(struct engine *e, struct waiting *waiting, uint32_t claim)
{
    bool is_last = waiting->last == 0 || claim_compare_rank(e, claim, waiting->last) > 0;

    if (!is_last || waiting->newcomers == WAITING_NEWCOMERS)
        let_newcomers_enter(e, waiting);
    if (is_last)
        append(e, waiting, claim);
    else
        tree_insert(&claims_by_rank, e, &waiting->tree, claim);
}

static void unlist(struct engine *e, struct waiting *waiting, uint32_t claim)
{
    struct tree_link *link = link_of(e, claim);

    if (link->left != 0)
        link_of(e, link->left)->right = link->right;
    else
        waiting->newcomer = link->right;
    if (link->right != 0)
        link_of(e, link->right)->left = link->left;
    else
        waiting->last = link->left;
    waiting->newcomers--;
    *link = (struct tree_link){0};
}

void waiting_remove(struct engine *e, struct waiting *waiting, uint32_t claim)
{
    if (link_of(e, claim)->size == IN_LIST)
        unlist(e, waiting, claim);
    else
        tree_remove(&claims_by_rank, e, &waiting->tree, claim);
    if (waiting->newcomers == 0)
        waiting->last = tree_last(&claims_by_rank, e, waiting->tree);
}

uint32_t waiting_next(const struct engine *e, const struct waiting *waiting, uint32_t claim)
{
    uint32_t next;

    if (link_of(e, claim)->size == IN_LIST)
        return link_of(e, claim)->right;
    next = tree_next(&claims_by_rank, e, claim);
    return next != 0 ? next : waiting->newcomer;
}

uint32_t waiting_count_before(const struct engine *e, const struct waiting *waiting, uint32_t other)
{
    uint32_t before = 0, at = waiting->tree;

    while (at != 0) {
        if (claim_is_before(e, at, other)) {
            before += 1 + tree_size(&claims_by_rank, e, link_of(e, at)->left);
            at = link_of(e, at)->right;
        } else {
            at = link_of(e, at)->left;
        }
    }
    for (at = waiting->newcomer; at != 0 && claim_is_before(e, at, other);
         at = link_of(e, at)->right)
        before++;
    return before;
}

uint32_t waiting_after(const struct engine *e, const struct waiting *waiting, uint32_t claim)
{
    uint32_t found = 0, at = waiting->tree;

    while (at != 0) {
        if (claim_compare_rank(e, at, claim) > 0) {
            found = at;
            at = link_of(e, at)->left;
        } else {
            at = link_of(e, at)->right;
        }
    }
    if (found != 0)
        return found;
    for (at = waiting->newcomer; at != 0 && claim_compare_rank(e, at, claim) <= 0;
         at = link_of(e, at)->right)
        ;
    return at;
}

uint32_t waiting_below(const struct engine *e, const struct waiting *waiting, int32_t priority)
{
    uint32_t found = claim_first_below(e, waiting->tree, priority), at;

    if (found != 0)
        return found;
    for (at = waiting->newcomer; at != 0 && claim_at(e, at)->priority >= priority;
         at = link_of(e, at)->right)
        ;
    return at;
}

uint32_t waiting_first(const struct engine *e, const struct waiting *waiting)
{
    return waiting->tree != 0 ? tree_first(&claims_by_rank, e, waiting->tree) : waiting->newcomer;
}

uint32_t waiting_count(const struct engine *e, const struct waiting *waiting)
{
    return tree_size(&claims_by_rank, e, waiting->tree) + waiting->newcomers;
}

bool waiting_check(const struct engine *e, const struct waiting *waiting)
{
    uint32_t before = tree_last(&claims_by_rank, e, waiting->tree), in_list_before = 0, count = 0;

    if (!tree_check(&claims_by_rank, e, waiting->tree))
        return false;
    for (uint32_t at = waiting->newcomer; at != 0; at = link_of(e, at)->right) {
        if (link_of(e, at)->size != IN_LIST || link_of(e, at)->left != in_list_before ||
            ++count > WAITING_NEWCOMERS || (before != 0 && claim_compare_rank(e, before, at) >= 0))
            return false;
        before = in_list_before = at;
    }
    return count == waiting->newcomers && waiting->last == before;
}
