/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_ORCHESTRATOR_H
#define SLUICE_PLUGIN_FLEET_ORCHESTRATOR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The manager's side of orchestrated preemption: for each workload, over its replicas in all worker
 * clusters, who may preempt, one after the other. (Which replicas there are: plan.h.)
 *
 *            signal, the timeout is over      memory acknowledged
 *   resting ────────────────────────────▶ writing ──────────────▶ opening
 *      ▲  └────▶ noting                      │                       │
 *      └───────────┴─────────────────────────┴───────────────────────┘
 *         the signal is gone, somebody was granted; opened; the window is over
 *
 * The order makes it safe. Before a gate is opened, the workload's memory says so
 * (preemption_memory.h), under the workload's resourceVersion: so of two managers one fails. The
 * manager that wrote it may open the gate until OPENING_WINDOW after the time that is written
 * there; the host refuses later. Another manager that takes over within that time writes it anew
 * first. Until the timeout has passed since then, or since the ack if that came, nobody else is
 * opened, whatever became of the first: its worker lost, the replica evicted or deleted, this
 * manager replaced. A gate that somebody else opened counts from when it is first seen.
 *
 * Who signalled first is opened first; who was opened before has its turn again after those who
 * signalled before that, so that a worker that fails does not keep the others waiting for ever.
 * While a worker has reserved quota nobody is opened: there, no victim is needed any more.
 *
 * Workers' clocks are never looked at.
 */
#define ORCHESTRATOR_GATE "kueue.x-k8s.io/multikueue"
#define ORCHESTRATOR_TIMEOUT "sluice.sh/single-cluster-preemption-timeout"

/* A replica whose workload is not known may only have been seen before it. */
#define ORPHAN_NANOSECONDS (INT64_C(60) * 1000000000)

struct fleet;

/* The workload changed, or something in its clusters: it is decided about in one of the next
 * slices. */
void orchestrator_todo(struct fleet *f, uint32_t dispatch);
void orchestrator_drop(struct fleet *f, uint32_t dispatch);

/* Ends what is under way for a workload; if it was aimed at this replica. */
void orchestrator_rest(struct fleet *f, uint32_t dispatch);
void orchestrator_lose(struct fleet *f, uint32_t replica);

/* The memory was written; the gate was opened. */
void orchestrator_written(struct fleet *f, uint32_t dispatch);
void orchestrator_opened(struct fleet *f, uint32_t replica);

/* Whether the gate is to be opened now. */
bool orchestrator_wants_open(const struct fleet *f, uint32_t replica);

/* Until when the gate may be opened; 0: at any time. */
int64_t orchestrator_open_until(const struct fleet *f, uint32_t replica);

/* When somebody may be opened again; 0: nothing is in the way. */
int64_t orchestrator_blocked_until(const struct fleet *f, uint32_t dispatch);
int64_t orchestrator_deadline(const struct fleet *f, uint32_t dispatch);
void orchestrator_expire(struct fleet *f, uint32_t dispatch);

bool orchestrator_leads(const struct fleet *f);
void orchestrator_begin(struct fleet *f);
void orchestrator_end(struct fleet *f);
void orchestrator_advance(struct fleet *f);
bool orchestrator_more(const struct fleet *f);
int64_t orchestrator_next(const struct fleet *f);

#endif
