/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_GROUPS_H
#define SLUICE_SIM_GROUPS_H

#include <msgpack.h>

#include "abi/host/request.h"
#include "examples/sim/world.h"

struct sim;

/* What the library asks to be done about PodGroups: a document to be created, or a spec or a status
 * to be merged into one, as it stands in the effect. */
struct group_write {
    const char *ref;
    const char *owner; /* ref; "": of one that is there */
    const char *owner_uid;
    int64_t version;
    const struct tree *doc;
};

struct group_write groups_read_creation(struct sim *sim, const msgpack_object *effect);
struct group_write groups_read_change(struct sim *sim, const msgpack_object *effect);
struct group_write groups_read_status(struct sim *sim, const msgpack_object *effect);

/* A group of this kind, if it is there; NULL. */
const struct object *groups_find(const struct sim *sim, const char *kind, const char *namespace,
                                 const char *name);

/* Whether a pod counts for the groups that it is in: it was seen, and has not ended. */
struct pod;
bool groups_counts(const struct pod *pod);

/* Whether none of the members of one of Kubernetes' own is evicted without the others. */
bool groups_goes_whole(const struct object *group);

/* Whether the PodGroup is one of Kubernetes' own; what such a one says; and how many of its members
 * must run together. */
bool groups_is_native(const struct object *group);
void groups_put_native(struct request *r, const struct sim *sim, const struct object *group);
int64_t groups_native_minimum(const struct object *group);

/* Whether we made it, and its priority class. */
void groups_put_own(struct request *r, const struct object *group);

enum write groups_write(struct sim *sim, const struct group_write *write);

/* The annotation that says which group a pod belongs to. */
enum write groups_name(struct sim *sim, struct pod *pod, const char *group);

#endif
