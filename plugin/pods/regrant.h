/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_REGRANT_H
#define SLUICE_PLUGIN_PODS_REGRANT_H

#include <stdbool.h>
#include <stdint.h>

/* What a claim asks for, where, or its rank has changed: it gives back and asks anew in one step.
 * Who was granted keeps the grant if it still fits in the same queue, and the flavors that are
 * written into its pod where that is possible. Who was not, or lost it, is held afterwards, and the
 * caller says what follows. */
struct claim_terms {
    int32_t priority;
    int64_t created;
    uint32_t line;           /* 0: that which it has; else a use of this one is handed over */
    char *text;              /* for the line, from claim_new_text */
    const uint16_t *flavors; /* that its stamp names; NULL: none */
    bool moves;              /* the grant goes with it to another queue, which has room for it */
};

struct engine;

void regrant(struct engine *e, uint32_t claim, const struct claim_terms *demand);

#endif
