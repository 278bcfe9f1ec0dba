/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_model.h"

/* Where each workload belongs, and what is to be written into it. */

static bool has_flavor(const struct model_workload *workload, int flavor)
{
    for (int s = 0; s < WORKLOAD_SETS; s++)
        for (int r = 0; r < RESOURCES; r++)
            if (workload->seen.sets[s].count > 0 && workload->seen.sets[s].asks[r] > 0 &&
                workload->held[s].flavors[r] == flavor)
                return true;
    return false;
}

static bool wants_check(const struct workload_model *model, int number, int check)
{
    int queue = workload_model_queue_of(model, number);
    int64_t wanted;

    if (queue < 0 || !workload_model_shown(model, queue)->is)
        return false;
    wanted = workload_model_shown(model, queue)->step.v[QUEUE_CHECKS + check];
    return wanted == 1 || (wanted > 1 && workload_model_holds(&model->workloads[number]) &&
                           has_flavor(&model->workloads[number], (int)wanted - 2));
}

static void find_checks(const struct workload_model *model, int number, struct workload_life *life)
{
    const struct workload_object *seen = &model->workloads[number].seen;
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

static bool wants_gate_status(const struct workload_object *seen)
{
    for (int n = 0; n < seen->gate_count; n++)
        if (!seen->gates[n].said)
            return true;
    return seen->strays;
}

static enum life_reason reason_if(const struct workload_object *seen,
                                  enum workload_condition condition, bool is)
{
    const struct workload_condition_of *said = &seen->conditions[condition];

    return (is ? said->is_true : said->is_false) ? life_reason_of(text_of(said->reason))
                                                 : LIFE_NONE;
}

static void find_life(const struct workload_model *model, int number, struct workload_life *ret)
{
    static const enum life_stop stops[] = {LIFE_RUNS, LIFE_HOLDS, LIFE_DRAINS};
    const struct workload_object *seen = &model->workloads[number].seen;
    const struct workload_shown *local = &model->scenery->locals[seen->local];

    *ret = (struct workload_life){
        .active = seen->active,
        .deleted = seen->deleted,
        .finished = seen->conditions[CONDITION_FINISHED].is_true,
        .reserved = workload_model_says_reserved(seen),
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
        .cluster_queue = workload_model_stop(model, workload_model_queue_of(model, number)),
    };
    find_checks(model, number, ret);
}

static enum claim_state state_of(const struct workload_model *model, int number, bool *ret_over)
{
    const struct workload_object *seen = &model->workloads[number].seen;
    const struct workload_shown *local = &model->scenery->locals[seen->local];
    struct workload_life life;
    enum claim_state state;

    find_life(model, number, &life);
    state = workload_life_state(&life, model->now, ret_over);
    if (state == CLAIM_WAITING &&
        (seen->unsupported || (local->is && local->step.v[LOCAL_UNSELECTED]) ||
         workload_model_queue_of(model, number) < 0))
        return CLAIM_HELD;
    return state;
}

/* True: something changed. */
static bool place(struct workload_model *model, int number)
{
    struct model_workload *workload = &model->workloads[number], was = *workload;
    enum claim_state state;

    if (workload->assumed && workload->victim && !workload->leased && !workload->awaits)
        workload_model_give_up(model, number); /* its reservation came to nothing */
    state = state_of(model, number, &workload->over);
    if (workload->assumed && state == CLAIM_WAITING)
        state = CLAIM_RESERVED;
    else if (workload->assumed)
        workload_model_give_up(model, number);
    if (state != CLAIM_WAITING)
        workload_model_end_promise(model, number);
    workload->state = state;
    if (!workload_model_holds(workload)) {
        workload->victim = false;
        if (!workload->promised)
            workload_model_hold_nothing(workload);
    }
    /* Who does not ask for room says what it said. */
    if (workload_model_holds(workload))
        workload->blocked = false;
    else if (state == CLAIM_HELD || !model->leads || !model->synced)
        workload->blocked = workload->seen.conditions[CONDITION_SIGNAL].is_true;
    return was.state != workload->state || was.over != workload->over ||
           was.promised != workload->promised || was.assumed != workload->assumed ||
           was.victim != workload->victim;
}

static bool can_wait(enum life_write write)
{
    return write == LIFE_WRITE_NOTHING || write == LIFE_WRITE_CHECKS || write == LIFE_WRITE_PENDING;
}

static const char *write_of(const struct workload_model *model, int number)
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
    const struct model_workload *workload = &model->workloads[number];
    bool signals = workload->seen.conditions[CONDITION_SIGNAL].is_true;
    struct workload_life life;
    enum life_write due;
    int64_t wake;

    find_life(model, number, &life);
    due = workload_life_step(&life, model->now, &wake).write;
    if (life.finished || life.deleted)
        return "";
    if (workload->assumed && can_wait(due))
        return workload->victim ? "" : "reserve";
    if (workload->victim && life.reserved && !life.evicted &&
        (can_wait(due) || due == LIFE_WRITE_ADMIT))
        return "evict";
    if (due != LIFE_WRITE_NOTHING)
        return words[due];
    if (workload->blocked != signals)
        return workload->blocked ? "signal" : "clearSignal";
    return "";
}

void workload_model_settle_all(struct workload_model *model)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (int n = 0; n < WORKLOADS; n++) {
            struct model_workload *workload = &model->workloads[n];

            if (!workload->known)
                continue;
            if (workload->leased && workload->lease_ends <= model->now)
                workload_model_answered(model, n, EFFECT_RETRY, 0);
            changed = place(model, n) || changed;
        }
    }
    for (int n = 0; n < WORKLOADS; n++)
        if (model->workloads[n].known)
            model->workloads[n].write = write_of(model, n);
}
