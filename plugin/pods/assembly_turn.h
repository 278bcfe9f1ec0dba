/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_ASSEMBLY_TURN_H
#define SLUICE_PLUGIN_PODS_ASSEMBLY_TURN_H

#include "plugin/base/reason.h"

#include <stdbool.h>
#include <stdint.h>

/* Whose turn it is on nodes, and what that means for a claim: what can be asked of what assembly.h
 * does. Nothing here changes anything. */

struct engine;
struct group;

/* How many members lack a node to the minimum. */
int64_t assembly_lacks_nodes(const struct group *group);

/* Whether members of the group come to their nodes together by our doing: a native group's do by
 * the scheduler's. */
bool assembly_concerns(const struct engine *e, const struct group *group);

/* Whether the gang needs a turn. One that lacks needs none; but the last of those that assemble
 * does. */
bool assembly_is_under_way(const struct engine *e, const struct group *group);

/* Whether it is the turn of the claim's gang, which is not letting go. */
bool assembly_has_turn(const struct engine *e, uint32_t claim);

/* Why a reserved claim must not be scheduled now. */
enum reason assembly_holds(const struct engine *e, uint32_t claim);

/* Whether it is to be told that there are no nodes for its gang, instead of being scheduled. */
bool assembly_finds_no_nodes(const struct engine *e, uint32_t claim);

/* Of an entry: when a turn or a backoff ends; INT64_MAX: there is none. */
int64_t assembly_deadline(const struct engine *e, uint32_t entry);

#endif
