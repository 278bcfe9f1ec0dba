/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_QUEUE_USERS_H
#define SLUICE_SIM_QUEUE_USERS_H

#include "examples/sim/world.h"

/*
 * Who may use a queue, as its owner says:
 *
 *   a ClusterQueue   by its namespaceSelector
 *   a Queue          by its annotations sluice.sh/namespaces, a list, and
 *                    sluice.sh/namespace-selector; what they say holds for all queues below it
 *
 * and what a namespace says for all that is in it. A queue that is not there takes everybody: the
 * library says that there is no such queue.
 */

/* Whether the ClusterQueue takes pods from the namespace. */
bool queue_users_selected(const struct sim *sim, const char *cluster_queue, const char *namespace);

/* Whether the Queue of Volcano's does. */
bool queue_users_listed(const struct sim *sim, const char *queue, const char *namespace);

/* The queue that the namespace names; NULL: none. It may bind what is in the namespace to it,
 * whatever that says itself. */
const char *queue_users_home(const struct sim *sim, const char *namespace, bool *ret_binds);

/* The priority that counts in the queue, of kind "queue" or "clusterqueue": that of a class
 * system-* only where the queue says so. */
int64_t queue_users_priority(const struct sim *sim, const char *kind, const char *queue,
                             int64_t priority);

/* The value of a PriorityClass, or `unset`: there is none of that name. Those of the API server's
 * own are there without a document. */
int64_t queue_users_class(struct sim *sim, const char *class, int64_t unset);

/* Whether who may use a Queue, or how, may be another matter by the second document than by the
 * first; NULL: there is none. */
bool queue_users_differ(const struct tree *before, const struct tree *now);

#endif
