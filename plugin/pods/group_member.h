/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GROUP_MEMBER_H
#define SLUICE_PLUGIN_PODS_GROUP_MEMBER_H

#include "group.h"
#include "plugin/records/claim.h"

#include <stdint.h>

/* The members of a group: in order of their rank, with what their pods say of where they would be
 * without it, and counted by what they are at. Whatever changes here touches the group. */

struct pod_facts;

/* What the pod says: words that are then given to group_note_own, or given back. Negative on
 * error. */
int group_read_own(struct engine *e, const struct pod_facts *pod, struct member_own *ret_own);
void group_drop_own(struct intern *names, struct member_own *own);

/* Leaves in *own what was noted before. */
void group_note_own(struct engine *e, uint32_t claim, struct member_own *own);

/* This engine ceases to lead: what the claim holds, if it is a member, it may lose where no word of
 * its pod says that it was, and so it may have lost it. [its condition is not forgotten yet] */
void group_member_stand_by(struct engine *e, uint32_t claim);

/* The claim becomes a member. [one more fits into the slab of members] */
void group_join(struct engine *e, uint32_t group, uint32_t claim);

/* It ends to be one; one that is none may be passed. */
void group_leave(struct engine *e, uint32_t claim);

/* A claim, a member or not, gets another rank. [held] */
void group_set_rank(struct engine *e, uint32_t claim, int32_t priority, int64_t created);

/* Around every change of a member's state, flags and needs: what it counts for, no more (-1), and
 * again (1). */
void group_count(struct engine *e, uint32_t claim, int more);

/* A flag that its group counts. The claim need not be a member. */
void group_set_flag(struct engine *e, uint32_t claim, enum claim_flag flag, bool on);

#endif
