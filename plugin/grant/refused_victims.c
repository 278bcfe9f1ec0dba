/* SPDX-License-Identifier: Apache-2.0 */
#include "refused_victims.h"

#include "plugin/state.h"

void refused_victims_add(struct refused_victims *alike, const struct engine *e, uint32_t claim)
{
    if (claim_group(e, claim_at(e, claim)) == 0)
        alike->claims[alike->count++ % REFUSED_VICTIMS_LAST] = claim;
}

bool refused_victims_has(const struct refused_victims *alike, const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    uint32_t count = alike->count < REFUSED_VICTIMS_LAST ? alike->count : REFUSED_VICTIMS_LAST;

    for (uint32_t i = 0; i < count && claim_group(e, claim) == 0; i++) {
        const struct claim *other = claim_at(e, alike->claims[i]);

        if (other->line == claim->line &&
            memcmp(claim_flavors(other), claim_flavors(claim),
                   line_count(e, line_at(e, claim->line)) * sizeof(uint16_t)) == 0)
            return true;
    }
    return false;
}
