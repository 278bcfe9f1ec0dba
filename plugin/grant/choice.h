/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_CHOICE_H
#define SLUICE_PLUGIN_GRANT_CHOICE_H

#include "assign.h"
#include "hunt.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What would become of a claim that waits, were it its turn:
 *
 *   claim ─▶ what it asks for ─▶ flavors (assign.h) ◀──▶ victims, for one flavor (hunt.h)
 *                                    │
 *                                    ▼
 *                                 victims, for all of it
 *
 * A pod is one pod set of one, and so is a gang's minimum. Volcano's queues have one flavor.
 * Nothing is changed.
 */
struct choice {
    struct assign_ask ask;
    struct assign_set own; /* of a pod, or a gang: what it asks for */
    struct hunt hunt;
    bool found, none; /* for what the hunt still says: there are victims; nobody has to go */
};

/* Of a claim of any kind. The choice must stay where it is. */
void choice_begin(struct choice *choice, struct engine *e, uint32_t claim);

/* Whether it may send others away at all. */
bool choice_sends_away(const struct choice *choice);

/* Whether it fits, or there are victims for all of it; in which flavors. */
bool choice_make(struct choice *choice, struct assignment *ret_made);

/* Whether there are victims for all that was assigned; choice->none: nobody has to go. */
bool choice_has_victims(struct choice *choice, const struct assignment *made);

/* Finds them once more: they are away until hunt_end or hunt_take. */
void choice_hunt(struct choice *choice, const struct assignment *made);

#endif
