/* SPDX-License-Identifier: Apache-2.0 */
#include "candidates.h"

#include "room.h"
#include "state.h"

static wide need_of(const struct hunt *hunt, uint32_t i)
{
    return line_at(hunt->e, claim_at(hunt->e, hunt->claim)->line)->needs[i].amount;
}

static uint32_t need_count(const struct hunt *hunt)
{
    return line_at(hunt->e, claim_at(hunt->e, hunt->claim)->line)->count;
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
    bool any = false;

    for (uint32_t i = 0; i < need_count(hunt); i++) {
        hunt->contested[i] = hunt->asked[i] && hunt->flavors[i] != FLAVOR_NONE &&
                             need_of(hunt, i) > room_later(hunt->e, hunt->queue, hunt->flavors[i],
                                                           resource_of(hunt, i));
        any = any || hunt->contested[i];
    }
    return any;
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

static bool policy_takes(const struct claim *asks, const struct claim *candidate,
                         enum preempt_whom whom)
{
    switch (whom) {
    case PREEMPT_LOWER:
        return candidate->priority < asks->priority;
    case PREEMPT_LOWER_OR_NEWER:
        return candidate->priority < asks->priority ||
               (candidate->priority == asks->priority && candidate->created > asks->created);
    case PREEMPT_ANY:
        return true;
    default:
        return false;
    }
}

static bool uses(const struct hunt *hunt, const struct claim *candidate, uint32_t i)
{
    const struct line *line = line_at(hunt->e, candidate->line);

    for (uint32_t k = 0; k < line->count; k++) {
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

static bool may_go(const struct claim *claim)
{
    const uint32_t flags =
        CLAIM_MANAGED | CLAIM_VICTIM | CLAIM_ENDING | CLAIM_SPARED | CLAIM_SETTLED;

    return (claim->flags & flags) == CLAIM_MANAGED;
}

static enum candidate_why why(const struct hunt *hunt, const struct claim *candidate, bool by_share)
{
    const struct preempt_policy *policy = &queue_at(hunt->e, hunt->queue)->preempts;

    if (by_share)
        return CANDIDATE_BY_SHARE;
    if (!policy->while_borrowing ||
        candidate->priority >= claim_at(hunt->e, hunt->claim)->priority ||
        (policy->has_threshold && candidate->priority > policy->threshold))
        return CANDIDATE_BY_PRIORITY;
    return CANDIDATE_WHILE_BORROWING;
}

static void add(struct hunt *hunt, uint32_t id, uint32_t common, enum candidate_why reason)
{
    struct pledge *pledge = pledge_at(hunt->e, id);

    pledge->next = hunt->first;
    pledge->common = common;
    pledge->why = (uint8_t)reason;
    pledge->listed = true;
    pledge->removed = false;
    hunt->first = id;
    hunt->by_share = hunt->by_share || reason == CANDIDATE_BY_SHARE;
    hunt->by_priority = hunt->by_priority || (reason != CANDIDATE_BY_SHARE && common != 0);
}

/* Whether the policy takes nobody's room here, whoever it is: that saves most of the looking. */
static bool takes_nobody(const struct claim *asks, const struct queue *queue,
                         enum preempt_whom whom)
{
    return (whom == PREEMPT_LOWER && queue->least_priority >= asks->priority) ||
           (whom == PREEMPT_LOWER_OR_NEWER && queue->least_priority > asks->priority);
}

static void collect_from(struct hunt *hunt, uint32_t from, uint32_t common, bool by_share)
{
    const struct engine *e = hunt->e;
    const struct claim *asks = claim_at(e, hunt->claim);
    const struct preempt_policy *policy = &queue_at(e, hunt->queue)->preempts;
    enum preempt_whom whom = common == 0 ? policy->within : policy->reclaim;
    struct queue *queue = queue_at(e, from);
    const uint32_t roots[2] = {queue->reserved, queue->allocated};

    if (takes_nobody(asks, queue, whom))
        return;
    queue->least_priority = INT32_MAX;
    for (int i = 0; i < 2; i++) {
        for (uint32_t id = tree_first(&claims_by_stamp, e, roots[i]); id != 0;
             id = tree_next(&claims_by_stamp, e, id)) {
            const struct claim *claim = claim_at(e, id);

            if (claim->priority < queue->least_priority)
                queue->least_priority = claim->priority;
            if (!may_go(claim) || !uses_contested(hunt, claim) || !policy_takes(asks, claim, whom))
                continue;
            add(hunt, id, common,
                common == 0 ? CANDIDATE_OF_OWN_QUEUE : why(hunt, claim, by_share));
        }
    }
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
        else if (queue->known && (queue->kind != QUEUE_VOLCANO || queue->reclaimable))
            collect_from(hunt, child, common, by_share);
    }
}

static int compare(const struct hunt *hunt, uint32_t a, uint32_t b)
{
    static const uint8_t places[] = {
        [CANDIDATE_BY_SHARE] = 0,
        [CANDIDATE_WHILE_BORROWING] = 1,
        [CANDIDATE_BY_PRIORITY] = 1,
        [CANDIDATE_OF_OWN_QUEUE] = 2,
    };
    const struct claim *x = claim_at(hunt->e, a), *y = claim_at(hunt->e, b);
    int order = places[pledge_at(hunt->e, a)->why] - places[pledge_at(hunt->e, b)->why];

    if (order != 0)
        return order;
    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    if (x->stamp != y->stamp)
        return x->stamp > y->stamp ? -1 : 1;
    return text_compare(claim_uid(hunt->e, a), claim_uid(hunt->e, b));
}

static uint32_t merge(struct hunt *hunt, uint32_t a, uint32_t b)
{
    uint32_t first = 0, last = 0;

    while (a != 0 || b != 0) {
        bool take_b = a == 0 || (b != 0 && compare(hunt, b, a) < 0);
        uint32_t next = take_b ? b : a;

        if (take_b)
            b = pledge_at(hunt->e, b)->next;
        else
            a = pledge_at(hunt->e, a)->next;
        if (last == 0)
            first = next;
        else
            pledge_at(hunt->e, last)->next = next;
        last = next;
    }
    if (last != 0)
        pledge_at(hunt->e, last)->next = 0;
    return first;
}

/* Runs of 1, 2, 4, ... in order, merged as they become equally long. */
static void sort(struct hunt *hunt)
{
    uint32_t runs[32] = {0}, next;

    for (uint32_t id = hunt->first; id != 0; id = next) {
        uint32_t run = id, size = 0;

        next = pledge_at(hunt->e, id)->next;
        pledge_at(hunt->e, id)->next = 0;
        for (; runs[size] != 0; size++) {
            run = merge(hunt, runs[size], run);
            runs[size] = 0;
        }
        runs[size] = run;
    }
    hunt->first = 0;
    for (uint32_t size = 0; size < 32; size++)
        hunt->first = merge(hunt, runs[size], hunt->first);
}

void candidates_collect(struct hunt *hunt)
{
    const struct engine *e = hunt->e;
    const struct queue *queue = queue_at(e, hunt->queue);
    wide arrives[FACTS_MAX_NEEDS];
    bool within = queue->preempts.while_borrowing || candidates_under_share(hunt), by_share;
    uint32_t below = 0;

    hunt->first = 0;
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
        collect_from(hunt, hunt->queue, 0, false);
    sort(hunt);
}

uint32_t candidates_after(const struct hunt *hunt, uint32_t candidate)
{
    return pledge_at(hunt->e, candidate)->next;
}

bool candidates_still(const struct hunt *hunt, uint32_t id, bool borrowing)
{
    const struct pledge *pledge = pledge_at(hunt->e, id);

    if (pledge->why == CANDIDATE_OF_OWN_QUEUE)
        return true;
    if (borrowing && pledge->why == CANDIDATE_BY_PRIORITY)
        return false;
    for (uint32_t at = claim_queue(hunt->e, id); at != pledge->common;
         at = queue_at(hunt->e, at)->parent) {
        if (!exceeds_share(hunt, at))
            return false;
    }
    return true;
}

bool candidates_leave_kept(const struct hunt *hunt, uint32_t id)
{
    const struct pledge *pledge = pledge_at(hunt->e, id);
    uint32_t at = claim_queue(hunt->e, id);

    if (pledge->why == CANDIDATE_OF_OWN_QUEUE || queue_at(hunt->e, at)->kind != QUEUE_VOLCANO)
        return true;
    for (; at != pledge->common; at = queue_at(hunt->e, at)->parent) {
        for (uint32_t i = 0; i < need_count(hunt); i++) {
            const struct cell *cell = hunt->contested[i] ? cell_of(hunt, at, i) : NULL;

            if (cell != NULL && cell->later < cell->kept && uses(hunt, claim_at(hunt->e, id), i))
                return false;
        }
    }
    return true;
}
