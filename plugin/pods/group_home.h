/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GROUP_HOME_H
#define SLUICE_PLUGIN_PODS_GROUP_HOME_H

#include <stdint.h>

/*
 * Where groups and their members belong.
 *
 * A PodGroup that names a queue counts there as long as its object is there and it is not over: a
 * queue that closes is Closed when none is left, whether it has pods or not. Its members are in
 * that queue; those of one that names none, or is not there, are each where it would be without the
 * group. So a member keeps in mind what its pod says of that.
 *
 * Those that run stay where they count, unless there is room where they are to go (place.h). Of a
 * PodGroup that we made, and of one whose object is gone, they stay in any case: their owner does
 * not move them, but replaces them (group_follow.h).
 *
 * Who is bound, and neither was granted anywhere nor may use the queue that it would be in, takes
 * nothing from those who may: it counts in `default`.
 */
struct engine;

/* The group's object names this queue; 0: none, or there is no object. */
void group_set_home(struct engine *e, uint32_t group, uint32_t queue);

/* Its members, or those that have ended, are others. */
void group_count_home(struct engine *e, uint32_t group);

/* How many of its members may go is another number: whoever wants their room asks again, in each
 * queue that they are in. */
void group_candidates_changed(struct engine *e, uint32_t group);

const char *group_check_home(const struct engine *e, uint32_t group);

#endif
