/* SPDX-License-Identifier: Apache-2.0 */
#include "recount.h"

#include "plugin/claims/flow.h"
#include "plugin/order/contest.h"
#include "plugin/state.h"
#include "quota_edit.h"

/* What was counted so far is forgotten. */
static void restart(struct engine *e)
{
    uint32_t id = e->claims.recount.cells == 0 ? 0 : e->queues.todo[TODO_COUNT].first;

    e->claims.recount.at = e->claims.recount.cells == 0 ? 0 : 1;
    for (; id != 0; id = queue_at(e, id)->todo[TODO_COUNT].next) {
        const struct queue *queue = queue_at(e, id);

        for (uint32_t i = 0; i < queue->cell_count; i++) {
            struct cell *cell = &queue->cells[i];

            if (cell->counting)
                cell->reserved = cell->allocated = cell->expected = 0;
        }
    }
}

void recount_cell(struct engine *e, uint32_t id, struct cell *cell)
{
    struct flow flow = {0};

    if (flow_is_empty(e, id) ||
        flow_count_some(e, id, cell->flavor, cell->resource, RECOUNT_AT_ONCE, &flow)) {
        cell->usage = flow.usage;
        cell->later = flow.later;
        cell->reserved = flow.reserved;
        cell->allocated = flow.allocated;
        cell->expected = flow.expected;
        return;
    }
    cell->counting = true;
    e->claims.recount.cells++;
    queue_todo(e, TODO_COUNT, id);
    restart(e);
}

void recount_moves(struct engine *e, uint32_t id)
{
    if (!flow_is_empty(e, id))
        restart(e);
}

void recount_forget(struct engine *e, uint32_t id, struct cell *cell)
{
    const struct queue *queue = queue_at(e, id);
    bool others = false;

    if (!cell->counting)
        return;
    cell->counting = false;
    e->claims.recount.cells--;
    for (uint32_t i = 0; i < queue->cell_count; i++)
        others = others || queue->cells[i].counting;
    if (!others)
        queue_done(e, TODO_COUNT, id);
}

bool recount_has(const struct engine *e, uint32_t claim)
{
    return claim < e->claims.recount.at && !claim_is_workload(e, claim);
}

static void count_claim(struct engine *e, uint32_t id)
{
    const struct line *line = line_at(e, claim_at(e, id)->line);

    for (uint32_t i = 0; i < line_count(e, line); i++) {
        uint16_t flavor = claim_flavors(claim_at(e, id))[i];
        uint32_t resource = line_resource(e, line, i);
        struct flow flow = flow_of_claim(e, id, flavor, resource);

        for (uint32_t up = line_queue(e, line); up != 0; up = queue_at(e, up)->parent) {
            struct cell *cell = quota_cell(queue_at(e, up), flavor, resource);

            if (cell == NULL || !cell->counting)
                continue;
            cell->reserved += flow.reserved;
            cell->allocated += flow.allocated;
            cell->expected += flow.expected;
        }
    }
}

/* What the children with such a cell, which are counted, keep from it. */
static void finish_cell(struct engine *e, uint32_t id, struct cell *cell)
{
    struct flow workloads = {0};

    flow_add_workloads(e, id, cell->flavor, cell->resource, &workloads);
    cell->reserved += workloads.reserved;
    cell->allocated += workloads.allocated;
    cell->expected += workloads.later;
    cell->usage = cell->reserved + cell->allocated;
    cell->later = cell->expected;
    cell->given = 0;
    for (uint32_t child = queue_at(e, id)->first_child; child != 0 && cell->carriers > 0;
         child = queue_at(e, child)->next_sibling) {
        const struct queue *below = queue_at(e, child);
        const struct cell *other = quota_cell(below, cell->flavor, cell->resource);

        if (other == NULL)
            continue;
        cell->usage -= other->reserved + other->allocated - cell_passes(other, false);
        cell->later -= other->expected - cell_passes(other, true);
        cell->given += cell_gives(below, other);
    }
    recount_forget(e, id, cell);
    quota_counted(e, id, cell);
}

static void finish_queue(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    for (uint32_t i = queue->cell_count; i-- > 0;) {
        if (queue->cells[i].counting)
            finish_cell(e, id, &queue->cells[i]);
    }
    contest_refresh(e, id);
    queue_note_change(e, id);
    queue_todo(e, TODO_DIRTY, queue_root(e, id));
}

/* Children come before their parents. */
static void finish(struct engine *e)
{
    uint32_t deepest = 0, next;

    for (uint32_t id = e->queues.todo[TODO_COUNT].first; id != 0;
         id = queue_at(e, id)->todo[TODO_COUNT].next)
        deepest = queue_depth(e, id) > deepest ? queue_depth(e, id) : deepest;
    for (uint32_t depth = deepest; depth > 0; depth--) {
        for (uint32_t id = e->queues.todo[TODO_COUNT].first; id != 0; id = next) {
            next = queue_at(e, id)->todo[TODO_COUNT].next;
            if (queue_depth(e, id) == depth)
                finish_queue(e, id);
        }
    }
}

void recount_some(struct engine *e)
{
    struct recount *r = &e->claims.recount;

    for (uint32_t budget = RECOUNT_SLICE; budget > 0 && r->cells > 0; budget--, r->at++) {
        if (r->at >= slab_end(&e->claims.records))
            finish(e);
        else if (claim_is_of_pods(e, r->at))
            count_claim(e, r->at);
    }
    if (r->cells == 0)
        r->at = 0;
}

/* Whether the cell, and nothing else, holds what is counted so far. */
static bool is_right_so_far(const struct engine *e, uint32_t id, const struct cell *cell)
{
    wide reserved = 0, allocated = 0, expected = 0;

    for (uint32_t claim = 1; claim < e->claims.recount.at && claim < slab_end(&e->claims.records);
         claim++) {
        struct flow flow;

        if (!claim_is_of_pods(e, claim) || !queue_is_below(e, claim_queue(e, claim), id))
            continue;
        flow = flow_of_claim(e, claim, cell->flavor, cell->resource);
        reserved += flow.reserved;
        allocated += flow.allocated;
        expected += flow.expected;
    }
    return cell->reserved == reserved && cell->allocated == allocated &&
           cell->expected == expected && !cell->bounded && cell->kept == 0 && cell->share == 0;
}

const char *recount_check(const struct engine *e)
{
    uint32_t cells = 0;

    for (uint32_t id = 0; slab_step(&e->queues.records, &id);) {
        const struct queue *queue = queue_at(e, id);
        uint32_t own = 0;

        for (uint32_t i = 0; i < queue->cell_count; i++) {
            own += queue->cells[i].counting;
            if (queue->cells[i].counting && !is_right_so_far(e, id, &queue->cells[i]))
                return "a cell that is not counted yet holds what is counted so far";
        }
        if (queue->is_todo[TODO_COUNT] != (own > 0))
            return "a queue with a cell that is not counted is on a list";
        cells += own;
    }
    return cells == e->claims.recount.cells ? NULL : "cells that are not counted are counted";
}
