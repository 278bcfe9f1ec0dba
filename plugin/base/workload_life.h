/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_WORKLOAD_LIFE_H
#define SLUICE_PLUGIN_BASE_WORKLOAD_LIFE_H

#include "reason.h"
#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The life of a workload in the cluster that admits it: where it belongs by what its object says,
 * and what is to be written into the object next. One write at a time; when it is seen, the next.
 *
 *            quota reserved          checks ready
 *   pending ───────────────▶ reserved ───────────▶ admitted ──▶ finished
 *     ▲  ▲                      │                     │
 *     │  └── reservation ◀──────┤ queue stopped       │ queue drained, preempted, inactive,
 *     │      cancelled          ▼                     ▼ a check wants a retry
 *     └── its job has stopped ── evicted ◀────────────┘
 *
 * Evicted it holds its quota until its job has stopped. What made it go is also why it may not come
 * back at once: the condition Requeued is False until that is over. A check that is rejected
 * deactivates the workload for good, a person may activate it again.
 *
 * Pure: no engine, no clock. The words are Kueue's.
 */
enum life_reason {
    LIFE_NONE,
    LIFE_OTHER, /* a word that is not one of these */
    LIFE_DEACTIVATED,
    LIFE_PREEMPTED,
    LIFE_ADMISSION_CHECK,
    LIFE_LOCAL_QUEUE_STOPPED,
    LIFE_CLUSTER_QUEUE_STOPPED,
    LIFE_REACTIVATED, /* from here on: why Requeued is True again */
    LIFE_BACKOFF_FINISHED,
    LIFE_LOCAL_QUEUE_RESTARTED,
    LIFE_CLUSTER_QUEUE_RESTARTED,
    LIFE_INADMISSIBLE, /* from here on: why no quota is reserved */
    LIFE_ADMISSION_GATED,
    LIFE_PENDING,
    LIFE_REASONS
};

const char *life_reason_name(enum life_reason reason);
enum life_reason life_reason_of(struct text word);

/* Of the queues that a workload is in. */
enum life_stop { LIFE_RUNS, LIFE_HOLDS, LIFE_DRAINS, LIFE_MISSING };

struct workload_life {
    bool active; /* spec.active */
    bool deleted;

    /* Conditions that are True. */
    bool finished, reserved, admitted, evicted;
    bool deactivation_target;

    enum life_reason evicted_why; /* of that condition */
    enum life_reason on_hold;     /* of Requeued, if it is False */
    enum life_reason pending_why; /* of QuotaReserved, if it is False */
    int64_t requeue_at;           /* status.requeueState; 0: none */
    bool has_requeue_state;

    /* status.admissionChecks */
    bool checks_listed;   /* they are just those that its queue wants */
    bool checks_ready;    /* all of them are Ready */
    bool retry, rejected; /* one of them is Retry, Rejected */
    int64_t retry_at;     /* the latest time that a check wants to be asked again; 0: none */

    bool gates_want_status; /* preemption_gates_want_status */
    bool job_stopped;       /* nothing of it runs */
    bool admission_gated;   /* its owner names what it waits for */
    enum life_stop local_queue, cluster_queue;
};

enum life_write {
    LIFE_WRITE_NOTHING,

    /* A position for each gate of the spec, and for no other. */
    LIFE_WRITE_GATES,

    /* No admission; QuotaReserved and Admitted are False; Requeued is `requeued`, with this
     * reason. */
    LIFE_WRITE_END_EVICTION,

    LIFE_WRITE_REQUEUE_AT,    /* status.requeueState.requeueAt: `at` */
    LIFE_WRITE_CLEAR_BACKOFF, /* there is none any more */
    LIFE_WRITE_CLEAR_REQUEUE, /* no requeueState at all, nor DeactivationTarget */
    LIFE_WRITE_DEACTIVATE,    /* spec.active: false */
    LIFE_WRITE_TARGET,        /* the condition DeactivationTarget */

    /* Evicted, with this reason. In the same write all gates are closed, there is no signal and no
     * cluster, checks are Pending; DeactivationTarget and, of who is deactivated, requeueState
     * go. */
    LIFE_WRITE_EVICT,

    LIFE_WRITE_REQUEUED,  /* Requeued is True, with this reason; no requeueAt */
    LIFE_WRITE_CHECKS,    /* the list of checks that its queue wants; new ones are Pending */
    LIFE_WRITE_UNRESERVE, /* no admission; QuotaReserved is False, with this reason */
    LIFE_WRITE_PENDING,   /* only that condition */
    LIFE_WRITE_ADMIT,     /* Admitted is True */
};

struct life_step {
    enum life_write write;
    enum life_reason reason;
    int64_t at;    /* LIFE_WRITE_REQUEUE_AT */
    bool requeued; /* LIFE_WRITE_END_EVICTION */
};

/* What is to be written now. *ret_wake: when time alone makes that, or its state, another answer;
 * 0: never. */
struct life_step workload_life_step(const struct workload_life *life, int64_t now,
                                    int64_t *ret_wake);

/* Where it belongs: it holds its quota, waits for some, or is held. `finished`: it is nobody's
 * claim. Whether its ClusterQueue grants anything is the queue's affair. */
enum claim_state workload_life_state(const struct workload_life *life, int64_t now,
                                     bool *ret_finished);

#endif
