/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_MESSAGE_H
#define SLUICE_T_PLAYER_MESSAGE_H

#include "hooks/call.h"
#include "t/player/draws.h"

/*
 * What a host says to the library: a message, and a history of them. The bytes of all messages of a
 * history are in one arena, so that a history can lie in memory that processes share: the one that
 * plays it may crash, and the one that waits still knows what was played.
 */
enum {
    MESSAGE_BYTES = 16 << 10, /* the longest */
    MESSAGE_ACKS = 4,         /* acks in one message, at most */
    MESSAGE_REFERENCE = 384,  /* a name of an effect: kind, uid, namespace and name */
    HISTORY_MESSAGES = 2048,
    HISTORY_BYTES = 6 << 20,
};

/* An ack of an effect that an earlier message drained. It is told by what it is about, so that it
 * still means the same when messages before it are left out. */
struct ack_line {
    char effect[MESSAGE_REFERENCE]; /* "kind|uid|namespace|name"; empty: by the id alone */
    int64_t id;                     /* where no such effect was drained */
    int64_t version;                /* 0: none */
    uint8_t result;                 /* index into message_results */
};
extern const char *const message_results[5]; /* ends with NULL */

struct message {
    enum hook_id hook;
    uint32_t cap;       /* room for the answer */
    uint32_t at, len;   /* of its bytes in the arena; an ack with lines has none */
    uint32_t ack_count; /* lines; 0: the bytes are the message */
    int64_t now;        /* of an ack with lines */
    struct ack_line acks[MESSAGE_ACKS];
};

struct history {
    uint32_t config_len, count, used;
    uint8_t config[4096];
    struct message messages[HISTORY_MESSAGES];
    uint8_t arena[HISTORY_BYTES];
};

/* Changes a message on its way: a byte, a bit, or the end. Returns how long it is then. */
size_t message_damage(struct draws *draws, uint8_t *bytes, size_t len);

/* Room for the answer of a hook, unless the message says another: what they need, or much. */
uint32_t message_room(enum hook_id hook);

void history_clear(struct history *history);

/* False: the history is full. `message` is copied, its place in the arena is set. */
bool history_add(struct history *history, const struct message *message, const uint8_t *bytes);

/* There is room for a few hundred more messages. */
bool history_has_room(const struct history *history);

const uint8_t *history_bytes(const struct history *history, const struct message *message);

#endif
