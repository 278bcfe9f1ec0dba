/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_NEWS_H
#define SLUICE_PLUGIN_CLAIMS_NEWS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the owner of a pod is told by an event, which `kubectl describe pod` shows: each cause that
 * does not end by itself, or that the owner can mend, once; and that it is over.
 *
 *   QueueSuspended, QueueClosed                    at once: somebody wanted it so
 *   QueueUnknown, QueueInactive, NeverFits,        when it has stood for NEWS_STANDS_SECONDS: of
 *   NamespaceNotSelected, ClaimMissing,            what is applied together, some comes later. Of a
 *   GroupMissing, GroupInvalid, GroupIncomplete    group, since its members last changed
 *   Granted                                        at the grant, of who was told one of these, or
 *                                                  waited for NEWS_WAIT_SECONDS
 *
 * Who only waits for room, or for a turn, is told nothing: that ends by itself, and a write for
 * each pod of a full queue is what nobody can afford. Why it waits is there for whoever asks.
 *
 *   stands      what is the matter now, as one of these reasons; none: nothing is
 *   ripe        it has stood for long enough
 *   said        what went out last; with CLAIM_TOLD the host has said so, and nothing came after
 *
 * A cause that gave way to another one, and came back before that was told, is not told again. One
 * that was over is, if it comes back. A host that did not ask for `podEvents` hears of suspended
 * queues alone.
 */
enum { NEWS_STANDS_SECONDS = 10, NEWS_WAIT_SECONDS = 300 };

struct claim;
struct engine;

/* The claim, its queues or its group may have changed. */
void news_review(struct engine *e, uint32_t claim);

/* A claim that holds nothing is about to hold, or the other way round. */
void news_note_grant(const struct engine *e, struct claim *claim, bool holds);

/* When what stands will have stood for long enough; INT64_MAX: it has, or nothing does. */
int64_t news_deadline(const struct engine *e, uint32_t claim);

/* Time has passed. True: it has stood for long enough by now, and is to be told. */
bool news_ripen(struct engine *e, uint32_t claim);

/* Whether there is something to tell that was not told. */
bool news_is_to_tell(const struct engine *e, uint32_t claim);

/* It goes out; and it was told. */
void news_note_leased(struct claim *claim);
void news_note_told(struct claim *claim);

/* Of what a gang asks for together: whether it can never fit, which its members are told. Returns
 * whether that is another answer than before. */
bool news_review_gang(struct engine *e, uint32_t group);

const char *news_check(const struct engine *e, uint32_t claim);

#endif
