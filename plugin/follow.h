/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FOLLOW_H
#define SLUICE_PLUGIN_FOLLOW_H

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
 * While it names another queue than the newest asks for, its members that hold nothing are held:
 * they would be granted room where nobody wants them any more. What runs stays where it was
 * granted (group_home.h).
 */

struct engine;
struct group;
struct group_effect;

/* What a member asks of its group is noted; or it ends to be a member. */
void follow_note(struct engine *e, uint32_t claim);
void follow_leave(struct engine *e, uint32_t claim);

/* What is asked for as its minimum; 0: nobody asks. */
int32_t follow_minimum(const struct engine *e, const struct group *group);

/* What a group is to say. [somebody asks] */
void follow_describe(const struct engine *e, const struct group *group, struct group_effect *ret);

/* It was made by us, and says something else. */
bool follow_changes(const struct engine *e, const struct group *group);

/* It is about to name another queue. */
bool follow_moves(const struct engine *e, const struct group *group);

const char *follow_check(const struct engine *e, uint32_t group);

#endif
