/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_life.h"

static const char *const names[LIFE_REASONS] = {
    [LIFE_NONE] = "",
    [LIFE_OTHER] = "",
    [LIFE_DEACTIVATED] = "Deactivated",
    [LIFE_PREEMPTED] = "Preempted",
    [LIFE_ADMISSION_CHECK] = "AdmissionCheck",
    [LIFE_LOCAL_QUEUE_STOPPED] = "LocalQueueStopped",
    [LIFE_CLUSTER_QUEUE_STOPPED] = "ClusterQueueStopped",
    [LIFE_REACTIVATED] = "Reactivated",
    [LIFE_BACKOFF_FINISHED] = "BackoffFinished",
    [LIFE_LOCAL_QUEUE_RESTARTED] = "LocalQueueRestarted",
    [LIFE_CLUSTER_QUEUE_RESTARTED] = "ClusterQueueRestarted",
    [LIFE_INADMISSIBLE] = "Inadmissible",
    [LIFE_ADMISSION_GATED] = "AdmissionGated",
    [LIFE_PENDING] = "Pending",
};

const char *life_reason_name(enum life_reason reason)
{
    return names[reason];
}

/* A cause may follow: "DeactivatedDueToAdmissionCheck". */
enum life_reason life_reason_of(struct text word)
{
    struct text deactivated = text_of(names[LIFE_DEACTIVATED]);

    if (word.len == 0)
        return LIFE_NONE;
    for (int i = LIFE_OTHER + 1; i < LIFE_REASONS; i++) {
        if (text_is(word, names[i]))
            return (enum life_reason)i;
    }
    if (word.len > deactivated.len && memcmp(word.at, deactivated.at, deactivated.len) == 0)
        return LIFE_DEACTIVATED;
    return LIFE_OTHER;
}

static struct life_step step(enum life_write write, enum life_reason reason)
{
    return (struct life_step){.write = write, .reason = reason};
}

static bool waits(const struct workload_life *life, int64_t now)
{
    return life->requeue_at > now;
}

/* Whoever was preempted stands in the queue again at once, all others when their reason is over. */
static struct life_step end_eviction(const struct workload_life *life)
{
    struct life_step next = step(LIFE_WRITE_END_EVICTION, life->evicted_why);

    next.requeued = life->evicted_why == LIFE_PREEMPTED;
    return next;
}

/* What made it go is over. */
static struct life_step come_back(const struct workload_life *life)
{
    switch (life->on_hold) {
    case LIFE_DEACTIVATED:
        return step(LIFE_WRITE_REQUEUED, LIFE_REACTIVATED);
    case LIFE_ADMISSION_CHECK:
        return step(LIFE_WRITE_REQUEUED, LIFE_BACKOFF_FINISHED);
    case LIFE_LOCAL_QUEUE_STOPPED:
        if (life->local_queue == LIFE_RUNS)
            return step(LIFE_WRITE_REQUEUED, LIFE_LOCAL_QUEUE_RESTARTED);
        break;
    case LIFE_CLUSTER_QUEUE_STOPPED:
        if (life->cluster_queue == LIFE_RUNS)
            return step(LIFE_WRITE_REQUEUED, LIFE_CLUSTER_QUEUE_RESTARTED);
        break;
    default:
        break;
    }
    return step(LIFE_WRITE_NOTHING, LIFE_NONE);
}

static struct life_step of_active(const struct workload_life *life)
{
    if (life->deactivation_target)
        return step(LIFE_WRITE_DEACTIVATE, LIFE_NONE);
    if (life->evicted && life->reserved) /* its job is still to stop */
        return step(LIFE_WRITE_NOTHING, LIFE_NONE);
    if (life->on_hold != LIFE_NONE)
        return come_back(life);
    if (life->requeue_at != 0 && !life->reserved)
        return step(LIFE_WRITE_CLEAR_BACKOFF, LIFE_NONE);
    return step(LIFE_WRITE_NOTHING, LIFE_NONE);
}

static struct life_step of_inactive(const struct workload_life *life)
{
    if (!life->evicted)
        return step(LIFE_WRITE_EVICT, LIFE_DEACTIVATED);
    if (life->has_requeue_state || life->deactivation_target)
        return step(LIFE_WRITE_CLEAR_REQUEUE, LIFE_NONE);
    return step(LIFE_WRITE_NOTHING, LIFE_NONE);
}

/* Why a workload that is not admitted cannot have quota. */
static enum life_reason obstacle(const struct workload_life *life)
{
    if (life->local_queue != LIFE_RUNS || life->cluster_queue != LIFE_RUNS)
        return LIFE_INADMISSIBLE;
    return life->admission_gated ? LIFE_ADMISSION_GATED : LIFE_NONE;
}

static struct life_step of_pending(const struct workload_life *life)
{
    enum life_reason why = obstacle(life);

    if (why != LIFE_NONE && why != life->pending_why)
        return step(LIFE_WRITE_PENDING, why);
    return step(LIFE_WRITE_NOTHING, LIFE_NONE);
}

static struct life_step of_reserved(const struct workload_life *life)
{
    enum life_reason why = obstacle(life);

    if (life->evicted)
        return step(LIFE_WRITE_NOTHING, LIFE_NONE);
    if (life->rejected)
        return step(LIFE_WRITE_TARGET, LIFE_ADMISSION_CHECK);
    if (life->retry)
        return step(LIFE_WRITE_EVICT, LIFE_ADMISSION_CHECK);
    if (!life->admitted && why != LIFE_NONE)
        return step(LIFE_WRITE_UNRESERVE, why);
    if (life->admitted && life->local_queue == LIFE_DRAINS)
        return step(LIFE_WRITE_EVICT, LIFE_LOCAL_QUEUE_STOPPED);
    if (life->admitted && life->cluster_queue == LIFE_DRAINS)
        return step(LIFE_WRITE_EVICT, LIFE_CLUSTER_QUEUE_STOPPED);
    if (!life->admitted && life->checks_ready)
        return step(LIFE_WRITE_ADMIT, LIFE_NONE);
    return step(LIFE_WRITE_NOTHING, LIFE_NONE);
}

/* Its check wants it to wait for longer than is written down. */
static bool waits_longer(const struct workload_life *life, int64_t now)
{
    return life->retry && life->retry_at > now && life->retry_at > life->requeue_at;
}

/* Also while something else is to be written first: its state follows the time alone. */
static int64_t wake(const struct workload_life *life, int64_t now)
{
    if (!life->active)
        return 0;
    if (waits(life, now) && !life->reserved && !life->deactivation_target)
        return life->requeue_at;
    return waits_longer(life, now) ? life->retry_at : 0;
}

struct life_step workload_life_step(const struct workload_life *life, int64_t now,
                                    int64_t *ret_wake)
{
    struct life_step next = {0};

    *ret_wake = 0;
    if (life->finished || life->deleted)
        return next;
    *ret_wake = wake(life, now);
    if (life->gates_want_status)
        return step(LIFE_WRITE_GATES, LIFE_NONE);
    if (life->evicted && life->reserved && life->job_stopped)
        return end_eviction(life);
    if (!life->active)
        return of_inactive(life);
    if (waits_longer(life, now))
        return (struct life_step){.write = LIFE_WRITE_REQUEUE_AT, .at = life->retry_at};
    if (waits(life, now) && !life->reserved && !life->deactivation_target)
        return next;
    next = of_active(life);
    if (next.write != LIFE_WRITE_NOTHING)
        return next;
    if (!life->checks_listed && life->cluster_queue != LIFE_MISSING && !life->evicted)
        return step(LIFE_WRITE_CHECKS, LIFE_NONE);
    return life->reserved ? of_reserved(life) : of_pending(life);
}

enum claim_state workload_life_state(const struct workload_life *life, int64_t now,
                                     bool *ret_finished)
{
    *ret_finished = life->finished || (life->deleted && !life->reserved);
    if (*ret_finished)
        return CLAIM_HELD;
    if (life->reserved)
        return life->admitted ? CLAIM_ALLOCATED : CLAIM_RESERVED;
    if (!life->active || life->deactivation_target || life->on_hold != LIFE_NONE ||
        waits(life, now) || life->local_queue != LIFE_RUNS)
        return CLAIM_HELD;
    return CLAIM_WAITING;
}
