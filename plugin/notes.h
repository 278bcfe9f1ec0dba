/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_NOTES_H
#define SLUICE_PLUGIN_NOTES_H

#include "plugin/records/claim.h"

#include <stdint.h>

/*
 * What a room has to tell those above it.
 *
 * A room calls those below it, and nobody above. What happens in it of which others keep an index,
 * or for which they have something to do, it notes here: each kind of change is one function, which
 * hands it to all whom it concerns, in the order in which they are to hear of it. Whoever adds an
 * index adds a line in notes.c.
 */
struct engine;
struct node;

/* A claim is about to be in another state. */
void note_claim_changes(struct engine *e, uint32_t claim);

/* The claim is in its new state. */
void note_claim_changed(struct engine *e, uint32_t claim);

/* It is about to be reserved no longer, or since another time. */
void note_claim_reserved_no_more(struct engine *e, uint32_t claim);

/* It has its node, or the reserve hook has passed it. */
void note_claim_allocated(struct engine *e, uint32_t claim);

/* It holds something that no queue counts any more. */
void note_claim_uncounted(struct engine *e, uint32_t claim);

/* When it must be looked at again may be another time. */
void note_claim_deadline(struct engine *e, uint32_t claim);

/* Its record is about to go. */
void note_claim_goes(struct engine *e, uint32_t claim);

/* What is to be written into a workload may be something else. */
void note_workload(struct engine *e, uint32_t workload);

/* What is to be written into a group may be something else. */
void note_group(struct engine *e, uint32_t group);

/* The last line of a queue is gone: nobody may name that queue any more. */
void note_queue_unused(struct engine *e, uint32_t queue);

/* A queue comes to hang elsewhere: the tree is another one. */
void note_tree_changes(struct engine *e);

/* A queue without claims is about to be forgotten. */
void note_queue_goes(struct engine *e, uint32_t queue);

/* A queue began to be a leaf, or ceased to. */
void note_queue_leaf(struct engine *e, uint32_t queue);

/* A node is about to be known: what it brings needs memory elsewhere. Negative on error. */
int note_node_comes(struct engine *e, const struct node *node);

/* A node came (before is NULL), changed, or went (after is NULL). */
void note_nodes_changed(struct engine *e, const struct node *before, const struct node *after);

#endif
