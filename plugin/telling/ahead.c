/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"

#include "plugin/order/turn.h"
#include "plugin/state.h"
#include "lack.h"

/* Adds to the row of its resource, which there is at the end. */
static void add_row(const struct engine *e, struct quota_row *rows, uint32_t *count,
                    uint32_t resource, wide amount)
{
    struct text name = name_text(e, resource);
    uint32_t at = 0;

    while (at < *count && !text_same(rows[at].resource, name))
        at++;
    if (at == FACTS_MAX_NEEDS)
        return;
    if (at == *count)
        rows[(*count)++] = (struct quota_row){.resource = name};
    rows[at].usage = amount_clamp(rows[at].usage + amount);
}

static void add_line(const struct engine *e, const struct line *line, uint32_t claims,
                     struct quota_row *rows, uint32_t *count)
{
    for (uint32_t i = 0; i < line_count(e, line) && claims > 0; i++)
        add_row(e, rows, count, line_resource(e, line, i), (wide)claims * line_amount(e, line, i));
}

static void add_demand(const struct engine *e, const struct demand *demand, uint32_t workloads,
                       struct quota_row *rows, uint32_t *count)
{
    for (uint32_t s = 0; s < demand->set_count && workloads > 0; s++) {
        const struct assign_set *set = &demand->sets[s];

        for (uint32_t i = 0; i < set->need_count; i++)
            add_row(e, rows, count, set->needs[i].resource,
                    (wide)workloads * set->count * set->needs[i].amount);
    }
}

/* A larger piece of those that ask for the same counts as one of this size: so many squares of them
 * are still a number. */
enum { PIECE_BITS = 56 };

/* Of so many that each ask for so much of what is missing. */
static void add_before(wide each, uint32_t claims, struct before *before)
{
    wide amount = each * claims, piece = wide_min(amount, (wide)1 << PIECE_BITS);

    before->all += amount;
    before->squares += piece * piece;
    before->not_passed += each <= before->passes ? piece : 0;
}

/* A walk over requests, as far as there is time. */
struct walk {
    const struct engine *e;
    uint32_t claim, looked;
    const struct shortfall *shortfall;
    struct position *place;
    struct before *before;
};

static bool may_look(struct walk *walk)
{
    walk->place->at_least = walk->looked++ == AHEAD_LINES;
    return !walk->place->at_least;
}

static bool count_lines(struct walk *walk)
{
    const struct engine *e = walk->e;
    uint32_t queue = claim_queue(e, walk->claim), head = 0;

    while ((head = size_class_next_head(e, queue, head, walk->claim)) != 0) {
        const struct line *line = claim_line(e, head);
        uint32_t claims;

        if (!may_look(walk))
            return false;
        claims = line_count_before(e, line, walk->claim);
        walk->place->position += claims;
        add_line(e, line, claims, walk->place->ahead, &walk->place->ahead_count);
        add_before(lack_asked(e, head, walk->shortfall), claims, walk->before);
    }
    return true;
}

static bool count_demands(struct walk *walk, const struct tree_type *type, uint32_t demands)
{
    const struct engine *e = walk->e;

    for (uint32_t id = tree_first(type, e, demands); id != 0; id = tree_next(type, e, id)) {
        const struct demand *demand = demand_at(e, id);
        uint32_t workloads;

        if (!may_look(walk))
            return false;
        workloads = claim_count_before(e, &workloads_by_rank, demand->waiting, walk->claim);
        add_demand(e, demand, workloads, walk->place->ahead, &walk->place->ahead_count);
        add_before(lack_asked(e, demand->head, walk->shortfall), workloads, walk->before);
    }
    return true;
}

void ahead_find(const struct engine *e, uint32_t claim, const struct shortfall *shortfall,
                struct position *place, struct before *before)
{
    const struct cluster_queue *cluster = &queue_at(e, claim_queue(e, claim))->cluster;
    struct walk walk = {e, claim, 0, shortfall, place, before};

    place->position = 1 + turn_workloads_before(e, claim);
    if (count_lines(&walk) && count_demands(&walk, &demands_by_head, cluster->demands))
        count_demands(&walk, &demands_by_shortage, cluster->short_of);
}

uint32_t ahead_demand(const struct engine *e, uint32_t claim, struct quota_row *ret)
{
    uint32_t count = 0;

    if (claim_is_workload(e, claim))
        add_demand(e, demand_at(e, workload_at(e, claim)->demand), 1, ret, &count);
    else
        add_line(e, claim_line(e, claim), 1, ret, &count);
    return count;
}
