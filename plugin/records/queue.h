/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_QUEUE_H
#define SLUICE_PLUGIN_RECORDS_QUEUE_H

#include "cluster_queue.h"
#include "height.h"
#include "plugin/base/amount.h"
#include "plugin/base/list.h"
#include "plugin/base/outbox.h"
#include "plugin/base/pairing.h"
#include "plugin/base/queue_state.h"
#include "plugin/base/run_times.h"
#include "plugin/base/tree.h"
#include "queue_status.h"
#include "queue_todo.h"
#include "source.h"
#include "waits.h"

#include <stdbool.h>
#include <stdint.h>

enum { QUEUE_MAX_DEPTH_VOLCANO = 8, QUEUE_MAX_DEPTH_KUEUE = 16, QUEUE_MAX_PATH = 64 };

/* A resource group of a ClusterQueue: these resources come in one of these flavors, tried in this
 * order. */
struct queue_group {
    uint8_t resource_count, flavor_count;
    uint32_t resources[FACTS_MAX_NEEDS - 1];
    uint16_t flavors[FACTS_MAX_FLAVORS];
};

enum { BOUND_RESOURCES = 8 };

/* The least that is asked for of each resource. A resource that is not listed is not asked for by
 * all of them, and so bounds nothing. What a queue keeps unused is already taken off: this is the
 * least that passes up. */
struct bound {
    bool nobody; /* there is no one that could fit */
    uint8_t count;
    struct {
        uint32_t resource;
        wide least;
    } item[BOUND_RESOURCES];
};

/* The place of a queue among those that compete with it for their parent's room (contest.h). */
struct contest {
    struct tree_link sibling;
    uint32_t children; /* tree of the children that compete, in order */
    bool competes;

    /* The key, as it stood when the queue was put into its parent's tree. */
    bool borrows;
    int32_t priority;
    wide used, quota; /* the largest share */
    int64_t head_created;
    uint32_t key_name;

    struct bound own;         /* of this queue's subtree, as its parent sees it */
    struct bound all;         /* of this queue and those below it in the siblings' tree */
    int64_t all_head_created; /* the oldest head likewise */
};

/* How often claims of the queue itself were granted a place, and gave it up, since it is known. */
struct totals {
    uint64_t granted, gave_up;
    uint64_t demoted;   /* of those that gave it up: because it no longer fits */
    struct waits waits; /* of those that were granted one */
};

/* A node of a tree of queues. It stays, unknown, while a claim, a child or a group names it. */
struct queue {
    /* What every question about a claim reads, in 64 bytes. */
    struct cell *cells;
    uint32_t cell_count;
    uint32_t parent, first_child;
    enum queue_kind kind;
    uint8_t state, own;    /* enum queue_state: now, and as its own commands left it */
    uint32_t guard;        /* the leaf for whose head room is set aside here; 0: none */
    uint32_t size_classes; /* tree of size classes where somebody waits, by their heads' rank */
    uint32_t head;         /* the first that waits; 0: nobody does */
    uint32_t waiting_count;
    bool known, strict;
    bool deleted;  /* its object goes as soon as those let go of it whose finalizers it has */
    bool guarding; /* its head was passed over for longer than the guard allows: it stops there */
    bool is_todo[TODO_LISTS];
    bool reclaimable;
    bool seen;              /* there is an object of it */
    bool created_suspended; /* that asks for this as its first state */

    struct contest contest; /* its place among the siblings that compete */
    struct tree_link by_name;
    uint32_t name;
    uint32_t wanted;    /* the parent that its object names */
    uint32_t wanted_by; /* queues and groups whose objects name this one */
    uint32_t next_sibling, prev_sibling;
    struct height height;
    uint32_t state_text; /* of its object */
    uint32_t uid;
    uint64_t spec; /* hash of what its object asks for; 0: not known */
    int32_t priority;
    uint32_t cell_cap;
    struct queue_group *groups;
    uint32_t group_count;
    bool borrows_last;            /* whenCanBorrow is TryNextFlavor */
    struct cluster_queue cluster; /* its workloads */

    struct preempt_policy preempts;
    uint32_t removable;        /* tree of claims whose room may be taken (removable.h) */
    struct source source;      /* as one of victims */
    uint64_t victims_change;   /* of a root: the number of the last change below it that may let
                                  somebody find victims (queue_victims_changed) */
    uint64_t reviewed;         /* of a root: that number when its promises were last reviewed */
    uint64_t askers_at;        /* of a root: that number when its askers were found */
    uint32_t askers;           /* of a root: a heap of the leaves that may still ask for victims */
    struct pairing_link asker; /* of a leaf: its place in that heap */
    uint32_t tried;  /* of a leaf: for how many of its lines it asked in vain since then */
    uint64_t looked; /* of a leaf: that number, of whichever root, when it asked last */

    uint32_t backlogs;            /* tree of what waits in it and below, by resource */
    uint32_t line_count;          /* lines of this queue, empty ones too */
    uint32_t reserved, allocated; /* trees of claims, by stamp */
    struct list_link todo[TODO_LISTS];

    uint32_t passed_head; /* the head that was passed over */
    uint32_t guard_at;    /* the queue that refuses the head, while guarding */

    struct run_times run_times; /* of those of its subtree that were on a node, for estimates */

    struct totals totals;

    uint32_t counts[CLAIM_STATES]; /* of its subtree, by the state of their claims */
    uint32_t podgroups;            /* that are left in its subtree */
    uint32_t promised;             /* claims of its subtree that are promised something */
    uint32_t next_child;           /* whose state is to be settled next, while on TODO_STATE */
    bool settles_all;              /* all below it are looked at then, however few of them change */

    int64_t version;            /* of its object: the highest that is known */
    struct queue_written said;  /* by the object, as it was last seen */
    struct queue_written wrote; /* what the object says, as far as is known */
    struct queue_status status;
    struct list commands; /* those that wait for its state to be written */
    struct outbox_entry effects;
};

/* Whether the parent that its object names would close a cycle, or be too deep. */
static inline bool queue_is_misplaced(const struct queue *queue)
{
    return queue->is_todo[TODO_PLACE];
}

/* The queue, under the hash of its name with its kind; 0: none of this name is known. */
uint32_t queue_find(const struct engine *e, enum queue_kind kind, struct text name);

/* Why no claim of this queue may advance; REASON_NONE: it may. Suspended and closed ancestors
 * count for all below them. */
enum reason queue_stops(const struct engine *e, uint32_t queue);

/* Whether a claim that was granted must wait all the same: closing lets it go on. */
bool queue_stops_granted(const struct engine *e, uint32_t queue);

/* The same, as far as it is not a matter of commands: it is no leaf, or not known, or misplaced. */
enum reason queue_misfit(const struct engine *e, uint32_t queue);

/* Whether this queue's own state, or that of one above it, lets nothing advance. */
bool queue_state_halts(enum queue_state state);
bool queue_halted(const struct engine *e, uint32_t queue);

/* Whether who holds room in this queue is nobody's victim: it, or one above it, grants nothing for
 * a while and lets run what runs, so whoever was sent away could not come back. A queue that closes
 * takes nobody back in any case, and one that is drained sends them away itself. */
bool queue_spares(const struct engine *e, uint32_t queue);

/* Whether who runs in this queue is to be sent away: HoldAndDrain. */
bool queue_drains(const struct engine *e, uint32_t queue);

uint32_t queue_depth(const struct engine *e, uint32_t queue); /* a root's is 1 */
uint32_t queue_root(const struct engine *e, uint32_t queue);
bool queue_is_below(const struct engine *e, uint32_t queue, uint32_t ancestor);

/* A walk over a queue and all below it, each before those below it: the next one, or the next one
 * that is not below this; 0 at the end. */
uint32_t queue_after(const struct engine *e, uint32_t queue, uint32_t top);
uint32_t queue_past(const struct engine *e, uint32_t queue, uint32_t top);

/* The group of the queue that covers the resource, or NULL. */
const struct queue_group *queue_group_of(const struct queue *queue, uint32_t resource);

/* All queues, by kind and name. */
extern const struct tree_type queues_by_identity;

#endif
