/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_COMPOSE_H
#define SLUICE_SIM_COMPOSE_H

#include "examples/sim/tree.h"

/*
 * The documents of a story, put together from files that say what there is and not what happens.
 *
 *     objects ──────────────┐
 *                           ├──▶ a story that applies all of them at its beginning
 *     objects instead ──────┘
 *
 * - Where no document is a Scenario, all are applied, in their order, before anything else.
 * - What `instead` describes takes the place of what has the same kind, namespace and name, and
 *   what is not there yet is applied, too. A List stands for its items.
 * - A Scenario in `instead` without steps says only what is different of the story's removal,
 *   config and autoscaler. One with steps is a story of its own, and all of it.
 */

/* instead NULL: there is none. NULL after a fault. */
const struct tree *compose(struct arena *arena, struct fault *fault, const struct tree *documents,
                           const struct tree *instead);

#endif
