/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GROUP_HOME_H
#define SLUICE_PLUGIN_PODS_GROUP_HOME_H

#include "group.h"

#include <stdint.h>

/*
 * Where groups and their members belong.
 *
 * A PodGroup that names a queue counts there as long as its object is there and it is not over: a
 * queue that closes is Closed when none is left, whether it has pods or not. Its members are in
 * that queue; those of one that names none, or is not there, are each where it would be without the
 * group. So a member keeps in mind what its pod says of that.
 *
 * A PodGroup that we made follows its owner's edits (group_follow.h). There, who is bound stays
 * where it was granted: its owner does not move it, but replaces it. So does who is bound in a
 * group whose object is gone; and a lone pod, bound or not, as long as it has what it was granted,
 * unless the queue that it names by now has room for it. After a restart that is where its stamp
 * says, or, where it does not tell, its pod.
 *
 * Who is bound, and neither was granted anywhere nor may use the queue that it would be in, takes
 * nothing from those who may: it counts in `default`.
 */
struct engine;
struct pod_facts;

/* The group's object names this queue; 0: none, or there is no object. */
void group_set_home(struct engine *e, uint32_t group, uint32_t queue);

/* Its queue's name, if it has one of its own. */
bool group_names_queue(const struct engine *e, uint32_t group, struct text *ret_queue);

/* Its members, or those that have ended, are others. */
void group_count_home(struct engine *e, uint32_t group);

/* What the pod says: words that are then given to group_note_own, or given back. Negative on
 * error. */
int group_read_own(struct engine *e, const struct pod_facts *pod, struct member_own *ret_own);
void group_drop_own(struct engine *e, struct member_own *own);

/* Leaves in *own what was noted before. */
void group_note_own(struct engine *e, uint32_t claim, struct member_own *own);

/* What a pod asks for, and where, that is to be in this group, or, with 0, in none: a line, with a
 * use of it, in a new queue, it may be. claim: the pod's; 0: a new one. Negative on error; the line
 * may be there then, too. */
int group_find_line(struct engine *e, uint32_t group, uint32_t claim, const struct pod_facts *pod,
                    uint32_t *ret_line);

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

/* They go; what holds room gives it back, and asks anew where it is now. */
void group_make_moves(struct engine *e, struct group_moves *moves);

/* The claim is, or becomes, a member of the group: it may be in another queue than the others. */
void group_note_queue(struct engine *e, uint32_t group, uint32_t claim);

/* How many of its members may go is another number: whoever wants their room asks again, in each
 * queue that they are in. */
void group_candidates_changed(struct engine *e, uint32_t group);

const char *group_check_home(const struct engine *e, uint32_t group);

#endif
