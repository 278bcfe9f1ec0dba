/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GROUP_FOLLOW_H
#define SLUICE_PLUGIN_PODS_GROUP_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A PodGroup that we made says what its pods ask for, also after their owner was edited:
 *
 *   members that ask ──▶ the newest of them ──▶ queue, minimum, what that needs, priority class
 *                                                    │
 *                 PodGroup, if it says otherwise ◀───┘ changed under its resourceVersion
 *
 * The newest was made from what the owner says now. One that others made is theirs, whatever the
 * pods ask for.
 *
 * In a rollout pods of an older template stand beside it: the host says which, as an owner may also
 * go back to a template. Those are older than any other. One that waits, or was granted and has no
 * node yet, and asks for something else than the newest does, is held: it gets nothing that its
 * owner wants no more, and the newer ones come first. It stands for the pod that takes its place
 * (gang.h).
 *
 * While it names another queue than the newest asks for, its members that hold nothing are held:
 * they would be granted room where nobody wants them any more. What runs stays where it was
 * granted (group_home.h).
 */

struct engine;
struct group;
struct group_effect;
struct sentence;

/* Around every change of what a member asks of its group, and of its age. */
void group_follow_leave(struct engine *e, uint32_t claim);
void follow_join(struct engine *e, uint32_t claim);

/* What is asked for as its minimum; 0: nobody asks. */
int32_t group_follow_minimum(const struct engine *e, const struct group *group);

/* What a group is to say. [somebody asks] */
void group_follow_describe(const struct engine *e, const struct group *group,
                           struct group_effect *ret);

/* It was made by us, and says something else. */
bool group_follow_changes(const struct engine *e, const struct group *group);

/* It is about to name another queue; says which. */
bool group_follow_moves(const struct engine *e, const struct group *group);
void follow_say_move(const struct engine *e, const struct group *group, struct sentence *say);

/* Whether a newer pod takes a member's place, so that it is granted nothing. */
bool follow_supersedes(const struct engine *e, uint32_t claim);

const char *group_follow_check(const struct engine *e, uint32_t group);

#endif
