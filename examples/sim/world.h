/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WORLD_H
#define SLUICE_SIM_WORLD_H

#include "examples/sim/map.h"
#include "examples/sim/nodes.h"
#include "examples/sim/pod.h"

struct sim;

/*
 * The API server: which objects there are, and what it lets others do to them. Every change is
 * passed on to the scheduler (watch.h) a moment later.
 *
 * Objects go by references: kind/name, or kind/namespace/name outside of the namespace `default`.
 */

struct object {
    struct arena arena; /* its document's, where its status was written */
    const char *ref;
    const char *kind;
    const char *name;
    const char *namespace;
    const char *uid; /* another one each time that it is created */
    const struct tree *doc;
    int64_t created;
    int64_t version;
    int64_t writes; /* of its status */
    int64_t edits;  /* of its template of pods */
    int64_t events;
    bool is;   /* it exists */
    bool runs; /* of a Workload: something of its job does */
};

struct machine {
    const char *ref;
    const char *name;
    const struct tree *doc;
    struct pairs labels;
    struct resources allocatable;
    struct resources used;  /* in the scheduler's cache */
    struct resources taken; /* by the pods that the API server has on it */
    int64_t id;             /* by which the library knows it */
    bool is;
    bool seen;        /* it is in the scheduler's cache */
    size_t place;     /* among the machines, counted from 0 */
    int64_t fullness; /* of its cpu, in thousandths, in the scheduler's cache */
};

struct world {
    struct map documents; /* of the file: struct tree by reference */
    struct map objects;   /* struct object: what exists, but for pods and nodes */
    struct map machines;  /* struct machine by name */
    struct nodes nodes;   /* those that the scheduler has seen, by what is free */
    struct map pods;      /* struct pod by reference: the latest of its name */
    struct map by_uid;    /* every pod that ever was */
    struct map events;    /* by the object's reference and the event's key */
    int64_t version;      /* of the latest write */
    int64_t uids;
    int64_t n_machines;
    int64_t n_commands; /* of steps: they have no names of their own */
    uint64_t changes;
};

enum write {
    WRITE_DONE,
    WRITE_GONE,
    WRITE_CONFLICT,
};

/* "pod/x" of a document; NULL after a fault. kind is the document's in lower case. */
const char *world_ref_of(struct arena *arena, struct fault *fault, const struct tree *doc);

/* The namespace and the name of a reference. */
void world_split(struct arena *arena, const char *ref, const char **ret_namespace,
                 const char **ret_name);

/* Creates what a document describes, or changes it to that. Faults name `where`. */
void world_apply(struct sim *sim, const struct tree *where, const struct tree *doc,
                 const char *ref);
void world_delete(struct sim *sim, const struct tree *where, const char *ref);
void world_patch(struct sim *sim, const struct tree *patch, const char *ref);

/* An object was written in place: who watches it is told. */
void world_changed(struct sim *sim, struct object *object);

/* A pod ends: Succeeded or Failed. Of a Job and the like, all its pods. */
void world_end(struct sim *sim, const struct tree *where, const char *ref, const char *phase);

struct pod *world_pod(const struct sim *sim, const char *ref);

/* Writes of the scheduler and of what runs in it. */
enum write world_set_condition(struct sim *sim, struct pod *pod, int64_t version,
                               const char *reason, const char *message);
enum write world_bind(struct sim *sim, struct pod *pod, const char *node);

/* One JSON patch of a pod: tests uid and generation (-1: not), removes gates, adds the rest. */
struct gate_patch {
    int64_t generation;
    struct names gates;
    struct pairs annotations;
    struct pairs selector;
    struct tolerations tolerations;
};
enum write world_remove_gates(struct sim *sim, struct pod *pod, const struct gate_patch *patch);

/* Puts the next state of a pod in place, and tells the scheduler. */
void world_commit(struct sim *sim, struct pod *pod, struct pod_state *next);

/* A node joins, or is changed. */
struct machine *world_add_machine(struct sim *sim, const struct tree *doc, const char *name);

/* The document of an object that is there, by its kind and its name or NAMESPACE/NAME; or NULL. */
const struct tree *world_document(const struct sim *sim, const char *kind, const char *name);

#endif
