/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_refusal.h"

#include "plugin/queues/admission_check.h"
#include "plugin/state.h"
#include "wait_notice.h"
#include "workload_settle.h"

/* So many of a demand are looked at when its verdict changes; of more the sweep looks at all. */
enum { NOTE_AT_ONCE = 8 };

void workload_refusal_note(struct engine *e, uint32_t id, enum workload_refusal why)
{
    struct demand *demand = demand_at(e, id);
    uint32_t workloads[NOTE_AT_ONCE], count = 0;

    if (demand->refusal == (uint8_t)why)
        return;
    demand->refusal = (uint8_t)why;
    if (tree_size(&workloads_by_rank, e, demand->waiting) > NOTE_AT_ONCE) {
        workloads_look_again(e);
        return;
    }
    for (uint32_t at = demand->head; at != 0; at = tree_next(&workloads_by_rank, e, at))
        workloads[count++] = at;
    for (uint32_t i = 0; i < count; i++)
        workload_settle(e, workloads[i]);
}

/* What keeps it from being asked at all, whatever state it is in. */
static enum workload_refusal obstacle(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    const struct local_queue *local = local_queue_at(e, workload->local_queue);
    enum life_stop stop = cluster_queue_stop(e, claim_queue(e, id));

    if (workload->unsupported != 0 && !workload_is(workload, WORKLOAD_GATED_BY))
        return WORKLOAD_REFUSAL_UNSUPPORTED;
    if (!local->known)
        return WORKLOAD_REFUSAL_NO_LOCAL;
    if (local->stop != LIFE_RUNS)
        return WORKLOAD_REFUSAL_LOCAL_STOPPED;
    if (stop != LIFE_RUNS)
        return stop == LIFE_MISSING ? WORKLOAD_REFUSAL_NO_CLUSTER : WORKLOAD_REFUSAL_STOPPED;
    return workload_is(workload, WORKLOAD_GATED_BY) ? WORKLOAD_REFUSAL_GATED_BY
                                                    : WORKLOAD_REFUSAL_NONE;
}

/* Its ClusterQueue grants nothing to anybody. */
static enum workload_refusal of_fault(const struct engine *e, uint32_t queue)
{
    static const enum workload_refusal refusals[] = {
        [CLUSTER_QUEUE_READY] = WORKLOAD_REFUSAL_NONE,
        [CLUSTER_QUEUE_UNKNOWN] = WORKLOAD_REFUSAL_NO_CLUSTER,
        [CLUSTER_QUEUE_CYCLE] = WORKLOAD_REFUSAL_CYCLE,
        [CLUSTER_QUEUE_STOPPED] = WORKLOAD_REFUSAL_STOPPED,
        [CLUSTER_QUEUE_FLAVOR_MISSING] = WORKLOAD_REFUSAL_NO_FLAVOR,
        [CLUSTER_QUEUE_CHECK_MISSING] = WORKLOAD_REFUSAL_NO_CHECK,
        [CLUSTER_QUEUE_CHECK_INACTIVE] = WORKLOAD_REFUSAL_CHECK_INACTIVE,
    };

    return refusals[cluster_queue_fault(e, queue, NULL)];
}

/* Why it is not even asked. */
static enum workload_refusal of_queues(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    enum workload_refusal why = obstacle(e, id);

    if (!workload_is(workload, WORKLOAD_ACTIVE) || workload->on_hold != LIFE_NONE)
        return WORKLOAD_REFUSAL_NONE;
    if (why != WORKLOAD_REFUSAL_NONE)
        return why;
    if (claim_at(e, id)->state == CLAIM_HELD)
        return local_queue_at(e, workload->local_queue)->selected ? WORKLOAD_REFUSAL_NONE
                                                                  : WORKLOAD_REFUSAL_NAMESPACE;
    return of_fault(e, claim_queue(e, id));
}

/* What is to be said of it now. */
static enum workload_refusal refusal_of(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    enum workload_refusal why;

    if (!e->config.waiting_reasons || !e->synced || !e->leads ||
        !workload_is(workload, WORKLOAD_PLACED) || workload_holds(e, id))
        return WORKLOAD_REFUSAL_NONE;
    if (claim_is_promised(claim_at(e, id)))
        return WORKLOAD_REFUSAL_VICTIMS;
    why = of_queues(e, id);
    if (why != WORKLOAD_REFUSAL_NONE || claim_at(e, id)->state != CLAIM_WAITING ||
        cluster_queue_stop(e, claim_queue(e, id)) != LIFE_RUNS)
        return why;
    return demand->refusal == WORKLOAD_REFUSAL_GATED ? WORKLOAD_REFUSAL_NONE
                                                     : (enum workload_refusal)demand->refusal;
}

static enum life_reason reason_of(enum workload_refusal why)
{
    if (why == WORKLOAD_REFUSAL_GATED_BY)
        return LIFE_ADMISSION_GATED;
    return why >= WORKLOAD_REFUSAL_UNSUPPORTED ? LIFE_INADMISSIBLE : LIFE_PENDING;
}

bool workload_refusal_wants(struct engine *e, uint32_t id, enum life_reason *ret_reason)
{
    struct workload *workload = workload_at(e, id);
    enum workload_refusal why = refusal_of(e, id);

    *ret_reason = reason_of(why);
    if (why != WORKLOAD_REFUSAL_NONE && workload->said == WORKLOAD_REFUSAL_UNKNOWN &&
        workload->pending_why == (uint8_t)*ret_reason)
        workload->said = (uint8_t)why;
    if (why == WORKLOAD_REFUSAL_QUOTA && workload->said == WORKLOAD_REFUSAL_NONE)
        return wait_notice_ask(e, id);
    wait_notice_drop(e, id);
    return why != WORKLOAD_REFUSAL_NONE && workload->said != (uint8_t)why;
}

/* What a write says that has another reason than Pending. */
static enum workload_refusal inadmissible(const struct engine *e, uint32_t id)
{
    enum workload_refusal why = obstacle(e, id);

    return why == WORKLOAD_REFUSAL_NONE ? refusal_of(e, id) : why;
}

enum workload_refusal workload_refusal_writing(const struct engine *e, uint32_t id)
{
    return workload_at(e, id)->step.reason == LIFE_PENDING ? refusal_of(e, id)
                                                           : inadmissible(e, id);
}

void workload_refusal_writes(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);

    switch (workload->writes) {
    case LIFE_WRITE_PENDING:
        workload->saying = (uint8_t)workload_refusal_writing(e, id);
        break;
    case LIFE_WRITE_UNRESERVE:
        workload->saying = (uint8_t)inadmissible(e, id);
        break;
    case WORKLOAD_WRITE_SIGNAL:
        workload->saying = WORKLOAD_REFUSAL_GATED;
        break;
    case LIFE_WRITE_END_EVICTION:
        workload->saying = WORKLOAD_REFUSAL_NONE;
        break;
    default:
        workload->saying = workload->said;
    }
}

void workload_refusal_written(struct engine *e, uint32_t id)
{
    workload_at(e, id)->said = workload_at(e, id)->saying;
}

void workload_refusal_seen(struct engine *e, uint32_t id, bool fresh)
{
    struct workload *workload = workload_at(e, id);

    if (workload->pending_why == LIFE_NONE)
        workload->said = WORKLOAD_REFUSAL_NONE;
    else if (fresh) /* of who is evicted only that is said */
        workload->said = workload_is(workload, WORKLOAD_EVICTED) ? WORKLOAD_REFUSAL_NONE
                                                                 : WORKLOAD_REFUSAL_UNKNOWN;
    else if (workload->said != WORKLOAD_REFUSAL_UNKNOWN &&
             workload->pending_why != (uint8_t)reason_of((enum workload_refusal)workload->said))
        workload->said = WORKLOAD_REFUSAL_NONE; /* somebody else says something else */
}
