/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GROUP_MOVE_H
#define SLUICE_PLUGIN_PODS_GROUP_MOVE_H

#include <stdbool.h>
#include <stdint.h>

/* The members of a group that comes to name another queue, or none, go where they count then
 * (place.h): first all that it needs is read, then they go in one step. */

struct engine;
struct group_move;

/* Members that must be elsewhere, with all that they need for it. */
struct group_moves {
    struct group_move *move;
    uint32_t count, cap;
};

/* What a group's object is about to say of where its members are. */
struct group_place {
    uint32_t queue;    /* 0: it names none, or there is no object */
    bool known;        /* there is an object */
    bool ours;         /* we made it */
    bool not_selected; /* that queue is not for its namespace */
};

/* Negative on error; then, too, what was read is to be dropped. */
int group_read_moves(struct engine *e, uint32_t group, const struct group_place *place,
                     struct group_moves *ret_moves);
void group_drop_moves(struct engine *e, struct group_moves *moves);

/* They go; what holds room gives it back, and asks anew where it is now. Those that run stay where
 * there is no room for them, and are given back with the rest. */
void group_make_moves(struct engine *e, uint32_t group, struct group_moves *moves);

const char *group_check_moves(const struct engine *e, uint32_t group);

#endif
