/* SPDX-License-Identifier: Apache-2.0 */
#include "candidates.h"

#include "plugin/capacity/headroom.h"
#include "plugin/state.h"
#include "policy.h"

static wide need_of(const struct hunt *hunt, uint32_t i)
{
    return line_amount(hunt->e, line_at(hunt->e, claim_at(hunt->e, hunt->claim)->line), i);
}

static uint32_t need_count(const struct hunt *hunt)
{
    return line_count(hunt->e, line_at(hunt->e, claim_at(hunt->e, hunt->claim)->line));
}

static uint32_t resource_of(const struct hunt *hunt, uint32_t i)
{
    const struct engine *e = hunt->e;

    return line_resource(e, line_at(e, claim_at(e, hunt->claim)->line), i);
}

static const struct cell *cell_of(const struct hunt *hunt, uint32_t queue, uint32_t i)
{
    return quota_cell(queue_at(hunt->e, queue), hunt->flavors[i], resource_of(hunt, i));
}

bool candidates_contest(struct hunt *hunt)
{
    hunt->uses = 0;
    for (uint32_t i = 0; i < need_count(hunt); i++) {
        wide room =
            hunt->asked[i] && hunt->flavors[i] != FLAVOR_NONE
                ? headroom_later(hunt->e, hunt->queue, hunt->flavors[i], resource_of(hunt, i))
                : HEADROOM_UNLIMITED;

        hunt->lacks[i] = wide_max(0, need_of(hunt, i) - room);
        hunt->contested[i] = hunt->lacks[i] > 0;
        if (hunt->contested[i])
            hunt->uses |= removable_uses(hunt->flavors[i], resource_of(hunt, i));
    }
    return hunt->uses != 0;
}

/* Usage counts only what is above what the children keep; so does the share, in Volcano's trees. */
wide candidates_share(const struct queue *queue, const struct cell *cell)
{
    return queue->kind == QUEUE_VOLCANO
               ? wide_max(cell->share, cell->kept + cell->given) - cell->given
               : cell->share;
}

/* Of Volcano's queues only what is contested is compared with the share: what a queue has no share
 * of may still be plenty. */
static bool matters(const struct hunt *hunt, uint32_t i)
{
    return queue_at(hunt->e, hunt->queue)->kind == QUEUE_VOLCANO
               ? hunt->contested[i]
               : hunt->asked[i] && hunt->flavors[i] != FLAVOR_NONE;
}

/* Who names no share of something has none: all that it uses of it is others'. */
static bool exceeds_share(const struct hunt *hunt, uint32_t queue)
{
    for (uint32_t i = 0; i < need_count(hunt); i++) {
        const struct cell *cell = hunt->contested[i] ? cell_of(hunt, queue, i) : NULL;

        if (cell == NULL ? hunt->contested[i] && queue_at(hunt->e, queue)->kind == QUEUE_VOLCANO
                         : cell->later > candidates_share(queue_at(hunt->e, queue), cell))
            return true;
    }
    return false;
}

/* Whether the queue could hold what arrives at it within its share; what it keeps and does not use
 * does not pass on. */
static bool holds_in_share(const struct hunt *hunt, uint32_t queue, wide *arrives)
{
    bool holds = true;

    for (uint32_t i = 0; i < need_count(hunt); i++) {
        const struct cell *cell = matters(hunt, i) ? cell_of(hunt, queue, i) : NULL;

        if (!matters(hunt, i))
            continue;
        if (cell == NULL) {
            holds = holds && arrives[i] <= 0;
            continue;
        }
        if (cell->later + arrives[i] > candidates_share(queue_at(hunt->e, queue), cell))
            holds = false;
        arrives[i] = wide_max(0, arrives[i] - wide_max(0, cell->kept - cell->later));
    }
    return holds;
}

bool candidates_under_share(const struct hunt *hunt)
{
    for (uint32_t i = 0; i < need_count(hunt); i++) {
        const struct cell *cell = hunt->contested[i] ? cell_of(hunt, hunt->queue, i) : NULL;

        if (hunt->contested[i] &&
            (cell == NULL || cell->later >= candidates_share(queue_at(hunt->e, hunt->queue), cell)))
            return false;
    }
    return true;
}

uint64_t candidates_within(const struct hunt *hunt)
{
    uint64_t within = 0;

    for (uint32_t i = 0; i < need_count(hunt); i++)
        within |= (uint64_t)matters(hunt, i) << i;
    return within;
}

bool candidates_would_borrow(const struct hunt *hunt)
{
    for (uint32_t i = 0; i < need_count(hunt); i++) {
        const struct cell *cell = matters(hunt, i) ? cell_of(hunt, hunt->queue, i) : NULL;

        if (matters(hunt, i) &&
            (cell == NULL || cell->later + need_of(hunt, i) >
                                 candidates_share(queue_at(hunt->e, hunt->queue), cell)))
            return true;
    }
    return false;
}

static bool uses(const struct hunt *hunt, const struct claim *candidate, uint32_t i)
{
    const struct line *line = line_at(hunt->e, candidate->line);

    for (uint32_t k = 0; k < line_count(hunt->e, line); k++) {
        if (line_resource(hunt->e, line, k) == resource_of(hunt, i) &&
            claim_flavors(candidate)[k] == hunt->flavors[i])
            return true;
    }
    return false;
}

static bool uses_contested(const struct hunt *hunt, const struct claim *candidate)
{
    for (uint32_t i = 0; i < need_count(hunt); i++) {
        if (hunt->contested[i] && uses(hunt, candidate, i))
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

/* Also if the asking claim's queue exceeds its share. */
static bool goes_while_borrowing(const struct hunt *hunt, const struct source *source,
                                 int32_t priority)
{
    const struct preempt_policy *policy = &queue_at(hunt->e, hunt->queue)->preempts;

    return source->place != CANDIDATE_BY_PRIORITY ||
           (policy->while_borrowing && priority < claim_at(hunt->e, hunt->claim)->priority &&
            (!policy->has_threshold || priority <= policy->threshold));
}

/* The first candidate, or the one that comes next. */
static void find_next(struct hunt *hunt, uint32_t queue)
{
    const struct engine *e = hunt->e;
    const struct claim *asks = claim_at(e, hunt->claim);
    struct source *source = source_at(hunt, queue);
    enum preempt_whom takes = whom(hunt, source);
    struct removable_wanted wanted = {hunt->uses, 0};
    uint32_t id = source->next;

    id = id == 0 ? removable_first(e, queue, &wanted) : removable_after(e, id, &wanted);
    while (id != 0) {
        const struct claim *claim = claim_at(e, id);

        if (!policy_takes(e, hunt->claim, id, takes)) {
            if (policy_takes_nobody_behind(e, hunt->claim, id, takes))
                break;
            if (claim->priority == asks->priority) /* of this one only who is newer */
                wanted.second = removable_second(asks->created);
        } else if (uses_contested(hunt, claim)) {
            source->next = id;
            hunt->looked++;
            return;
        }
        id = removable_after(e, id, &wanted);
    }
    source->next = 0;
}

static struct tree_link *source_link(const void *ctx, uint32_t queue)
{
    return &source_at(ctx, queue)->link;
}

static int compare_sources(const void *ctx, uint32_t a, uint32_t b)
{
    const struct hunt *hunt = ctx;
    const struct source *x = source_at(hunt, a), *y = source_at(hunt, b);

    return x->place != y->place ? (x->place < y->place ? -1 : 1)
                                : removable_compare(hunt->e, x->next, y->next);
}

static const struct tree_type sources_by_next = {source_link, compare_sources, NULL};

static void collect_from(struct hunt *hunt, uint32_t queue, uint32_t common,
                         enum candidate_place place)
{
    *source_at(hunt, queue) =
        (struct source){.hunt = hunt->number, .common = common, .place = place};
    find_next(hunt, queue);
    if (source_at(hunt, queue)->next == 0)
        return;
    tree_insert(&sources_by_next, hunt, &hunt->sources, queue);
    hunt->by_share = hunt->by_share || place == CANDIDATE_BY_SHARE;
    hunt->by_priority = hunt->by_priority || place == CANDIDATE_BY_PRIORITY;
}

/* Recursion is as deep as the tree of queues. */
static void collect_below(struct hunt *hunt, uint32_t id, uint32_t common, uint32_t skipped,
                          bool by_share)
{
    const struct engine *e = hunt->e;

    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        const struct queue *queue = queue_at(e, child);

        if (child == skipped || child == hunt->queue || !exceeds_share(hunt, child))
            continue;
        if (queue->first_child != 0)
            collect_below(hunt, child, common, skipped, by_share);
        else if (queue->known && (queue->kind != QUEUE_VOLCANO || queue->reclaimable) &&
                 !queue_spares(e, child))
            collect_from(hunt, child, common,
                         by_share ? CANDIDATE_BY_SHARE : CANDIDATE_BY_PRIORITY);
    }
}

void candidates_collect(struct hunt *hunt)
{
    const struct engine *e = hunt->e;
    const struct queue *queue = queue_at(e, hunt->queue);
    wide arrives[FACTS_MAX_NEEDS];
    bool within = queue->preempts.while_borrowing || candidates_under_share(hunt), by_share;
    uint32_t below = 0;

    hunt->number = ++hunt->e->promises.hunts;
    hunt->sources = 0;
    hunt->by_share = hunt->by_priority = false;
    for (uint32_t i = 0; i < need_count(hunt); i++)
        arrives[i] = need_of(hunt, i);
    by_share = holds_in_share(hunt, hunt->queue, arrives);
    for (uint32_t up = queue->parent; up != 0 && queue->preempts.reclaim != PREEMPT_NEVER;
         up = queue_at(e, up)->parent) {
        if (by_share || within) /* else nobody there could be taken away */
            collect_below(hunt, up, up, below, by_share);
        by_share = holds_in_share(hunt, up, arrives) || by_share;
        below = up;
    }
    if (queue->preempts.within != PREEMPT_NEVER)
        collect_from(hunt, hunt->queue, 0, CANDIDATE_OF_OWN_QUEUE);
}

/* Of an amount that is used below, at most as much is missed above. */
static bool reduce(const struct hunt *hunt, uint32_t id, wide *lacks)
{
    const struct claim *claim = claim_at(hunt->e, id);
    const struct line *line = line_at(hunt->e, claim->line);
    bool enough = true;

    for (uint32_t i = 0; i < need_count(hunt); i++) {
        for (uint32_t k = 0; k < line_count(hunt->e, line) && lacks[i] > 0; k++) {
            if (line_resource(hunt->e, line, k) == resource_of(hunt, i) &&
                claim_flavors(claim)[k] == hunt->flavors[i])
                lacks[i] -= line_amount(hunt->e, line, k);
        }
        enough = enough && lacks[i] <= 0;
    }
    return enough;
}

/* Room that is set aside for a guarded head grows by what is missed below, too. */
bool candidates_suffice(struct hunt *hunt)
{
    wide lacks[FACTS_MAX_NEEDS];
    bool enough = hunt->e->todo[TODO_GUARD].first != 0;

    memcpy(lacks, hunt->lacks, sizeof(lacks));
    for (uint32_t queue = tree_first(&sources_by_next, hunt, hunt->sources); queue != 0 && !enough;
         queue = tree_next(&sources_by_next, hunt, queue)) {
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
        if (!exceeds_share(hunt, queue))
            return false;
    }
    return true;
}

uint32_t candidates_next(struct hunt *hunt, bool borrowing)
{
    uint32_t queue, id;

    while ((queue = tree_first(&sources_by_next, hunt, hunt->sources)) != 0) {
        struct source *source = source_at(hunt, queue);

        id = source->next;
        tree_remove(&sources_by_next, hunt, &hunt->sources, queue);
        if (!all_exceed_share(hunt, queue) ||
            (borrowing && !goes_while_borrowing(hunt, source, claim_at(hunt->e, id)->priority)))
            continue; /* nobody behind it does either */
        find_next(hunt, queue);
        if (source->next != 0)
            tree_insert(&sources_by_next, hunt, &hunt->sources, queue);
        if (!pledge_at(hunt->e, id)->removed &&
            (!borrowing || goes_while_borrowing(hunt, source, policy_priority(hunt->e, id))))
            return id;
    }
    return 0;
}

bool candidates_have(const struct hunt *hunt, uint32_t id)
{
    const struct claim *claim = claim_at(hunt->e, id);
    const struct source *source = source_at(hunt, claim_queue(hunt->e, id));

    return removable_has(hunt->e, id) && source->hunt == hunt->number &&
           uses_contested(hunt, claim) &&
           policy_takes(hunt->e, hunt->claim, id, whom(hunt, source));
}

bool candidates_leave_kept(const struct hunt *hunt, uint32_t id)
{
    uint32_t at = claim_queue(hunt->e, id), common = source_at(hunt, at)->common;

    if (common == 0 || queue_at(hunt->e, at)->kind != QUEUE_VOLCANO)
        return true;
    for (; at != common; at = queue_at(hunt->e, at)->parent) {
        for (uint32_t i = 0; i < need_count(hunt); i++) {
            const struct cell *cell = hunt->contested[i] ? cell_of(hunt, at, i) : NULL;

            if (cell != NULL && cell->later < cell->kept && uses(hunt, claim_at(hunt->e, id), i))
                return false;
        }
    }
    return true;
}
