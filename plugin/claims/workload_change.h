/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_WORKLOAD_CHANGE_H
#define SLUICE_PLUGIN_CLAIMS_WORKLOAD_CHANGE_H

#include "plugin/records/workload.h"

/* How what a workload holds, or waits for, changes, and is counted. */

/* Takes it out of its queue, and puts it back there: what changes in between is counted. */
void workload_take_out(struct engine *e, uint32_t workload);
void workload_put_in(struct engine *e, uint32_t workload);

/* Counts it among those of its LocalQueue and its queue that are idle, if it is, or (-1) no longer:
 * around what makes it so. */
void workload_count_idle(struct engine *e, uint32_t workload, int more);

/* What it holds or is promised, as it was assigned; NULL: nothing. [taken out] */
struct assignment;
void workload_set_flavors(struct engine *e, uint32_t workload, const struct assignment *made);

/* It holds nothing any more, and did: its queue counts that. */
void workload_count_release(struct engine *e, uint32_t workload);

/* What was decided about it, and is not seen in its object, holds no more: for good, or until it is
 * known whether its object says so by now, which who retracts looks at and counts. */
void workload_give_up(struct engine *e, uint32_t workload);
void workload_retract(struct engine *e, uint32_t workload);

#endif
