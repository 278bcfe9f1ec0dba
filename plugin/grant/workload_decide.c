/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_decide.h"

#include "choice.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/workload_change.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "plugin/workloads/workload_settle.h"
#include "victims.h"

void workload_decide(struct engine *e, uint32_t id, struct decision *ret)
{
    struct choice choice;

    ret->what = DECIDE_NOTHING;
    ret->workload = id;
    ret->waits_only = false;
    choice_begin(&choice, e, id);
    if (!choice_make(&choice, &ret->made))
        return;
    ret->what = ret->made.how == ASSIGN_FITS ? DECIDE_FITS : DECIDE_PREEMPTS;
    ret->waits_only =
        ret->what == DECIDE_PREEMPTS && choice_has_victims(&choice, &ret->made) && choice.none;
}

bool workload_decide_fits_elsewhere(struct engine *e, uint32_t id, struct assignment *ret)
{
    const struct cluster_queue *cluster = &queue_at(e, claim_queue(e, id))->cluster;
    struct choice choice;

    if (!cluster->preempts_last)
        return false;
    choice_begin(&choice, e, id);
    choice.ask.victims = (struct assign_victims){0};
    return choice_make(&choice, ret) && ret->how == ASSIGN_FITS;
}

bool workload_decide_ever(struct engine *e, uint32_t id)
{
    const struct demand *demand = demand_at(e, id);
    struct assign_ask ask = {.e = e,
                             .queue = demand->queue,
                             .ever = true,
                             .set_count = demand->set_count,
                             .sets = demand->sets};
    struct assignment made;

    demand_judge(e, id);
    return assign_repeatedly(&ask, &made);
}

/* It took room: others that signal may have no victims any more, or some at last. */
static void took(struct engine *e, uint32_t id)
{
    cluster_queue_borrows_more(e, claim_queue(e, id));
    cluster_queue_took_room(e, claim_queue(e, id));
    cluster_queue_asks_less(e, claim_queue(e, id));
    if (e->order.gated_demands > 0)
        cluster_queue_changed(e, claim_queue(e, id));
}

void workload_decide_reserve(struct engine *e, uint32_t id, const struct assignment *made)
{
    struct workload *workload = workload_at(e, id);

    workload_take_out(e, id);
    workload_set_flavors(e, id, made);
    workload_set(workload, WORKLOAD_ASSUMED, true);
    workload_set(workload, WORKLOAD_BLOCKED, false);
    claim_at(e, id)->state = CLAIM_RESERVED;
    claim_at(e, id)->stamp = e->now;
    workload_put_in(e, id);
    queue_count_grant(e, claim_queue(e, id), claim_at(e, id)->queued);
    waits_add(&local_queue_at(e, workload->local_queue)->waits, claim_at(e, id)->queued, e->now);
    took(e, id);
    workload_settle(e, id);
}

uint32_t workload_decide_victims(struct engine *e, const struct decision *decision,
                                 struct workload_name *ret_names, uint32_t max)
{
    struct choice choice;
    uint32_t count = 0;

    choice_begin(&choice, e, decision->workload);
    choice_hunt(&choice, &decision->made);
    for (uint32_t claim = choice.hunt.last; claim != 0 && count < max;
         claim = pledge_at(e, claim)->peers.prev) {
        ret_names[count++] = claim_full_name(e, claim);
    }
    hunt_end(&choice.hunt);
    return count;
}

void workload_decide_preempt(struct engine *e, const struct decision *decision)
{
    uint32_t id = decision->workload;
    struct choice choice;

    choice_begin(&choice, e, id);
    choice_hunt(&choice, &decision->made);
    hunt_take(&choice.hunt);
    promise_make(e, id, &decision->made, choice.hunt.within ? PROMISE_WITHIN_ALL : 0);
    cluster_queue_borrows_more(e, claim_queue(e, id));
    queue_victims_changed(e, claim_queue(e, id));
    victims_take(&choice.hunt, id);
    group_settle(e);
    workload_settle(e, id);
    cluster_queue_changed(e, claim_queue(e, id)); /* its victims may leave more than it takes */
}
