/* SPDX-License-Identifier: Apache-2.0 */
#include "rest.h"

#include "plugin/state.h"

void rest_begin(struct engine *e, uint32_t claim)
{
    uint32_t until = (uint32_t)(e->now / SECOND) + 1;

    pledge_at(e, claim)->rests_until = until;
    e->claims.promises.rest = (int64_t)until * SECOND;
}

bool rest_holds(const struct engine *e, uint32_t claim)
{
    return e->now < (int64_t)pledge_at(e, claim)->rests_until * SECOND;
}

void rest_end(struct engine *e)
{
    if (e->claims.promises.rest == 0 || e->claims.promises.rest > e->now)
        return;
    e->claims.promises.rest = 0;
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);) {
        if (queue_at(e, id)->parent == 0)
            queue_candidates_changed(e, id);
    }
}
