/* SPDX-License-Identifier: Apache-2.0 */
#include "load_hunt.h"

#include "load_share.h"
#include "state.h"

static void bring_back(struct load_hunt *hunt)
{
    struct load *load = load_at(hunt->e, hunt->last);

    load_count_later(hunt->e, hunt->last, 1);
    hunt->last = load->hunt.prev;
    load->hunt.prev = 0;
}

/* The last one, with whom it came to fit, is needed. */
static void give_back(struct load_hunt *hunt, bool borrowing)
{
    struct load *newer = load_at(hunt->e, hunt->last);

    while (newer->hunt.prev != 0) {
        struct load *load = load_at(hunt->e, newer->hunt.prev);

        load_count_later(hunt->e, newer->hunt.prev, 1);
        if (!load_share_fits(hunt, borrowing)) {
            load_count_later(hunt->e, newer->hunt.prev, -1);
            newer = load;
            continue;
        }
        newer->hunt.prev = load->hunt.prev;
        load->hunt.prev = 0;
    }
}

/* Whether, with its room borrowed, one of those taken by priority could reclaim it at once: that
 * one would send the asking workload away, come back with the others, and so on for ever. So
 * would others of its queue that wait, where the one taken could send them away in turn. */
static bool is_reclaimed(const struct load_hunt *hunt)
{
    if (load_share_fits(hunt, false))
        return false;
    for (uint32_t id = hunt->last; id != 0; id = load_at(hunt->e, id)->hunt.prev) {
        const struct queue *queue = queue_at(hunt->e, load_queue(hunt->e, id));
        bool sends_others = queue->bay.waiting != 0 && queue->preempts.within != PREEMPT_NEVER;

        if (load_at(hunt->e, id)->hunt.why == LOAD_TAKEN_WHILE_BORROWING &&
            queue->preempts.reclaim == PREEMPT_ANY &&
            (load_share_returns(hunt, id) || (sends_others && load_share_falls_short(hunt, id))))
            return true;
    }
    return false;
}

static bool run(struct load_hunt *hunt, bool borrowing)
{
    load_sources_rewind(hunt);
    for (uint32_t id; (id = load_sources_next(hunt, borrowing)) != 0;) {
        load_count_later(hunt->e, id, -1);
        load_at(hunt->e, id)->hunt.prev = hunt->last;
        hunt->last = id;
        if (load_share_fits(hunt, borrowing)) {
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

bool load_hunt_begin(struct load_hunt *hunt)
{
    bool forbidden = !queue_at(hunt->e, hunt->queue)->preempts.while_borrowing;

    hunt->number = ++hunt->e->load_hunts;
    hunt->last = 0;
    if (!load_share_find_contested(hunt))
        return true;
    load_sources_collect(hunt);
    if ((!hunt->by_share && !hunt->by_priority) || (forbidden && !load_share_is_under(hunt)))
        return run(hunt, true);
    if (forbidden && !hunt->by_share)
        return run(hunt, false) || run(hunt, true);
    return run(hunt, true) || run(hunt, false);
}

void load_hunt_end(struct load_hunt *hunt)
{
    for (uint32_t id = hunt->last; id != 0; id = load_at(hunt->e, id)->hunt.prev)
        load_count_later(hunt->e, id, 1);
}

bool load_hunt_reclaims(const struct load_hunt *hunt)
{
    for (uint32_t id = hunt->last; id != 0; id = load_at(hunt->e, id)->hunt.prev) {
        if (load_at(hunt->e, id)->hunt.why == LOAD_TAKEN_WITHIN)
            return false;
    }
    return true;
}
