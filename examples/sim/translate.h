/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_TRANSLATE_H
#define SLUICE_SIM_TRANSLATE_H

#include "abi/host/request.h"
#include "examples/sim/world.h"

/* From Kubernetes' objects to the messages of PROTOCOL.md. Nothing is decided here. */

/* `kind`, `gone` and `object` of an observe. */
void translate_observe_pod(struct request *r, const struct sim *sim, const struct pod *pod,
                           const struct pod_state *state);
void translate_observe_object(struct request *r, struct sim *sim, const struct object *object);
/* The `object` of a queue, for any hook. kind: the library's, "Queue". */
void translate_queue(struct request *r, const char *kind, const struct object *object);
void translate_observe_machine(struct request *r, const struct machine *machine);

/* The pod under a key. */
void translate_pod(struct request *r, const char *key, const struct sim *sim, const struct pod *pod,
                   const struct pod_state *state);

/* Any document as it is: integers, truth values and texts by their YAML type. */
void translate_tree(struct request *r, const struct tree *tree);

/* The same under a key; NULL: without the key. */
void translate_key(struct request *r, const char *key, const struct tree *tree);

/* A map of texts under a key. */
void translate_pairs(struct request *r, const char *key, const struct pairs *pairs);

/* The key of that name, where there are any. */
void translate_tolerations(struct request *r, const struct tree *tolerations);

/* The library's name for a kind ("clusterqueue"), and whether it has one. */
bool translate_kind(const char *kind, const char **ret_message_kind, const char **ret_object_kind);

#endif
