/* SPDX-License-Identifier: Apache-2.0 */
#include "demote.h"

#include "plugin/pods/claim_rest.h"
#include "plugin/pods/gang.h"
#include "plugin/state.h"

/* Whether giving back what a queue below holds lowers the usage up here: what is kept for somebody
 * on the way does not arrive. */
static bool arrives_at(const struct engine *e, uint32_t id, uint32_t top, uint16_t flavor,
                       uint32_t resource)
{
    for (; id != top; id = queue_at(e, id)->parent) {
        const struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);

        if (cell != NULL && cell->usage <= cell->kept)
            return false;
    }
    return true;
}

static bool uses_exceeded(const struct engine *e, uint32_t claim, uint32_t top)
{
    const struct line *line = line_at(e, claim_at(e, claim)->line);

    for (uint32_t i = 0; i < line_count(e, line); i++) {
        uint16_t flavor = claim_flavors(claim_at(e, claim))[i];
        const struct cell *cell = quota_cell(queue_at(e, top), flavor, line_resource(e, line, i));

        if (cell != NULL && cell->bounded && cell->usage > cell->ceiling &&
            arrives_at(e, line_queue(e, line), top, flavor, line_resource(e, line, i)))
            return true;
    }
    return false;
}

static uint32_t deepest_over(const struct engine *e)
{
    uint32_t deepest = e->queues.todo[TODO_OVER].first, most = queue_depth(e, deepest);

    for (uint32_t id = queue_at(e, deepest)->todo[TODO_OVER].next; id != 0;
         id = queue_at(e, id)->todo[TODO_OVER].next) {
        if (queue_depth(e, id) > most) {
            deepest = id;
            most = queue_depth(e, id);
        }
    }
    return deepest;
}

static void begin(struct engine *e, uint32_t top)
{
    e->grant.demotion = (struct demotion){.top = top, .queue = top, .overs = e->queues.overs};
}

void demote_restart(struct engine *e)
{
    begin(e, 0);
}

void demote_forget_queue(struct engine *e, uint32_t queue)
{
    if (e->grant.demotion.top == queue || e->grant.demotion.queue == queue)
        begin(e, 0);
}

static bool is_newer(const struct engine *e, uint32_t a, uint32_t b)
{
    return claims_by_stamp.compare(e, a, b) > 0;
}

static void add(struct engine *e, uint32_t claim)
{
    struct demotion *d = &e->grant.demotion;
    uint32_t at;

    if (d->count == DEMOTE_BATCH) {
        d->more = true;
        d->count--; /* the oldest */
    }
    for (at = d->count++; at > 0 && is_newer(e, claim, d->found[at - 1]); at--)
        d->found[at] = d->found[at - 1];
    d->found[at] = claim;
}

static void drop(struct demotion *d, uint32_t at)
{
    d->count--;
    memmove(d->found + at, d->found + at + 1, (d->count - at) * sizeof(*d->found));
}

void demote_forget(struct engine *e, uint32_t claim)
{
    struct demotion *d = &e->grant.demotion;

    if (d->top == 0)
        return;
    d->again = true;
    if (d->claim == claim) /* all that are newer were looked at */
        d->claim = tree_next(&claims_by_stamp, e, claim);
    for (uint32_t at = 0; at < d->count; at++) {
        if (d->found[at] == claim)
            drop(d, at);
    }
}

/* At the next claim, or the next queue. */
static void look(struct engine *e)
{
    struct demotion *d = &e->grant.demotion;
    uint32_t claim = d->claim != 0
                         ? tree_prev(&claims_by_stamp, e, d->claim)
                         : tree_last(&claims_by_stamp, e, queue_at(e, d->queue)->reserved);

    if (claim != 0 && d->count == DEMOTE_BATCH && !is_newer(e, claim, d->found[d->count - 1])) {
        d->more = true;
        claim = 0;
    }
    d->claim = claim;
    if (claim == 0)
        d->queue = queue_at(e, d->queue)->counts[CLAIM_RESERVED] > 0
                       ? queue_after(e, d->queue, d->top)
                       : queue_past(e, d->queue, d->top);
    else if (uses_exceeded(e, claim, d->top))
        add(e, claim);
}

uint32_t demote_one(struct engine *e, uint32_t claim)
{
    struct queue *queue = queue_at(e, claim_queue(e, claim));
    uint32_t count = gang_demote(e, claim);

    if (count == 0) {
        claim_to_rest(e, claim);
        count = 1;
    }
    queue->totals.demoted += count;
    group_settle(e);
    return count;
}

/* Whether its root counts all that the claim was granted, or bounds none of it. */
static bool is_counted(const struct engine *e, uint32_t id)
{
    const struct line *line = claim_line(e, id);
    uint32_t root = queue_root(e, line_queue(e, line));

    for (uint32_t i = 0; i < line_count(e, line) && root_bounds_all(e, root); i++) {
        uint16_t flavor = claim_flavors(claim_at(e, id))[i];
        uint32_t resource = line_resource(e, line, i);

        if (flavor != FLAVOR_NONE && line_amount(e, line, i) > 0 &&
            root_bounds(e, root, resource) &&
            quota_cell(queue_at(e, root), flavor, resource) == NULL)
            return false;
    }
    return true;
}

void demote_uncounted(struct engine *e, uint32_t id)
{
    if (claim_at(e, id)->state == CLAIM_RESERVED && !is_counted(e, id))
        demote_one(e, id);
}

uint32_t demote_some(struct engine *e, uint32_t budget)
{
    struct demotion *d = &e->grant.demotion;
    uint32_t looks = DEMOTE_SLICE;

    while (budget > 0 && looks > 0 && e->queues.todo[TODO_OVER].first != 0) {
        uint32_t top = deepest_over(e), claim, count = 0;

        if (d->top != top)
            begin(e, top);
        looks--;
        if (d->queue != 0) {
            look(e);
        } else if (d->count > 0) {
            claim = d->found[0];
            drop(d, 0);
            if (uses_exceeded(e, claim, top))
                count = demote_one(e, claim);
            budget -= count < budget ? count : budget;
        } else if (d->more || d->again || d->overs != e->queues.overs) {
            begin(e, top);
        } else {
            demote_restart(e);
            queue_done(e, TODO_OVER, top);
        }
    }
    return budget;
}

const char *demote_check(const struct engine *e)
{
    const struct demotion *d = &e->grant.demotion;

    if (d->top != 0 && (!slab_live(&e->queues.records, d->top) ||
                        (d->queue != 0 && !queue_is_below(e, d->queue, d->top))))
        return "who must go is searched for below a queue";
    for (uint32_t i = 0; i < d->count; i++) {
        if (!slab_live(&e->claims.records, d->found[i]) ||
            claim_at(e, d->found[i])->state != CLAIM_RESERVED ||
            !queue_is_below(e, claim_queue(e, d->found[i]), d->top))
            return "who was found to go is reserved below that queue";
        if (i > 0 && !is_newer(e, d->found[i - 1], d->found[i]))
            return "who was found to go stands in order, newest first";
    }
    return NULL;
}
