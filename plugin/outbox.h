/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_OUTBOX_H
#define SLUICE_PLUGIN_OUTBOX_H

#include "engine.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What the host must do in the world.
 *
 *          wanted                 lease               ack done
 *   none ─────────▶ ready ─────────────────▶ leased ────────────▶ none
 *     ▲               │  ▲                     │
 *     └───────────────┘  └──── backoff ◀───────┘ retry, conflict, lease ran out
 *       not wanted now
 *
 * Which effects a claim needs follows from its state alone, so an effect is never out of date: what
 * it says is read when it is leased. One of a kind is live for a claim, and one of all kinds is
 * under way. The claim's record is its memory: an effect can always be asked for.
 */
enum {
    OUTBOX_BACKOFF_MIN_MS = 100,
    OUTBOX_BACKOFF_MAX_MS = 60000,
    OUTBOX_LEASE_MS = 60000,
};

struct engine;

/* The claim changed: asks for what it now needs, drops what it no longer needs. */
void outbox_sync(struct engine *e, uint32_t claim);

/* What an effect under way was for has been answered by the world: it was done, or is needed anew.
 * Its ack is still expected, and will say nothing. */
void outbox_renew(struct engine *e, uint32_t claim, enum effect_kind kind);

/* The claim is going: nothing of it is live any more. */
void outbox_forget(struct engine *e, uint32_t claim);

/* The earliest lease or backoff of the claim that ends; 0: none. */
int64_t outbox_due(const struct engine *e, uint32_t claim);

/* Makes ready again what is due. */
void outbox_expire(struct engine *e, uint32_t claim);

/* Whether a granted claim must lose its gate before it may be scheduled: the tolerations of its
 * flavor are written with the removal, and without them its nodes refuse the pod. (What else is
 * written only narrows the choice of nodes, and there filter stands in.) */
bool outbox_removal_comes_first(const struct engine *e, uint32_t claim);

/* What the patch that removes our gates writes besides. */
void outbox_patch(const struct engine *e, uint32_t claim, struct removal_patch *ret_patch);

const char *outbox_check(const struct engine *e);

#endif
