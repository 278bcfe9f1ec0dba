/* SPDX-License-Identifier: Apache-2.0 */
#include "claim.h"

#include "plugin/state.h"

struct text claim_uid(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if (claim->workload != 0)
        return name_text(e, workload_at(e, id)->uid);
    return (struct text){claim_long_uid(claim->uid_len) == 0
                             ? claim->uid
                             : claim->text + claim->need_count * sizeof(uint16_t),
                         claim->uid_len};
}

struct text claim_name(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    size_t at = claim->need_count * sizeof(uint16_t) + claim_long_uid(claim->uid_len);

    if (claim->workload != 0)
        return name_text(e, workload_at(e, id)->name);
    return (struct text){claim->text + at, claim->name_len};
}

struct workload_name claim_full_name(const struct engine *e, uint32_t id)
{
    return (struct workload_name){claim_uid(e, id), name_text(e, claim_at(e, id)->space),
                                  claim_name(e, id)};
}

uint32_t claim_queue(const struct engine *e, uint32_t id)
{
    return claim_is_workload(e, id) ? demand_at(e, workload_at(e, id)->demand)->queue
                                    : line_queue(e, claim_line(e, id));
}

struct claim_question {
    const struct engine *e;
    struct text name;
    uint32_t space;
    bool workload;
};

static bool same_uid(const void *ctx, uint32_t id)
{
    const struct claim_question *q = ctx;

    return text_same(claim_uid(q->e, id), q->name);
}

static bool same_name(const void *ctx, uint32_t id)
{
    const struct claim_question *q = ctx;

    return claim_at(q->e, id)->space == q->space && claim_is_workload(q->e, id) == q->workload &&
           text_same(claim_name(q->e, id), q->name);
}

uint32_t claim_find(const struct engine *e, struct text uid)
{
    struct claim_question q = {.e = e, .name = uid};

    return index_find(&e->claims.by_uid, hash_text(uid, 0), same_uid, &q);
}

uint32_t claim_find_named(const struct engine *e, struct text space, struct text name,
                          bool workload)
{
    struct claim_question q = {e, name, intern_find(&e->names, space), workload};

    return index_find(&e->claims.by_name, hash_text(name, q.space), same_name, &q);
}

/* By uid; and where a host gave one uid to several, by what else makes them different. */
static int compare_identity(const struct engine *e, uint32_t a, uint32_t b)
{
    const struct claim *x = claim_at(e, a), *y = claim_at(e, b);
    int order = text_compare(claim_uid(e, a), claim_uid(e, b));

    if (order == 0)
        order = (x->flags & CLAIM_GANG) - (y->flags & CLAIM_GANG);
    if (order == 0)
        order = (x->workload != 0) - (y->workload != 0);
    if (order == 0)
        order = text_compare(claim_name(e, a), claim_name(e, b));
    return order != 0 ? order : text_compare(name_text(e, x->space), name_text(e, y->space));
}

int claim_compare_rank(const void *e, uint32_t a, uint32_t b)
{
    const struct claim *x = claim_at(e, a), *y = claim_at(e, b);

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->queued != y->queued)
        return x->queued < y->queued ? -1 : 1;
    return a == b ? 0 : compare_identity(e, a, b);
}

int claim_compare_removal(const void *e, uint32_t a, uint32_t b)
{
    const struct claim *x = claim_at(e, a), *y = claim_at(e, b);

    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    if (x->stamp != y->stamp)
        return x->stamp > y->stamp ? -1 : 1;
    return a == b ? 0 : compare_identity(e, a, b);
}

bool claim_is_before(const struct engine *e, uint32_t a, uint32_t b)
{
    return claim_compare_rank(e, a, b) < 0;
}

uint32_t claim_count_before(const struct engine *e, const struct tree_type *type, uint32_t tree,
                            uint32_t claim)
{
    uint32_t before = 0;

    while (tree != 0) {
        const struct tree_link *link = type->link(e, tree);
        bool is_before = claim_is_before(e, tree, claim);

        before += is_before ? 1 + tree_size(type, e, link->left) : 0;
        tree = is_before ? link->right : link->left;
    }
    return before;
}

uint32_t claim_first_below(const struct engine *e, uint32_t tree, int32_t priority)
{
    uint32_t found = 0;

    while (tree != 0) {
        const struct claim *claim = claim_at(e, tree);

        if (claim->priority < priority)
            found = tree;
        tree = claim->priority < priority ? claim->link.left : claim->link.right;
    }
    return found;
}

struct tree_link *claim_link(const void *ctx, uint32_t id)
{
    return &claim_at(ctx, id)->link;
}

static int compare_stamp(const void *ctx, uint32_t a, uint32_t b)
{
    const struct claim *x = claim_at(ctx, a), *y = claim_at(ctx, b);

    if (x->stamp != y->stamp)
        return x->stamp < y->stamp ? -1 : 1;
    return claim_compare_rank(ctx, a, b);
}

const struct tree_type claims_by_rank = {claim_link, claim_compare_rank, NULL};
const struct tree_type claims_by_stamp = {claim_link, compare_stamp, NULL};

uint32_t claim_count_pods(const struct engine *e)
{
    return slab_count(&e->claims.records) - slab_count(&e->claims.workloads) - e->claims.entries;
}

static bool pods_yield(const struct engine *e, uint32_t claim)
{
    bool is_gang = (claim_at(e, claim)->flags & CLAIM_GANG) != 0;
    uint32_t id = is_gang ? group_at(e, claim_group(e, claim_at(e, claim)))->claims.first : claim;

    if (is_gang && claim_at(e, claim)->timeouts > 0)
        return true;
    for (; id != 0; id = is_gang ? member_after(e, id) : 0) {
        if (claim_at(e, id)->flags & CLAIM_NEVER_PREEMPTS)
            return true;
    }
    return false;
}

bool claim_yields(const struct engine *e, uint32_t id)
{
    return claim_is_workload(e, id) ? demand_at(e, workload_at(e, id)->demand)->yields
                                    : pods_yield(e, id);
}
