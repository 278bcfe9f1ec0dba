/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GANG_H
#define SLUICE_PLUGIN_PODS_GANG_H

#include "gang_mode.h"
#include "plugin/base/text.h"

#include <stdint.h>

/*
 * A group's minimum is granted all at once or not at all.
 *
 *   members that are ready ──▶ enough of them? ──▶ the first of them, by rank, that lack to the
 *                                                  minimum: the sum of what they ask for
 *                                                        │
 *                             queue's order ◀── entry ◀──┘    one claim, in a line of its own, with
 *                                  │                          the group's rank
 *                                  └── granted: each of them is reserved, in the flavors that were
 *                                      found for the sum
 *
 * Who holds counts, and who has succeeded. When fewer are left than the minimum, those that are
 * only reserved give back, and what lacks waits as one again: so nobody sits on half of a gang.
 *
 * In the middle of a rollout there are fewer pods of the new template than the minimum, and their
 * owner makes no more of them before those run. So members that it is about to replace
 * (group_follow.h) stand for those that take their place: the sum has room for these, but nobody is
 * reserved for them, and the gang is whole without.
 */

/* What waits for a group of this uid: memory for all that its members may come to ask for. Negative
 * on error. */
int gang_make_entry(struct engine *e, uint32_t group, struct text uid, uint32_t *ret_entry);
void gang_free_entry(struct engine *e, uint32_t entry);

/* The group's entry is this one from now on, or none (0); the old one goes. */
void gang_set_entry(struct engine *e, uint32_t group, uint32_t entry);

/* Looks at the group anew: who must be held, what waits, who gives back. */
void gang_review(struct engine *e, uint32_t group);

/* The group is in this mode from now on: its members are held, wait with it, or wait alone. */
void gang_set_mode(struct engine *e, struct group *group, enum group_mode mode);

/* Its members are told that it can never fit, or no longer are, if that is news. */
void gang_tell(struct engine *e, uint32_t group);

/* Its members that are only reserved give back; how many did. */
uint32_t gang_give_back(struct engine *e, struct group *group);

/* The grant: what waited, a pod or a gang, has got its turn. Of a gang the members are reserved. */
void claim_grant(struct engine *e, uint32_t claim, const uint16_t *flavors);

/* The members that are only reserved give back, all of them, if the gang would not be whole without
 * this one. Returns how many did; 0: it is one of those beyond the minimum. */
uint32_t gang_demote(struct engine *e, uint32_t claim);

/* A gang of which a part has its nodes is made whole before others are granted anything. */
void gang_begin(struct engine *e);

const char *gang_check(const struct engine *e, uint32_t group);

#endif
