/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_POSITION_H
#define SLUICE_PLUGIN_TELLING_POSITION_H

#include "report.h"

#include <stdint.h>

/* Where a claim stands in its queue's order: its place, what is before it, what it lacks, and how
 * long it may take. A person asks while others are to be scheduled: so at most this many different
 * requests (lines, line.h) are looked at, and what was counted by then is said to be the least. */
enum { POSITION_LINES = 2048 };

struct engine;

/* Of a claim that waits, a pod's or a gang's entry. reason: why it does. */
void position_find(const struct engine *e, uint32_t claim, enum reason reason,
                   struct position *ret_position);

/* Of one that does not. */
void position_none(struct position *ret_position);

/* What the claim asks for. Returns how many there are. */
uint32_t position_demand(const struct engine *e, uint32_t claim, struct quota_row *ret_asks);

#endif
