/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_PLAN_H
#define SLUICE_PLUGIN_FLEET_PLAN_H

#include "dispatch.h"
#include "replica.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Which replicas a workload should have.
 *
 *                 reserved, checks ready            first admitted        clusterName
 *   none: delete ───────────────────────▶ any: in each ─────────▶ keep ─────────▶ one: delete
 *      ▲                                  nominated cluster                       the others
 *      └──────────── no reservation ──────────┴────────────────────┴───────────────┘
 *
 * Once clusterName says where it is, that holds, whoever comes back: if its replica was evicted or
 * is gone, or its worker is lost for too long, the check asks for another attempt, and the
 * manager's own eviction ends this one. A replica is never put in another one's place because it
 * looks different: a worker that drops a field would have it made and deleted for ever.
 */

/* The replica that counts most; 0: there is none with a rank. */
uint32_t plan_first(const struct fleet *f, uint32_t dispatch);
bool plan_is_first(const struct fleet *f, uint32_t dispatch, enum replica_rank rank);

/* Its plan. That of one that is in its cluster for good ends with the cluster: until it is taken
 * anew, all is left as it is. */
enum plan plan_now(const struct fleet *f, uint32_t dispatch);

/* Looks at it anew; where it changed, all replicas ask for their effects. */
void plan_make(struct fleet *f, uint32_t dispatch);
int64_t plan_deadline(const struct fleet *f, uint32_t dispatch);

/* The replica whose worker is to be written down as the workload's; 0: none. */
uint32_t plan_winner(const struct fleet *f, uint32_t dispatch);

bool plan_wants_retry(const struct fleet *f, uint32_t dispatch);
bool plan_wants_create(const struct fleet *f, uint32_t replica);
bool plan_wants_delete(const struct fleet *f, uint32_t replica);

/* The gates of a new replica: ours and its workload's own. Returns how many; below 0: too many for
 * Kueue. ret_gates may be NULL. */
int plan_gates(const struct fleet *f, uint32_t dispatch,
               struct text ret_gates[FACTS_MAX_PREEMPTION_GATES]);

#endif
