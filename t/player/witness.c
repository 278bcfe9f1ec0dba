/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/witness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/sluice.h"
#include "hooks/encode.h"
#include "t/player/beside.h"
#include "t/player/promise.h"
#include "t/player/replay.h"

enum {
    LOOK_BYTES = 512 << 10, /* room for what the witness itself looks at */
    TICKS_MAX = 3000,       /* after so many ticks `more` does not end */
    DIGEST_EVERY = 8,       /* calls that succeed, for those that fail or read: each */
};
static uint8_t look_bytes[LOOK_BYTES];

static const char *overlooked[WITNESS_OVERLOOKS];

bool witness_overlook(const char *words)
{
    for (unsigned i = 0; i < WITNESS_OVERLOOKS; i++)
        if (overlooked[i] == NULL) {
            overlooked[i] = words;
            return true;
        }
    return false;
}

void witness_complain(struct witness *w, const char *what, ...)
{
    va_list args;

    if (w->wrong[0] != '\0')
        return;
    va_start(args, what);
    vsnprintf(w->wrong, sizeof(w->wrong), what, args);
    va_end(args);
    for (unsigned i = 0; i < WITNESS_OVERLOOKS && overlooked[i] != NULL; i++)
        if (strstr(w->wrong, overlooked[i]) != NULL)
            w->wrong[0] = '\0';
}

void witness_complain_broken(struct witness *w, const char *hook, const uint8_t *map, uint64_t len)
{
    struct msg_reader reader;
    char broken[200];

    msg_reader_init(&reader, map, len);
    peek_text(&reader, "value", broken, sizeof(broken));
    witness_complain(w, "%s: an invariant does not hold: %s", hook, broken);
}

static int64_t inspect(uint64_t handle, const uint8_t *request, size_t len)
{
    return sluice_inspect(handle, request, len, look_bytes, sizeof(look_bytes));
}

bool witness_look(struct witness *w, const uint8_t *request, size_t len,
                  struct msg_reader *ret_answer)
{
    int64_t result = inspect(w->handle, request, len);

    if (sluice_error_code(result) == SLUICE_BROKEN)
        witness_complain_broken(w, "inspect", look_bytes, sluice_error_length(result));
    if (result < 0)
        return false;
    msg_reader_init(ret_answer, look_bytes, (size_t)result);
    return true;
}

static bool look_at(struct witness *w, uint64_t handle, const char *what, struct msg_reader *ret)
{
    uint8_t request[64];
    struct msg_writer writer;
    int64_t result;

    msg_writer_init(&writer, request, sizeof(request));
    msg_put_map(&writer, 2);
    put_key_int(&writer, "now", 0);
    put_key_str(&writer, "what", what);
    result = inspect(handle, request, msg_writer_length(&writer));
    if (result < 0) {
        witness_complain(w, "inspect %s fails with code %d: %.200s", what,
                         sluice_error_code(result), (const char *)look_bytes + 1);
        return false;
    }
    msg_reader_init(ret, look_bytes, (size_t)result);
    return true;
}

static void read_digest(struct witness *w, uint64_t handle, char ret[20])
{
    struct msg_reader answer;

    ret[0] = '\0';
    if (look_at(w, handle, "digest", &answer))
        peek_text(&answer, "digest", ret, 20);
}

/* A build that checks them after each call says so itself, by the code BROKEN. */
static void check_invariants(struct witness *w)
{
#ifdef SLUICE_CHECK
    (void)w;
#else
    struct msg_reader answer;
    char broken[200];

    if (!look_at(w, w->handle, "check", &answer) || peek_bool(&answer, "ok", false))
        return;
    peek_text(&answer, "broken", broken, sizeof(broken));
    witness_complain(w, "an invariant does not hold: %s", broken);
#endif
}

void witness_answer(const struct witness *w, struct msg_reader *ret)
{
    msg_reader_init(ret, w->answer, w->result < 0 ? 0 : (size_t)w->result);
}

/* Both have the same digest: nothing has changed that the twin did not hear of. */
static void check_digests(struct witness *w, const char *hook, const char *why)
{
    char twin[20];

    read_digest(w, w->handle, w->digest);
    read_digest(w, w->twin, twin);
    if (strcmp(twin, w->digest) != 0)
        witness_complain(w, "%s: %s", hook, why);
}

/* The twin hears what succeeded, and must be no different. */
static void check_twin(struct witness *w, const struct message *message, const uint8_t *bytes,
                       uint32_t len)
{
    const char *hook = hook_table[message->hook].name;
    uint8_t *out = malloc(message->cap);
    int64_t result = call_run(message->hook, w->twin, bytes, len, out, message->cap);

    if (result != w->result || memcmp(out, w->answer, (size_t)result) != 0)
        witness_complain(w, "%s: another answer where calls that failed or read were left out",
                         hook);
    free(out);
    if (w->calls % DIGEST_EVERY == 0)
        check_digests(w, hook, "another digest where calls that failed or read were left out");
}

/* Calls tick as long as there is more to do, which must end. */
static void check_more_ends(struct witness *w)
{
    uint8_t request[32], out[256];
    struct msg_writer writer;
    struct msg_reader answer;
    bool more = true;

    msg_writer_init(&writer, request, sizeof(request));
    msg_put_map(&writer, 1);
    put_key_int(&writer, "now", w->now);
    for (int ticks = 0; more; ticks++) {
        int64_t result =
            sluice_tick(w->handle, request, msg_writer_length(&writer), out, sizeof(out));
        int64_t same = sluice_tick(w->twin, request, msg_writer_length(&writer), out, sizeof(out));

        if (result < 0 || same != result) {
            witness_complain(w, "tick fails with code %d", sluice_error_code(result));
            return;
        }
        beside_hear(w, HOOK_TICK, request, msg_writer_length(&writer), sizeof(out), result, out);
        msg_reader_init(&answer, out, (size_t)result);
        more = peek_bool(&answer, "more", false);
        w->pending = peek_int(&answer, "pending", -1);
        w->next = peek_int(&answer, "next", -1);
        if (ticks == TICKS_MAX) {
            witness_complain(w, "tick: more is true after %d ticks", TICKS_MAX);
            return;
        }
    }
    w->more = false;
    ledger_tick(&w->ledger, w->now);
    if (w->next != 0 && w->next <= w->now)
        witness_complain(w, "tick: nothing more is to do, and next is over");
}

static void take_announcement(struct witness *w, const uint8_t *bytes, uint32_t len)
{
    struct msg_reader request, object;
    char kind[16], uid[64];
    bool gone, shown;

    msg_reader_init(&request, bytes, len);
    peek_text(&request, "kind", kind, sizeof(kind));
    gone = peek_bool(&request, "gone", false);
    if (strcmp(kind, "synced") == 0)
        w->synced = true;
    if (strcmp(kind, "leader") == 0) {
        w->leads = !gone;
        ledger_hand_over(&w->ledger);
    }
    shown = peek(&request, "object", &object);
    if (shown ? !gone : peek(&request, "pod", &object))
        ledger_see(&w->ledger, &object, shown);
    if (shown && (gone || (strcmp(kind, "pod") == 0 && ledger_leaves_alone(&object)))) {
        peek_text(&object, "uid", uid, sizeof(uid));
        ledger_lose(&w->ledger, uid);
    }
}

/* What must hold of the answers of each hook. */
static void check_hook(struct witness *w, const struct message *message, const uint8_t *bytes,
                       uint32_t len, int64_t pending_before, bool was_settled)
{
    switch (message->hook) {
    case HOOK_DRAIN:
        promise_check_drained(w, pending_before, was_settled);
        break;
    case HOOK_ACK:
        promise_check_acks(w, bytes, len);
        break;
    case HOOK_OBSERVE:
        take_announcement(w, bytes, len);
        ledger_tick(&w->ledger, w->now);
        break;
    case HOOK_COMMAND:
        ledger_tick(&w->ledger, w->now);
        break;
    case HOOK_PRE_ENQUEUE:
        take_announcement(w, bytes, len);
        promise_check_verdict(w, bytes, len);
        break;
    case HOOK_PRE_FILTER:
    case HOOK_RESERVE:
        promise_check_pass(w, hook_table[message->hook].name);
        break;
    case HOOK_TICK:
        ledger_tick(&w->ledger, w->now);
        if (w->more)
            check_more_ends(w);
        else if (w->next != 0 && w->next <= w->now)
            witness_complain(w, "tick: nothing more is to do, and next is over");
        break;
    default:
        break;
    }
}

static void take_time(struct witness *w, const uint8_t *bytes, uint32_t len)
{
    struct msg_reader request;
    int64_t now;

    msg_reader_init(&request, bytes, len);
    now = peek_int(&request, "now", 0);
    if (now > w->now)
        w->now = now;
}

uint32_t witness_write(struct witness *w, const struct message *message, const uint8_t *bytes,
                       uint8_t out[MESSAGE_BYTES])
{
    struct msg_writer writer;

    if (message->ack_count == 0) {
        if (message->len > 0)
            memcpy(out, bytes, message->len);
        return message->len;
    }
    msg_writer_init(&writer, out, MESSAGE_BYTES);
    msg_put_map(&writer, 2);
    put_key_int(&writer, "now", message->now);
    msg_put_key(&writer, "acks");
    msg_put_array(&writer, message->ack_count);
    for (uint32_t i = 0; i < message->ack_count; i++) {
        const struct ack_line *line = &message->acks[i];
        const struct ledger_effect *effect = ledger_named(&w->ledger, line->effect);

        msg_put_map(&writer, line->version == 0 ? 2 : 3);
        put_key_int(&writer, "id", line->effect[0] != '\0' && effect ? effect->id : line->id);
        put_key_str(&writer, "result", message_results[line->result]);
        if (line->version != 0)
            put_key_int(&writer, "resourceVersion", line->version);
    }
    return (uint32_t)msg_writer_length(&writer);
}

void witness_hear(struct witness *w, const struct message *message, const uint8_t *bytes)
{
    const struct hook *hook = &hook_table[message->hook];
    int64_t pending_before = w->pending, time_before = w->now;
    bool more_before = w->more;
    uint8_t *request;
    uint32_t len;

    if (w->wrong[0] != '\0')
        return;
    request = malloc(MESSAGE_BYTES);
    len = witness_write(w, message, bytes, request);
    request = realloc(request, len > 0 ? len : 1); /* as long as it is, for the sanitizer */
    free(w->answer);
    w->answer = malloc(message->cap > 0 ? message->cap : 1);
    w->result = call_run(message->hook, w->handle, request, len, w->answer, message->cap);
    w->calls++;
    w->errors += w->result < 0;
    beside_hear(w, message->hook, request, len, message->cap, w->result, w->answer);
    promise_check_answer(w, hook->name, message->cap);
    check_invariants(w);
    if (w->wrong[0] == '\0' && w->result < 0) {
        check_digests(w, hook->name, "a call that failed has changed the state");
    } else if (w->wrong[0] == '\0' && hook->reads) {
        check_digests(w, hook->name, "a call that reads has changed the state");
    } else if (w->wrong[0] == '\0') {
        take_time(w, request, len);
        check_twin(w, message, request, len);
        check_hook(w, message, request, len, pending_before, w->now == time_before && !more_before);
    }
    free(request);
}

static void check_recording(struct witness *w)
{
    char digest[20];

    read_digest(w, w->handle, w->digest);
    if (!w->records || w->wrong[0] != '\0')
        return;
    if (!replay_recording(w->handle, digest)) {
        witness_complain(w, "the recording cannot be played");
        return;
    }
    if (digest[0] != '\0' && strcmp(digest, w->digest) != 0)
        witness_complain(w, "the recording plays to another digest");
}

bool witness_open(struct witness *w, const uint8_t *config, size_t len)
{
    struct msg_reader request;
    int64_t handle, twin;

    memset(w, 0, offsetof(struct witness, ledger));
    ledger_clear(&w->ledger);
    msg_reader_init(&request, config, len);
    w->now = peek_int(&request, "now", 0);
    w->records = peek_int(&request, "record", 0) > 0;
    w->observes = peek_bool(&request, "observeOnly", false);
    handle = sluice_open(config, len, look_bytes, sizeof(look_bytes));
    if (handle <= 0)
        return false;
    twin = sluice_open(config, len, look_bytes, sizeof(look_bytes));
    if (twin <= 0)
        witness_complain(w, "the same configuration does not open twice");
    w->handle = (uint64_t)handle;
    w->twin = (uint64_t)twin;
    beside_open(config, len);
    read_digest(w, w->handle, w->digest);
    return true;
}

void witness_close(struct witness *w)
{
    check_recording(w);
    if (sluice_close(w->handle) != 0 || sluice_close(w->twin) != 0)
        witness_complain(w, "close fails");
    beside_close();
    free(w->answer);
    w->answer = NULL;
}
