/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "plugin/claims/flow.h"
#include "plugin/claims/news.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/stale_condition.h"
#include "plugin/order/contest.h"
#include "plugin/order/first_fit.h"
#include "plugin/order/guard.h"
#include "plugin/pods/assembly.h"
#include "plugin/pods/gang.h"
#include "plugin/pods/group_follow.h"
#include "plugin/pods/group_home.h"
#include "plugin/pods/group_move.h"
#include "plugin/pods/let_go.h"
#include "plugin/queues/queue_life.h"
#include "plugin/state.h"

/* Every invariant that must hold between two calls. Slow: for tests and debug builds. */

static const char *check_claim(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    bool in_tree = claim->state != CLAIM_HELD || (claim->flags & CLAIM_RESTORING) != 0;

    if (claim->workload != 0) /* workload_check.c looks at those */
        return NULL;
    if (claim->flags & CLAIM_GANG)
        return claim->state == CLAIM_ALLOCATED     ? "a gang's entry is no pod"
               : in_tree != (claim->link.size > 0) ? "an entry is in the tree of its state"
                                                   : NULL;
    if (claim->state == CLAIM_WAITING && claim_is_in_gang(e, id))
        in_tree = false;
    if (in_tree != (claim->link.size > 0))
        return "a claim is in the tree of its state";
    if ((claim->state == CLAIM_HELD) != (claim->reason != REASON_NONE))
        return "a held claim, and no other, has a reason of its own";
    if ((claim->flags & CLAIM_BOUND) != 0 && claim->state != CLAIM_ALLOCATED)
        return "a bound claim is allocated";
    if (let_go_check(e, id) != NULL)
        return let_go_check(e, id);
    if (stale_condition_check(claim_at(e, id)) != NULL)
        return stale_condition_check(claim_at(e, id));
    if ((claim->flags & (CLAIM_MANAGED | CLAIM_LET_GO)) == 0 && claim->state != CLAIM_ALLOCATED)
        return "a pod that obeys no queue counts only when it is bound";
    if (claim->state == CLAIM_RESERVED && e->pods.stop_notice.left == 0 &&
        ((claim->flags & CLAIM_STOPPED) != 0) != queue_stops_granted(e, claim_queue(e, id)))
        return "a reserved claim was told whether it may go on";
    if (claim_find(e, claim_uid(e, id)) != id)
        return "a claim is found by its uid";
    if (claim_find_named(e, name_text(e, claim->space), claim_name(e, id), false) != id)
        return "a claim is found by its name";
    if (!stop_notice_is_due(e) && news_check(e, id) != NULL)
        return news_check(e, id);
    return removable_check(e, id);
}

static const char *check_line(const struct engine *e, uint32_t id)
{
    const struct line *line = line_at(e, id);
    const struct crowd *crowd = line->crowd == 0 ? NULL : crowd_at(e, line->crowd);
    bool crowded = line_is_crowded(e, line);

    if (crowd != NULL && crowd->users < 2)
        return "a crowd is more than one";
    if (crowd != NULL && !waiting_check(e, &crowd->behind))
        return "the claims of a line wait in order of rank";
    if (line->head == 0)
        return crowded ? "a line's head is its first claim" : NULL;
    if (claim_at(e, line->head)->line != id ||
        (crowded && claim_compare_rank(e, line->head, waiting_first(e, &crowd->behind)) > 0))
        return "a line's head is its first claim";

    const struct tree_link *link = &claim_at(e, line->head)->link;
    const struct line *below[2] = {claim_line(e, link->left), claim_line(e, link->right)};

    if (link->size == 0)
        return "a line's head is in its class's tree";
    for (int k = 0; k < 2; k++)
        crowded = crowded || (below[k] != NULL && below[k]->crowded);
    if (line->crowded != crowded)
        return "it is known where more than one waits";
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        int64_t least = line_least(e, line, i);

        if (least > line_amount(e, line, i))
            return "the least need is not above the line's own";
        for (int k = 0; k < 2; k++) {
            if (below[k] != NULL && least > line_least(e, below[k], i))
                return "the least need is not above those below it";
        }
    }
    return NULL;
}

static const char *check_least(const struct engine *e, const struct size_class *class)
{
    const uint32_t below[2] = {class->link.left, class->link.right};

    for (uint32_t i = 0; i < class->count; i++) {
        int64_t least = class->needs[i].least;

        if (class->needs[i].own != line_least(e, claim_line(e, class->heads), i))
            return "a size class knows the least that its lines ask for";
        if (least > class->needs[i].own)
            return "the least need of a size class is not above its lines' own";
        for (int k = 0; k < 2; k++) {
            if (below[k] != 0 &&
                least > size_class_least(size_class_at(e, below[k]), class->needs[i].resource))
                return "the least need of a size class is not above those below it";
        }
    }
    return NULL;
}

static const char *check_size_class(const struct engine *e, uint32_t id)
{
    const struct size_class *class = size_class_at(e, id);

    if (!tree_check(&heads_by_rank, e, class->heads))
        return "the heads of a size class's lines stand in order of rank";
    if ((class->head != 0) != (class->link.size != 0) || (class->head != 0) != (class->heads != 0))
        return "a size class is in its queue's tree while somebody waits in it";
    if (class->head == 0)
        return NULL;
    if (class->head != tree_first(&heads_by_rank, e, class->heads))
        return "a size class's head is the first head of its lines";
    return check_least(e, class);
}

/* When nothing is left to do, no waiting claim that may advance fits. */
static const char *check_nobody_fits(const struct engine *e, uint32_t id)
{
    uint16_t flavors[FACTS_MAX_NEEDS];

    if (!engine_grants(e) || e->queues.todo[TODO_DIRTY].first != 0 ||
        queue_stops(e, id) != REASON_NONE || queue_at(e, id)->first_child != 0)
        return NULL;
    return first_fit(e, id, flavors) == 0 ? NULL : "nobody who fits waits";
}

static const char *check_over(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    for (uint32_t i = 0; i < queue->cell_count && !queue->is_todo[TODO_OVER]; i++) {
        const struct cell *cell = &queue->cells[i];
        struct flow workloads = {0}; /* workloads are never demoted */

        flow_add_workloads(e, id, cell->flavor, cell->resource, &workloads);
        /* What is allocated, or kept for somebody below, cannot be taken away. */
        if (cell->bounded && cell->usage > cell->ceiling && cell->reserved > workloads.reserved &&
            queue->first_child == 0)
            return "a leaf above its ceiling has nothing reserved that uses it";
    }
    return NULL;
}

static const char *check_trees(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    if (!tree_check(&size_classes_by_head, e, queue->size_classes))
        return "the size classes of a queue stand in order of their heads";
    if (!tree_check(&claims_by_stamp, e, queue->reserved) ||
        !tree_check(&claims_by_stamp, e, queue->allocated))
        return "reserved and allocated claims stand in order of their stamps";
    return NULL;
}

static const char *check_place(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    if (!queue->known && queue->line_count == 0 && queue->first_child == 0 && queue->wanted_by == 0)
        return "an unknown queue is named by somebody";
    return NULL;
}

const char *record_check_by(record_check *const *checks, const struct engine *e, uint32_t id)
{
    const char *broken = NULL;

    for (; broken == NULL && *checks != NULL; checks++)
        broken = (*checks)(e, id);
    return broken;
}

static const char *check_queue(const struct engine *e, uint32_t id)
{
    static record_check *const checks[] = {flow_check,        contest_check, height_check,
                                           check_nobody_fits, check_over,    backlog_check,
                                           queue_life_check,  check_trees,   removable_check_queue,
                                           guard_check,       check_place,   NULL};

    return record_check_by(checks, e, id);
}

/* Whoever goes takes its timer along. */
static const char *check_timers(const struct engine *e)
{
    const struct slab *queues = &e->queues.records;
    bool sound = heap_check(&e->claims.timers, &e->claims.records) &&
                 heap_check(&e->queues.timers, queues) &&
                 heap_check(&e->order.guard_timers, queues) &&
                 heap_check(&e->pods.group_timers, &e->pods.groups) &&
                 heap_check(&e->queues.commands.timers, &e->queues.commands.records);

    return sound ? NULL : "who has a timer is there";
}

/* And whoever goes is on no list of those that something is to be done for. */
static const char *check_todo(const struct engine *e)
{
    for (uint32_t list = 0; list < TODO_LISTS; list++) {
        uint32_t marked = 0, listed = 0;

        for (uint32_t id = 0; slab_step(&e->queues.records, &id);)
            marked += queue_at(e, id)->is_todo[list];
        for (uint32_t id = e->queues.todo[list].first; id != 0 && listed <= marked;
             id = queue_at(e, id)->todo[list].next)
            listed += slab_live(&e->queues.records, id) ? 1 : marked + 1;
        if (listed != marked)
            return "a queue for which something is to be done is listed once";
    }
    return NULL;
}

/* Those that wait and those that hold are counted against trees of theirs (queue_life.h). */
static const char *check_held(const struct engine *e)
{
    uint32_t held = 0;

    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++)
        held += claim_is_pod(e, id) && claim_at(e, id)->state == CLAIM_HELD &&
                (claim_at(e, id)->flags & CLAIM_LET_GO) == 0;
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);)
        held -= queue_at(e, id)->parent == 0 ? queue_at(e, id)->counts[CLAIM_HELD] : 0;
    return held == 0 ? NULL : "a queue counts those that are held, but none that is let go";
}

static const char *check_group(const struct engine *e, uint32_t id)
{
    static record_check *const checks[] = {group_check,      group_follow_check, gang_check,
                                           group_check_home, group_check_moves,  NULL};

    return record_check_by(checks, e, id);
}

static const char *check_members(const struct engine *e)
{
    uint32_t members = e->claims.entries;

    for (uint32_t id = 0; slab_step(&e->pods.groups, &id);)
        members += group_at(e, id)->members;
    return members == slab_count(&e->pods.members) ? NULL : "a place in a group is somebody's";
}

static const char *check_order(const struct engine *e)
{
    if (!tree_check(&queues_by_identity, e, e->queues.in_order))
        return "queues stand in order of kind and name";
    if (!tree_check(&groups_by_identity, e, e->pods.groups_in_order))
        return "groups stand in order of namespace and name";
    if (!tree_check(&claims_by_stamp, e, e->claims.restoring))
        return "claims to restore stand in order of their stamps";
    return NULL;
}

const char *records_check(const struct engine *e, const struct slab *records, record_check *check)
{
    const char *broken = NULL;

    for (uint32_t id = 0; broken == NULL && slab_step(records, &id);)
        broken = check(e, id);
    return broken;
}

static const char *check_effects(const struct engine *e)
{
    return outbox_check(&e->outbox, e, !engine_more(e));
}

/* What is due for the time's sake may not have been done yet. */
static const char *check_assembly(const struct engine *e)
{
    return assembly_check(e, engine_next(e) != 0 && engine_next(e) <= e->now);
}

static const char *check_promises(const struct engine *e)
{
    return promise_check(e, !engine_more(e));
}

static const char *check_records(const struct engine *e)
{
    const struct {
        const struct slab *records;
        record_check *check;
    } kinds[] = {
        {&e->claims.records, check_claim},          {&e->order.lines, check_line},
        {&e->order.size_classes, check_size_class}, {&e->pods.groups, check_group},
        {&e->queues.records, check_queue},          {&e->order.demands, demand_check},
    };
    const char *broken = NULL;

    for (size_t i = 0; broken == NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        broken = records_check(e, kinds[i].records, kinds[i].check);
    return broken;
}

const char *engine_check(const struct engine *e)
{
    static const char *(*const checks[])(const struct engine *e) = {
        check_timers,   check_effects, check_assembly,      demote_check,
        check_promises, recount_check, workload_check,      limit_check,
        check_records,  check_held,    check_members,       check_order,
        command_check,  check_todo,    backlog_check_users, journal_check};
    const char *broken = NULL;

    for (size_t i = 0; broken == NULL && i < sizeof(checks) / sizeof(checks[0]); i++)
        broken = checks[i](e);
    return broken;
}
