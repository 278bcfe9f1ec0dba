/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GANG_MODE_H
#define SLUICE_PLUGIN_PODS_GANG_MODE_H

#include "gang_sum.h"
#include "group.h"

#include <stdbool.h>
#include <stdint.h>

/* What a group is at, as it follows from its object and its members (enum group_mode), and what
 * that means for a member. What is done about it: gang.h. */

/* What is wrong with the group, whatever its members ask for. */
enum group_fault gang_fault(const struct engine *e, const struct group *group);

/* Whether more than one of it are granted as one. */
bool gang_is_one(const struct engine *e, const struct group *group);

/* Its mode, and what is wrong with it. ret_sum: what it asks for then, where it asks for
 * anything. */
enum group_mode gang_mode_of(const struct engine *e, struct group *group, struct gang_sum *ret_sum);

/* Why a member that has nothing of its own to wait for is held; REASON_NONE: it waits. */
enum reason gang_holds(const struct engine *e, uint32_t group);

/* Whether a claim that holds nothing is a member of a group that is not whole, whatever was known
 * of it before: then it cannot be granted a place alone. */
bool gang_needs(const struct engine *e, uint32_t claim);

#endif
