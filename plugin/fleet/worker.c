/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include "fleet_state.h"
#include "replica.h"

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

static void end_sweep(struct fleet *f, uint32_t id)
{
    uint32_t *at = &f->first_sweep;

    while (*at != id)
        at = &worker_at(f, *at)->next_sweep;
    *at = worker_at(f, id)->next_sweep;
    worker_at(f, id)->next_sweep = 0;
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

void worker_enter(struct fleet *f, uint32_t id, uint32_t replica)
{
    struct worker *worker = worker_at(f, id);
    struct replica *r = replica_at(f, replica);

    r->next = worker->first;
    r->prev = 0;
    if (worker->first != 0)
        replica_at(f, worker->first)->prev = replica;
    worker->first = replica;
    worker->count++;
}

void worker_leave(struct fleet *f, uint32_t replica)
{
    struct replica *r = replica_at(f, replica);
    struct worker *worker = worker_at(f, r->worker);

    if (worker->sweep == replica)
        worker->sweep = r->next;
    if (r->prev != 0)
        replica_at(f, r->prev)->next = r->next;
    else
        worker->first = r->next;
    if (r->next != 0)
        replica_at(f, r->next)->prev = r->prev;
    worker->count--;
}

void worker_begin_sweep(struct fleet *f, uint32_t id)
{
    struct worker *worker = worker_at(f, id);
    uint32_t *at = &f->first_sweep;

    worker->sweep = worker->first;
    if (worker->sweeps || worker->first == 0)
        return;
    while (*at != 0)
        at = &worker_at(f, *at)->next_sweep;
    *at = id;
    worker->sweeps = true;
}

bool worker_sweeps(const struct fleet *f)
{
    return f->first_sweep != 0;
}

uint32_t worker_take_swept(struct fleet *f)
{
    while (f->first_sweep != 0) {
        struct worker *worker = worker_at(f, f->first_sweep);
        uint32_t replica = worker->sweep;

        if (replica != 0) {
            worker->sweep = replica_at(f, replica)->next;
            return replica;
        }
        end_sweep(f, f->first_sweep);
    }
    return 0;
}
