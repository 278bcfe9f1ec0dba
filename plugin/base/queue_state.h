/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_QUEUE_STATE_H
#define SLUICE_PLUGIN_BASE_QUEUE_STATE_H

#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The states of a queue, and what commands make of them. `close` is Closed where no group is left,
 * else Closing:
 *
 *                     open     close     suspend      resume
 *   Open, Unknown     Open     close     Suspended    -
 *   Closing           Open     close     Suspended    -
 *   Suspended         Open     close     -            Open
 *   Closed            Open     -         -            -
 *
 * A queue has the state that its own commands left it in, and, while its parent is not open, the
 * one that the parent's makes of that: Suspended, or what closing makes of it. One that is being
 * closed by itself stays so below a suspended parent, as a suspended queue takes what is new; that
 * nothing is granted there follows from the parent. Only what the parent made is undone when it
 * opens again: so a child that was suspended by itself goes on where it was. Nothing else tells
 * that it is the parent's but a mark on the object, which says what the queue goes back to.
 *
 * Hold and HoldAndDrain are Kueue's: they come and go with the object, no command knows them.
 */
enum queue_state {
    QUEUE_OPEN,
    QUEUE_CLOSING,
    QUEUE_CLOSED,
    QUEUE_SUSPENDED,
    QUEUE_UNKNOWN,
    QUEUE_HOLD,
    QUEUE_HOLD_AND_DRAIN,
    QUEUE_STATES
};

enum queue_action {
    ACTION_OPEN,
    ACTION_CLOSE,
    ACTION_SUSPEND,
    ACTION_RESUME,
    QUEUE_ACTIONS,
};

const char *queue_state_name(enum queue_state state);

/* The state of this name. None is Open; any that is not known is Unknown. */
enum queue_state queue_state_of(struct text name);

/* "OpenQueue", ...; QUEUE_ACTIONS: it is none of them. */
enum queue_action queue_action_of(struct text name);

/* The table. empty: no group is left in the queue or below it. */
enum queue_state queue_state_after(enum queue_state from, enum queue_action action, bool empty);

/* What a parent in this state makes of a child's own. `now` is the child's state so far: who is
 * Closed stays it, whoever comes late. */
enum queue_state queue_state_under(enum queue_state parent, enum queue_state own,
                                   enum queue_state now, bool empty);

/* Whether new pods and groups are refused. */
static inline bool queue_state_refuses(enum queue_state state)
{
    return state == QUEUE_CLOSING || state == QUEUE_CLOSED;
}

/* Annotations of a queue's object. */
#define QUEUE_CLOSED_BY_PARENT "volcano.sh/closed-by-parent"
#define QUEUE_SUSPENDED_BY_PARENT "volcano.sh/suspended-by-parent"
#define QUEUE_CREATE_SUSPENDED "sluice.sh/create-suspended"

/* What an object says of its queue's state: a status, and at most one of two marks. */
enum { STATE_UNSAID = QUEUE_STATES };

struct queue_written {
    uint8_t state;                   /* STATE_UNSAID: none */
    uint8_t closed_by, suspended_by; /* the marks: 0, or 1 + the state that it goes back to */
};

/* The mark's value: "true" goes back to Open. Anything else that names no state is no mark. */
uint8_t queue_mark_of(struct text value);
const char *queue_mark_text(uint8_t mark); /* "" of none */

static inline bool queue_written_same(struct queue_written a, struct queue_written b)
{
    return a.state == b.state && a.closed_by == b.closed_by && a.suspended_by == b.suspended_by;
}

/* What the object of a queue should say, and what the queue's own state was when it said so. A mark
 * of another state means nothing: it was written, and the state was not. */
struct queue_written queue_write_state(enum queue_state state, enum queue_state own);
enum queue_state queue_read_own(struct queue_written written);

#endif
