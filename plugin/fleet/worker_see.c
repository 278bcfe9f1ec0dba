/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_state.h"

/* Worker clusters as they are seen. */

static void set_connected(struct fleet *f, uint32_t id, bool connected, int64_t since)
{
    struct worker *worker = worker_at(f, id);
    bool was = worker->connected;
    int64_t lost = worker->lost;

    worker->connected = connected;
    if (!connected && since > 0 && since < f->now)
        worker->lost = since;
    else if (was && !connected)
        worker->lost = f->now;
    if (was != connected || lost != worker->lost || !worker->known)
        worker_begin_sweep(f, id);
}

int fleet_see_cluster(struct fleet *f, const struct cluster_facts *facts)
{
    uint32_t id;
    int error = worker_get(f, facts->name, &id);

    if (error < 0)
        return error;
    if (worker_at(f, id)->known)
        worker_unref(f, id); /* the object itself is one user, not one at each sight */
    worker_at(f, id)->known = true;
    set_connected(f, id, facts->connected, facts->since);
    fleet_tick(f);
    return 0;
}

void fleet_lose_cluster(struct fleet *f, struct text name)
{
    uint32_t id = worker_find(f, name);

    if (id != 0 && worker_at(f, id)->known) {
        worker_at(f, id)->known = false;
        set_connected(f, id, false, 0);
        worker_unref(f, id);
    }
    fleet_tick(f);
}
