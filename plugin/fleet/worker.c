/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include "fleet_state.h"

uint32_t worker_find(const struct fleet *f, struct text name)
{
    return directory_find(&f->workers_by_name, text_of(""), name);
}

int worker_get(struct fleet *f, struct text name, uint32_t *ret_worker)
{
    uint32_t id = worker_find(f, name), word;

    if (id == 0) {
        if (slab_count(&f->workers) >= f->config.max_clusters)
            return ENGINE_FULL_CLUSTERS;
        if (slab_reserve(&f->workers, 1) < 0 || index_reserve(&f->workers_by_name.index) < 0 ||
            fleet_intern(f, name, &word) < 0)
            return ENGINE_NO_MEMORY;
        id = slab_take(&f->workers);
        *worker_at(f, id) = (struct worker){.name = word, .lost = f->now};
        directory_put(&f->workers_by_name, id);
    }
    worker_at(f, id)->users++;
    *ret_worker = id;
    return 0;
}

static struct list_link *sweeping_of(const void *ctx, uint32_t id)
{
    return &worker_at(ctx, id)->sweeping;
}

static void end_sweep(struct fleet *f, uint32_t id)
{
    list_remove(sweeping_of, f, &f->sweeps, id);
    worker_at(f, id)->sweeps = false;
}

/* Takes 0. */
void worker_unref(struct fleet *f, uint32_t id)
{
    if (id == 0 || --worker_at(f, id)->users > 0)
        return;
    if (worker_at(f, id)->sweeps)
        end_sweep(f, id);
    directory_drop(&f->workers_by_name, id);
    intern_unref(&f->names, worker_at(f, id)->name);
    slab_give(&f->workers, id);
}

static struct list_link *peers_of(const void *ctx, uint32_t id)
{
    return &replica_at(ctx, id)->peers;
}

void worker_enter(struct fleet *f, uint32_t id, uint32_t replica)
{
    list_append(peers_of, f, &worker_at(f, id)->replicas, replica);
    worker_at(f, id)->count++;
}

void worker_leave(struct fleet *f, uint32_t replica)
{
    struct worker *worker = worker_at(f, replica_at(f, replica)->worker);

    if (worker->sweep == replica)
        worker->sweep = replica_at(f, replica)->peers.prev;
    list_remove(peers_of, f, &worker->replicas, replica);
    worker->count--;
}

void worker_begin_sweep(struct fleet *f, uint32_t id)
{
    struct worker *worker = worker_at(f, id);

    worker->sweep = worker->replicas.last;
    if (worker->sweeps || worker->sweep == 0)
        return;
    list_append(sweeping_of, f, &f->sweeps, id);
    worker->sweeps = true;
}

bool worker_sweeps(const struct fleet *f)
{
    return f->sweeps.first != 0;
}

uint32_t worker_take_swept(struct fleet *f)
{
    while (worker_sweeps(f)) {
        struct worker *worker = worker_at(f, f->sweeps.first);
        uint32_t replica = worker->sweep;

        if (replica != 0) {
            worker->sweep = replica_at(f, replica)->peers.prev;
            return replica;
        }
        end_sweep(f, f->sweeps.first);
    }
    return 0;
}
