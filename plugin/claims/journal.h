/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_JOURNAL_H
#define SLUICE_PLUGIN_CLAIMS_JOURNAL_H

#include "plugin/engine.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What became of the pods in the last call, for whoever watches: kept only if the configuration
 * asks for it, taken by engine_next_event, and no part of the state: it is not in the digest, and
 * nothing is decided by it.
 *
 *   room ─▶ | event | event |...               | names, each once in a row, with a NUL behind |
 *             ▲ first      ▲ count
 *
 * The names are copied, since a pod or a queue may be gone when its event is read. A full journal
 * loses the newest events, and counts them. Pods that do not obey the queues leave no events.
 */
enum {
    JOURNAL_EVENTS = 320, /* more than one slice of work makes */
    JOURNAL_TEXT = 40 << 10,
};

struct journal {
    struct journal_room *room; /* NULL: nothing is kept */
    uint32_t first, count, text_len;
    uint32_t going; /* the claim that is about to be forgotten, and has left */
    uint64_t lost;
};

/* What became of the pods since the last call, for a tracer. Times are in the engine's time, in ns,
 * and -1 if they are not known: of what was there before the engine knew all.
 *
 *                 a                         b
 *   seen          since its creation
 *   eligible      since it was seen; -1 if this is not the first time
 *   granted       since it was eligible     since its creation
 *   handed out    since the grant                                  the host is to remove its gate
 *   acknowledged  since the grant           since its creation     its gate is gone
 *   reserved      since the grant                                  it has a node
 *   bound         since it was reserved     since its creation
 *   released      since the grant           enum claim_state that it was in, and POD_GONE
 *   leased        enum effect_kind          which attempt
 *   retried       enum effect_kind          which attempt has failed
 */
enum event_kind {
    EVENT_SEEN,
    EVENT_ELIGIBLE,
    EVENT_GRANTED,
    EVENT_HANDED_OUT,
    EVENT_ACKNOWLEDGED,
    EVENT_RESERVED,
    EVENT_BOUND,
    EVENT_RELEASED,
    EVENT_LEASED,
    EVENT_RETRIED
};
enum { POD_GONE = 256 };

struct event {
    enum event_kind kind;
    uint64_t pod;   /* a number that no other pod of this engine has */
    uint64_t queue; /* by its kind and name: the same in every engine */
    const char *queue_name, *space, *name;
    int64_t a, b;
};

/* Takes the oldest event; its names are valid until the next call that is not const. False: none is
 * left. [config.journal, or there is never one] */
bool engine_next_event(struct engine *engine, struct event *ret_event);

/* How many events found no room since this was last asked. */
uint64_t engine_take_lost_events(struct engine *engine);

/* -1: no memory. */
int journal_init(struct journal *journal, struct mem *mem);
void journal_finish(struct journal *journal, struct mem *mem);

/* A claim was made for a pod. */
void journal_seen(struct engine *e, uint32_t claim, const struct pod_facts *pod);

/* The pod is seen again: its gates may have gone, it may be bound. [before that is noted] */
void journal_observed(struct engine *e, uint32_t claim, const struct pod_facts *pod);
void journal_ungated(struct engine *e, uint32_t claim);
void journal_bound(struct engine *e, uint32_t claim);

/* The claim is about to be in this state. [before the change, and also where there is none] */
void journal_change(struct engine *e, uint32_t claim, enum claim_state next);

/* The host is told to remove the claim's gates. */
void journal_handed_out(struct engine *e, uint32_t claim);

/* An effect of this kind went out, or comes again after so many attempts. */
void journal_effect(struct engine *e, uint32_t claim, enum event_kind kind, enum effect_kind effect,
                    uint32_t attempts);

/* The claim is about to be forgotten. [claim_change to held follows] */
void journal_gone(struct engine *e, uint32_t claim);

const char *journal_check(const struct engine *e);

#endif
