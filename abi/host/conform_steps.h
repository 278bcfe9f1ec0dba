/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_STEPS_H
#define SLUICE_HOST_CONFORM_STEPS_H

#include "abi/host/conform_story.h"

/*
 * What stories are made of: objects that are seen, effects that are taken and acknowledged, the
 * state that is looked at.
 */

/* observe: everything is listed, this host leads; an object; that it is gone. */
void s_lead(struct story *s);
void s_see(struct story *s, const char *kind, const char *object, ...) STORY_FORMAT(3);
void s_lose(struct story *s, const char *kind, const char *object, ...) STORY_FORMAT(3);

/* A pod of the namespace n that opted in and has its gate, named as its uid; what else is said
 * replaces that or, of maps, joins it; nil takes a key away; `queue` is that of its annotation. */
void s_pod(struct story *s, const char *uid, const char *more, ...) STORY_FORMAT(3);
/* Such an object, to be freed. */
char *story_pod(const char *uid, const char *more, ...) STORY_FORMAT(2);

/* inspect of one pod: it is in this state. */
void s_state(struct story *s, const char *uid, const char *state);

/* drain of what fits; the id of the effect of this kind, about what has this uid or name, in the
 * last answer of drain or inspect: 0 if it is not there. */
void s_drain(struct story *s);
int64_t s_effect(const struct story *s, const char *kind, const char *about);
void s_ack(struct story *s, int64_t id, const char *result);
/* Drains and acknowledges until nothing is pending, at this time. */
void s_settle(struct story *s);

/* From the lead on: the pod p of the queue q is held, then granted, and what was needed is drained.
 * The id of the effect that activates it. */
int64_t s_wake(struct story *s);

void s_tick(struct story *s, int64_t now);

/* The library's time: that of a grant to a pod that is shown at 0. [it leads; default has room] */
int64_t s_clock(struct story *s);

/* The longest answer of a story that needs a large `out`. */
enum { STEPS_LARGE = 1 << 20 };

#endif
