/* SPDX-License-Identifier: Apache-2.0 */
#include "refused_victims.h"

#include "plugin/state.h"

void refused_victims_add(struct refused_victims *refused, const struct engine *e, uint32_t claim)
{
    if (!claim_is_workload(e, claim) && claim_group(e, claim_at(e, claim)) == 0)
        refused->claims[refused->count++ % REFUSED_VICTIMS_LAST] = claim;
}

bool refused_victims_has(const struct refused_victims *refused, const struct engine *e, uint32_t id)
{
    uint32_t count = refused->count < REFUSED_VICTIMS_LAST ? refused->count : REFUSED_VICTIMS_LAST;
    const struct claim *claim = claim_at(e, id);

    if (claim_is_workload(e, id) || claim_group(e, claim) != 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct claim *other = claim_at(e, refused->claims[i]);

        if (other->line == claim->line &&
            memcmp(claim_flavors(other), claim_flavors(claim),
                   line_count(e, line_at(e, claim->line)) * sizeof(uint16_t)) == 0)
            return true;
    }
    return false;
}
