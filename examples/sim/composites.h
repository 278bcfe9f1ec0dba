/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_COMPOSITES_H
#define SLUICE_SIM_COMPOSITES_H

#include <stdbool.h>

#include "abi/host/request.h"
#include "examples/sim/world.h"

struct sim;
struct pod;

/* CompositePodGroups, and the PodGroups of Kubernetes' own below them: all that is below the
 * topmost one is one group, of which each is a part. */

/* Whether the object is one of these, and below another. */
bool composites_is_part(const struct object *group);

/* The topmost one that a group is below, itself if it is below none; NULL: one above it is not
 * there. */
const struct object *composites_top(struct sim *sim, const struct object *group);

/* The CompositePodGroup that a pod is a member of, or that is missing above its PodGroup; "": its
 * PodGroup is below none. */
const char *composites_of_pod(const struct sim *sim, const struct pod *pod);

/* What the library is told of a topmost one. */
void composites_put(struct request *r, const struct sim *sim, const struct object *top);

/* Whether enough of its parts have enough pods. */
bool composites_is_complete(const struct sim *sim, const struct object *top);

#endif
