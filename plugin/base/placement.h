/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_PLACEMENT_H
#define SLUICE_PLUGIN_BASE_PLACEMENT_H

#include "facts.h"

#include <stdint.h>

/*
 * Whether pods can be on the nodes of a flavor, by what both say of themselves: the pods' node
 * selector, required node affinity and tolerations; the flavor's node labels, taints and
 * tolerations.
 *
 * Of selector and affinity only keys count that the flavor has labels for: the others are for the
 * scheduler to look at. A term of the affinity in which nothing is left is true of every flavor.
 * Taints count that keep pods away (NoSchedule, NoExecute); a flavor's own tolerations are added to
 * the pods'.
 */
enum placement_verdict {
    PLACEMENT_SUITS,
    PLACEMENT_TAINTED,   /* there is a taint that they do not tolerate */
    PLACEMENT_ELSEWHERE, /* selector or affinity want other nodes */
};

/* *ret_taint: the first that keeps them away; untouched without one. */
enum placement_verdict placement_judge(const struct placement *pods,
                                       const struct flavor_facts *flavor,
                                       const struct taints *taints, uint32_t *ret_taint);

#endif
