/* SPDX-License-Identifier: Apache-2.0 */
#include "alike.h"

#include "state.h"

void alike_add(struct alike *alike, const struct engine *e, uint32_t claim)
{
    if (claim_group(e, claim_at(e, claim)) == 0)
        alike->claims[alike->count++ % ALIKE_LAST] = claim;
}

bool alike_has(const struct alike *alike, const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    uint32_t count = alike->count < ALIKE_LAST ? alike->count : ALIKE_LAST;

    for (uint32_t i = 0; i < count && claim_group(e, claim) == 0; i++) {
        const struct claim *other = claim_at(e, alike->claims[i]);

        if (other->line == claim->line &&
            memcmp(claim_flavors(other), claim_flavors(claim),
                   line_count(e, line_at(e, claim->line)) * sizeof(uint16_t)) == 0)
            return true;
    }
    return false;
}
