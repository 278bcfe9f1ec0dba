/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/load_model.h"

#include <string.h>

/* Where each workload belongs, and what is to be written into it. */

static bool has_flavor(const struct model_load *load, int flavor)
{
    for (int s = 0; s < LOAD_SETS; s++)
        for (int r = 0; r < RESOURCES; r++)
            if (load->seen.sets[s].count > 0 && load->seen.sets[s].asks[r] > 0 &&
                load->held[s].flavors[r] == flavor)
                return true;
    return false;
}

static bool wants_check(const struct load_model *model, int number, int check)
{
    int queue = load_model_queue_of(model, number);
    int64_t wanted;

    if (queue < 0 || !load_model_shown(model, queue)->is)
        return false;
    wanted = load_model_shown(model, queue)->step.v[QUEUE_CHECKS + check];
    return wanted == 1 || (wanted > 1 && load_model_holds(&model->loads[number]) &&
                           has_flavor(&model->loads[number], (int)wanted - 2));
}

static void find_checks(const struct load_model *model, int number, struct workload_life *life)
{
    const struct load_object *seen = &model->loads[number].seen;
    int wanted = 0;

    life->checks_listed = life->checks_ready = true;
    for (int check = 0; check < CHECKS; check++) {
        bool listed = false, ready = false;

        if (!wants_check(model, number, check))
            continue;
        wanted++;
        for (int n = 0; n < seen->check_count; n++) {
            listed = listed || seen->checks[n].check == check;
            ready =
                ready || (seen->checks[n].check == check && seen->checks[n].state == CHECK_READY);
        }
        life->checks_listed = life->checks_listed && listed;
        life->checks_ready = life->checks_ready && ready;
    }
    life->checks_listed = life->checks_listed && wanted == seen->check_count;
    for (int n = 0; n < seen->check_count; n++) {
        life->retry = life->retry || seen->checks[n].state == CHECK_RETRY;
        life->rejected = life->rejected || seen->checks[n].state == CHECK_REJECTED;
        if (seen->checks[n].state == CHECK_RETRY && seen->checks[n].retry_at > life->retry_at)
            life->retry_at = seen->checks[n].retry_at;
    }
}

static bool wants_gate_status(const struct load_object *seen)
{
    for (int n = 0; n < seen->gate_count; n++)
        if (!seen->gates[n].said)
            return true;
    return seen->strays;
}

static enum life_reason reason_if(const struct load_object *seen, enum load_condition condition,
                                  bool is)
{
    const struct load_condition_of *said = &seen->conditions[condition];

    return (is ? said->is_true : said->is_false) ? life_reason_of(text_of(said->reason))
                                                 : LIFE_NONE;
}

static void find_life(const struct load_model *model, int number, struct workload_life *ret)
{
    static const enum life_stop stops[] = {LIFE_RUNS, LIFE_HOLDS, LIFE_DRAINS};
    const struct load_object *seen = &model->loads[number].seen;
    const struct load_shown *local = &model->scenery->locals[seen->local];

    *ret = (struct workload_life){
        .active = seen->active,
        .deleted = seen->deleted,
        .finished = seen->conditions[CONDITION_FINISHED].is_true,
        .reserved = load_model_says_reserved(seen),
        .admitted = seen->conditions[CONDITION_ADMITTED].is_true,
        .evicted = seen->conditions[CONDITION_EVICTED].is_true,
        .deactivation_target = seen->conditions[CONDITION_TARGET].is_true,
        .evicted_why = reason_if(seen, CONDITION_EVICTED, true),
        .on_hold = reason_if(seen, CONDITION_REQUEUED, false),
        .pending_why = reason_if(seen, CONDITION_RESERVED, false),
        .requeue_at = seen->requeue_at,
        .has_requeue_state = seen->has_requeue,
        .gates_want_status = wants_gate_status(seen),
        .job_stopped = seen->job_stopped,
        .local_queue =
            !local->is || seen->unsupported ? LIFE_MISSING : stops[local->step.v[LOCAL_STOP]],
        .cluster_queue = load_model_stop(model, load_model_queue_of(model, number)),
    };
    find_checks(model, number, ret);
}

static enum claim_state state_of(const struct load_model *model, int number, bool *ret_over)
{
    const struct load_object *seen = &model->loads[number].seen;
    const struct load_shown *local = &model->scenery->locals[seen->local];
    struct workload_life life;
    enum claim_state state;

    find_life(model, number, &life);
    state = workload_life_state(&life, model->now, ret_over);
    if (state == CLAIM_WAITING &&
        (seen->unsupported || (local->is && local->step.v[LOCAL_UNSELECTED]) ||
         load_model_queue_of(model, number) < 0))
        return CLAIM_HELD;
    return state;
}

/* True: something changed. */
static bool place(struct load_model *model, int number)
{
    struct model_load *load = &model->loads[number], was = *load;
    enum claim_state state;

    if (load->assumed && load->victim && !load->leased && !load->awaits)
        load_model_give_up(model, number); /* its reservation came to nothing */
    state = state_of(model, number, &load->over);
    if (load->assumed && state == CLAIM_WAITING)
        state = CLAIM_RESERVED;
    else if (load->assumed)
        load_model_give_up(model, number);
    if (state != CLAIM_WAITING)
        load_model_end_promise(model, number);
    load->state = state;
    if (!load_model_holds(load)) {
        load->victim = false;
        if (!load->promised)
            for (int s = 0; s < LOAD_SETS; s++) {
                load->held[s].count = 0;
                for (int r = 0; r < RESOURCES; r++)
                    load->held[s].flavors[r] = -1;
            }
    }
    /* Who does not ask for room says what it said. */
    if (load_model_holds(load))
        load->blocked = false;
    else if (state == CLAIM_HELD || !model->leads || !model->synced)
        load->blocked = load->seen.conditions[CONDITION_SIGNAL].is_true;
    return was.state != load->state || was.over != load->over || was.promised != load->promised ||
           was.assumed != load->assumed || was.victim != load->victim;
}

static bool can_wait(enum life_write write)
{
    return write == LIFE_WRITE_NOTHING || write == LIFE_WRITE_CHECKS || write == LIFE_WRITE_PENDING;
}

static const char *write_of(struct load_model *model, int number)
{
    static const char *const words[] = {
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
    };
    struct model_load *load = &model->loads[number];
    bool signals = load->seen.conditions[CONDITION_SIGNAL].is_true;
    struct workload_life life;
    int64_t wake;

    find_life(model, number, &life);
    load->step = workload_life_step(&life, model->now, &wake);
    if (life.finished || life.deleted)
        return "";
    if (load->assumed && can_wait(load->step.write))
        return load->victim ? "" : "reserve";
    if (load->victim && life.reserved && !life.evicted &&
        (can_wait(load->step.write) || load->step.write == LIFE_WRITE_ADMIT)) {
        load->step = (struct life_step){.write = LIFE_WRITE_EVICT, .reason = LIFE_PREEMPTED};
        return "evict";
    }
    if (load->step.write != LIFE_WRITE_NOTHING)
        return words[load->step.write];
    if (load->blocked != signals)
        return load->blocked ? "signal" : "clearSignal";
    return "";
}

void load_model_settle_all(struct load_model *model)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (int n = 0; n < LOADS; n++) {
            struct model_load *load = &model->loads[n];

            if (!load->known)
                continue;
            if (load->leased && load->lease_ends <= model->now)
                load_model_answered(model, n, EFFECT_RETRY, 0);
            changed = place(model, n) || changed;
        }
    }
    for (int n = 0; n < LOADS; n++)
        if (model->loads[n].known)
            model->loads[n].write = write_of(model, n);
}
