/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PLACEMENT_H
#define SLUICE_PLUGIN_PLACEMENT_H

#include "facts.h"

#include <stdbool.h>
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
enum { PLACEMENT_MAX_TAINTS = 8 };

struct taint {
    struct text key, value, effect;
};

struct label_demand {
    struct text key, operator_; /* In, NotIn, Exists, DoesNotExist, Gt, Lt; others hold nowhere */
    uint32_t value_count;
    const struct text *values;
};

/* All of its demands must hold. */
struct node_term {
    uint32_t count;
    const struct label_demand *demands;
};

/* Of pods. Views; nothing is kept. */
struct placement {
    uint32_t selector_count, term_count, toleration_count;
    const struct label *selector;
    const struct node_term *terms; /* one of them must hold */
    const struct toleration *tolerations;
};

/* Of a flavor, beside what else its facts say. */
struct taints {
    uint32_t count;
    struct taint item[PLACEMENT_MAX_TAINTS];
};

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
