/* SPDX-License-Identifier: Apache-2.0 */
#include "load_effects.h"

#include "assign.h"
#include "explain.h"
#include "load.h"
#include "load_promise.h"
#include "load_refusal.h"
#include "report.h"
#include "say.h"
#include "state.h"

static uint8_t wanted(const void *owner, uint32_t id)
{
    const struct engine *e = owner;
    const struct load *load = load_at(e, id);

    return engine_admits(e) && load->writes != LIFE_WRITE_NOTHING && !load_is(load, LOAD_AWAITS);
}

static void describe(const void *owner, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct engine *e = owner;
    const struct load *load = load_at(e, id);

    (void)slot;
    ret->uid = name_text(e, load->uid);
    ret->space = name_text(e, load->space);
    ret->name = name_text(e, load->name);
    ret->resource_version = load->version;
    ret->workload = id;
}

static void leased(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    (void)slot;
    load_at(e, id)->writing = load_at(e, id)->writes;
    load_refusal_writes(e, id);
    if (load_is(load_at(e, id), LOAD_VICTIM)) /* it cannot stay any more: its room will come */
        bay_stir(e, load_queue(e, id));
}

static void retried(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    (void)slot;
    load_at(e, id)->writing = LIFE_WRITE_NOTHING;
    load_promise_spare(e, id);
    load_settle(e, id); /* a reservation that is not made may have nobody to make it again */
}

static void done(void *owner, uint32_t id, uint32_t slot, int64_t version)
{
    struct engine *e = owner;
    struct load *load = load_at(e, id);

    (void)slot;
    load->wrote = version;
    load_refusal_written(e, id);
    if (version == 0 || version > load->version)
        load_set(load, LOAD_AWAITS, true);
    load_settle(e, id); /* its object may have been seen so, or otherwise, before this was heard */
}

static void gone(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    (void)slot;
    load_destroy(e, id);
}

static void set_timer(void *owner, uint32_t id)
{
    load_set_timer(owner, id);
}

const struct outbox_type load_effects = {
    .records = offsetof(struct engine, loads),
    .entry = offsetof(struct load, effects),
    .slots = 1,
    .kinds = {EFFECT_WRITE_WORKLOAD},
    .wanted = wanted,
    .describe = describe,
    .leased = leased,
    .retried = retried,
    .done = done,
    .gone = gone,
    .set_timer = set_timer,
};

static const char *const words[LOAD_WRITES] = {
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
    [LOAD_WRITE_RESERVE] = "reserve",
    [LOAD_WRITE_SIGNAL] = "signal",
    [LOAD_WRITE_CLEAR_SIGNAL] = "clearSignal",
};

const char *load_write_name(uint8_t write)
{
    return words[write];
}

static const char *const causes[CAUSES] = {
    [CAUSE_OWN_QUEUE] = "InClusterQueue",
    [CAUSE_RECLAIM] = "InCohortReclamation",
    [CAUSE_RECLAIM_BORROWING] = "InCohortReclaimWhileBorrowing",
};

static void say_known(struct say *say, struct text text)
{
    say_text(say, text.len == 0 ? text_of("UNKNOWN") : text);
}

/* From the root down. */
static void say_path(struct say *say, const struct engine *e, uint32_t queue)
{
    uint32_t depth = queue_depth(e, queue);

    if (depth == 0)
        say_known(say, text_of(""));
    for (; depth > 0; depth--) {
        uint32_t at = queue;

        for (uint32_t up = 1; up < depth; up++)
            at = queue_at(e, at)->parent;
        say_str(say, "/");
        say_text(say, name_text(e, queue_at(e, at)->name));
    }
}

/* Whom it makes room for is told by UIDs: names of another namespace are nobody's to see. */
static void say_preempted(struct say *say, const struct engine *e, const struct load *load,
                          uint32_t queue)
{
    uint32_t by = load->of;

    say_str(say, "Preempted to accommodate a workload (UID: ");
    say_known(say, by == 0 ? text_of("") : name_text(e, load_at(e, by)->uid));
    say_str(say, ", JobUID: ");
    say_known(say, by == 0 ? text_of("") : name_text(e, load_at(e, by)->job));
    say_str(say, ") due to ");
    say_str(say, load->cause == CAUSE_OWN_QUEUE ? "prioritization in the ClusterQueue"
                 : load->cause == CAUSE_RECLAIM ? "reclamation within the cohort"
                                                : "reclamation within the cohort while borrowing");
    say_str(say, "; preemptor path: ");
    say_path(say, e, by == 0 ? 0 : load_queue(e, by));
    say_str(say, "; preemptee path: ");
    say_path(say, e, queue);
}

static void say_evicted(struct say *say, const struct engine *e, const struct load *load,
                        uint32_t queue)
{
    switch (load->step.reason) {
    case LIFE_DEACTIVATED:
        say_str(say, "The workload is deactivated");
        break;
    case LIFE_PREEMPTED:
        say_preempted(say, e, load, queue);
        break;
    case LIFE_ADMISSION_CHECK:
        say_str(say, "At least one admission check is to be asked again");
        break;
    case LIFE_LOCAL_QUEUE_STOPPED:
        say_str(say, "The LocalQueue is stopped");
        break;
    case LIFE_CLUSTER_QUEUE_STOPPED:
        say_str(say, "The ClusterQueue is stopped");
        break;
    default:
        break;
    }
}

/* Why it waits again. */
static const char *const returns[LIFE_REASONS] = {
    [LIFE_REACTIVATED] = "The workload was reactivated",
    [LIFE_BACKOFF_FINISHED] = "The workload backoff was finished",
    [LIFE_LOCAL_QUEUE_RESTARTED] = "The LocalQueue was restarted after being stopped",
    [LIFE_CLUSTER_QUEUE_RESTARTED] = "The ClusterQueue was restarted after being stopped",
};

static void find_words(const struct engine *e, uint32_t id, struct load_write_report *ret)
{
    const struct load *load = load_at(e, id);
    uint32_t queue = load_queue(e, id);
    struct say say;

    say_init(&say, ret->message, VERDICT_MESSAGE_MAX);
    ret->reason = text_of(life_reason_name(load->step.reason));
    switch (load->writes) {
    case LOAD_WRITE_RESERVE:
        ret->reason = text_of("QuotaReserved");
        say_str(&say, "Quota reserved in ClusterQueue ");
        say_text(&say, name_text(e, queue_at(e, queue)->name));
        break;
    case LIFE_WRITE_ADMIT:
        ret->reason = text_of("Admitted");
        say_str(&say, "The workload is admitted");
        break;
    case LOAD_WRITE_SIGNAL:
        ret->reason = text_of("PreemptionGated");
        say_str(&say, "Workload requires preemption, but it's gated by ");
        say_text(&say, name_text(e, preemption_gates_closed(&load->gates)));
        break;
    case LOAD_WRITE_CLEAR_SIGNAL:
        ret->reason = text_of("NoPreemption");
        say_str(&say, "No preemption would make room");
        break;
    case LIFE_WRITE_EVICT:
        say_evicted(&say, e, load, queue);
        break;
    case LIFE_WRITE_UNRESERVE:
    case LIFE_WRITE_PENDING:
        load_refusal_say(e, id, &say);
        break;
    case LIFE_WRITE_REQUEUED:
        say_str(&say, returns[load->step.reason]);
        break;
    case LIFE_WRITE_TARGET:
        say_str(&say, "At least one admission check is rejected");
        break;
    default:
        break;
    }
}

static void find_sets(const struct engine *e, uint32_t id, struct load_write_report *ret)
{
    const struct load *load = load_at(e, id);
    const struct wish *wish = wish_at(e, load->wish);
    const uint16_t *flavors = load_flavors(load, wish->set_count);

    ret->queue = wish->queue == 0 ? text_of("") : name_text(e, queue_at(e, wish->queue)->name);
    ret->set_count = wish->set_count;
    for (uint32_t s = 0; s < wish->set_count; s++) {
        const struct assign_set *ask = &wish->asks[s];
        struct load_set_report *set = &ret->sets[s];

        set->name = wish->sets[s].name;
        set->count = load->counts[s];
        set->need_count = 0;
        for (uint32_t i = 0; i < ask->need_count; i++) {
            uint16_t flavor = flavors[wish->sets[s].at + i];

            if (flavor == FLAVOR_NONE)
                continue;
            set->needs[set->need_count].resource = name_text(e, ask->needs[i].resource);
            set->needs[set->need_count].flavor = flavor_name(e, flavor);
            set->needs[set->need_count++].amount =
                amount_clamp((wide)ask->needs[i].amount * set->count);
        }
    }
}

static void find_checks(const struct engine *e, uint32_t id, struct load_write_report *ret)
{
    const struct load *load = load_at(e, id);
    uint32_t queue = load_queue(e, id);

    ret->check_count = 0;
    if (load->writes == LIFE_WRITE_EVICT) {
        for (uint32_t i = 0; i < load->check_count; i++)
            ret->checks[ret->check_count++] = name_text(e, load->checks[i]);
        return;
    }
    for (uint32_t i = 0; queue != 0 && i < queue_at(e, queue)->bay.check_count; i++) {
        if (load_wants_check(e, id, i))
            ret->checks[ret->check_count++] = name_text(e, queue_at(e, queue)->bay.checks[i].name);
    }
}

static struct text cause_of(const struct engine *e, const struct load *load)
{
    if (load->step.reason == LIFE_PREEMPTED)
        return text_of(causes[load->cause]);
    return load->step.reason == LIFE_DEACTIVATED && load_is(load, LOAD_TARGET)
               ? name_text(e, load->target_cause)
               : text_of("");
}

void engine_load_write(const struct engine *e, uint32_t id, struct load_write_report *ret)
{
    const struct load *load = load_at(e, id);
    struct workload_life life;

    ret->write = words[load->writes];
    find_words(e, id, ret);
    find_sets(e, id, ret);
    find_checks(e, id, ret);
    load_find_life(e, id, &life);
    ret->admitted = life.checks_ready;
    ret->clear = load_is(load, LOAD_SIGNALS);
    ret->forget_requeue = load->step.reason == LIFE_DEACTIVATED && load_is(load, LOAD_REQUEUES);
    ret->cause = cause_of(e, load);
    ret->at = load->step.at;
    ret->requeued = load->step.requeued;
    ret->gate_count = load->gates.count;
    for (uint32_t i = 0; i < load->gates.count; i++) {
        ret->gates[i].name = name_text(e, load->gates.names[i]);
        ret->gates[i].open =
            load->writes == LIFE_WRITE_GATES && load->gates.positions[i] == GATE_OPEN;
    }
}
