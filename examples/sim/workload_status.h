/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WORKLOAD_STATUS_H
#define SLUICE_SIM_WORKLOAD_STATUS_H

#include "examples/sim/tree.h"

/* The status of a Workload: conditions, gates, checks. Each function makes another one. */

/* "2026-01-01T00:00:00Z" of nanoseconds since 1970, and back (0: it is no time). */
const char *status_time(struct arena *arena, int64_t wall);
int64_t status_time_read(const char *text);

/* The time of its transition stays where only reason and message are other ones. */
const struct tree *status_condition(struct arena *arena, const struct tree *status,
                                    const char *type, bool is, const char *reason,
                                    const char *message, int64_t wall);
const struct tree *status_no_condition(struct arena *arena, const struct tree *status,
                                       const char *type);

/* Whether it is True; "False", "True" or ""; its reason. */
bool status_is(const struct tree *status, const char *type);
const char *status_of(const struct tree *status, const char *type, const char *key);

/* position: Open or Closed. */
const struct tree *status_gate(struct arena *arena, const struct tree *status, const char *name,
                               const char *position, int64_t wall);

/* after: in how many seconds it wants to be asked again, 0: it does not say. */
const struct tree *status_check(struct arena *arena, const struct tree *status, const char *name,
                                const char *state, int64_t after, int64_t wall);

#endif
