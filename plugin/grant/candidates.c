/* SPDX-License-Identifier: Apache-2.0 */
#include "candidates.h"

#include "hunt_share.h"
#include "plugin/claims/removable.h"
#include "plugin/state.h"

static bool uses_contested(const struct hunt *hunt, uint32_t claim)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        if (hunt->contested[i] &&
            claim_amount(hunt->e, claim, hunt->needs[i].flavor, hunt->needs[i].resource) > 0)
            return true;
    }
    return false;
}

static struct source *source_at(const struct hunt *hunt, uint32_t queue)
{
    return &queue_at(hunt->e, queue)->source;
}

static enum preempt_whom whom(const struct hunt *hunt, const struct source *source)
{
    const struct preempt_policy *policy = &queue_at(hunt->e, hunt->queue)->preempts;

    return source->place == CANDIDATE_OF_OWN_QUEUE ? policy->within : policy->reclaim;
}

/* Also if the asking one's queue exceeds its share. */
static bool goes_while_borrowing(const struct hunt *hunt, const struct source *source,
                                 int32_t priority)
{
    const struct preempt_policy *policy = &queue_at(hunt->e, hunt->queue)->preempts;

    return source->place != CANDIDATE_BY_PRIORITY ||
           (policy->while_borrowing && priority < hunt->rank.priority &&
            (!policy->has_threshold || priority <= policy->threshold));
}

bool candidates_go_while_borrowing(const struct hunt *hunt, uint32_t claim)
{
    return goes_while_borrowing(hunt, source_at(hunt, claim_queue(hunt->e, claim)),
                                policy_priority(hunt->e, claim));
}

static bool takes(const struct hunt *hunt, const struct source *source, uint32_t claim)
{
    return policy_takes(hunt->e, hunt->rank, hunt->group, claim, whom(hunt, source));
}

/* The first candidate of the queue, or (id) the one behind this. */
static uint32_t candidate_behind(struct hunt *hunt, uint32_t queue, uint32_t id)
{
    const struct engine *e = hunt->e;
    const struct source *source = source_at(hunt, queue);
    struct removable_wanted wanted = {hunt->uses, 0};

    id = id == 0 ? removable_first(e, queue, &wanted) : removable_after(e, id, &wanted);
    for (; id != 0; id = removable_after(e, id, &wanted)) {
        if (!takes(hunt, source, id)) {
            if (policy_takes_nobody_behind(e, hunt->rank, id, whom(hunt, source)))
                return 0;
            /* Of its own priority only those are taken that are newer, if any. */
            if (whom(hunt, source) == PREEMPT_LOWER_OR_NEWER &&
                claim_at(e, id)->priority == hunt->rank.priority)
                wanted.second = removable_second(hunt->rank.since);
        } else if (uses_contested(hunt, id)) {
            return id;
        }
    }
    return 0;
}

/* Finds its first candidate, or, if one had its turn, the next. */
static void find_next(struct hunt *hunt, uint32_t queue)
{
    struct source *source = source_at(hunt, queue);

    source->next = candidate_behind(hunt, queue, source->next);
    hunt->looked += source->next != 0;
}

static struct pairing_link *source_link(const void *ctx, uint32_t queue)
{
    return &source_at(ctx, queue)->link;
}

static int compare_sources(const void *ctx, uint32_t a, uint32_t b)
{
    const struct hunt *hunt = ctx;
    const struct source *x = source_at(hunt, a), *y = source_at(hunt, b);

    return x->place != y->place ? (x->place < y->place ? -1 : 1)
                                : claim_compare_removal(hunt->e, x->next, y->next);
}

static const struct pairing_type sources_by_next = {source_link, compare_sources};

static void collect_from(struct hunt *hunt, uint32_t queue, uint32_t common,
                         enum candidate_place place)
{
    *source_at(hunt, queue) =
        (struct source){.hunt = hunt->number, .common = common, .place = place};
    if (queue_at(hunt->e, queue)->known)
        find_next(hunt, queue);
    if (source_at(hunt, queue)->next == 0)
        return;
    source_at(hunt, queue)->also = hunt->last_source;
    hunt->last_source = queue;
    pairing_insert(&sources_by_next, hunt, &hunt->sources, queue);
    hunt->by_share = hunt->by_share || place == CANDIDATE_BY_SHARE;
    hunt->by_priority = hunt->by_priority || place == CANDIDATE_BY_PRIORITY;
}

/* Recursion is as deep as the tree of queues. */
static void collect_below(struct hunt *hunt, uint32_t id, uint32_t common, uint32_t skipped,
                          bool by_share)
{
    const struct engine *e = hunt->e;
    bool unnamed = hunt_share_has_unnamed(hunt, id);

    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        const struct queue *queue = queue_at(e, child);

        if (child == skipped || child == hunt->queue || !hunt_share_exceeds(hunt, child, unnamed))
            continue;
        if (queue->first_child != 0)
            collect_below(hunt, child, common, skipped, by_share);
        else if ((queue->kind != QUEUE_VOLCANO || queue->reclaimable) && !queue_spares(e, child))
            collect_from(hunt, child, common,
                         by_share ? CANDIDATE_BY_SHARE : CANDIDATE_BY_PRIORITY);
    }
}

void candidates_collect(struct hunt *hunt)
{
    const struct engine *e = hunt->e;
    const struct queue *queue = queue_at(e, hunt->queue);
    wide arrives[ASSIGN_MAX_AMOUNTS];
    bool within = queue->preempts.while_borrowing || hunt_share_is_under(hunt), by_share;
    uint32_t below = 0;

    hunt->number = ++hunt->e->claims.promises.hunts;
    hunt->sources = hunt->last_source = 0;
    hunt->by_share = hunt->by_priority = false;
    for (uint32_t i = 0; i < hunt->count; i++)
        arrives[i] = hunt->needs[i].amount;
    by_share = hunt_share_holds(hunt, hunt->queue, arrives);
    for (uint32_t up = queue->parent; up != 0 && queue->preempts.reclaim != PREEMPT_NEVER;
         up = queue_at(e, up)->parent) {
        if (by_share || within) /* else nobody there could be taken away */
            collect_below(hunt, up, up, below, by_share);
        by_share = hunt_share_holds(hunt, up, arrives) || by_share;
        below = up;
    }
    if (queue->preempts.within != PREEMPT_NEVER)
        collect_from(hunt, hunt->queue, 0, CANDIDATE_OF_OWN_QUEUE);
}

/* Of an amount that is used below, at most as much is missed above. */
static bool reduce(const struct hunt *hunt, uint32_t claim, wide *lacks)
{
    bool enough = true;

    for (uint32_t i = 0; i < hunt->count; i++) {
        if (lacks[i] > 0)
            lacks[i] -=
                claim_amount(hunt->e, claim, hunt->needs[i].flavor, hunt->needs[i].resource);
        enough = enough && lacks[i] <= 0;
    }
    return enough;
}

/* Room that is set aside for a guarded head grows by what is missed below, too. */
bool candidates_suffice(struct hunt *hunt)
{
    wide lacks[ASSIGN_MAX_AMOUNTS];
    bool enough = hunt->e->queues.todo[TODO_GUARD].first != 0;

    memcpy(lacks, hunt->lacks, hunt->count * sizeof(*lacks));
    for (uint32_t queue = hunt->last_source; queue != 0 && !enough;
         queue = source_at(hunt, queue)->also) {
        struct source *source = source_at(hunt, queue);
        uint32_t first = source->next;

        for (; source->next != 0 && !enough; find_next(hunt, queue))
            enough = reduce(hunt, source->next, lacks);
        source->next = first;
    }
    return enough;
}

/* Whoever is taken away leaves less above: what does not exceed its share will not do so again. */
static bool all_exceed_share(const struct hunt *hunt, uint32_t queue)
{
    uint32_t common = source_at(hunt, queue)->common;

    for (; common != 0 && queue != common; queue = queue_at(hunt->e, queue)->parent) {
        if (!hunt_share_exceeds(hunt, queue, true))
            return false;
    }
    return true;
}

uint32_t candidates_next(struct hunt *hunt, bool borrowing)
{
    const struct engine *e = hunt->e;
    uint32_t queue, claim;

    while ((queue = hunt->sources) != 0) {
        struct source *source = source_at(hunt, queue);

        claim = source->next;
        pairing_remove_first(&sources_by_next, hunt, &hunt->sources);
        if (!all_exceed_share(hunt, queue) ||
            (borrowing && !goes_while_borrowing(hunt, source, claim_at(e, claim)->priority)))
            continue; /* nobody behind it does either */
        find_next(hunt, queue);
        if (source->next != 0)
            pairing_insert(&sources_by_next, hunt, &hunt->sources, queue);
        if (!pledge_at(e, claim)->removed &&
            (!borrowing || goes_while_borrowing(hunt, source, policy_priority(e, claim))))
            return claim;
    }
    return 0;
}

bool candidates_have(const struct hunt *hunt, uint32_t claim)
{
    const struct source *source = source_at(hunt, claim_queue(hunt->e, claim));

    return removable_has(hunt->e, claim) && source->hunt == hunt->number &&
           uses_contested(hunt, claim) && takes(hunt, source, claim);
}
