/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_VICTIMS_H
#define SLUICE_T_ORACLE_VICTIMS_H

#include "t/oracle/limits.h"
#include "t/oracle/naive_flavors.h"

/* Who is promised room that others must leave: remembered are only the promises themselves, and who
 * goes; whatever follows from them is counted anew each time. */

/* Whether the host evicts pods. */
bool model_evicts(const struct model *model);

/* Whether somebody who holds room will not for long. */
bool model_goes(const struct model *model, const struct model_claim *claim);

/* The claim wants nothing any more, or something else. Its victims go on, for nobody alone. */
void model_end_promise(struct model *model, int uid);
void model_end_promises_of(struct model *model, int queue);
void model_ask_anew(struct model *model, struct model_claim *claim);

/* A claim that holds nothing is shown with the flavors of a stamp, it may be: it asks anew. */
void model_show_stamp(struct model *model, struct model_claim *claim);

/* This engine no longer leads: nobody is promised anything, and nobody must go. forget: it is
 * another one now, and does not know who was spared. */
void model_end_promises(struct model *model, bool forget);

/* Promises of those that do not wait any more are over. */
void model_note_promises(struct model *model);

/* A queue's object is shown: if it says something else, which is returned, its claims ask anew. */
bool model_edit_queue(struct model *model, int queue, const int64_t *spec);

/* Whether a gang asks for what it asked for before. */
bool model_asks_the_same(const struct model_claim *before, const struct model_claim *now);

/* A claim that fits, or all that lacks to a gang, is granted, with all that follows. */
void model_grant(struct model *model, int uid, const int flavors[RESOURCES]);

/* Below a root: promises that cannot be kept are over, victims that nobody needs stay, and who was
 * promised room and has it is granted: then true. */
bool model_keep_promises(struct model *model, int root);

/* The first claim that finds victims is promised their room; and this one, if it rather has that
 * than what it fits in. */
bool model_preempt(struct model *model, int root);
bool model_preempt_instead(struct model *model, int uid);

/* Whether those who fit in a queue may rather send others away. */
bool model_prefers_victims(const struct model *model, int queue);

/* All that there is, as the naive searches have it. */
void model_fill_tables(const struct model *model, struct naive_world *ret);

/* Whether a claim could be granted, if nobody used anything; world: the queues at least. */
bool model_could_ever(const struct model *model, const struct naive_world *world, int uid);

/* The victims that a claim would have, were it its turn, and the flavors in which it fits then.
 * False: none help, or it fits as it is. */
bool model_find_victims(const struct model *model, int uid, int ret_flavors[RESOURCES],
                        bool ret_within[RESOURCES], struct naive_victims *ret_victims);

/* A group of which none may go alone; -1: the pod is in none. */
int model_gang_of(const struct model *model, int uid);

/* How many of a gang must stay where one goes alone: of one that goes whole all that hold. */
int64_t model_keeps(const struct model *model, int group);

int64_t model_victim_deadline(const struct model_claim *claim);
void model_victim_expires(struct model *model, int uid);
void model_evict_answered(struct model *model, int uid, bool done);
bool model_wants_eviction(const struct model *model, const struct model_claim *claim);

/* The first claims of the queue's lines that are promised nothing, in order. */
enum { MODEL_LOOK = 16 };
int model_find_asking(const struct model *model, int queue, int ret_uids[MODEL_LOOK]);

#endif
