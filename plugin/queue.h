/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUE_H
#define SLUICE_PLUGIN_QUEUE_H

#include "contest.h"
#include "engine.h"
#include "quota.h"
#include "tree.h"

#include <stdbool.h>
#include <stdint.h>

enum { QUEUE_MAX_DEPTH_VOLCANO = 8, QUEUE_MAX_DEPTH_KUEUE = 16, QUEUE_MAX_PATH = 64 };

/* What is left to do, as lists of queues. */
enum todo_list {
    TODO_DIRTY, /* somebody below may fit now */
    TODO_OVER,  /* the usage is above a ceiling: reserved claims below must go */
    TODO_LISTS
};

/* A resource group of a ClusterQueue: these resources come in one of these flavors, tried in this
 * order. */
struct queue_group {
    uint8_t resource_count, flavor_count;
    uint32_t resources[FACTS_MAX_NEEDS - 1];
    uint16_t flavors[FACTS_MAX_GROUPS];
};

/* A node of a tree of queues. It stays, unknown, while a claim or a child names it. */
/* How often claims of the queue itself were granted a place, and gave it up, since it is known. */
struct totals {
    uint64_t granted, gave_up;
    uint64_t demoted; /* of those that gave it up: because it no longer fits */
};

struct queue {
    /* What every question about a claim reads, in 64 bytes. */
    struct cell *cells;
    uint32_t cell_count;
    uint32_t parent, first_child;
    enum queue_kind kind;
    enum queue_command command;
    uint32_t guard;      /* the leaf for whose head room is set aside here; 0: none */
    uint32_t kinds;      /* tree of kinds where somebody waits, by their heads' rank */
    uint32_t first_line; /* whose head is the first of all */
    uint32_t waiting_count, held_count;
    bool known, strict;
    bool misplaced; /* the parent that its object names would close a cycle, or be too deep */
    bool guarding;  /* its head was passed over for longer than the guard allows: it stops there */
    bool is_todo[TODO_LISTS];
    bool stops_granted; /* as it was when the reserved claims were last told */
    bool reclaimable;

    struct contest contest; /* its place among the siblings that compete */
    struct tree_link by_name;
    uint32_t name;
    uint32_t wanted;    /* the parent that its object names */
    uint32_t wanted_by; /* queues whose objects name this one */
    uint32_t next_sibling, prev_sibling;
    uint32_t state; /* text of its object */
    int32_t priority;
    uint32_t cell_cap;
    struct queue_group *groups;
    uint32_t group_count;

    uint32_t line_count;          /* lines of this queue, empty ones too */
    uint32_t reserved, allocated; /* trees of claims, by stamp */
    struct {
        uint32_t next, prev;
    } todo[TODO_LISTS];

    uint32_t passed_head; /* the head that was passed over */
    uint32_t guard_at;    /* the queue that refuses the head, while guarding */

    int64_t last_grant, grant_gap; /* for estimates: when, and the mean time between */
    uint32_t grants;

    struct totals totals;
};

struct engine;

uint32_t queue_find(const struct engine *e, enum queue_kind kind, struct text name);

/* Finds the queue or makes an unknown one. Negative on error. */
int queue_get(struct engine *e, enum queue_kind kind, struct text name, uint32_t *ret_queue);

/* Forgets an unknown queue that nobody names any more, and parents that only it named. Nothing, if
 * it is forgotten already. */
void queue_drop_unused(struct engine *e, uint32_t queue);

/* Which of two comes first, by kind and name; for timers that end together. */
bool queue_before(const void *engine, uint32_t a, uint32_t b);

/* Why no claim of this queue may advance; REASON_NONE: it may. Suspended and closed ancestors
 * count for all below them. */
enum reason queue_stops(const struct engine *e, uint32_t queue);

/* Whether a claim that was granted must wait all the same: closing lets it go on. */
bool queue_stops_granted(const struct engine *e, uint32_t queue);

uint32_t queue_depth(const struct engine *e, uint32_t queue); /* a root's is 1 */
uint32_t queue_root(const struct engine *e, uint32_t queue);
bool queue_is_below(const struct engine *e, uint32_t queue, uint32_t ancestor);

/* Puts the queue on a list of what is left to do, at its end, if it is not on it. 0 is no queue. */
void queue_todo(struct engine *e, enum todo_list list, uint32_t queue);
void queue_done(struct engine *e, enum todo_list list, uint32_t queue);

/* Whether who waits in this queue must wait for those to be asked who compete for what was released
 * above it. */
bool queue_below_dirty(const struct engine *e, uint32_t queue);

/* The group of the queue that covers the resource, or NULL. */
const struct queue_group *queue_group_of(const struct queue *queue, uint32_t resource);

/* Whether the queue stops what was granted may have changed: so do the effects that its claims
 * need, and their time to be used begins anew. */
void queue_sync_granted(struct engine *e, uint32_t queue);

/* Puts a queue that is nobody's child below a parent (0: makes it a root), or takes it away. What
 * it holds counts in its ancestors only while it hangs there. [quota_reserve] */
void queue_hang(struct engine *e, uint32_t queue, uint32_t parent);
void queue_unhang(struct engine *e, uint32_t queue);

void queue_free_groups(struct engine *e, struct queue_group *groups, uint32_t count);
void queue_release(struct engine *e, struct queue *queue);
void queue_release_all(struct engine *e);

/* All queues, by kind and name. */
extern const struct tree_type queues_by_identity;

const char *queue_check(const struct engine *e, uint32_t queue);

#endif
