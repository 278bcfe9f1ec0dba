/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_state.h"

const char *queue_state_name(enum queue_state state)
{
    static const char *const names[QUEUE_STATES] = {
        [QUEUE_OPEN] = "Open",
        [QUEUE_CLOSING] = "Closing",
        [QUEUE_CLOSED] = "Closed",
        [QUEUE_SUSPENDED] = "Suspended",
        [QUEUE_UNKNOWN] = "Unknown",
        [QUEUE_HOLD] = "Hold",
        [QUEUE_HOLD_AND_DRAIN] = "HoldAndDrain",
    };

    return names[state];
}

enum queue_state queue_state_of(struct text name)
{
    if (name.len == 0)
        return QUEUE_OPEN;
    for (enum queue_state state = QUEUE_OPEN; state <= QUEUE_UNKNOWN; state++) {
        if (text_is(name, queue_state_name(state)))
            return state;
    }
    return QUEUE_UNKNOWN;
}

enum queue_action queue_action_of(struct text name)
{
    static const char *const names[QUEUE_ACTIONS] = {
        [ACTION_OPEN] = "OpenQueue",
        [ACTION_CLOSE] = "CloseQueue",
        [ACTION_SUSPEND] = "SuspendQueue",
        [ACTION_RESUME] = "ResumeQueue",
    };
    enum queue_action action = ACTION_OPEN;

    while (action < QUEUE_ACTIONS && !text_is(name, names[action]))
        action++;
    return action;
}

enum queue_state queue_state_after(enum queue_state from, enum queue_action action, bool empty)
{
    switch (action) {
    case ACTION_OPEN:
        return QUEUE_OPEN;
    case ACTION_CLOSE:
        return from == QUEUE_CLOSED || empty ? QUEUE_CLOSED : QUEUE_CLOSING;
    case ACTION_SUSPEND:
        return from == QUEUE_CLOSED ? QUEUE_CLOSED : QUEUE_SUSPENDED;
    case ACTION_RESUME:
        return from == QUEUE_SUSPENDED ? QUEUE_OPEN : from;
    default:
        return from;
    }
}

enum queue_state queue_state_under(enum queue_state parent, enum queue_state own,
                                   enum queue_state now, bool empty)
{
    if (parent == QUEUE_SUSPENDED)
        return queue_state_refuses(own) ? own : QUEUE_SUSPENDED;
    if (queue_state_refuses(parent))
        return queue_state_after(own, ACTION_CLOSE, empty || now == QUEUE_CLOSED);
    return own;
}

uint8_t queue_mark_of(struct text value)
{
    if (text_is(value, "true"))
        return 1 + QUEUE_OPEN;
    for (enum queue_state state = QUEUE_CLOSING; state <= QUEUE_UNKNOWN; state++) {
        if (text_is(value, queue_state_name(state)))
            return (uint8_t)(1 + state);
    }
    return 0;
}

const char *queue_mark_text(uint8_t mark)
{
    if (mark == 0)
        return "";
    return mark == 1 + QUEUE_OPEN ? "true" : queue_state_name((enum queue_state)(mark - 1));
}

struct queue_written queue_write_state(enum queue_state state, enum queue_state own)
{
    struct queue_written written = {.state = (uint8_t)state};

    if (state == QUEUE_SUSPENDED && own != state)
        written.suspended_by = (uint8_t)(1 + own);
    else if (queue_state_refuses(state) && !queue_state_refuses(own))
        written.closed_by = (uint8_t)(1 + own);
    return written;
}

enum queue_state queue_read_own(struct queue_written written)
{
    if (written.state == STATE_UNSAID)
        return QUEUE_OPEN;
    if (written.state == QUEUE_SUSPENDED && written.suspended_by != 0)
        return (enum queue_state)(written.suspended_by - 1);
    if (queue_state_refuses((enum queue_state)written.state) && written.closed_by != 0)
        return (enum queue_state)(written.closed_by - 1);
    return (enum queue_state)written.state;
}
