/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/host.h"

#include <stdio.h>
#include <string.h>

#include "hooks/encode.h"
#include "t/player/deed.h"

const char *const profile_names[PROFILES + 1] = {"pods",  "groups", "workloads",
                                                 "fleet", "all",    NULL};
static const int64_t a_second = INT64_C(1000000000);
static uint8_t request_bytes[MESSAGE_BYTES];

void host_init(struct host *host, enum profile profile, struct draws *draws,
               struct witness *witness, struct history *history, const uint8_t *config,
               size_t config_len)
{
    struct msg_reader request;

    memset(host, 0, sizeof(*host));
    host->profile = profile;
    host->draws = draws;
    host->witness = witness;
    host->history = history;
    host->version = 1;
    msg_reader_init(&request, config, config_len);
    host->now = peek_int(&request, "now", 0) + 20 * a_second;
}

void host_begin(struct msg_writer *w, uint32_t keys, int64_t now)
{
    msg_writer_init(w, request_bytes, sizeof(request_bytes));
    msg_put_map(w, keys);
    put_key_int(w, "now", now);
}

static void learn_effects(struct host *host, const struct msg_reader *answer)
{
    struct msg_reader effects;
    struct msg_array array;

    if (!peek(answer, "effects", &effects) || !msg_open_array(&effects, &array))
        return;
    for (; msg_next_item(&effects, &array); msg_skip_value(&effects)) {
        struct ack_line *line = &host->owed[host->owed_count];
        bool carried = host->orderly || draw(host->draws, 4) != 0;

        if (host->owed_count == HOST_OWED)
            return;
        *line = (struct ack_line){.id = peek_int(&effects, "id", 0)};
        ledger_name(&effects, line->effect);
        if (carried)
            line->result = (uint8_t)deed_carry_out(host, &effects, &line->version);
        else
            line->result = (uint8_t)draw(host->draws, 4);
        host->owed_count++;
    }
}

void host_say(struct host *host, struct message *message, const uint8_t *bytes, size_t len)
{
    struct msg_reader answer;

    message->len = (uint32_t)len;
    if (message->cap == 0)
        message->cap = message_room(message->hook);
    if (!history_add(host->history, message, bytes))
        return;
    message = &host->history->messages[host->history->count - 1];
    witness_hear(host->witness, message, history_bytes(host->history, message));
    if (host->witness->result < 0 || host->witness->wrong[0] != '\0')
        return;
    witness_answer(host->witness, &answer);
    if (message->hook == HOOK_DRAIN)
        learn_effects(host, &answer);
}

void host_send(struct host *host, enum hook_id hook, const struct msg_writer *w)
{
    struct message message = {.hook = hook};
    size_t len = msg_writer_length(w);

    if (!msg_writer_fits(w))
        return;
    if (!host->orderly && draw_once_in(host->draws, 24))
        len = message_damage(host->draws, request_bytes, len);
    if (host->early)
        message.cap = 1 + draw(host->draws, 400);
    else if (!host->orderly && draw_once_in(host->draws, 24))
        message.cap = 1 + draw(host->draws, 3000) + (draw(host->draws, 2) ? 16384u : 0);
    host_say(host, &message, request_bytes, len);
}

void host_write(struct host *host, enum cast kind, unsigned slot)
{
    host->objects[kind][slot].version = ++host->version;
    host->written[kind][slot] = host->objects[kind][slot];
}

void host_changed(struct host *host, enum cast kind, unsigned slot)
{
    struct object *object = &host->objects[kind][slot], *written = &host->written[kind][slot];

    written->version = object->version;
    if (memcmp(written, object, sizeof(*object)) == 0)
        return;
    host_write(host, kind, slot);
    if (host->show_count == HOST_SHOWS)
        return;
    host->shows[host->show_count].kind = kind;
    host->shows[host->show_count].slot = slot;
    host->show_count++;
}

void host_show(struct host *host, enum cast kind, unsigned slot)
{
    const struct size_class *cast = &cast_kinds[kind];
    const struct object *object = &host->objects[kind][slot];
    enum hook_id hook = kind == CAST_COMMAND ? HOOK_COMMAND : HOOK_OBSERVE;
    struct msg_writer w;

    host_begin(&w, 3u + (hook == HOOK_OBSERVE), host->now);
    if (hook == HOOK_OBSERVE)
        put_key_str(&w, "kind", cast->name);
    put_key_bool(&w, "gone", !object->there);
    msg_put_key(&w, hook == HOOK_OBSERVE ? "object" : "command");
    object_put(&w, cast, object, slot, object->there);
    host_send(host, hook, &w);
}

void host_show_changed(struct host *host)
{
    uint32_t at;
    enum cast kind;
    unsigned slot;

    if (host->show_count == 0)
        return;
    at = host->orderly ? 0 : draw(host->draws, host->show_count);
    kind = host->shows[at].kind;
    slot = host->shows[at].slot;
    host->show_count--;
    memmove(&host->shows[at], &host->shows[at + 1],
            (host->show_count - at) * sizeof(host->shows[0]));
    host_show(host, kind, slot);
}

void host_tick(struct host *host)
{
    struct msg_writer w;

    host_begin(&w, 1, host->now);
    host_send(host, HOOK_TICK, &w);
}

void host_drain(struct host *host)
{
    struct msg_writer w;
    bool some = !host->orderly && draw(host->draws, 2) == 1;

    host_begin(&w, some ? 2 : 1, host->now);
    if (some)
        put_key_int(&w, "max", 1 + (int64_t)draw(host->draws, 3));
    host_send(host, HOOK_DRAIN, &w);
}

/* Some of the acks that are owed; some of them stay, to be sent again; some are made up. */
void host_acknowledge(struct host *host)
{
    struct message message = {.hook = HOOK_ACK, .now = host->now};
    unsigned count = host->orderly ? MESSAGE_ACKS : 1 + draw(host->draws, 2);

    while (message.ack_count < count && host->owed_count > 0) {
        uint32_t at = host->orderly ? 0 : draw(host->draws, host->owed_count);
        struct ack_line *line = &message.acks[message.ack_count++];

        *line = host->owed[at];
        if (!host->orderly && draw_once_in(host->draws, 8))
            continue; /* it comes once more later */
        host->owed_count--;
        memmove(&host->owed[at], &host->owed[at + 1],
                (host->owed_count - at) * sizeof(host->owed[0]));
        if (!host->orderly && draw_once_in(host->draws, 12))
            message.ack_count--; /* never */
    }
    if (!host->orderly && draw_once_in(host->draws, 12) && message.ack_count < MESSAGE_ACKS)
        message.acks[message.ack_count++] = (struct ack_line){
            .id = (int64_t)draw(host->draws, 3) << 60 | (int64_t)draw(host->draws, 64) << 2};
    if (message.ack_count > 0)
        host_say(host, &message, NULL, 0);
}
