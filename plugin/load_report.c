/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"
#include "load.h"
#include "load_decide.h"
#include "load_hunt.h"
#include "report.h"
#include "room.h"
#include "say.h"
#include "state.h"

uint32_t engine_find_load(const struct engine *e, struct text space, struct text name)
{
    return load_find(e, space, name);
}

static struct load_name name_of(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);

    return (struct load_name){name_text(e, load->uid), name_text(e, load->space),
                              name_text(e, load->name)};
}

static const char *why_holding(const struct engine *e, uint32_t id)
{
    struct workload_life life;

    load_find_life(e, id, &life);
    if (load_is_leaving(load_at(e, id)) || load_is(load_at(e, id), LOAD_VICTIM))
        return "Evicted";
    return load_at(e, id)->state == CLAIM_RESERVED && !life.checks_ready ? "AdmissionChecks" : "";
}

static const char *why_held(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    const struct local_queue *local = local_queue_at(e, load->local_queue);

    if (!load_is(load, LOAD_ACTIVE) || load_is(load, LOAD_TARGET))
        return "Inactive";
    if (load->unsupported != 0)
        return "Unsupported";
    if (!local->known || load_queue(e, id) == 0)
        return "QueueUnknown";
    if (local->stop != LIFE_RUNS)
        return "QueueSuspended";
    return local->selected ? "Backoff" : "NamespaceNotSelected";
}

static const char *fault_reason(enum bay_fault fault)
{
    return fault == BAY_UNKNOWN   ? "QueueUnknown"
           : fault == BAY_STOPPED ? "QueueSuspended"
                                  : "QueueInactive";
}

/* What would be decided now. */
static const char *why_refused(struct engine *e, uint32_t id, struct decision *decision)
{
    load_decide(e, id, decision);
    if (decision->what != DECIDE_NOTHING)
        return "QueueOrder";
    return load_decide_ever(e, load_at(e, id)->wish) ? "QueueCapacity" : "NoFlavor";
}

static void note_victims(struct engine *e, uint32_t id, const struct decision *decision,
                         struct load_report *ret)
{
    if (load_is(load_at(e, id), LOAD_PROMISED)) {
        for (uint32_t at = load_at(e, id)->first;
             at != 0 && ret->victim_count < LOAD_REPORT_VICTIMS; at = load_at(e, at)->next)
            ret->victims[ret->victim_count++] = name_of(e, at);
        return;
    }
    if (decision->what == DECIDE_PREEMPTS)
        ret->victim_count = load_decide_victims(e, decision, ret->victims, LOAD_REPORT_VICTIMS);
}

/* The first that it lacks, in the first flavor that its pods could be in. */
static void say_lack(struct say *say, const struct engine *e, uint32_t id)
{
    const struct wish *wish = wish_at(e, load_at(e, id)->wish);
    const struct queue *queue = queue_at(e, wish->queue);

    for (uint32_t s = 0; s < wish->set_count; s++) {
        for (uint32_t i = 0; i < wish->asks[s].need_count; i++) {
            const struct request *need = &wish->asks[s].needs[i];
            const struct queue_group *group = queue_group_of(queue, need->resource);
            wide asked = (wide)need->amount * wish->asks[s].count, room;

            if (group == NULL)
                continue;
            room = room_now(e, wish->queue, group->flavors[0], need->resource);
            if (room_holds(room, asked))
                continue;
            say_text(say, name_text(e, need->resource));
            say_str(say, ": ");
            say_amount(say, name_text(e, need->resource), wide_max(0, room));
            say_str(say, " left in flavor ");
            say_text(say, flavor_name(e, group->flavors[0]));
            say_str(say, " of ClusterQueue ");
            say_text(say, name_text(e, queue->name));
            say_str(say, ", ");
            say_amount(say, name_text(e, need->resource), asked);
            say_str(say, " asked for by pod set ");
            say_text(say, wish->sets[s].name);
            return;
        }
    }
}

static void say_why(struct engine *e, uint32_t id, struct load_report *ret)
{
    const struct load *load = load_at(e, id);
    struct text reason = text_of(ret->reason), what;
    struct say say;

    say_init(&say, ret->message, VERDICT_MESSAGE_MAX);
    if (text_is(reason, "Unsupported"))
        say_text(&say, name_text(e, load->unsupported));
    else if (text_is(reason, "QueueCapacity"))
        say_lack(&say, e, id);
    else if (text_is(reason, "NoFlavor"))
        say_str(&say, "no flavor suits its pods and could ever have so much");
    else if (text_is(reason, "PreemptionGated"))
        say_str(&say, "others would have to go, and a gate is closed");
    else if (text_is(reason, "QueueInactive") && load_queue(e, id) != 0) {
        enum bay_fault fault = bay_fault(e, load_queue(e, id), &what);

        say_str(&say, bay_fault_name(fault));
        say_str(&say, what.len > 0 ? " " : "");
        say_text(&say, what);
    }
}

static const char *state_of(const struct load *load)
{
    static const char *const names[CLAIM_STATES] = {"held", "waiting", "reserved", "allocated"};

    return load_is(load, LOAD_PLACED) ? names[load->state] : "finished";
}

static const char *check_name(uint8_t state)
{
    static const char *const names[] = {"Pending", "Ready", "Retry", "Rejected"};

    return names[state];
}

static void report_why(struct engine *e, uint32_t id, bool briefly, struct load_report *ret)
{
    const struct load *load = load_at(e, id);
    struct decision decision = {.what = DECIDE_NOTHING};
    struct text what;

    if (load_holds(load)) {
        ret->reason = why_holding(e, id);
    } else if (!load_is(load, LOAD_PLACED)) {
        ret->reason = "";
    } else if (load->state == CLAIM_HELD) {
        ret->reason = why_held(e, id);
    } else if (load_is(load, LOAD_PROMISED)) {
        ret->reason = "Preempting";
    } else if (bay_fault(e, load_queue(e, id), &what) != BAY_READY) {
        ret->reason = fault_reason(bay_fault(e, load_queue(e, id), &what));
    } else if (!engine_grants(e)) {
        ret->reason = "NotReady";
    } else {
        ret->reason = why_refused(e, id, &decision);
        if (load_is(load, LOAD_BLOCKED))
            ret->reason = "PreemptionGated";
    }
    if (briefly)
        return;
    note_victims(e, id, &decision, ret);
    say_why(e, id, ret);
}

void engine_report_load(struct engine *e, uint32_t id, bool briefly, struct load_report *ret)
{
    const struct load *load = load_at(e, id);
    uint32_t queue = load_queue(e, id), closed = preemption_gates_closed(&load->gates);

    memset(ret, 0, sizeof(*ret));
    ret->is = name_of(e, id);
    ret->local_queue = name_text(e, local_queue_at(e, load->local_queue)->name);
    ret->queue = queue == 0 ? text_of("") : name_text(e, queue_at(e, queue)->name);
    ret->state = state_of(load);
    ret->priority = load->priority;
    ret->created = load->created;
    ret->signals = load_is(load, LOAD_SIGNALS);
    ret->signal_since = ret->signals ? load->signal_since : 0;
    ret->closed = closed == 0 ? text_of("") : name_text(e, closed);
    if (queue != 0 && load_is(load, LOAD_PLACED) && load->state == CLAIM_WAITING)
        ret->position = tree_rank(&loads_of_queue, e, id) + 1;
    for (uint32_t i = 0; i < load->check_count; i++) {
        ret->checks[i].name = name_text(e, load->checks[i]);
        ret->checks[i].state = check_name(load->check_states[i]);
        ret->check_count++;
    }
    ret->is_victim = load->of != 0;
    if (ret->is_victim)
        ret->of = name_of(e, load->of);
    engine_load_write(e, id, &ret->write);
    for (uint32_t i = 0; i < load->gates.count; i++)
        ret->write.gates[i].open = load->gates.positions[i] == GATE_OPEN;
    report_why(e, id, briefly, ret);
}
