/* SPDX-License-Identifier: Apache-2.0 */
#include "oldest.h"

#include "plugin/state.h"

/* A search for the first in a queue's order whose priority is below this one. */
struct rung {
    const struct engine *e;
    int32_t below;
    uint32_t looks; /* that are left */
    uint32_t found; /* 0: nobody yet */
};

static void consider(struct rung *rung, uint32_t claim)
{
    if (claim != 0 && (rung->found == 0 || claim_is_before(rung->e, claim, rung->found)))
        rung->found = claim;
}

/* Recursion is as deep as the tree of heads. */
static void look_at_lines(struct rung *rung, uint32_t head)
{
    const struct engine *e = rung->e;

    while (head != 0 && rung->looks > 0) {
        uint32_t left = claim_at(e, head)->link.left;
        bool above = claim_at(e, head)->priority >= rung->below;

        if (left != 0 && (!above || claim_line(e, left)->crowded))
            look_at_lines(rung, left);
        if (!above) { /* all that follow come after it */
            consider(rung, head);
            return;
        }
        if (line_is_crowded(e, claim_line(e, head)) && rung->looks > 0) {
            rung->looks--;
            consider(rung, line_below(e, claim_line(e, head), rung->below));
        }
        head = claim_at(e, head)->link.right;
    }
}

static int64_t older(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* 1970 is told as a moment later: 0 means that there is none. */
static int64_t told(int64_t time)
{
    return time > 0 ? time : 1;
}

static int64_t oldest_pod(const struct engine *e, uint32_t queue)
{
    struct rung rung = {.e = e, .looks = OLDEST_LOOKS, .found = queue_at(e, queue)->head};
    int64_t oldest = 0;

    while (rung.found != 0) {
        oldest = older(oldest, told(claim_at(e, rung.found)->queued));
        rung.below = claim_at(e, rung.found)->priority;
        rung.found = 0;
        for (uint32_t class =
                 tree_first(&size_classes_by_head, e, queue_at(e, queue)->size_classes);
             class != 0 && rung.looks > 0; class = tree_next(&size_classes_by_head, e, class)) {
            rung.looks--;
            look_at_lines(&rung, size_class_at(e, class)->heads);
        }
    }
    return oldest;
}

static int64_t oldest_workload(const struct engine *e, uint32_t queue)
{
    uint32_t waiting = queue_at(e, queue)->cluster.waiting, looks = OLDEST_LOOKS;
    uint32_t first = tree_first(&claims_by_rank, e, waiting);
    int64_t oldest = 0;

    for (; first != 0 && looks > 0; looks--) {
        oldest = older(oldest, told(claim_at(e, first)->queued));
        first = claim_first_below(e, waiting, claim_at(e, first)->priority);
    }
    return oldest;
}

int64_t oldest_waiting(const struct engine *e, uint32_t queue)
{
    return older(oldest_pod(e, queue), oldest_workload(e, queue));
}

int64_t oldest_waiting_local(const struct engine *e, uint32_t local)
{
    uint32_t id = 0, looks = OLDEST_LOOKS;
    int64_t oldest = 0;

    for (; looks > 0 && local_queue_step(e, local, &id); looks--) {
        if (claim_at(e, id)->state == CLAIM_WAITING)
            oldest = older(oldest, told(claim_at(e, id)->queued));
    }
    return oldest;
}

/* A gang's entry stands where its group's age puts it, which is before it was granted anything: so
 * who comes behind the oldest that was found so far is none. */
int64_t oldest_unplaced(const struct engine *e, uint32_t queue)
{
    uint32_t id = tree_first(&claims_by_stamp, e, queue_at(e, queue)->reserved);
    uint32_t looks = OLDEST_LOOKS;
    int64_t oldest = 0;

    for (; id != 0 && looks > 0; id = tree_next(&claims_by_stamp, e, id), looks--) {
        const struct claim *claim = claim_at(e, id);

        if (oldest != 0 && claim->stamp >= oldest)
            break;
        oldest = older(oldest, told(claim->flags & CLAIM_GANG ? claim->since : claim->stamp));
    }
    return oldest;
}
