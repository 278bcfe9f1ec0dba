/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"

#include "fleet_effects.h"
#include "fleet_state.h"
#include "orchestrator.h"

int fleet_create(const struct fleet_config *config, const struct mem *mem, struct outbox *outbox,
                 struct fleet **ret_fleet)
{
    struct mem own = *mem;
    struct fleet *f = mem_zalloc(&own, sizeof(*f));

    if (f == NULL)
        return ENGINE_NO_MEMORY;
    f->mem = own;
    f->config = *config;
    f->outbox = outbox;
    if (f->config.max_dispatches == 0)
        f->config.max_dispatches = 1u << 20;
    if (f->config.max_clusters == 0)
        f->config.max_clusters = 1024;
    if (f->config.preemption_timeout == 0)
        f->config.preemption_timeout = INT64_C(300) * 1000000000;
    if (f->config.worker_lost_timeout == 0)
        f->config.worker_lost_timeout = INT64_C(900) * 1000000000;
    intern_init(&f->names, &f->mem);
    slab_init(&f->workers, &f->mem, sizeof(struct worker));
    slab_init(&f->dispatches, &f->mem, sizeof(struct dispatch));
    slab_init(&f->replicas, &f->mem, sizeof(struct replica));
    directory_init(&f->workers_by_name, &f->workers, &f->names, DIRECTORY_NO_SPACE,
                   offsetof(struct worker, name));
    directory_init(&f->dispatches_by_name, &f->dispatches, &f->names,
                   offsetof(struct dispatch, space), offsetof(struct dispatch, name));
    heap_init(&f->dispatch_timers, &f->mem, dispatches_by_name.compare, f);
    heap_init(&f->replica_timers, &f->mem, replica_compare, f);
    outbox_own(outbox, EFFECT_OF_DISPATCH, &dispatch_effects, f);
    outbox_own(outbox, EFFECT_OF_REPLICA, &replica_effects, f);
    *ret_fleet = f;
    return 0;
}

void fleet_destroy(struct fleet *f)
{
    struct mem mem;

    if (f == NULL)
        return;
    mem = f->mem;
    outbox_own(f->outbox, EFFECT_OF_DISPATCH, NULL, NULL);
    outbox_own(f->outbox, EFFECT_OF_REPLICA, NULL, NULL);
    heap_finish(&f->replica_timers);
    heap_finish(&f->dispatch_timers);
    index_finish(&f->dispatches_by_name.index);
    index_finish(&f->workers_by_name.index);
    slab_finish(&f->replicas);
    slab_finish(&f->dispatches);
    slab_finish(&f->workers);
    intern_finish(&f->names);
    mem_free(&mem, f, sizeof(*f));
}

int64_t fleet_set_time(struct fleet *f, int64_t now)
{
    int64_t before = f->now;

    if (now > f->now)
        f->now = now;
    f->outbox->now = f->now;
    return before;
}

void fleet_take_back_time(struct fleet *f, int64_t before)
{
    f->outbox->now = f->now = before;
}

/* Who leads and has seen all decides, from then on and no longer. */
static void set_rule(struct fleet *f, bool synced, bool leads)
{
    bool ruled = fleet_leads(f);

    f->synced = synced;
    f->leads = leads;
    outbox_open(f->outbox, f, fleet_leads(f) && !f->config.observe_only);
    if (fleet_leads(f) && !ruled)
        orchestrator_begin(f);
    else if (ruled && !fleet_leads(f))
        orchestrator_end(f);
    fleet_tick(f);
}

void fleet_set_synced(struct fleet *f)
{
    set_rule(f, true, f->leads);
}

void fleet_set_leader(struct fleet *f, bool leads)
{
    set_rule(f, f->synced, leads);
}

uint32_t fleet_count_dispatches(const struct fleet *f)
{
    return slab_count(&f->dispatches);
}

uint32_t fleet_count_clusters(const struct fleet *f)
{
    return slab_count(&f->workers);
}
