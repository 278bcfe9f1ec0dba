/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_effects.h"

#include "plugin/base/sentence.h"
#include "plugin/claims/promise.h"
#include "plugin/state.h"
#include "plugin/workloads/workload_refusal.h"
#include "plugin/workloads/workload_see.h"
#include "plugin/workloads/workload_settle.h"
#include "explain_workload.h"
#include "report.h"

static uint8_t wanted(const void *owner, uint32_t id)
{
    const struct engine *e = owner;
    const struct workload *workload = workload_at(e, id);

    return engine_admits(e) && workload->writes != LIFE_WRITE_NOTHING &&
           !workload_is(workload, WORKLOAD_AWAITS);
}

static void describe(const void *owner, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct engine *e = owner;
    const struct workload *workload = workload_at(e, id);

    (void)slot;
    ret->uid = name_text(e, workload->uid);
    ret->space = name_text(e, claim_at(e, id)->space);
    ret->name = name_text(e, workload->name);
    ret->resource_version = claim_at(e, id)->version;
    ret->workload = id;
}

static void leased(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    (void)slot;
    workload_at(e, id)->writing = workload_at(e, id)->writes;
    workload_refusal_writes(e, id);
    if (claim_is_victim(claim_at(e, id))) /* it cannot stay any more: its room will come */
        cluster_queue_changed(e, claim_queue(e, id));
}

static void retried(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    (void)slot;
    workload_at(e, id)->writing = LIFE_WRITE_NOTHING;
    promise_reconsider(e, id);
    workload_settle(e, id); /* a reservation that is not made may have nobody to make it again */
}

static void done(void *owner, uint32_t id, uint32_t slot, int64_t version)
{
    struct engine *e = owner;
    struct workload *workload = workload_at(e, id);

    (void)slot;
    workload->wrote = version;
    workload_refusal_written(e, id);
    if (version == 0 || version > claim_at(e, id)->version)
        workload_set(workload, WORKLOAD_AWAITS, true);
    workload_settle(e,
                    id); /* its object may have been seen so, or otherwise, before this was heard */
}

static void gone(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    (void)slot;
    workload_destroy(e, id);
}

static void set_timer(void *owner, uint32_t id)
{
    workload_set_timer(owner, id);
}

static bool is_workload(const void *owner, uint32_t id)
{
    return claim_is_workload(owner, id);
}

const struct outbox_type workload_effects = {
    .records = offsetof(struct engine, claims.records),
    .entry = offsetof(struct claim, effects),
    .slots = 1,
    .kinds = {EFFECT_WRITE_WORKLOAD},
    .has = is_workload,
    .wanted = wanted,
    .describe = describe,
    .leased = leased,
    .retried = retried,
    .done = done,
    .gone = gone,
    .set_timer = set_timer,
};

static const char *const words[WORKLOAD_WRITES] = {
    [LIFE_WRITE_NOTHING] = "",
    [LIFE_WRITE_GATES] = "gates",
    [LIFE_WRITE_END_EVICTION] = "endEviction",
    [LIFE_WRITE_REQUEUE_AT] = "requeueAt",
    [LIFE_WRITE_CLEAR_BACKOFF] = "clearBackoff",
    [LIFE_WRITE_CLEAR_REQUEUE] = "clearRequeue",
    [LIFE_WRITE_DEACTIVATE] = "deactivate",
    [LIFE_WRITE_TARGET] = "target",
    [LIFE_WRITE_EVICT] = "evict",
    [LIFE_WRITE_REQUEUED] = "requeued",
    [LIFE_WRITE_CHECKS] = "checks",
    [LIFE_WRITE_UNRESERVE] = "unreserve",
    [LIFE_WRITE_PENDING] = "pending",
    [LIFE_WRITE_ADMIT] = "admit",
    [WORKLOAD_WRITE_RESERVE] = "reserve",
    [WORKLOAD_WRITE_SIGNAL] = "signal",
    [WORKLOAD_WRITE_CLEAR_SIGNAL] = "clearSignal",
};

/* Whose room it is that a victim gives back: the reason, and the words. */
static const struct {
    const char *reason, *words;
} causes[CAUSES] = {
    [CAUSE_OWN_QUEUE] = {"InClusterQueue", "prioritization in the ClusterQueue"},
    [CAUSE_RECLAIM] = {"InCohortReclamation", "reclamation within the cohort"},
    [CAUSE_RECLAIM_BORROWING] = {"InCohortReclaimWhileBorrowing",
                                 "reclamation within the cohort while borrowing"},
};

static void say_known(struct sentence *say, struct text text)
{
    sentence_text(say, text.len == 0 ? text_of("UNKNOWN") : text);
}

/* From the root down. */
static void say_path(struct sentence *say, const struct engine *e, uint32_t queue)
{
    uint32_t depth = queue_depth(e, queue);

    if (depth == 0)
        say_known(say, text_of(""));
    for (; depth > 0; depth--) {
        uint32_t at = queue;

        for (uint32_t up = 1; up < depth; up++)
            at = queue_at(e, at)->parent;
        sentence_named(say, "/", name_text(e, queue_at(e, at)->name), "");
    }
}

/* Whom it makes room for is told by UIDs: names of another namespace are nobody's to see. */
static void say_preempted(struct sentence *say, const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    uint32_t by = pledge_at(e, id)->of;

    if (by == 0 || claim_is_workload(e, by)) {
        const struct workload *other = by == 0 ? NULL : workload_at(e, by);

        sentence_str(say, "Preempted to accommodate a workload (UID: ");
        say_known(say, other == NULL ? text_of("") : name_text(e, other->uid));
        sentence_str(say, ", JobUID: ");
        say_known(say, other == NULL ? text_of("") : name_text(e, other->job));
    } else {
        sentence_str(say, claim_at(e, by)->flags & CLAIM_GANG
                              ? "Preempted to accommodate a pod group (UID: "
                              : "Preempted to accommodate a pod (UID: ");
        say_known(say, claim_uid(e, by));
    }
    sentence_str(say, ") due to ");
    sentence_str(say, causes[workload->cause].words);
    sentence_str(say, "; preemptor path: ");
    say_path(say, e, by == 0 ? 0 : claim_queue(e, by));
    sentence_str(say, "; preemptee path: ");
    say_path(say, e, claim_queue(e, id));
}

/* Why it is evicted, or waits again; of who is preempted more is said. */
static const char *const reasons[LIFE_REASONS] = {
    [LIFE_DEACTIVATED] = "The workload is deactivated",
    [LIFE_ADMISSION_CHECK] = "At least one admission check is to be asked again",
    [LIFE_LOCAL_QUEUE_STOPPED] = "The LocalQueue is stopped",
    [LIFE_CLUSTER_QUEUE_STOPPED] = "The ClusterQueue is stopped",
    [LIFE_REACTIVATED] = "The workload was reactivated",
    [LIFE_BACKOFF_FINISHED] = "The workload backoff was finished",
    [LIFE_LOCAL_QUEUE_RESTARTED] = "The LocalQueue was restarted after being stopped",
    [LIFE_CLUSTER_QUEUE_RESTARTED] = "The ClusterQueue was restarted after being stopped",
};

static void find_words(const struct engine *e, uint32_t id, struct workload_write_report *ret)
{
    const struct workload *workload = workload_at(e, id);
    uint32_t queue = claim_queue(e, id);
    struct sentence say = sentence_in(ret->message, VERDICT_MESSAGE_MAX);

    ret->reason = text_of(life_reason_name(workload->step.reason));
    switch (workload->writes) {
    case WORKLOAD_WRITE_RESERVE:
        ret->reason = text_of("QuotaReserved");
        sentence_named(&say, "Quota reserved in ClusterQueue ",
                       name_text(e, queue_at(e, queue)->name), "");
        break;
    case LIFE_WRITE_ADMIT:
        ret->reason = text_of("Admitted");
        sentence_str(&say, "The workload is admitted");
        break;
    case WORKLOAD_WRITE_SIGNAL:
        ret->reason = text_of("PreemptionGated");
        sentence_named(&say, "Workload requires preemption, but it's gated by ",
                       name_text(e, preemption_gates_closed(&workload->gates)), "");
        break;
    case WORKLOAD_WRITE_CLEAR_SIGNAL:
        ret->reason = text_of("NoPreemption");
        sentence_str(&say, "No preemption would make room");
        break;
    case LIFE_WRITE_EVICT:
    case LIFE_WRITE_REQUEUED:
        if (workload->step.reason == LIFE_PREEMPTED)
            say_preempted(&say, e, id);
        else
            sentence_str(&say, reasons[workload->step.reason]);
        break;
    case LIFE_WRITE_UNRESERVE:
    case LIFE_WRITE_PENDING:
        explain_workload_refusal(&say, e, id);
        break;
    case LIFE_WRITE_TARGET:
        sentence_str(&say, "At least one admission check is rejected");
        break;
    default:
        break;
    }
}

static void find_sets(const struct engine *e, uint32_t id, struct workload_write_report *ret)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);

    ret->queue = demand->queue == 0 ? text_of("") : name_text(e, queue_at(e, demand->queue)->name);
    ret->set_count = demand->set_count;
    for (uint32_t s = 0; s < demand->set_count; s++) {
        const struct assign_set *ask = &demand->sets[s];
        struct workload_set_report *set = &ret->sets[s];

        set->name = demand->set_details[s].name;
        set->count = workload->counts[s];
        set->need_count = 0;
        for (uint32_t i = 0; i < ask->need_count; i++) {
            uint16_t flavor = flavors[demand->set_details[s].at + i];

            if (flavor == FLAVOR_NONE)
                continue;
            set->needs[set->need_count].resource = name_text(e, ask->needs[i].resource);
            set->needs[set->need_count].flavor = flavor_name(e, flavor);
            set->needs[set->need_count++].amount =
                amount_clamp((wide)ask->needs[i].amount * set->count);
        }
    }
}

static void find_checks(const struct engine *e, uint32_t id, struct workload_write_report *ret)
{
    const struct workload *workload = workload_at(e, id);
    uint32_t queue = claim_queue(e, id);

    ret->check_count = 0;
    if (workload->writes == LIFE_WRITE_EVICT) {
        for (uint32_t i = 0; i < workload->check_count; i++)
            ret->checks[ret->check_count++] = name_text(e, workload->checks[i]);
        return;
    }
    for (uint32_t i = 0; queue != 0 && i < queue_at(e, queue)->cluster.check_count; i++) {
        if (workload_wants_check(e, id, i))
            ret->checks[ret->check_count++] =
                name_text(e, queue_at(e, queue)->cluster.checks[i].name);
    }
}

static struct text cause_of(const struct engine *e, const struct workload *workload)
{
    if (workload->step.reason == LIFE_PREEMPTED)
        return text_of(causes[workload->cause].reason);
    return workload->step.reason == LIFE_DEACTIVATED && workload_is(workload, WORKLOAD_TARGET)
               ? name_text(e, workload->target_cause)
               : text_of("");
}

void engine_workload_write(const struct engine *e, uint32_t id, struct workload_write_report *ret)
{
    const struct workload *workload = workload_at(e, id);
    struct workload_life life;

    ret->write = words[workload->writes];
    find_words(e, id, ret);
    find_sets(e, id, ret);
    find_checks(e, id, ret);
    workload_find_life(e, id, &life);
    ret->admitted = life.checks_ready;
    ret->clear = workload_is(workload, WORKLOAD_SIGNALS);
    ret->forget_requeue =
        workload->step.reason == LIFE_DEACTIVATED && workload_is(workload, WORKLOAD_REQUEUES);
    ret->cause = cause_of(e, workload);
    ret->at = workload->step.at;
    ret->requeued = workload->step.requeued;
    ret->gate_count = workload->gates.count;
    for (uint32_t i = 0; i < workload->gates.count; i++) {
        ret->gates[i].name = name_text(e, workload->gates.names[i]);
        ret->gates[i].open =
            workload->writes == LIFE_WRITE_GATES && workload->gates.positions[i] == GATE_OPEN;
    }
}
