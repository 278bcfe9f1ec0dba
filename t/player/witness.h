/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_WITNESS_H
#define SLUICE_T_PLAYER_WITNESS_H

#include "t/player/ledger.h"
#include "t/player/message.h"

/*
 * Sees every call, and holds the library to what PROTOCOL.md says of all of them:
 *
 *        the host's messages ──▶ library
 *                          └───▶ twin: hears only the calls that succeeded and may change something
 *
 *   - where another library is loaded beside this one, it answers the same (beside.h);
 *   - an answer is one message, as long as was said, with `pending`, `next` and `more`; an error
 *     has a code of sluice.h, and its map;
 *   - the twin gives the same answers and has the same digest, also right after an error and after
 *     a call that reads: so nothing but what it heard counts, hidden or not;
 *   - every invariant of the engine holds;
 *   - effects are leased as the ledger says; `unknown` counts the acks that came to nothing;
 *   - `more` comes to an end, and `next` is in the future when it did;
 *   - what is pending is given, and what is not is not;
 *   - the short form of pre_enqueue says what the long form says;
 *   - at the end the recording plays to the same digest, and nothing of the memory is left.
 *
 * The first thing that is wrong stays in `wrong`; nothing is looked at after it.
 */
struct witness {
    uint64_t handle, twin;
    uint64_t calls;  /* that the host made */
    uint64_t errors; /* calls that were refused */
    int64_t now;     /* the engine's time */
    char digest[20];
    bool leads, synced;
    bool records, observes; /* as it was configured */
    int64_t result;         /* of the last call */
    uint8_t *answer;        /* of the last call, in a block of its own */
    int64_t pending, next;
    bool more;
    char wrong[512]; /* empty: nothing yet */
    struct ledger ledger;
};

/* False: the configuration was refused; nothing is open then. */
bool witness_open(struct witness *witness, const uint8_t *config, size_t len);

/* One message; its answer is in `answer` if `result` is at least 0. */
void witness_hear(struct witness *witness, const struct message *message, const uint8_t *bytes);

/* Inspects something; the answer stays valid until the next call. False: refused. */
bool witness_look(struct witness *witness, const uint8_t *request, size_t len,
                  struct msg_reader *ret_answer);

void witness_close(struct witness *witness);

/* What has these words in it is overlooked: it is known, and what is behind it is looked for. */
enum { WITNESS_OVERLOOKS = 16 };
bool witness_overlook(const char *words);

/* Says what is wrong, as printf does, if nothing was before. */
void witness_complain(struct witness *witness, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, of the map of an error that says that an invariant is broken. */
void witness_complain_broken(struct witness *witness, const char *hook, const uint8_t *map,
                             uint64_t len);

/* A reader over the last answer. */
void witness_answer(const struct witness *witness, struct msg_reader *ret);

/* Writes a message's bytes: its own, or its acks with the ids that they have now. */
uint32_t witness_write(struct witness *witness, const struct message *message, const uint8_t *bytes,
                       uint8_t out[MESSAGE_BYTES]);

#endif
