/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_PODLIFE_H
#define SLUICE_SIM_PODLIFE_H

#include "examples/sim/world.h"

/* How pods come and go: admission, Jobs and the like that make pods, kubelets, deletion. */

/* The reason in the condition of a pod that has a gate. */
extern const char podlife_gated[];

/* Whether what goes by this reference makes pods: a Job, a ReplicaSet, a Deployment. */
bool podlife_is_owner(const char *ref);

/* How many pods it is to make. */
int64_t podlife_replicas(const struct object *owner);

/* Creates a pod, as the API server does after the webhook has been asked. */
void podlife_create(struct sim *sim, const struct tree *where, const struct tree *metadata,
                    const struct tree *spec, const char *ref, const char *parent);

/* Creates the pods of a Job and the like: NAME-0, NAME-1, ... */
void podlife_create_all(struct sim *sim, const struct tree *where, const struct tree *doc,
                        const char *ref);

/* The owner was patched: those that are missing are made, from its template as it is now, and the
 * latest of those that are too many are deleted. No others: which of its pods it replaces is the
 * story's to tell. */
void podlife_follow(struct sim *sim, const struct tree *where, struct object *owner);

/* Whether the owner makes the next pod when the one before it runs. */
bool podlife_orders(const struct object *owner, const struct pod *pod);

/* Whether the owner has a newer template than the one that the pod was made from, and is of a kind
 * that replaces such pods. */
bool podlife_supersedes(const struct object *owner, const struct pod *pod);

/* The pod runs on its node; ends; shall end; is patched by a step. */
void podlife_started(struct sim *sim, struct pod *pod);
void podlife_end(struct sim *sim, struct pod *pod, const char *phase);
void podlife_complete(struct sim *sim, struct pod *pod);
void podlife_fail(struct sim *sim, struct pod *pod);
void podlife_delete(struct sim *sim, struct pod *pod);
void podlife_patch(struct sim *sim, struct pod *pod, const struct tree *patch);
void podlife_lost_node(struct sim *sim, const char *node);

/* Phase, condition and nomination as a document's status says. */
void podlife_take_status(struct fault *fault, const struct tree *status, struct pod_state *state);

/* For each pod of an owner that is neither over nor gone. */
void podlife_each(struct sim *sim, const char *owner,
                  void (*visit)(struct sim *sim, struct pod *pod));

#endif
