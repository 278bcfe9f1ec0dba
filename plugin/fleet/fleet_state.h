/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_FLEET_STATE_H
#define SLUICE_PLUGIN_FLEET_FLEET_STATE_H

#include "dispatch.h"
#include "fleet.h"
#include "plugin/base/heap.h"
#include "plugin/base/directory.h"
#include "plugin/base/intern.h"
#include "plugin/base/list.h"
#include "plugin/base/outbox.h"
#include "plugin/base/slab.h"
#include "replica.h"
#include "worker.h"

#include <stdbool.h>
#include <stdint.h>

/* What a fleet is made of; for the modules of this folder. */
struct fleet {
    struct mem mem;
    struct fleet_config config;
    struct outbox *outbox; /* shared with the engine of the same handle */
    int64_t now;
    bool synced, leads;

    struct intern names;
    struct slab workers;
    struct directory workers_by_name;
    struct list sweeps; /* the workers whose replicas are to be looked at again */

    struct slab dispatches;
    struct directory dispatches_by_name;
    uint32_t dispatches_in_order; /* tree, by namespace and name */
    struct heap dispatch_timers;
    struct list todo; /* dispatches that are to be decided about */

    struct slab replicas;
    struct heap replica_timers;
};

static inline struct worker *worker_at(const struct fleet *f, uint32_t id)
{
    return slab_at(&f->workers, id);
}

static inline struct dispatch *dispatch_at(const struct fleet *f, uint32_t id)
{
    return slab_at(&f->dispatches, id);
}

static inline struct replica *replica_at(const struct fleet *f, uint32_t id)
{
    return slab_at(&f->replicas, id);
}

static inline struct text fleet_text(const struct fleet *f, uint32_t name)
{
    return intern_view(&f->names, name);
}

static inline struct text worker_name(const struct fleet *f, uint32_t id)
{
    return fleet_text(f, worker_at(f, id)->name);
}

/* Interns a text, with one more user; 0 if there is no memory. Negative on error. */
static inline int fleet_intern(struct fleet *f, struct text text, uint32_t *ret_name)
{
    if (intern_get(&f->names, text, ret_name) == 0)
        return 0;
    *ret_name = 0;
    return ENGINE_NO_MEMORY;
}

/* All that exists was seen, and this manager leads: it decides. */
static inline bool fleet_leads(const struct fleet *f)
{
    return f->synced && f->leads;
}

#endif
