/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ENGINE_KIT_PREEMPT_H
#define SLUICE_T_ENGINE_KIT_PREEMPT_H

#include "plugin/grant/hunt.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/engine_kit.h"

/* For tests of whose room is taken. Words beside those of engine_kit.h:
 *
 *     kit_open: evicts: the host evicts pods
 *     queue, cluster: within=lower|newer  reclaim=lower|any  [whileBorrowing] [threshold=N]
 *         [reclaimable]      without them nobody's room is taken
 *     pod: yields  settled
 *
 * These find out whether a word is one of them. */
bool words_preempt_queue(const struct word *word, struct queue_facts *queue);
bool words_preempt_pod(const struct word *word, struct pod_facts *pod);

/* Names in the order of the records, valid until the next question for text: who goes, and whom
 * for ("a>b"; "a>" for nobody alone); and who was promised room. */
const char *kit_victims(struct kit *kit);
const char *kit_promised(struct kit *kit);

/* A search for victims for this pod, in the first flavor of its queue; of a ClusterQueue not for
 * `pods`. */
void kit_hunt(struct kit *kit, const char *name, struct hunt *ret);

/* Leases the next effect, which must evict this pod, and acknowledges it. */
void kit_evict(struct kit *kit, const char *name, enum effect_result result);

#endif
