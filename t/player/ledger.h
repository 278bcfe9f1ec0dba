/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_LEDGER_H
#define SLUICE_T_PLAYER_LEDGER_H

#include "t/kit/peek.h"
#include "t/player/message.h"

/*
 * The effects that were drained, as a host remembers them, and what PROTOCOL.md promises of them:
 *
 *   - one that is under way is not given again before its lease has ended, at a tick, or a call
 *     that does what is due, a minute later;
 *   - one that was acknowledged as done or gone is never given again under its id;
 *   - one that comes again says how often it came;
 *   - a pod, a workload or a replica has one under way at a time.
 */
enum { LEDGER_EFFECTS = 4096, LEDGER_UID = 68 };

struct ledger_effect {
    int64_t id;
    int64_t drained; /* time of the engine when it was drained last */
    uint32_t attempt;
    bool under_way;      /* drained, and neither acknowledged nor known to have ended */
    bool finished;       /* acknowledged as done or gone */
    bool doubtful;       /* an ack of it may have counted, or not */
    bool may_have_ended; /* a tick came after its minute, or the lead was lost */
    char name[MESSAGE_REFERENCE];
};

struct ledger {
    uint32_t seen_count;
    char seen[LEDGER_EFFECTS][LEDGER_UID]; /* uids that observe has shown, the last of them */
    uint32_t count;
    struct ledger_effect effects[LEDGER_EFFECTS];
};

/* Nothing was drained, and nothing seen. Its room is left as it is. */
void ledger_clear(struct ledger *ledger);

/* "kind|uid|namespace|name" of an effect of an answer. */
void ledger_name(const struct msg_reader *effect, char ret[MESSAGE_REFERENCE]);

/* The effect of an id; NULL: never drained. */
struct ledger_effect *ledger_find(struct ledger *ledger, int64_t id);

/* The effect of this name that was drained last; NULL: there was none. */
struct ledger_effect *ledger_named(struct ledger *ledger, const char *name);

/* An effect was drained. Returns what promise that breaks, or NULL. */
const char *ledger_drained(struct ledger *ledger, const struct msg_reader *effect, int64_t now);

/* The library knew the ack of this id, or not. Returns what promise that breaks, or NULL. */
const char *ledger_acked(struct ledger *ledger, int64_t id, bool finished, bool known);

/* Drained, and neither acknowledged nor known to have ended. */
bool ledger_is_under_way(struct ledger *ledger, int64_t id);

/* Nobody knows whether an ack of this id counted. */
void ledger_doubt(struct ledger *ledger, int64_t id);

/* A tick, or a call that does what is due, came at this time: leases of a minute ago ended, and
 * pods may be forgotten that only pre_enqueue has named. */
void ledger_tick(struct ledger *ledger, int64_t now);

/* The object of this uid is gone: nothing of it is under way any more. */
void ledger_lose(struct ledger *ledger, const char *uid);

/* An object was seen, by observe or not: nothing is under way any more of another one that had its
 * name. */
void ledger_see(struct ledger *ledger, const struct msg_reader *object, bool observed);

/* A pod is over, exempt, or neither opted in, by its annotation or for a group, nor gated: what was
 * under way for it is over with its claim. */
bool ledger_leaves_alone(const struct msg_reader *pod);

/* The lead was lost or won: nothing is promised of what is under way. */
void ledger_hand_over(struct ledger *ledger);

#endif
