/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_PROMISE_H
#define SLUICE_PLUGIN_CLAIMS_PROMISE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Room that is on its way. A pod, a gang's minimum or a workload that waits is promised a place;
 * its victims go, which takes time; until then both are remembered in the book of pledge.h, and
 * counted here.
 *
 * Every queue counts its usage twice: as it is, and as it will be later, when the victims have gone
 * and those that were promised something have come. Who is not promised anything must fit in both:
 * so nobody takes the room that comes for another one, and nobody is preempted twice for one claim.
 * Who was promised must only fit in what is. A pod that is bound and deleted is counted as one that
 * goes, whoever deleted it: after a restart that is all that is known of victims, and it is enough.
 *
 * A pod that would not go is asked for a while only, and then left in peace for a while. A workload
 * stays at once when whom it goes for needs it no more, if nobody wrote to it yet.
 */
enum {
    PROMISE_PATIENCE_SECONDS = 60, /* a pod is asked to go for that long */
    PROMISE_SPARED_SECONDS = 300,  /* one that stayed is not asked again for that long */
};

#define PROMISE_WITHIN_ALL UINT64_MAX

struct assignment;
struct engine;

/* The claim, which waits, is promised this place; of the needs that have a bit in `within` it is
 * one within its queue's share. */
void promise_make(struct engine *e, uint32_t claim, const struct assignment *made, uint64_t within);

/* It has got one, or wants none any more. Its victims stay, until review.h looks at them; but where
 * both are workloads those do that still can. */
void promise_end(struct engine *e, uint32_t claim);
void promise_end_of_queue(struct engine *e, uint32_t queue); /* of all that wait in it */
void promise_end_all(struct engine *e);                      /* then no pod is a victim any more */

/* The victim, which holds room, goes for a claim that is promised it. */
void promise_take(struct engine *e, uint32_t victim, uint32_t of);

/* It holds nothing any more, or goes for another reason. [a workload: taken out] */
void promise_lose_victim(struct engine *e, uint32_t victim);

/* Whether a victim can still be left where it is: nobody wrote to it. And it is. */
bool promise_can_stay(const struct engine *e, uint32_t victim);
void promise_let_stay(struct engine *e, uint32_t victim);

/* What was to be written into a workload was not: who goes for nobody any more stays, and who is
 * spared now (queue_spares). */
void promise_reconsider(struct engine *e, uint32_t victim);

/* A pod is bound, and deleted. */
void promise_set_ending(struct engine *e, uint32_t claim, bool ending);

/* Around every change of a claim's state: it holds room now, or no longer. */
void promise_note_change(struct engine *e, uint32_t claim, bool went_before);

/* What the claim holds, or is promised, counts later, or (-1) no longer. For a search that takes
 * it back. */
void promise_count(struct engine *e, uint32_t claim, int sign);

/* In what is used later: as if its promise had ended, and who need not go stayed; or (-1) as it is
 * again. For a review that takes it back. */
void promise_suppose_end(struct engine *e, uint32_t claim, int sign);

/* When something is due for a claim's sake; INT64_MAX: never. A pod would not go: it stays, and is
 * nobody's victim for a while; or that is over. */
int64_t promise_deadline(const struct engine *e, uint32_t claim);
void promise_expire(struct engine *e, uint32_t claim);

/* Somebody below the root of this queue holds room and will not for long. */
bool promise_comes(const struct engine *e, uint32_t queue);

/* at_rest: nothing is left to do now. */
const char *promise_check(const struct engine *e, bool at_rest);

#endif
