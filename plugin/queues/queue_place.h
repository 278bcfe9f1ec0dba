/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_PLACE_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* Where queues hang: below the parent that their object names, or, where that would close a cycle
 * or be too deep to walk, nowhere, misplaced, until another edit makes room for them. The tree
 * follows from the objects alone, in whatever order they are seen. */

struct engine;

/* The parent that the queue's object names; 0: none. */
void queue_want(struct engine *e, uint32_t queue, uint32_t wanted);

/* Memory for an edit that gives the queue this parent and so many cells more, and for all misplaced
 * queues that may find their places then. Negative on error. */
int queue_reserve_places(struct engine *e, uint32_t queue, uint32_t parent, uint32_t more);

/* Hangs it where it belongs. [it hangs nowhere; queue_reserve_places] */
void queue_place(struct engine *e, uint32_t queue);

/* It hangs nowhere although its object names a parent, or no longer so. */
void queue_set_misplaced(struct engine *e, uint32_t queue, bool misplaced);

/* Whether with this parent the queue hangs where it hangs now. */
bool queue_stays(const struct engine *e, uint32_t queue, uint32_t parent);

/* The queue's quota or order is another one. Its contests and who may fit now follow. */
void queue_edited(struct engine *e, uint32_t queue);

/* The same, and it hung below this parent before (0: none, or the same), or was not known: so do
 * the granted claims' effects, its own and those of all below it. */
void queue_moved(struct engine *e, uint32_t queue, uint32_t old_parent);

/* The others of a cycle that this queue closed hang nowhere either, whichever edit came last. */
void queue_misplace_cycle(struct engine *e, uint32_t queue);

/* Queues that an earlier edit could not put where they belong, now that something moved. */
void queue_place_misplaced(struct engine *e);

#endif
