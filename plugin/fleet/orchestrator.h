/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_ORCHESTRATOR_H
#define SLUICE_PLUGIN_FLEET_ORCHESTRATOR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The manager's side of orchestrated preemption: for each workload, over its replicas in all worker
 * clusters, who may preempt, one after the other. (Which replicas there are: plan.h; what
 * is under way for one: phase.h.)
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

struct fleet;

/* Whether the gate is to be opened now. */
bool orchestrator_wants_open(const struct fleet *f, uint32_t replica);

/* Until when the gate may be opened; 0: at any time. */
int64_t orchestrator_open_until(const struct fleet *f, uint32_t replica);

/* When it is to decide about the workload at the latest; INT64_MAX: not by time. */
int64_t orchestrator_deadline(const struct fleet *f, uint32_t dispatch);

/* When the orchestrator or the outbox is to look at it may be another time. */
void orchestrator_set_timer(struct fleet *f, uint32_t dispatch);

/* This manager decides from now on, or no more. */
void orchestrator_begin(struct fleet *f);
void orchestrator_end(struct fleet *f);

#endif
