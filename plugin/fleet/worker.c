/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include "fleet_state.h"

struct name_question {
    const struct fleet *f;
    struct text name;
};

static bool same_name(const void *ctx, uint32_t id)
{
    const struct name_question *q = ctx;

    return text_same(fleet_text(q->f, worker_at(q->f, id)->name), q->name);
}

uint32_t worker_find(const struct fleet *f, struct text name)
{
    struct name_question q = {f, name};

    return index_find(&f->workers_by_name, hash_text(name, 0), same_name, &q);
}

int worker_get(struct fleet *f, struct text name, uint32_t *ret_worker)
{
    uint32_t id = worker_find(f, name), word;

    if (id == 0) {
        if (slab_count(&f->workers) >= f->config.max_clusters)
            return ENGINE_FULL_CLUSTERS;
        if (slab_reserve(&f->workers, 1) < 0 || index_reserve(&f->workers_by_name) < 0 ||
            fleet_intern(f, name, &word) < 0)
            return ENGINE_NO_MEMORY;
        id = slab_take(&f->workers);
        *worker_at(f, id) = (struct worker){.name = word, .lost = f->now};
        index_put(&f->workers_by_name, hash_text(name, 0), id);
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
    index_drop(&f->workers_by_name, hash_text(worker_name(f, id), 0), id);
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
