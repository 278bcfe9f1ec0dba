/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_ASSEMBLY_H
#define SLUICE_PLUGIN_PODS_ASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Gangs on nodes. Those that are granted assemble one at a time, so that two never hold half of the
 * nodes each:
 *
 *             its turn            all of the minimum have nodes
 *   in line ────────────▶ turn ──────────────────────────────────▶ passed: Permit lets them go
 *      ▲                   │ one finds no node, or time is over
 *      └──── backoff ◀──── letting go: who waits in Permit is told Unschedulable, and so are the
 *                          others, for the autoscaler must see the gang as a whole
 *
 * The gang keeps its reservation throughout. A gang of which one member lacks a node needs no turn:
 * that one goes like a lone pod.
 */
enum {
    ASSEMBLY_SECONDS = 60,        /* a turn */
    ASSEMBLY_BACKOFF_SECONDS = 1, /* doubled with each failure, up to */
    ASSEMBLY_BACKOFF_DOUBLINGS = 6,
};

/* Whose turn it is, and what it means for a claim, is asked in assembly_turn.h. */

struct engine;

/* The group changed: it comes to stand in line, has passed, or stops. */
void assembly_review(struct engine *e, uint32_t group);
void assembly_forget(struct engine *e, uint32_t group);

/* A queue stops what was granted, or lets it go on. */
void assembly_queue_changed(struct engine *e);

/* Nodes came: who backs off need not. */
void assembly_new_nodes(struct engine *e);

/* The claim was told that there are no nodes for its gang. */
void assembly_told(struct engine *e, uint32_t claim);

/* No node fits a member. */
void assembly_fail(struct engine *e, uint32_t claim);

/* A member has its node and asks whether it may go: true, or it waits until *ret_until. */
bool assembly_permit(struct engine *e, uint32_t claim, int64_t *ret_until);

/* What a member that waits in Permit must be told; false: nothing yet. */
bool assembly_answers(const struct engine *e, uint32_t claim, bool *ret_allow);

/* It was told. */
void assembly_answered(struct engine *e, uint32_t claim);

/* It waits in Permit no more. */
void assembly_leaves_permit(struct engine *e, uint32_t claim);

/* The turn or the backoff of an entry's group has ended. */
void assembly_expire(struct engine *e, uint32_t entry);

/* is_due: something is to be done for the time's sake, and was not done yet. */
const char *assembly_check(const struct engine *e, bool is_due);

#endif
