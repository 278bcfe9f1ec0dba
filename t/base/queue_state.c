/* SPDX-License-Identifier: Apache-2.0 */

/* The table of states and commands, what a parent makes of its children, and the marks. */
#include "plugin/base/queue_state.h"

#include "t/kit/tap.h"

static const enum queue_state states[] = {QUEUE_OPEN, QUEUE_UNKNOWN, QUEUE_CLOSING, QUEUE_SUSPENDED,
                                          QUEUE_CLOSED};
enum { ROWS = sizeof(states) / sizeof(states[0]) };

static void test_table(void)
{
    static const enum queue_state empty[ROWS][QUEUE_ACTIONS] = {
        {QUEUE_OPEN, QUEUE_CLOSED, QUEUE_SUSPENDED, QUEUE_OPEN},
        {QUEUE_OPEN, QUEUE_CLOSED, QUEUE_SUSPENDED, QUEUE_UNKNOWN},
        {QUEUE_OPEN, QUEUE_CLOSED, QUEUE_SUSPENDED, QUEUE_CLOSING},
        {QUEUE_OPEN, QUEUE_CLOSED, QUEUE_SUSPENDED, QUEUE_OPEN},
        {QUEUE_OPEN, QUEUE_CLOSED, QUEUE_CLOSED, QUEUE_CLOSED},
    };

    for (int row = 0; row < ROWS; row++) {
        for (enum queue_action action = 0; action < QUEUE_ACTIONS; action++) {
            enum queue_state full = empty[row][action];

            if (action == ACTION_CLOSE && states[row] != QUEUE_CLOSED)
                full = QUEUE_CLOSING;
            is_str(queue_state_name(queue_state_after(states[row], action, true)),
                   queue_state_name(empty[row][action]), "%s, empty, action %d",
                   queue_state_name(states[row]), (int)action);
            is_str(queue_state_name(queue_state_after(states[row], action, false)),
                   queue_state_name(full), "%s, with groups, action %d",
                   queue_state_name(states[row]), (int)action);
        }
    }
}

static void test_under(void)
{
    for (int row = 0; row < ROWS; row++) {
        enum queue_state own = states[row];

        is_int(queue_state_under(QUEUE_OPEN, own, own, false), own, "an open parent takes no part");
        is_int(queue_state_under(QUEUE_SUSPENDED, own, own, false),
               queue_state_refuses(own) ? own : QUEUE_SUSPENDED,
               "a suspended one suspends all but those that are closed, or closing");
        is_int(queue_state_under(QUEUE_CLOSING, own, own, false),
               own == QUEUE_CLOSED ? QUEUE_CLOSED : QUEUE_CLOSING, "a closing one closes");
        is_int(queue_state_under(QUEUE_CLOSED, own, own, true), QUEUE_CLOSED,
               "at once where nobody is left");
    }
    is_int(queue_state_under(QUEUE_CLOSED, QUEUE_OPEN, QUEUE_CLOSED, false), QUEUE_CLOSED,
           "who is closed stays it, whoever comes late");
}

/* What is written tells a restart all that it must know. */
static void test_marks(void)
{
    struct queue_written written;

    for (int row = 0; row < ROWS; row++) {
        for (int up = 0; up < ROWS; up++) {
            enum queue_state own = states[row];
            enum queue_state state = queue_state_under(states[up], own, own, false);

            written = queue_write_state(state, own);
            is_int(queue_read_own(written), own, "%s below %s comes back", queue_state_name(own),
                   queue_state_name(states[up]));
            ok(written.closed_by == 0 || written.suspended_by == 0, "by one mark at most");
            is_int(queue_mark_of(text_of(queue_mark_text(written.closed_by))), written.closed_by,
                   "whose text is read again");
        }
    }
    written = queue_write_state(QUEUE_SUSPENDED, QUEUE_OPEN);
    is_str(queue_mark_text(written.suspended_by), "true", "an open queue's mark is as Volcano's");
    written.state = QUEUE_OPEN;
    is_int(queue_read_own(written), QUEUE_OPEN, "a mark without its state means nothing");
    is_int(queue_mark_of(text_of("no")), 0, "nor does another word");
    written = (struct queue_written){.state = STATE_UNSAID, .closed_by = 1};
    is_int(queue_read_own(written), QUEUE_OPEN, "nor a mark of a queue without a state");
}

static void test_words(void)
{
    is_int(queue_state_of(text_of("")), QUEUE_OPEN, "no state is Open");
    is_int(queue_state_of(text_of("Closing")), QUEUE_CLOSING, "a known one is itself");
    is_int(queue_state_of(text_of("Hold")), QUEUE_UNKNOWN, "Kueue's are no states of an object");
    is_int(queue_state_of(text_of("closed")), QUEUE_UNKNOWN, "and another word is Unknown");
    is_int(queue_action_of(text_of("ResumeQueue")), ACTION_RESUME, "an action");
    is_int(queue_action_of(text_of("AbortJob")), QUEUE_ACTIONS, "no action of queues");
    ok(queue_state_refuses(QUEUE_CLOSING) && queue_state_refuses(QUEUE_CLOSED) &&
           !queue_state_refuses(QUEUE_SUSPENDED),
       "only who closes takes no more");
}

int main(void)
{
    test_table();
    test_under();
    test_marks();
    test_words();
    return tap_done();
}
