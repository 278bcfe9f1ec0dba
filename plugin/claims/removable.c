/* SPDX-License-Identifier: Apache-2.0 */
#include "removable.h"

#include "plugin/state.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &pledge_at(ctx, id)->candidate.link;
}

uint32_t removable_uses(uint16_t flavor, uint32_t resource)
{
    return UINT32_C(1) << (resource * 5 + flavor) % PLEDGE_USES;
}

uint32_t removable_second(int64_t created)
{
    int64_t second = created < 0 ? 0 : created / SECOND;

    return second < UINT32_MAX ? (uint32_t)second : UINT32_MAX;
}

/* What the claim and those below it use, and when the newest came. */
static struct removable_wanted sum_up(const struct engine *e, uint32_t id)
{
    const uint32_t below[2] = {link_of(e, id)->left, link_of(e, id)->right};
    struct removable_wanted sum = {pledge_at(e, id)->uses,
                                   removable_second(claim_at(e, id)->queued)};

    for (int i = 0; i < 2; i++) {
        const struct pledge *pledge = below[i] == 0 ? NULL : pledge_at(e, below[i]);

        if (pledge == NULL)
            continue;
        sum.uses |= pledge->candidate.below.uses;
        if (pledge->candidate.below.second > sum.second)
            sum.second = pledge->candidate.below.second;
    }
    return sum;
}

static bool same(const struct removable_wanted *a, const struct removable_wanted *b)
{
    return a->uses == b->uses && a->second == b->second;
}

static bool update(void *ctx, uint32_t id)
{
    struct removable_wanted *below = &pledge_at(ctx, id)->candidate.below;
    struct removable_wanted before = *below;

    *below = sum_up(ctx, id);
    return !same(&before, below);
}

static const struct tree_type in_order = {link_of, claim_compare_removal, update};

static bool is_wanted_below(const struct engine *e, uint32_t id,
                            const struct removable_wanted *wanted)
{
    const struct pledge *pledge = id == 0 ? NULL : pledge_at(e, id);

    return pledge != NULL && (pledge->candidate.below.uses & wanted->uses) != 0 &&
           pledge->candidate.below.second >= wanted->second;
}

static bool is_wanted(const struct engine *e, uint32_t id, const struct removable_wanted *wanted)
{
    return (pledge_at(e, id)->uses & wanted->uses) != 0 &&
           (wanted->second == 0 || removable_second(claim_at(e, id)->queued) >= wanted->second);
}

static uint32_t leftmost(const struct engine *e, uint32_t id, const struct removable_wanted *wanted)
{
    while (is_wanted_below(e, link_of(e, id)->left, wanted))
        id = link_of(e, id)->left;
    return id;
}

uint32_t removable_first(const struct engine *e, uint32_t queue,
                         const struct removable_wanted *wanted)
{
    uint32_t id = queue_at(e, queue)->removable;

    if (!is_wanted_below(e, id, wanted))
        return 0;
    id = leftmost(e, id, wanted);
    return is_wanted(e, id, wanted) ? id : removable_after(e, id, wanted);
}

/* The next place in the tree at which to look. */
static uint32_t step(const struct engine *e, uint32_t id, const struct removable_wanted *wanted)
{
    uint32_t right = link_of(e, id)->right, up = link_of(e, id)->parent;

    if (is_wanted_below(e, right, wanted))
        return leftmost(e, right, wanted);
    for (; up != 0 && link_of(e, up)->right == id; up = link_of(e, id)->parent)
        id = up;
    return up;
}

uint32_t removable_after(const struct engine *e, uint32_t id, const struct removable_wanted *wanted)
{
    do
        id = step(e, id, wanted);
    while (id != 0 && !is_wanted(e, id, wanted));
    return id;
}

static bool should_be(const struct engine *e, uint32_t id)
{
    const uint32_t flags =
        CLAIM_MANAGED | CLAIM_VICTIM | CLAIM_ENDING | CLAIM_SPARED | CLAIM_NOT_PREEMPTABLE;
    const struct claim *claim = claim_at(e, id);

    if (claim_is_workload(e, id))
        return engine_admits(e) && claim_queue(e, id) != 0 && workload_holds(e, id) &&
               workload_counts_later(e, id);
    return engine_preempts(e) && claim_holds(claim) && (claim->flags & flags) == CLAIM_MANAGED;
}

static uint32_t used_by(const struct engine *e, uint32_t claim)
{
    struct claim_need need;
    uint32_t uses = 0;

    for (uint32_t i = 0; claim_need(e, claim, i, &need); i++) {
        if (need.flavor != FLAVOR_NONE)
            uses |= removable_uses(need.flavor, need.resource);
    }
    return uses;
}

bool removable_has(const struct engine *e, uint32_t claim)
{
    return pledge_is(e) && pledge_at(e, claim)->removable;
}

void removable_leave(struct engine *e, uint32_t id)
{
    if (!removable_has(e, id))
        return;
    tree_remove(&in_order, e, &queue_at(e, claim_queue(e, id))->removable, id);
    pledge_at(e, id)->candidate = (struct candidate){0};
    pledge_at(e, id)->removable = false;
}

void removable_review(struct engine *e, uint32_t id)
{
    if (removable_has(e, id) == should_be(e, id))
        return;
    if (removable_has(e, id)) {
        removable_leave(e, id);
        return;
    }
    pledge_at(e, id)->candidate = (struct candidate){0};
    pledge_at(e, id)->uses = used_by(e, id) & (UINT32_MAX >> (32 - PLEDGE_USES));
    pledge_at(e, id)->removable = true;
    tree_insert(&in_order, e, &queue_at(e, claim_queue(e, id))->removable, id);
}

const char *removable_check(const struct engine *e, uint32_t id)
{
    struct removable_wanted sum;

    if (removable_has(e, id) != should_be(e, id))
        return "whose room may be taken, is found in its queue";
    if (!removable_has(e, id))
        return NULL;
    sum = sum_up(e, id);
    if (pledge_at(e, id)->uses != used_by(e, id) || !same(&sum, &pledge_at(e, id)->candidate.below))
        return "it is known what is used by whose room may be taken";
    return NULL;
}

const char *removable_check_queue(const struct engine *e, uint32_t queue)
{
    return tree_check(&in_order, e, queue_at(e, queue)->removable)
               ? NULL
               : "those whose room may be taken are in order";
}
