/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_HOST_H
#define SLUICE_T_PLAYER_HOST_H

#include "t/player/cast.h"
#include "t/player/witness.h"

/*
 * A host that does whatever a host may do, in any order: it shows objects that come, change, go and
 * come back, asks for pods, carries effects out or not, acknowledges them late, twice or never,
 * wins and loses the lead, lets time jump. Some of its messages are damaged on the way.
 */
enum profile {
    PROFILE_PODS,      /* pods, queues of all kinds, nodes, flavors, commands */
    PROFILE_GROUPS,    /* pods and their groups, some of them gangs */
    PROFILE_WORKLOADS, /* workloads that get their quota here */
    PROFILE_FLEET,     /* workloads that go to other clusters */
    PROFILE_ALL,
    PROFILES
};
extern const char *const profile_names[PROFILES + 1]; /* ends with NULL */

enum {
    HOST_OWED = 64,  /* acks that the host still means to send */
    HOST_SHOWS = 64, /* objects that changed and are to be shown */
};

enum permit { PERMIT_NONE, PERMIT_ALLOWED, PERMIT_REFUSED };

struct host {
    enum profile profile;
    struct draws *draws;
    struct witness *witness;
    struct history *history;
    int64_t now;     /* the host's clock */
    int64_t version; /* of the API server */
    bool early;   /* what it says comes from the future, and there is little room for the answer */
    bool orderly; /* it carries out all that it is asked for, and does nothing else */
    struct object objects[CAST_KINDS][CAST_SLOTS];
    struct object written[CAST_KINDS][CAST_SLOTS]; /* as they were at their versions */
    uint8_t nodes[CAST_SLOTS];                     /* where a pod's cycle puts it */
    enum permit permits[CAST_SLOTS]; /* what became of those that waited for their gang */
    uint32_t owed_count, show_count;
    struct ack_line owed[HOST_OWED];
    struct {
        enum cast kind;
        unsigned slot;
    } shows[HOST_SHOWS];
};

/* Draws a configuration. */
size_t host_configure(enum profile profile, struct draws *draws, uint8_t *out, size_t cap);

void host_init(struct host *host, enum profile profile, struct draws *draws,
               struct witness *witness, struct history *history, const uint8_t *config,
               size_t config_len);

/* moves.c: one call, or none if it had nothing to say; or a pod goes through the scheduler. */
void host_move(struct host *host);

/* Says this, and learns from the answer. */
void host_say(struct host *host, struct message *message, const uint8_t *bytes, size_t len);
void host_tick(struct host *host);
void host_announce(struct host *host, const char *kind, bool gone);
void host_drain(struct host *host);
void host_show(struct host *host, enum cast kind, unsigned slot);
void host_show_changed(struct host *host);
void host_acknowledge(struct host *host);

/* Begins a message of so many keys; its writer. */
void host_begin(struct msg_writer *w, uint32_t keys, int64_t now);

/* Says what was begun, perhaps damaged on its way. */
void host_send(struct host *host, enum hook_id hook, const struct msg_writer *w);

/* cycle.c: a pod goes through the scheduler; those that got an answer at permit go on. */
void host_cycle(struct host *host, unsigned pod);
void host_go_on(struct host *host);

/* A pod's uid, with its key. */
void host_put_uid(struct msg_writer *w, const struct host *host, unsigned pod);

/* questions.c: a hook of the framework about a pod; an admission; and what a person asks. */
void host_ask(struct host *host, enum hook_id hook, unsigned pod);
void host_ask_admission(struct host *host);
void host_inspect(struct host *host);

/* The object is written as it is, and so has a new version. */
void host_write(struct host *host, enum cast kind, unsigned slot);

/* An effect was written into the object: it has a new version, and will be shown, unless it was so
 * already. */
void host_changed(struct host *host, enum cast kind, unsigned slot);

#endif
