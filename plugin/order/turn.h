/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_TURN_H
#define SLUICE_PLUGIN_ORDER_TURN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Pods, gangs and workloads wait in one order: priority, then the time since which they wait, then
 * the uid. Each kind is kept by itself (order/line.h, workload.h), and here they are compared:
 *
 *   where nobody passes the first of a queue   only the first of both kinds is asked
 *   elsewhere, and between queues              whoever is before goes first (grant/workload_next.h)
 */
struct engine;

/* How many workloads come before a claim that waits in their queue. */
uint32_t turn_workloads_before(const struct engine *e, uint32_t claim);

/* How many pods and gangs come before a workload that waits in their queue. So many lines are
 * looked at; where there are more, it is the least. */
uint32_t turn_pods_before(const struct engine *e, uint32_t workload, uint32_t lines);

/* The first workload, and the first claim of any kind, that waits in the queue; 0: none does. */
uint32_t turn_first_workload(const struct engine *e, uint32_t queue);
uint32_t turn_first(const struct engine *e, uint32_t queue);

/* Whether the turn is a pod's, or a gang's, so that no workload of the queue is asked. */
bool turn_is_pods(const struct engine *e, uint32_t queue);

/* Whether the turn is a workload's, so that no pod of the queue is asked. */
bool turn_is_workloads(const struct engine *e, uint32_t queue);

/* The first workload that waits in the queue comes, or goes: where nobody passes the first, pods
 * may have their turn now, or not any more. */
void turn_changes(struct engine *e, uint32_t queue);

#endif
