/* SPDX-License-Identifier: Apache-2.0 */
#include "outlook.h"

#include "plugin/base/forecast.h"
#include "plugin/base/sentence.h"
#include "plugin/state.h"

/* Who holds what a claim waits for. */
struct holders {
    const struct engine *e;
    const struct shortfall *shortfall;
    struct forecast *forecast;
    uint32_t left; /* so many more are looked at */
    wide seen;     /* what they hold that were */
};

bool shortfall_is_in(const struct shortfall *shortfall, uint16_t flavor)
{
    const struct queue_group *group = shortfall->group;

    if (group == NULL)
        return true;
    for (uint32_t k = 0; k < group->flavor_count; k++) {
        if (group->flavors[k] == flavor)
            return (shortfall->refused >> k & 1) == 0;
    }
    return false;
}

wide shortfall_used(const struct engine *e, uint32_t id, const struct shortfall *shortfall)
{
    const struct queue *queue = queue_at(e, id);
    wide sum = 0;

    for (uint32_t i = 0; i < queue->cell_count; i++) {
        const struct cell *cell = &queue->cells[i];

        if (cell->resource == shortfall->resource && shortfall_is_in(shortfall, cell->flavor))
            sum += cell->reserved + cell->allocated;
    }
    return sum;
}

/* What it holds of a resource. */
static void add(struct holders *holders, uint32_t claim, const struct claim_need *need)
{
    if (need->amount == 0 || need->resource != holders->shortfall->resource ||
        !shortfall_is_in(holders->shortfall, need->flavor))
        return;
    holders->seen += need->amount;
    forecast_add(holders->forecast, need->amount,
                 holders->e->now - claim_at(holders->e, claim)->stamp);
}

static void add_claims(struct holders *holders, const struct tree_type *type, uint32_t tree)
{
    const struct engine *e = holders->e;
    struct claim_need need;

    for (uint32_t id = tree_first(type, e, tree); id != 0 && holders->left > 0;
         id = tree_next(type, e, id), holders->left--) {
        for (uint32_t i = 0; claim_need(e, id, i, &need); i++)
            add(holders, id, &need);
    }
}

/* Recursion is as deep as the tree of queues. */
static void add_queue(struct holders *holders, uint32_t id)
{
    const struct queue *queue = queue_at(holders->e, id);

    add_claims(holders, &claims_by_stamp, queue->allocated);
    add_claims(holders, &claims_by_stamp, queue->reserved);
    add_claims(holders, &workloads_that_hold, queue->cluster.holding);
    for (uint32_t child = queue->first_child; child != 0 && holders->left > 0;
         child = queue_at(holders->e, child)->next_sibling, holders->left--)
        add_queue(holders, child);
}

/* Of what is given back its own queue gets this part of so many: what it has of what is used. */
static wide parts(const struct engine *e, uint32_t queue, const struct shortfall *shortfall,
                  wide *ret_own)
{
    uint32_t resource = shortfall->resource;
    wide all = shortfall_used(e, shortfall->queue, shortfall);

    *ret_own = shortfall_used(e, queue, shortfall);
    if (*ret_own == 0) {
        *ret_own = backlog_sum(e, queue, resource);
        all = backlog_sum(e, shortfall->queue, resource);
    }
    if (*ret_own == 0 || all <= *ret_own)
        *ret_own = all = 1;
    return all;
}

/* Of amounts that are larger than any there is nothing is told exactly. */
static int64_t scaled(wide amount, wide all, wide own)
{
    return amount_clamp((wide)amount_clamp(amount) * amount_clamp(all) / amount_clamp(own));
}

/* The one flavor that it needs it in, where there are others. */
static void say_flavor(const struct engine *e, const struct shortfall *shortfall,
                       struct sentence *say)
{
    const struct queue_group *group = shortfall->group;
    uint32_t count = 0, which = 0;

    for (uint32_t k = 0; group != NULL && k < group->flavor_count; k++)
        if (shortfall_is_in(shortfall, group->flavors[k])) {
            which = k;
            count++;
        }
    if (count != 1 || group->flavor_count == 1)
        return;
    sentence_named(say, " of flavor ", flavor_name(e, group->flavors[which]), "");
}

static void say_basis(const struct engine *e, const struct shortfall *shortfall,
                      const struct forecast *forecast, struct position *place)
{
    const struct queue *queue = queue_at(e, shortfall->queue);
    struct sentence say = sentence_in(place->basis, sizeof(place->basis));

    sentence_str(&say, "when ");
    sentence_amount(&say, name_text(e, shortfall->resource),
                    (shortfall->least + shortfall->most) / 2);
    sentence_named(&say, " ", name_text(e, shortfall->resource), "");
    say_flavor(e, shortfall, &say);
    sentence_named(&say, " are given back in ", name_text(e, queue->name), ", whose last ");
    sentence_number(&say, "", run_times_count(&queue->run_times), " ran for ");
    sentence_span(&say, forecast->mean * RUN_TIME_TICK);
    sentence_str(&say, " on the mean");
}

/* Whether a person can plan by it: the ends are no farther apart than three quarters of what is
 * likely, and that is not for want of long run times among those that are known. */
static bool is_sharp(const struct forecast *forecast, const struct forecast_span *span)
{
    return forecast_is_steady(forecast) && span->likely >= 0 && span->latest >= 0 &&
           span->latest - span->earliest <= span->likely / 4 * 3;
}

void outlook_find(const struct engine *e, uint32_t queue, const struct shortfall *shortfall,
                  struct position *place)
{
    struct forecast forecast;
    struct holders holders = {e, shortfall, &forecast, OUTLOOK_CLAIMS, 0};
    struct forecast_span span;
    struct sentence say = sentence_in(place->basis, sizeof(place->basis));
    wide own, all = parts(e, queue, shortfall, &own);
    struct forecast_need need = {.least = scaled(shortfall->least, all, own),
                                 .most = scaled(shortfall->most, all, own),
                                 .others = scaled(shortfall->others, all, own),
                                 .free = amount_clamp(shortfall->free),
                                 .alike = amount_clamp(shortfall->alike),
                                 .first = scaled(shortfall->first, all, own)};

    if (!forecast_begin(&forecast, &queue_at(e, shortfall->queue)->run_times, e->now, &need)) {
        sentence_str(&say, "too few have ended there to tell");
        return;
    }
    add_queue(&holders, shortfall->queue);
    forecast_settle(&forecast, holders.seen, shortfall_used(e, shortfall->queue, shortfall));
    span = forecast_when(&forecast);
    place->earliest = span.earliest;
    place->latest = span.latest;
    if (is_sharp(&forecast, &span))
        place->estimate = span.likely;
    say_basis(e, shortfall, &forecast, place);
}
