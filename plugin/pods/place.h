/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_PLACE_H
#define SLUICE_PLUGIN_PODS_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where a pod counts.
 *
 *   waits, or is held                   where its group says, else where it says
 *   runs: bound, or past the reserve    where it was granted, or bound first, whatever it, its
 *   hook                                group or its controller names by now
 *   lost its gate, and has no group     there too, as long as it has what it was granted
 *
 * The two latter move to the queue that is named by now if they may use it and that has room for
 * them, and their group is none that we made. Who is bound in a queue that it may not use, and was
 * granted nowhere, takes nothing from those who may: it counts in `default`.
 *
 * A later leader reads of its stamp where a pod counts. Of one that was never granted it reads it
 * of the pod, which has no stamp until it says something else than that.
 */
struct engine;
struct pod_facts;

/* Nothing that anybody writes takes it elsewhere, but to a queue that has room. */
bool place_is_kept(const struct engine *e, uint32_t claim, bool bound);

/* What a pod asks for, and where, that is to be in this group, or, with 0, in none: a line, with a
 * use of it, in a new queue, it may be. claim: the pod's; 0: a new one. Negative on error; the line
 * may be there then, too. */
int place_find_line(struct engine *e, uint32_t group, uint32_t claim, const struct pod_facts *pod,
                    uint32_t *ret_line);

/* Whoever reads of its pod where this claim counts reads of another queue. */
bool place_misleads(const struct engine *e, uint32_t claim, const struct pod_facts *pod);

#endif
