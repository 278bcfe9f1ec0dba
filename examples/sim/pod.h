/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_POD_H
#define SLUICE_SIM_POD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "examples/sim/arena.h"
#include "examples/sim/resources.h"
#include "examples/sim/tree.h"

struct pairs {
    struct pair {
        const char *key;
        const char *value;
    } * items;
    size_t count;
};

struct names {
    const char **items;
    size_t count;
};

struct tolerations {
    struct toleration {
        const char *key;
        const char *how; /* its operator */
        const char *value;
        const char *effect;
        int64_t seconds; /* -1: for ever */
    } * items;
    size_t count;
};

/* What a pod is at one moment. Never changed: each write to the API server makes a new one, and the
 * scheduler's cache may still point to an older. */
struct pod_state {
    int64_t version; /* metadata.resourceVersion */
    int64_t generation;
    struct names gates;
    struct pairs annotations;
    struct pairs labels;
    struct pairs selector;
    struct tolerations tolerations;
    struct resources requests;
    const char *node;
    const char *nominated;
    const char *phase;
    const char *reason; /* of the condition PodScheduled; "": there is none, or it is true */
    const char *message;
    bool deleted; /* a deletionTimestamp is set */
    bool gone;    /* the object is no more */
};

enum pool {
    POOL_NONE,
    POOL_GATED,
    POOL_ACTIVE,
    POOL_BACKOFF,
    POOL_UNSCHEDULABLE,
    POOL_BINDING,
};

struct binding;
struct planned;

/*
 * A pod is there as long as the run. All that is about it alone (its states, what is under way for
 * it) is in an arena of its own, and is given back when it has long been gone.
 */
struct pod {
    struct arena arena;
    const char *ref; /* pod/NAME, pod/NAMESPACE/NAME */
    const char *uid;
    const char *namespace;
    const char *name;
    const char *scheduler;
    const char *native; /* the group of Kubernetes' own that it is in; "" */
    const char *owner;  /* kind of the controlling owner */
    const char *parent; /* ref of the Job or Deployment that made it; "" */
    int64_t edits;      /* of its parent's template, until it was made from that */
    const struct tree *spec;
    int64_t created;
    int64_t priority;
    int64_t grace;           /* ns between the demand to delete a bound pod and its end */
    int64_t runs_for;        /* ns from running to Succeeded; 0: until a step says so */
    size_t place;            /* of its reference among the world's pods */
    struct machine *lies_on; /* the node that it takes room of, and how much; NULL: none */
    struct resources takes;
    bool wants_node;         /* the autoscaler has it in its list */
    struct planned *planned; /* of a trace; NULL: it is the story's own */
    bool mirror;
    int writes; /* patches and status updates that the API server has taken from the scheduler */
    int events;
    const char *told; /* the reason of the last event about it; NULL: there was none */

    const struct pod_state *state; /* in the API server */
    const struct pod_state *seen;  /* in the scheduler's cache; NULL: not yet */

    /* The scheduler's. */
    enum pool pool;
    uint64_t ticket; /* of its latest entry in a pool: older ones are void */
    int64_t since;   /* when it entered */
    int64_t wait_until;
    int attempts;
    struct binding *waits;   /* in Permit, for others of its gang */
    struct machine *charged; /* the node on which it counts, with what */
    struct resources charge;

    /* The story's: what was told last. */
    const char *told_state;
    const char *told_reason;
    bool touched;
    bool on_board; /* the next frame looks at it */
};

/* Reads metadata and spec of a Pod, or of a pod template. The state is what its author wrote. */
struct pod *pod_read(struct arena *arena, struct fault *fault, const struct tree *metadata,
                     const struct tree *spec);

struct pairs pairs_read(struct arena *arena, struct fault *fault, const struct tree *map);
const char *pairs_get(const struct pairs *pairs, const char *key);
struct pairs pairs_set(struct arena *arena, struct pairs old, const char *key, const char *value);
struct names gates_read(struct arena *arena, struct fault *fault, const struct tree *list);
bool names_have(const struct names *names, const char *name);
struct tolerations tolerations_read(struct arena *arena, struct fault *fault,
                                    const struct tree *list);

/* The pod's state to be written next: a copy with the next version. */
struct pod_state *pod_write(struct pod *pod, int64_t version);

/* Gives back what was about it. [it is gone, and nothing is under way for it] */
void pod_bury(struct pod *pod);
bool pod_is_over(const struct pod_state *state);

#endif
