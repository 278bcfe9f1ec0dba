/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "ahead.h"
#include "explain.h"
#include "group_status.h"
#include "oldest.h"
#include "pending.h"
#include "plugin/pods/booking.h"
#include "plugin/pods/group_follow.h"
#include "plugin/queues/queue_effects.h"
#include "plugin/state.h"
#include "position.h"

bool engine_next_queue(const struct engine *e, uint32_t *cursor)
{
    return tree_step(&queues_by_identity, e, e->queues.in_order, &e->queues.records, cursor);
}

static struct text state_of(const struct engine *e, const struct queue *queue, enum reason stop)
{
    if (queue_is_misplaced(queue))
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
    uint32_t counts[CLAIM_STATES];

    *ret = (struct queue_report){.kind = queue->kind,
                                 .name = name_text(e, queue->name),
                                 .known = queue->known,
                                 .leaf = queue->first_child == 0 && queue->kind != QUEUE_COHORT,
                                 .strict = queue->strict,
                                 .reason = stop,
                                 .granted = queue->totals.granted,
                                 .released = queue->totals.gave_up - queue->totals.demoted,
                                 .demoted = queue->totals.demoted,
                                 .waits = &queue->totals.waits,
                                 .oldest = oldest_waiting(e, id),
                                 .unplaced = oldest_unplaced(e, id),
                                 .quota_count = queue->cell_count};
    ret->parent = queue_is_misplaced(queue) ? name_text(e, queue_at(e, queue->wanted)->name)
                  : queue->parent != 0      ? name_text(e, queue_at(e, queue->parent)->name)
                                            : text_of("");
    ret->state = state_of(e, queue, stop);
    memcpy(counts, queue->counts, sizeof(counts));
    cluster_queue_count_workloads(e, id, counts);
    ret->waiting = counts[CLAIM_WAITING];
    ret->held = counts[CLAIM_HELD];
    ret->reserved = counts[CLAIM_RESERVED];
    ret->allocated = counts[CLAIM_ALLOCATED];
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

/* The greatest of these goes down the heap, where it belongs. */
static void sift_down(const struct engine *e, const struct cell *cells, uint32_t *heap,
                      uint32_t count, uint32_t at)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        uint32_t moved = heap[at];

        if (child + 1 < count && compare_cells(e, &cells[heap[child]], &cells[heap[child + 1]]) < 0)
            child++;
        if (compare_cells(e, &cells[moved], &cells[heap[child]]) >= 0)
            return;
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

void engine_order_quota(const struct engine *e, uint32_t id, uint32_t *ret_order)
{
    const struct cell *cells = queue_at(e, id)->cells;
    uint32_t count = queue_at(e, id)->cell_count;

    for (uint32_t i = 0; i < count; i++)
        ret_order[i] = i;
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(e, cells, ret_order, count, i);
    for (uint32_t last = count; last-- > 1;) {
        uint32_t greatest = ret_order[0];

        ret_order[0] = ret_order[last];
        ret_order[last] = greatest;
        sift_down(e, cells, ret_order, last, 0);
    }
}

void engine_report_quota(const struct engine *e, uint32_t id, uint32_t n, struct quota_row *ret)
{
    const struct queue *queue = queue_at(e, id);
    const struct cell *cell;

    *ret = (struct quota_row){0};
    if (n >= queue->cell_count)
        return;
    cell = &queue->cells[n];
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

bool engine_next_ask(const struct engine *e, uint32_t queue, uint32_t *cursor,
                     struct quota_row *ret)
{
    do {
        if (!tree_step(&backlog_by_resource, e, queue_at(e, queue)->backlogs, &e->order.backlogs,
                       cursor))
            return false;
    } while (backlog_at(e, *cursor)->amount == 0);
    *ret = (struct quota_row){.resource = name_text(e, backlog_at(e, *cursor)->resource),
                              .usage = amount_clamp(backlog_at(e, *cursor)->amount)};
    return true;
}

const char *claim_state_name(enum claim_state state)
{
    static const char *const names[] = {
        [CLAIM_HELD] = "held",
        [CLAIM_WAITING] = "waiting",
        [CLAIM_RESERVED] = "reserved",
        [CLAIM_ALLOCATED] = "allocated",
    };

    return names[state];
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
    if (claim_group(e, claim) != 0) {
        const struct group *group = group_at(e, claim_group(e, claim));

        ret->group = name_text(e, group->name);
        ret->members = group->ready + group->holding + group->succeeded;
        ret->minimum = group->minimum;
    }
    ret->priority = claim->priority;
    ret->created = claim->queued;
    ret->granted = claim_holds(claim) ? claim->stamp : 0;
}

void engine_report_pod(const struct engine *e, uint32_t id, struct pod_report *ret)
{
    const struct claim *claim = claim_at(e, id);
    struct claim_need need;

    engine_name_pod(e, id, ret);
    explain_claim(e, id, true, &ret->why);
    ret->ask_count = ahead_demand(e, id, ret->asks);
    ret->flavor_count = 0;
    if (claim->state != CLAIM_WAITING)
        position_none(&ret->place);
    else
        position_find(e,
                      claim_waits_in_gang(claim) ? group_at(e, claim_group(e, claim))->entry : id,
                      ret->why.reason, &ret->place);
    for (uint32_t i = 0; ret->granted != 0 && claim_need(e, id, i, &need); i++) {
        if (need.flavor == FLAVOR_NONE)
            continue;
        ret->flavors[ret->flavor_count].resource = name_text(e, need.resource);
        ret->flavors[ret->flavor_count++].flavor = flavor_name(e, need.flavor);
    }
}

bool engine_next_waiting(const struct engine *e, struct waiting_walk *walk, uint32_t *cursor,
                         uint32_t *ret_claim)
{
    if (*cursor != 0 && !slab_live(&e->claims.records, *cursor))
        return false;
    if (walk->at == walk->count) {
        walk->at = 0;
        walk->count = pending_page(
            e, walk->queue, *cursor,
            walk->most > 0 && walk->most < WALK_TAKES ? walk->most : WALK_TAKES, walk->claims);
    }
    if (walk->at == walk->count)
        return false;
    *cursor = *ret_claim = walk->claims[walk->at++];
    return true;
}

bool engine_next_group(const struct engine *e, uint32_t *cursor)
{
    return tree_step(&groups_by_identity, e, e->pods.groups_in_order, &e->pods.groups, cursor);
}

uint32_t engine_find_group(const struct engine *e, enum group_kind kind, struct text space,
                           struct text name)
{
    return group_find_named(e, &(struct group_name){space, name, kind});
}

/* That which it names, or its members are in. */
static void find_queue(const struct engine *e, const struct group *group, struct group_report *ret)
{
    ret->queue = text_of("");
    if (group->claims.first != 0) {
        const struct queue *queue = queue_at(e, claim_queue(e, group->claims.first));

        ret->queue = name_text(e, queue->name);
        ret->queue_kind = queue->kind;
    } else if (group->said.queue != 0) {
        ret->queue = name_text(e, group->said.queue);
    }
}

static enum group_stand stand_of(const struct engine *e, const struct group *group)
{
    if (group->mode == GROUP_WAITS || booking_waits(e, group))
        return GROUP_STANDS_WAITING;
    if (group->mode != GROUP_WHOLE)
        return GROUP_STANDS_HELD;
    return group_is_gang(group) ? GROUP_STANDS_GRANTED : GROUP_STANDS_APART;
}

void engine_report_group(const struct engine *e, uint32_t id, struct group_report *ret)
{
    const struct group *group = group_at(e, id);
    char message[VERDICT_MESSAGE_MAX];
    struct group_status status;

    group_find_status(e, id, &status, message);
    ret->uid = name_text(e, group->said.uid);
    ret->space = name_text(e, group->space);
    ret->name = name_text(e, group->name);
    ret->queue_kind = QUEUE_VOLCANO;
    find_queue(e, group, ret);
    ret->known = group->known;
    ret->kind = (enum group_kind)group->kind;
    ret->stand = stand_of(e, group);
    explain_group(e, id, &ret->why);
    ret->phase = status.phase;
    ret->minimum =
        group->known || group->asker == 0 ? group->minimum : group_follow_minimum(e, group);
    ret->priority = group->has_priority        ? group->priority
                    : group->claims.first != 0 ? claim_at(e, group->claims.first)->priority
                                               : 0;
    ret->created = group->created;
    ret->members = group->members;
    ret->ready = group->ready;
    ret->reserved = group->reserved;
    ret->allocated = group->holding - group->reserved;
    ret->succeeded = group->succeeded;
    ret->failed = group->failed;
    ret->ask_count = 0;
    if (ret->stand != GROUP_STANDS_WAITING) {
        position_none(&ret->place);
        return;
    }
    ret->ask_count = ahead_demand(e, group->entry, ret->asks);
    position_find(e, group->entry, ret->why.reason, &ret->place);
}

bool engine_next_member(const struct engine *e, uint32_t group, uint32_t *cursor)
{
    if (*cursor != 0 &&
        (!slab_live(&e->claims.records, *cursor) || claim_group(e, claim_at(e, *cursor)) != group))
        return false;
    *cursor = *cursor == 0 ? group_at(e, group)->claims.first : member_after(e, *cursor);
    return *cursor != 0;
}

enum reason engine_member_reason(const struct engine *e, uint32_t claim)
{
    struct verdict verdict;

    explain_claim(e, claim, false, &verdict);
    return verdict.reason;
}
