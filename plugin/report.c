/* SPDX-License-Identifier: Apache-2.0 */
#include "contest.h"
#include "explain.h"
#include "say.h"
#include "state.h"

/* What a person asks for. Nothing here changes anything. */

bool engine_next_queue(const struct engine *e, uint32_t *cursor)
{
    if (*cursor != 0 && !slab_live(&e->queues, *cursor))
        return false;
    *cursor = *cursor == 0 ? tree_first(&queues_by_identity, e, e->queues_in_order)
                           : tree_next(&queues_by_identity, e, *cursor);
    return *cursor != 0;
}

static struct text state_of(const struct engine *e, const struct queue *queue, enum reason stop)
{
    if (queue->misplaced)
        return text_of("Inactive");
    if (!queue->known && queue->kind != QUEUE_COHORT)
        return text_of("Unknown");
    if (queue->state_text != 0 && !engine_asks(e, EFFECT_QUEUE_STATUS))
        return name_text(e, queue->state_text);
    if (queue->state != QUEUE_OPEN)
        return text_of(queue_state_name((enum queue_state)queue->state));
    return stop == REASON_QUEUE_INACTIVE && queue->first_child == 0 && queue->kind != QUEUE_COHORT
               ? text_of("Inactive")
               : text_of("Open");
}

void engine_report_queue(const struct engine *e, uint32_t id, struct queue_report *ret)
{
    const struct queue *queue = queue_at(e, id);
    enum reason stop = queue_stops(e, id);

    *ret = (struct queue_report){.kind = queue->kind,
                                 .name = name_text(e, queue->name),
                                 .known = queue->known,
                                 .leaf = queue->first_child == 0 && queue->kind != QUEUE_COHORT,
                                 .strict = queue->strict,
                                 .reason = stop,
                                 .granted = queue->totals.granted,
                                 .released = queue->totals.gave_up - queue->totals.demoted,
                                 .demoted = queue->totals.demoted,
                                 .quota_count = queue->cell_count};
    ret->parent = queue->misplaced     ? name_text(e, queue_at(e, queue->wanted)->name)
                  : queue->parent != 0 ? name_text(e, queue_at(e, queue->parent)->name)
                                       : text_of("");
    ret->state = state_of(e, queue, stop);
    ret->waiting = queue->counts[CLAIM_WAITING];
    ret->held = queue->counts[CLAIM_HELD];
    ret->reserved = queue->counts[CLAIM_RESERVED];
    ret->allocated = queue->counts[CLAIM_ALLOCATED];
    ret->own = text_of(queue_state_name((enum queue_state)queue->own));
    ret->by_parent = queue->own != queue->state;
    ret->written = queue_is_written(queue);
}

static int compare_cells(const struct engine *e, const struct cell *a, const struct cell *b)
{
    int order = text_compare(flavor_name(e, a->flavor), flavor_name(e, b->flavor));

    if (order == 0)
        order = text_compare(name_text(e, a->resource), name_text(e, b->resource));
    return order != 0 ? order : a->flavor - b->flavor;
}

void engine_report_quota(const struct engine *e, uint32_t id, uint32_t n, struct quota_row *ret)
{
    const struct queue *queue = queue_at(e, id);
    const struct cell *cell = NULL;

    /* Cells are few and in no order: the one with n others before it. */
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        uint32_t before = 0;

        for (uint32_t k = 0; k < queue->cell_count; k++)
            before += compare_cells(e, &queue->cells[k], &queue->cells[i]) < 0;
        if (before == n)
            cell = &queue->cells[i];
    }
    *ret = (struct quota_row){0};
    if (cell == NULL)
        return;
    ret->flavor = flavor_name(e, cell->flavor);
    ret->resource = name_text(e, cell->resource);
    ret->share = amount_clamp(cell->share);
    ret->kept = amount_clamp(cell->kept);
    ret->bounded = cell->bounded;
    ret->ceiling = cell->bounded ? amount_clamp(cell->ceiling) : 0;
    ret->usage = amount_clamp(cell->usage);
    ret->reserved = amount_clamp(cell->reserved);
    ret->allocated = amount_clamp(cell->allocated);
}

void engine_name_pod(const struct engine *e, uint32_t id, struct pod_report *ret)
{
    const struct claim *claim = claim_at(e, id);
    const struct queue *queue = queue_at(e, claim_queue(e, id));

    ret->uid = claim_uid(e, id);
    ret->space = name_text(e, claim->space);
    ret->name = claim_name(e, id);
    ret->queue = name_text(e, queue->name);
    ret->queue_kind = queue->kind;
    ret->node = name_text(e, claim->node);
    ret->state = claim->state;
    ret->group = text_of("");
    ret->members = 0;
    ret->minimum = 0;
    ret->is_gang = (claim->flags & CLAIM_GANG) != 0;
    if (claim->group != 0) {
        const struct group *group = group_at(e, claim->group);

        ret->group = name_text(e, group->name);
        ret->members = group->ready + group->holding + group->succeeded;
        ret->minimum = group->minimum;
    }
    ret->priority = claim->priority;
    ret->created = claim->created;
    ret->granted =
        claim->state == CLAIM_RESERVED || claim->state == CLAIM_ALLOCATED ? claim->stamp : 0;
}

static void add_ahead(const struct engine *e, const struct line *line, uint32_t claims,
                      struct pod_report *report)
{
    for (uint32_t i = 0; i < line->count && claims > 0; i++) {
        struct text resource = name_text(e, line_resource(e, line, i));
        uint32_t at = 0;

        while (at < report->ahead_count && !text_same(report->ahead[at].resource, resource))
            at++;
        if (at == FACTS_MAX_NEEDS)
            continue;
        if (at == report->ahead_count) {
            report->ahead[report->ahead_count++] = (struct quota_row){.resource = resource};
        }
        report->ahead[at].usage =
            amount_clamp(report->ahead[at].usage + (wide)claims * line->needs[i].amount);
    }
}

static void count_ahead(const struct engine *e, uint32_t id, struct pod_report *report)
{
    uint32_t queue = claim_queue(e, id), at = 0;

    report->position = 1;
    while ((at = kind_next_line(e, queue, at, id)) != 0) {
        const struct line *line = line_at(e, at);
        uint32_t before = waiting_count_before(e, &line->waiting, id);

        report->position += before;
        add_ahead(e, line, before, report);
    }
}

/* A queue that grants at the pace of its last grants gets to the claim in this time. */
static void estimate(const struct engine *e, uint32_t id, struct pod_report *report)
{
    const struct queue *queue = queue_at(e, claim_queue(e, id));
    struct say say;

    report->estimate = -1;
    say_init(&say, report->basis, sizeof(report->basis));
    if (queue->grants < 2) {
        say_str(&say, "too few grants in this queue to tell");
        return;
    }
    report->estimate = amount_clamp((wide)report->position * queue->grant_gap);
    say_str(&say, "place ");
    say_number(&say, report->position);
    say_str(&say, ", at the mean time between the queue's last grants, ");
    say_span(&say, queue->grant_gap);
}

void engine_report_pod(const struct engine *e, uint32_t id, struct pod_report *ret)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);

    engine_name_pod(e, id, ret);
    explain_claim(e, id, true, &ret->why);
    ret->position = 0;
    ret->estimate = -1;
    ret->basis[0] = '\0';
    ret->ahead_count = ret->flavor_count = 0;
    if (claim->state == CLAIM_WAITING) {
        uint32_t waits = claim_waits_in_gang(claim) ? group_at(e, claim->group)->entry : id;

        count_ahead(e, waits, ret);
        estimate(e, waits, ret);
    }
    for (uint32_t i = 0; i < line->count; i++) {
        uint16_t flavor = claim_flavors(claim)[i];

        if (ret->granted == 0 || flavor == FLAVOR_NONE)
            continue;
        ret->flavors[ret->flavor_count].resource = name_text(e, line_resource(e, line, i));
        ret->flavors[ret->flavor_count++].flavor = flavor_name(e, flavor);
    }
}

bool engine_next_waiting(const struct engine *e, uint32_t queue, uint32_t *cursor,
                         uint32_t *ret_claim)
{
    uint32_t next;

    if (*cursor != 0 && !slab_live(&e->claims, *cursor))
        return false;
    next = line_next(e, queue, *cursor);
    if (next == 0)
        return false;
    *cursor = *ret_claim = next;
    return true;
}
