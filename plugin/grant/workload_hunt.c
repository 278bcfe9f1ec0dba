/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_hunt.h"

#include "plugin/state.h"
#include "workload_share.h"

static void bring_back(struct workload_hunt *hunt)
{
    struct workload *workload = workload_at(hunt->e, hunt->last);

    workload_count_later(hunt->e, hunt->last, 1);
    hunt->last = workload->hunt.prev;
    workload->hunt.prev = 0;
}

/* The last one, with whom it came to fit, is needed. */
static void give_back(struct workload_hunt *hunt, bool borrowing)
{
    struct workload *newer = workload_at(hunt->e, hunt->last);

    while (newer->hunt.prev != 0) {
        struct workload *workload = workload_at(hunt->e, newer->hunt.prev);

        workload_count_later(hunt->e, newer->hunt.prev, 1);
        if (!workload_share_fits(hunt, borrowing)) {
            workload_count_later(hunt->e, newer->hunt.prev, -1);
            newer = workload;
            continue;
        }
        newer->hunt.prev = workload->hunt.prev;
        workload->hunt.prev = 0;
    }
}

/* Whether, with its room borrowed, one of those taken by priority could reclaim it at once: that
 * one would send the asking workload away, come back with the others, and so on for ever. So
 * would others of its queue that wait, where the one taken could send them away in turn. */
static bool is_reclaimed(const struct workload_hunt *hunt)
{
    if (workload_share_fits(hunt, false))
        return false;
    for (uint32_t id = hunt->last; id != 0; id = workload_at(hunt->e, id)->hunt.prev) {
        const struct queue *queue = queue_at(hunt->e, workload_queue(hunt->e, id));
        bool sends_others = queue->cluster.waiting != 0 && queue->preempts.within != PREEMPT_NEVER;

        if (workload_at(hunt->e, id)->hunt.why == WORKLOAD_TAKEN_WHILE_BORROWING &&
            queue->preempts.reclaim == PREEMPT_ANY &&
            (workload_share_returns(hunt, id) ||
             (sends_others && workload_share_falls_short(hunt, id))))
            return true;
    }
    return false;
}

static bool run(struct workload_hunt *hunt, bool borrowing)
{
    workload_sources_rewind(hunt);
    for (uint32_t id; (id = workload_sources_next(hunt, borrowing)) != 0;) {
        workload_count_later(hunt->e, id, -1);
        workload_at(hunt->e, id)->hunt.prev = hunt->last;
        hunt->last = id;
        if (workload_share_fits(hunt, borrowing)) {
            give_back(hunt, borrowing);
            if (!is_reclaimed(hunt))
                return true;
            break;
        }
    }
    while (hunt->last != 0)
        bring_back(hunt);
    return false;
}

bool workload_hunt_begin(struct workload_hunt *hunt)
{
    bool forbidden = !queue_at(hunt->e, hunt->queue)->preempts.while_borrowing;

    hunt->number = ++hunt->e->workload_hunts;
    hunt->last = 0;
    if (!workload_share_find_contested(hunt))
        return true;
    workload_sources_collect(hunt);
    if ((!hunt->by_share && !hunt->by_priority) || (forbidden && !workload_share_is_under(hunt)))
        return run(hunt, true);
    if (forbidden && !hunt->by_share)
        return run(hunt, false) || run(hunt, true);
    return run(hunt, true) || run(hunt, false);
}

void workload_hunt_end(struct workload_hunt *hunt)
{
    for (uint32_t id = hunt->last; id != 0; id = workload_at(hunt->e, id)->hunt.prev)
        workload_count_later(hunt->e, id, 1);
}

bool workload_hunt_reclaims(const struct workload_hunt *hunt)
{
    for (uint32_t id = hunt->last; id != 0; id = workload_at(hunt->e, id)->hunt.prev) {
        if (workload_at(hunt->e, id)->hunt.why == WORKLOAD_TAKEN_WITHIN)
            return false;
    }
    return true;
}
