/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_LINE_H
#define SLUICE_PLUGIN_ORDER_LINE_H

#include "needs.h"
#include "plugin/base/facts.h"
#include "waiting.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A line: the claims of one queue that ask for the same. Either all of them fit or none does, so
 * only the first that waits matters, its head:
 *
 *   queue ─▶ classes (size_class.h) ─▶ heads of lines, by rank
 *                                head (1 cpu)    ─▶ claims that wait behind it, by rank (waiting.h)
 *                                head (1200m)    ─▶ ...
 *
 * Many lines are of one claim, so what only others need is apart from them: the crowd.
 */

struct line {
    uint32_t size_class;
    uint32_t head;        /* the first that waits */
    uint32_t crowd : 31;  /* of two claims at least: there are half as many; 0: one claim has it */
    uint32_t crowded : 1; /* somebody waits behind its head, or a head below that in the class's
                             tree */
    struct needs needs;
};

struct crowd {
    uint32_t users; /* claims, waiting or not */
    struct waiting behind;
};

struct engine;
struct bound;
struct shape;

/* The line of these requests, and one `pods`, in the queue: found or made, with one more user.
 * Requests of 0 ask for nothing. Negative on error. */
int line_get(struct engine *e, uint32_t queue, const struct named_amounts *requests, bool bare,
             uint32_t *ret_line);
bool line_same_requests(const struct engine *e, uint32_t a, uint32_t b);
bool line_same_needs(const struct engine *e, uint32_t a, uint32_t b); /* requests and queue */
void line_unref(struct engine *e, uint32_t line);

/* What its claims ask for; and whether it is just this. */
void line_shape(const struct engine *e, const struct line *line, struct shape *ret_shape);
bool line_asks_for(const struct engine *e, const struct line *line, const struct shape *shape);

/* The same as another line's, in another queue. */
int line_get_like(struct engine *e, uint32_t line, uint32_t queue, uint32_t *ret_line);

/* A line that is shared with nobody. While nobody waits in it, it is in no queue (0) or in any, and
 * asks for whatever it is told, or for nothing. */
int line_make_own(struct engine *e, uint32_t *ret_line);
void line_set_own(struct engine *e, uint32_t line, const struct shape *shape);
void line_clear_own(struct engine *e, uint32_t line);
void line_free_own(struct engine *e, uint32_t line);

/* For the end of the engine. */
void line_release(struct engine *e, uint32_t line);

/* A claim begins or ends to wait in its line. Returns whether the line has another head: else
 * nobody but the claims of this line can notice. */
bool line_join(struct engine *e, uint32_t claim);
bool line_leave(struct engine *e, uint32_t claim);

/* The least that those ask for who may be granted something (first_fit.h): of each resource that
 * all of them need. */
void line_bound(const struct engine *e, uint32_t queue, struct bound *ret_bound);

/* What each claim of the line asks for of a resource. */
int64_t line_asks(const struct engine *e, const struct line *line, uint32_t resource);

/* How many claims wait in the line; whether some wait behind its head. */
uint32_t line_waiting(const struct engine *e, const struct line *line);
bool line_is_crowded(const struct engine *e, const struct line *line);

/* The next one that waits in its line after this one that does, or 0. */
uint32_t line_next(const struct engine *e, uint32_t claim);

/* How many in the line wait before a claim, which may be any. */
uint32_t line_count_before(const struct engine *e, const struct line *line, uint32_t other);

/* The first behind the line's head that comes after a claim, or 0. It need not be one of them. */
uint32_t line_after(const struct engine *e, const struct line *line, uint32_t claim);

/* The first behind the line's head whose priority is below this one, or 0. */
uint32_t line_below(const struct engine *e, const struct line *line, int32_t priority);

#endif
