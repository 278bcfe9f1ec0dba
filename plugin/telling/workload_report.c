/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/sentence.h"
#include "plugin/grant/workload_decide.h"
#include "plugin/order/headroom.h"
#include "plugin/order/turn.h"
#include "plugin/queues/admission_check.h"
#include "plugin/state.h"
#include "plugin/workloads/workload_settle.h"
#include "ahead.h"
#include "explain.h"
#include "explain_queue.h"
#include "explain_workload.h"
#include "position.h"
#include "report.h"

/* So many lines of pods are looked at for a workload's place among them: a page has many. */
enum { REPORT_LINES = 256 };

uint32_t engine_find_workload(const struct engine *e, struct text space, struct text name)
{
    return workload_find(e, space, name);
}

static const char *why_holding(const struct engine *e, uint32_t id)
{
    struct workload_life life;

    workload_find_life(e, id, &life);
    if (workload_is_leaving(workload_at(e, id)) || claim_is_victim(claim_at(e, id)))
        return "Evicted";
    return claim_at(e, id)->state == CLAIM_RESERVED && !life.checks_ready ? "AdmissionChecks" : "";
}

static const char *why_held(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    const struct local_queue *local = local_queue_at(e, workload->local_queue);

    if (!workload_is(workload, WORKLOAD_ACTIVE) || workload_is(workload, WORKLOAD_TARGET))
        return "Inactive";
    if (workload->unsupported != 0)
        return "Unsupported";
    if (!local->known || claim_queue(e, id) == 0)
        return "QueueUnknown";
    if (local->stop != LIFE_RUNS)
        return "QueueSuspended";
    return local->selected ? "Backoff" : "NamespaceNotSelected";
}

static const char *fault_reason(enum cluster_queue_fault fault)
{
    return fault == CLUSTER_QUEUE_UNKNOWN   ? "QueueUnknown"
           : fault == CLUSTER_QUEUE_STOPPED ? "QueueSuspended"
                                            : "QueueInactive";
}

/* What would be decided now. */
static const char *why_refused(struct engine *e, uint32_t id, struct decision *decision)
{
    workload_decide(e, id, decision);
    if (decision->what != DECIDE_NOTHING)
        return "QueueOrder";
    return workload_decide_ever(e, workload_at(e, id)->demand) ? "QueueCapacity" : "NoFlavor";
}

static void note_victims(struct engine *e, uint32_t id, const struct decision *decision,
                         struct workload_report *ret)
{
    if (claim_is_promised(claim_at(e, id))) {
        for (uint32_t at = pledge_at(e, id)->promise.victims.first;
             at != 0 && ret->victim_count < WORKLOAD_REPORT_VICTIMS;
             at = pledge_at(e, at)->peers.next)
            ret->victims[ret->victim_count++] = claim_full_name(e, at);
        return;
    }
    if (decision->what == DECIDE_PREEMPTS)
        ret->victim_count =
            workload_decide_victims(e, decision, ret->victims, WORKLOAD_REPORT_VICTIMS);
}

/* The first flavor of the group that pods of this set could be in. */
static uint16_t first_flavor(const struct assign_set *ask, const struct queue *queue,
                             const struct queue_group *group)
{
    uint64_t refused = ask->refused[group - queue->groups];

    for (uint32_t k = 0; k < group->flavor_count; k++) {
        if ((refused >> k & 1) == 0)
            return group->flavors[k];
    }
    return group->flavors[0];
}

/* The first that it lacks, in the first flavor that its pods could be in. */
static void say_lack(struct sentence *say, const struct engine *e, uint32_t id)
{
    const struct demand *demand = demand_at(e, workload_at(e, id)->demand);
    const struct queue *queue = queue_at(e, demand->queue);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        const struct assign_set *ask = &demand->sets[s];

        for (uint32_t i = 0; i < ask->need_count; i++) {
            const struct request *need = &ask->needs[i];
            const struct queue_group *group = queue_group_of(queue, need->resource);
            struct text resource = name_text(e, need->resource);
            wide asked = (wide)need->amount * ask->count, room;
            uint16_t flavor;

            if (group == NULL)
                continue;
            flavor = first_flavor(ask, queue, group);
            room = headroom_now(e, demand->queue, flavor, need->resource);
            if (headroom_holds(room, asked))
                continue;
            explain_queue(say, e, demand->queue, " has room for ");
            sentence_amount(say, resource, wide_max(0, room));
            sentence_named(say, " more ", resource, " in flavor ");
            sentence_text(say, flavor_name(e, flavor));
            sentence_named(say, ", pod set ", demand->set_details[s].name, " asks for ");
            sentence_amount(say, resource, asked);
            return;
        }
    }
}

static void say_backoff(struct sentence *say, const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    int64_t until =
        workload->requeue_at > workload->retry_at ? workload->requeue_at : workload->retry_at;

    sentence_str(say, "it gave its quota back");
    if (until <= e->now)
        return;
    sentence_str(say, ", and may try again in ");
    sentence_span(say, until - e->now);
}

/* Those that are not ready. */
static void say_checks(struct sentence *say, const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    bool begun = false;

    for (uint32_t i = 0; i < workload->check_count; i++) {
        if (workload->check_states[i] == CHECK_READY)
            continue;
        sentence_str(say, begun ? ", " : "not ready: ");
        sentence_text(say, name_text(e, workload->checks[i]));
        begun = true;
    }
}

static void say_why(const struct engine *e, uint32_t id, struct workload_report *ret)
{
    const struct workload *workload = workload_at(e, id);
    struct text reason = text_of(ret->reason);
    struct sentence say = sentence_in(ret->message, VERDICT_MESSAGE_MAX);

    if (text_is(reason, "Unsupported"))
        sentence_phrase(&say, name_text(e, workload->unsupported));
    else if (text_is(reason, "QueueCapacity"))
        say_lack(&say, e, id);
    else if (text_is(reason, "NoFlavor"))
        sentence_str(&say, "no flavor suits its pods and could ever have so much");
    else if (text_is(reason, "PreemptionGated"))
        sentence_str(&say, "others would have to go, and a gate is closed");
    else if (text_is(reason, "Inactive"))
        sentence_str(&say, "it is deactivated: its spec.active is to be true for it to go on");
    else if (text_is(reason, "Backoff"))
        say_backoff(&say, e, id);
    else if (text_is(reason, "Evicted"))
        sentence_str(&say, "its quota is given back when none of its pods is active any more");
    else if (text_is(reason, "AdmissionChecks"))
        say_checks(&say, e, id);
    else if (text_is(reason, "NotReady"))
        explain_not_ready(&say, e);
    else
        explain_workload_queues(&say, e, id);
}

static void report_place(struct engine *e, uint32_t id, bool briefly, struct workload_report *ret)
{
    bool waits = claim_queue(e, id) != 0 && workload_is(workload_at(e, id), WORKLOAD_PLACED) &&
                 claim_at(e, id)->state == CLAIM_WAITING;

    position_none(&ret->place);
    if (!briefly)
        ret->ask_count = ahead_demand(e, id, ret->asks);
    if (waits && briefly)
        ret->place.position =
            tree_rank(&claims_by_rank, e, id) + turn_pods_before(e, id, REPORT_LINES) + 1;
    else if (waits)
        position_find_workload(e, id, &ret->place);
}

static void report_why(struct engine *e, uint32_t id, bool briefly, struct workload_report *ret)
{
    const struct workload *workload = workload_at(e, id);
    struct decision decision = {.what = DECIDE_NOTHING};

    if (workload_holds(e, id)) {
        ret->reason = why_holding(e, id);
    } else if (!workload_is(workload, WORKLOAD_PLACED)) {
        ret->reason = "";
    } else if (claim_at(e, id)->state == CLAIM_HELD) {
        ret->reason = why_held(e, id);
    } else if (claim_is_promised(claim_at(e, id))) {
        ret->reason = "Preempting";
    } else if (cluster_queue_fault(e, claim_queue(e, id), NULL) != CLUSTER_QUEUE_READY) {
        ret->reason = fault_reason(cluster_queue_fault(e, claim_queue(e, id), NULL));
    } else if (!engine_grants(e)) {
        ret->reason = "NotReady";
    } else {
        ret->reason = why_refused(e, id, &decision);
        if (workload_is(workload, WORKLOAD_BLOCKED))
            ret->reason = "PreemptionGated";
    }
    if (briefly)
        return;
    note_victims(e, id, &decision, ret);
    say_why(e, id, ret);
}

void engine_report_workload(struct engine *e, uint32_t id, bool briefly,
                            struct workload_report *ret)
{
    static const char *const check_states[] = {"Pending", "Ready", "Retry", "Rejected"};
    const struct workload *workload = workload_at(e, id);
    uint32_t queue = claim_queue(e, id);
    uint32_t of = pledge_at(e, id)->of;

    memset(ret, 0, sizeof(*ret));
    ret->is = claim_full_name(e, id);
    ret->local_queue = name_text(e, local_queue_at(e, workload->local_queue)->name);
    ret->queue = queue == 0 ? text_of("") : name_text(e, queue_at(e, queue)->name);
    ret->state = workload_is(workload, WORKLOAD_PLACED) ? claim_state_name(claim_at(e, id)->state)
                                                        : "finished";
    ret->priority = claim_at(e, id)->priority;
    ret->created = workload->created;
    ret->signals = workload_is(workload, WORKLOAD_SIGNALS);
    ret->signal_since = ret->signals ? workload->signal_since : 0;
    ret->closed = name_text(e, preemption_gates_closed(&workload->gates));
    ret->check_count = workload->check_count;
    for (uint32_t i = 0; i < workload->check_count; i++) {
        ret->checks[i].name = name_text(e, workload->checks[i]);
        ret->checks[i].state = check_states[workload->check_states[i]];
    }
    ret->is_victim = of != 0;
    if (ret->is_victim)
        ret->of = claim_full_name(e, of);
    engine_workload_write(e, id, &ret->write);
    for (uint32_t i = 0; i < workload->gates.count; i++)
        ret->write.gates[i].open = workload->gates.positions[i] == GATE_OPEN;
    report_place(e, id, briefly, ret);
    report_why(e, id, briefly, ret);
}
