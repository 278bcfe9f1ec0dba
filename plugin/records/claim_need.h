/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_CLAIM_NEED_H
#define SLUICE_PLUGIN_RECORDS_CLAIM_NEED_H

#include "plugin/base/amount.h"

#include <stdbool.h>
#include <stdint.h>

/* What a claim of any kind holds, is promised, or would ask for. */
struct engine;

/* One need after the other: of all its pods, in the flavor in which it is. False: there is no
 * more. */
struct claim_need {
    wide amount;
    uint32_t resource;
    uint16_t flavor; /* FLAVOR_NONE: nobody counts it */
};
bool claim_need(const struct engine *e, uint32_t claim, uint32_t i, struct claim_need *ret);

/* So much of this it holds; and so much it would come back for, with as few pods as it may. */
wide claim_amount(const struct engine *e, uint32_t claim, uint16_t flavor, uint32_t resource);
wide claim_least_amount(const struct engine *e, uint32_t claim, uint16_t flavor, uint32_t resource);

#endif
