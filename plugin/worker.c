/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include "orchestrator.h"
#include "replica.h"
#include "state.h"

struct name_question {
    const struct engine *e;
    struct text name;
};

static bool same_name(const void *ctx, uint32_t id)
{
    const struct name_question *q = ctx;

    return text_same(name_text(q->e, worker_at(q->e, id)->name), q->name);
}

static uint32_t name_hash(struct text name)
{
    return hash_bytes(name.at, name.len, 0);
}

uint32_t worker_find(const struct engine *e, struct text name)
{
    struct name_question q = {e, name};

    return index_find(&e->workers_by_name, name_hash(name), same_name, &q);
}

int worker_get(struct engine *e, struct text name, uint32_t *ret_worker)
{
    uint32_t id = worker_find(e, name), word;

    if (id == 0) {
        if (slab_count(&e->workers) >= e->config.max_clusters)
            return ENGINE_FULL_CLUSTERS;
        if (slab_reserve(&e->workers, 1) < 0 || index_reserve(&e->workers_by_name) < 0 ||
            name_get(e, name, &word) < 0)
            return ENGINE_NO_MEMORY;
        id = slab_take(&e->workers);
        *worker_at(e, id) = (struct worker){.name = word, .lost = e->now};
        index_put(&e->workers_by_name, name_hash(name), id);
    }
    worker_at(e, id)->users++;
    *ret_worker = id;
    return 0;
}

void worker_ref(struct engine *e, uint32_t id)
{
    worker_at(e, id)->users++;
}

static void end_sweep(struct engine *e, uint32_t id)
{
    uint32_t *at = &e->first_sweep;

    while (*at != id)
        at = &worker_at(e, *at)->next_sweep;
    *at = worker_at(e, id)->next_sweep;
    worker_at(e, id)->next_sweep = 0;
    worker_at(e, id)->sweeps = false;
}

/* Takes 0. */
void worker_unref(struct engine *e, uint32_t id)
{
    if (id == 0 || --worker_at(e, id)->users > 0)
        return;
    if (worker_at(e, id)->sweeps)
        end_sweep(e, id);
    index_drop(&e->workers_by_name, name_hash(name_text(e, worker_at(e, id)->name)), id);
    intern_unref(&e->names, worker_at(e, id)->name);
    slab_give(&e->workers, id);
}

void worker_enter(struct engine *e, uint32_t id, uint32_t replica)
{
    struct worker *worker = worker_at(e, id);
    struct replica *r = replica_at(e, replica);

    r->next = worker->first;
    r->prev = 0;
    if (worker->first != 0)
        replica_at(e, worker->first)->prev = replica;
    worker->first = replica;
    worker->count++;
}

void worker_leave(struct engine *e, uint32_t replica)
{
    struct replica *r = replica_at(e, replica);
    struct worker *worker = worker_at(e, r->worker);

    if (worker->sweep == replica)
        worker->sweep = r->next;
    if (r->prev != 0)
        replica_at(e, r->prev)->next = r->next;
    else
        worker->first = r->next;
    if (r->next != 0)
        replica_at(e, r->next)->prev = r->prev;
    worker->count--;
}

static void begin_sweep(struct engine *e, uint32_t id)
{
    struct worker *worker = worker_at(e, id);
    uint32_t *at = &e->first_sweep;

    worker->sweep = worker->first;
    if (worker->sweeps || worker->first == 0)
        return;
    while (*at != 0)
        at = &worker_at(e, *at)->next_sweep;
    *at = id;
    worker->sweeps = true;
}

bool worker_sweeps(const struct engine *e)
{
    return e->first_sweep != 0;
}

uint32_t worker_sweep(struct engine *e, uint32_t budget)
{
    while (budget > 0 && e->first_sweep != 0) {
        struct worker *worker = worker_at(e, e->first_sweep);
        uint32_t replica = worker->sweep;

        if (replica == 0) {
            end_sweep(e, e->first_sweep);
            continue;
        }
        worker->sweep = replica_at(e, replica)->next;
        if (worker->known)
            replica_look_again(e, replica);
        else
            replica_forget(e, replica); /* nobody will say any more what is there */
        budget--;
    }
    return budget;
}

static void set_connected(struct engine *e, uint32_t id, bool connected, int64_t since)
{
    struct worker *worker = worker_at(e, id);
    bool was = worker->connected;
    int64_t lost = worker->lost;

    worker->connected = connected;
    if (!connected && since > 0 && since < e->now)
        worker->lost = since;
    else if (was && !connected)
        worker->lost = e->now;
    if (was != connected || lost != worker->lost || !worker->known)
        begin_sweep(e, id);
}

int engine_see_cluster(struct engine *e, const struct cluster_facts *facts)
{
    uint32_t id;
    int error = worker_get(e, facts->name, &id);

    if (error < 0)
        return error;
    if (worker_at(e, id)->known)
        worker_unref(e, id); /* the object itself is one user, not one at each sight */
    worker_at(e, id)->known = true;
    set_connected(e, id, facts->connected, facts->since);
    engine_tick(e);
    return 0;
}

void engine_lose_cluster(struct engine *e, struct text name)
{
    uint32_t id = worker_find(e, name);

    if (id != 0 && worker_at(e, id)->known) {
        worker_at(e, id)->known = false;
        set_connected(e, id, false, 0);
        worker_unref(e, id);
    }
    engine_tick(e);
}

void worker_release_all(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->workers); id++) {
        if (slab_live(&e->workers, id))
            intern_unref(&e->names, worker_at(e, id)->name);
    }
}
