/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_QUEUE_TODO_H
#define SLUICE_PLUGIN_RECORDS_QUEUE_TODO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What is to be done for queues, later and a slice at a time. A queue stands in each list at most
 * once, and the first that came is the first that is done.
 */
/* What is left to do, as lists of queues. */
enum todo_list {
    TODO_DIRTY,     /* somebody below may fit now */
    TODO_OVER,      /* the usage is above a ceiling: reserved claims below must go */
    TODO_STATE,     /* its state, or that of its children, may follow from another one now */
    TODO_PLACE,     /* it is misplaced: another edit may make room for it */
    TODO_GUARD,     /* its head is guarded: what refuses that may be another queue now */
    TODO_COUNT,     /* not all of its cells are counted */
    TODO_PREEMPT,   /* of roots: somebody below may find a victim now */
    TODO_WORKLOADS, /* of roots: workloads below may be granted something now */
    TODO_STATUS,    /* its counts are to be written: their turn will come (status_turn.h) */
    TODO_LISTS
};

struct engine;

/* Puts the queue on a list of what is left to do, at its end, if it is not on it. 0 is no queue. */
void queue_todo(struct engine *e, enum todo_list list, uint32_t queue);
void queue_done(struct engine *e, enum todo_list list, uint32_t queue);

/* The first of a list of roots; 0: it is empty. What is a root no more leaves it to its root. */
uint32_t queue_todo_root(struct engine *e, enum todo_list list);

/* What was granted may be stopped now, or go on: claims learn it in slices (stop_notice.h). */
void queue_stops_changed(struct engine *e);

/* Something changed in this queue that may let a claim of it, or of another queue below the same
 * root, find victims. Nothing, where nobody is evicted. */
void queue_victims_changed(struct engine *e, uint32_t queue);

/* Somebody in this queue whose room may be taken came to be one of those, or is none any more: what
 * pods and workloads find may be something else now. */
void queue_candidates_changed(struct engine *e, uint32_t queue);

/* Whether who waits in this queue must wait for those to be asked who compete for what was released
 * above it. */
bool queue_below_dirty(const struct engine *e, uint32_t queue);

/* Whether room is given away anywhere in this queue's tree: also elsewhere in it somebody may come
 * before who has just begun to wait here. */
bool queue_in_dirty_tree(const struct engine *e, uint32_t queue);

/* Whether we are those who change the states of queues. */
bool queue_rules(const struct engine *e);

/* The state may follow from another parent now; it is settled in one of the next slices. */
void queue_settle_later(struct engine *e, uint32_t queue);

/* The queue, and then all below it, are to settle: whatever they were told before, they are told
 * anew. */
void queue_look_below(struct engine *e, uint32_t queue);

#endif
