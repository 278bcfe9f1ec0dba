/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_LET_GO_H
#define SLUICE_PLUGIN_PODS_LET_GO_H

#include "plugin/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Pods that no queue holds back, and that do not get on by themselves:
 *
 *   - their owner took them out of the queues, and the scheduler, which was told in PreEnqueue to
 *     hold them, looks at them again only when it is told;
 *   - they belong to a workload that is admitted, which counts them, and carry our gate.
 *
 * Their claim holds nothing. Our gate is removed, the scheduler is told, and the claim is gone.
 */

struct engine;
struct pod_facts;

/* Whether there is something left to do for a pod that makes no claim. claim: the one that it
 * made, or 0. */
bool let_go_needs(const struct engine *e, const struct pod_facts *pod, uint32_t claim);

/* The pod of this claim makes none any more: no queue counts it. */
void let_go_claim(struct engine *e, uint32_t claim, const struct pod_facts *pod);

/* It is to make one again, as a newcomer. False: it never ended to. */
bool let_go_return(struct engine *e, uint32_t claim);

/* The scheduler has looked at a pod that makes no claim, and let it pass, or not: then it is told
 * once more, whatever is under way. */
void let_go_heard(struct engine *e, struct text uid, bool passes);

/* What is wanted of the host for such a claim. */
bool let_go_wants_removal(const struct engine *e, uint32_t claim);
bool let_go_wants_activate(const struct engine *e, uint32_t claim);

const char *let_go_check(const struct engine *e, uint32_t claim);

#endif
