/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_POD_QUEUE_H
#define SLUICE_SIM_POD_QUEUE_H

#include "abi/host/request.h"
#include "examples/sim/world.h"

/*
 * The queue and the group that a pod names, as a host tells them:
 *
 *   its own annotations, else those of its owner's own metadata, else its namespace's
 *   its label kueue.x-k8s.io/queue-name: the ClusterQueue behind that LocalQueue, which may or may
 *   not select the pod's namespace
 */

/* `labels`, `annotations`, `queueKind`, `selected`, `namespaceQueue` and `priority` of a pod. */
void pod_queue_put(struct request *r, const struct sim *sim, const struct pod *pod,
                   const struct pod_state *state);

#endif
