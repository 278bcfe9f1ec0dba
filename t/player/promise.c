/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/promise.h"

#include <string.h>

#include "abi/sluice.h"

static const struct msg_limits answer_limits = {512 << 10, MSG_DEPTH_MAX};

static void check_error(struct witness *w, const char *hook, uint32_t cap)
{
    static const unsigned with_map = 1u << SLUICE_MESSAGE | 1u << SLUICE_FIELD |
                                     1u << SLUICE_UNSUPPORTED | 1u << SLUICE_LIMIT |
                                     1u << SLUICE_BROKEN;
    int code = sluice_error_code(w->result);
    uint64_t length = sluice_error_length(w->result);
    struct msg_reader map, value;
    size_t at;

    if (code == SLUICE_BROKEN)
        witness_complain_broken(w, hook, w->answer, length <= cap ? length : 0);
    else if (code == 0 || code > SLUICE_BROKEN || code == SLUICE_NO_HANDLE ||
             code == SLUICE_NO_MEMORY || code == SLUICE_ARGUMENT)
        witness_complain(w, "%s fails with code %d, which cannot be", hook, code);
    else if (code == SLUICE_TOO_SMALL && length <= cap)
        witness_complain(w, "%s says TOO_SMALL and wants no more than it has", hook);
    if ((with_map >> code & 1) == 0 || length == 0 || w->wrong[0] != '\0')
        return;
    if (length > cap || msg_check(w->answer, length, &answer_limits, &at) < 0) {
        witness_complain(w, "%s: the map of its error is no message", hook);
        return;
    }
    msg_reader_init(&map, w->answer, length);
    if (!peek(&map, "key", &value) || !peek(&map, "value", &value) || !peek(&map, "want", &value))
        witness_complain(w, "%s: the map of its error lacks a key", hook);
}

void promise_check_answer(struct witness *w, const char *hook, uint32_t cap)
{
    struct msg_reader answer, value;
    size_t at;

    if (w->result < 0) {
        check_error(w, hook, cap);
        return;
    }
    if (w->result > cap || msg_check(w->answer, (size_t)w->result, &answer_limits, &at) < 0) {
        witness_complain(w, "%s: its answer is no message of the length that it says", hook);
        return;
    }
    witness_answer(w, &answer);
    if (!peek(&answer, "pending", &value) || !peek(&answer, "next", &value) ||
        !peek(&answer, "more", &value)) {
        witness_complain(w, "%s: its answer lacks pending, next or more", hook);
        return;
    }
    w->pending = peek_int(&answer, "pending", -1);
    w->next = peek_int(&answer, "next", -1);
    w->more = peek_bool(&answer, "more", false);
    if (w->pending < 0 || w->next < 0)
        witness_complain(w, "%s: pending or next is below 0", hook);
}

void promise_check_drained(struct witness *w, int64_t pending_before, bool was_settled)
{
    struct msg_reader answer, effects;
    struct msg_array array;
    uint32_t count = 0;

    witness_answer(w, &answer);
    if (!peek(&answer, "effects", &effects) || !msg_open_array(&effects, &array)) {
        witness_complain(w, "drain: its answer has no effects");
        return;
    }
    while (msg_next_item(&effects, &array)) {
        const char *wrong = ledger_drained(&w->ledger, &effects, w->now);

        if (wrong != NULL)
            witness_complain(w, "drain: %s", wrong);
        msg_skip_value(&effects);
        count++;
    }
    if (count > 0 && !(w->leads && w->synced))
        witness_complain(w, "drain: an effect is given out before synced and leader");
    if (was_settled && pending_before == 0 && count > 0)
        witness_complain(w, "drain: nothing was pending, and an effect comes");
    if (was_settled && pending_before > 0 && count == 0)
        witness_complain(w, "drain: effects were pending, and none comes");
}

/* An ack counts once, of what is under way. Which of several in one message were unknown is not
 * said, unless all were, or none: else nothing more is held against them. */
void promise_check_acks(struct witness *w, const uint8_t *bytes, uint32_t len)
{
    struct msg_reader request, answer, acks;
    struct msg_array array;
    uint32_t count, never = 0;
    int64_t unknown;

    witness_answer(w, &answer);
    unknown = peek_int(&answer, "unknown", -1);
    msg_reader_init(&request, bytes, len);
    if (!peek(&request, "acks", &acks) || !msg_open_array(&acks, &array))
        return;
    count = array.left;
    for (; msg_next_item(&acks, &array); msg_skip_value(&acks)) {
        int64_t id = peek_int(&acks, "id", 0);
        const char *wrong;
        char result[16];

        peek_text(&acks, "result", result, sizeof(result));
        never += !ledger_is_under_way(&w->ledger, id);
        if (unknown > 0 && unknown < count)
            ledger_doubt(&w->ledger, id);
        wrong = ledger_acked(&w->ledger, id, strcmp(result, "done") == 0 || result[0] == 'g',
                             unknown == 0);
        if (wrong != NULL && (unknown == 0 || unknown == count))
            witness_complain(w, "ack: %s", wrong);
    }
    if (unknown < never || unknown > count)
        witness_complain(w, "ack: %ld of %u acks are unknown, of which %u cannot be known",
                         (long)unknown, count, never);
}

static bool is_short_form(const uint8_t *bytes, uint32_t len)
{
    struct msg_reader request, value;

    msg_reader_init(&request, bytes, len);
    return !peek(&request, "pod", &value);
}

/* Who passes is told no reason. */
bool promise_check_pass(struct witness *w, const char *hook)
{
    struct msg_reader answer;
    char reason[32], message[512];
    bool pass;

    witness_answer(w, &answer);
    pass = peek_bool(&answer, "pass", false);
    peek_text(&answer, "reason", reason, sizeof(reason));
    peek_text(&answer, "message", message, sizeof(message));
    if (pass && (reason[0] != '\0' || message[0] != '\0'))
        witness_complain(w, "%s: it passes, and has the reason %s", hook, reason);
    return pass;
}

void promise_check_verdict(struct witness *w, const uint8_t *bytes, uint32_t len)
{
    struct msg_reader answer, request;
    char message[512];
    bool pass = promise_check_pass(w, "pre_enqueue");

    witness_answer(w, &answer);
    msg_reader_init(&request, bytes, len);
    peek_text(&answer, "message", message, sizeof(message));
    if (!peek_bool(&request, "explain", false) && message[0] != '\0')
        witness_complain(w, "pre_enqueue: a message that was not asked for");
    if (!is_short_form(bytes, len) && !peek_bool(&answer, "known", false))
        witness_complain(w, "pre_enqueue: the long form is always known");
    if (!peek_bool(&answer, "known", true) && pass)
        witness_complain(w, "pre_enqueue: it passes what it does not know");
}
