/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "examples/sim/fit.h"
#include "examples/sim/group_cycle.h"
#include "examples/sim/nodes.h"
#include "examples/sim/sim.h"
#include "examples/sim/translate.h"

enum {
    BACKOFF_MAX = 10, /* s */
    FLUSH_AFTER = 5,  /* min */
};

static bool before(const struct entry *a, const struct entry *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->since != b->since ? a->since < b->since : a->ticket < b->ticket;
}

static void push_active(struct scheduler *scheduler, struct entry entry)
{
    scheduler->active = array_room(scheduler->active, scheduler->n_active, &scheduler->active_cap,
                                   sizeof(*scheduler->active));
    struct entry *heap = scheduler->active;
    size_t i = scheduler->n_active++;
    for (; i > 0 && before(&entry, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = entry;
}

static struct entry pop_active(struct scheduler *scheduler)
{
    struct entry *heap = scheduler->active;
    struct entry first = heap[0];
    struct entry last = heap[--scheduler->n_active];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < scheduler->n_active && before(&heap[child + 1], &heap[child]))
            child++;
        if (child >= scheduler->n_active || !before(&heap[child], &last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return first;
}

struct pod *scheduler_pop(struct sim *sim)
{
    struct scheduler *scheduler = &sim->scheduler;

    while (scheduler->n_active > 0) {
        struct entry entry = pop_active(scheduler);
        if (entry.pod->pool == POOL_ACTIVE && entry.pod->ticket == entry.ticket)
            return entry.pod;
    }
    return NULL;
}

static struct entry enter(struct sim *sim, struct pod *pod, enum pool pool)
{
    pod->pool = pool;
    pod->ticket = ++sim->scheduler.tickets;
    pod->since = sim->clock.now;
    return (struct entry){pod->priority, pod->since, pod->ticket, pod};
}

void scheduler_leave(struct sim *sim, struct pod *pod)
{
    enter(sim, pod, POOL_NONE);
}

static bool is_ours(const struct sim *sim, const struct pod *pod)
{
    const struct tree *names = tree_get(sim->scenario->config, "schedulers");

    for (size_t i = 0; names && i < names->count; i++)
        if (names->pairs[i].value->type == TREE_TEXT &&
            strcmp(names->pairs[i].value->text, pod->scheduler) == 0)
            return true;
    return !names && strcmp(pod->scheduler, "default-scheduler") == 0;
}

static bool may_run(const struct pod_state *state)
{
    return state && !pod_is_over(state) && !state->deleted && state->node[0] == '\0';
}

bool scheduler_passes(struct sim *sim, struct pod *pod)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    translate_pod(r, "pod", sim, pod, pod->seen);
    return value_bool(host_must(sim, LOADER_PRE_ENQUEUE), "pass", false);
}

void scheduler_hold(struct sim *sim, struct pod *pod)
{
    enter(sim, pod, POOL_GATED);
}

void scheduler_enqueue(struct sim *sim, struct pod *pod)
{
    /* The stock profile's own plugin looks first, and ours never sees the pod. */
    bool in_tree_holds = sim->scenario->on_admission && pod->seen->gates.count > 0;

    story_touch(sim, pod);
    if (in_tree_holds || !scheduler_passes(sim, pod)) {
        enter(sim, pod, POOL_GATED);
        return;
    }
    push_active(&sim->scheduler, enter(sim, pod, POOL_ACTIVE));
    scheduler_plan_cycle(sim);
}

void scheduler_activate(struct sim *sim, struct pod *pod)
{
    bool lies =
        pod->pool == POOL_GATED || pod->pool == POOL_BACKOFF || pod->pool == POOL_UNSCHEDULABLE;

    if (lies && may_run(pod->seen))
        scheduler_enqueue(sim, pod);
}

static void try_again(struct sim *sim, void *what)
{
    struct entry *entry = what;

    if (entry->pod->ticket == entry->ticket && may_run(entry->pod->seen))
        scheduler_enqueue(sim, entry->pod);
}

static void plan(struct sim *sim, struct entry entry, int64_t at)
{
    struct entry *later = arena_get(&entry.pod->arena, sizeof(*later));

    *later = entry;
    clock_at(&sim->clock, at, try_again, later);
}

static int64_t backoff_of(const struct pod *pod)
{
    int64_t delay = SECOND << (pod->attempts > 4 ? 4 : pod->attempts > 0 ? pod->attempts - 1 : 0);

    return delay > BACKOFF_MAX * SECOND ? BACKOFF_MAX * SECOND : delay;
}

void scheduler_back_off(struct sim *sim, struct pod *pod)
{
    plan(sim, enter(sim, pod, POOL_BACKOFF), sim->clock.now + backoff_of(pod));
}

void scheduler_park(struct sim *sim, struct pod *pod)
{
    struct scheduler *scheduler = &sim->scheduler;
    struct entry entry = enter(sim, pod, POOL_UNSCHEDULABLE);

    pod->wait_until = sim->clock.now + backoff_of(pod);
    scheduler->waiting = array_room(scheduler->waiting, scheduler->n_waiting,
                                    &scheduler->waiting_cap, sizeof(*scheduler->waiting));
    scheduler->waiting[scheduler->n_waiting++] = entry;
    plan(sim, entry, sim->clock.now + FLUSH_AFTER * MINUTE);
}

/* Something made room on a node: the pods that fit there now try again. */
static void wake_for(struct sim *sim, const struct machine *machine)
{
    struct scheduler *scheduler = &sim->scheduler;
    size_t n = scheduler->n_waiting;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct entry entry = scheduler->waiting[i];
        struct pod *pod = entry.pod;
        if (pod->ticket != entry.ticket)
            continue;
        if (!may_run(pod->seen) || !fit_on(pod->seen, machine, &machine->used))
            scheduler->waiting[kept++] = entry;
        else if (pod->wait_until > sim->clock.now)
            plan(sim, enter(sim, pod, POOL_BACKOFF), pod->wait_until);
        else
            scheduler_enqueue(sim, pod);
    }
    scheduler->n_waiting = kept;
}

void scheduler_charge(struct sim *sim, struct pod *pod, struct machine *machine)
{
    scheduler_discharge(sim, pod);
    pod->charged = machine;
    pod->charge = fit_charge(&pod->arena, pod->seen);
    resources_add(&sim->arena, &machine->used, &pod->charge, 1);
    nodes_settle(&sim->world, machine);
}

void scheduler_discharge(struct sim *sim, struct pod *pod)
{
    struct machine *machine = pod->charged;

    if (!machine)
        return;
    pod->charged = NULL;
    resources_add(&sim->arena, &machine->used, &pod->charge, -1);
    nodes_settle(&sim->world, machine);
    if (machine->seen)
        wake_for(sim, machine);
}

/* A change of the pod itself that may let it fit where it did not. */
static bool is_easier(const struct pod_state *old, const struct pod_state *new)
{
    return old->tolerations.count != new->tolerations.count ||
           !resources_same(&old->requests, &new->requests);
}

static void saw_unbound(struct sim *sim, struct pod *pod, const struct pod_state *before)
{
    bool is_new = !before || pod->pool == POOL_NONE;

    if (pod->pool == POOL_BINDING)
        return;
    if (is_new || pod->pool == POOL_GATED ||
        (pod->pool == POOL_UNSCHEDULABLE && is_easier(before, pod->seen)))
        scheduler_enqueue(sim, pod);
}

void scheduler_saw_pod(struct sim *sim, struct pod *pod, const struct pod_state *state)
{
    const struct pod_state *before = pod->seen;
    struct machine *machine = map_get(&sim->world.machines, state->node);

    if (before && before->version > state->version)
        return;
    pod->seen = state;
    story_touch(sim, pod);
    if (pod_is_over(state)) {
        scheduler_leave(sim, pod);
        scheduler_discharge(sim, pod);
        return;
    }
    if (state->node[0]) {
        scheduler_leave(sim, pod);
        bool resized = before && !resources_same(&before->requests, &state->requests);
        if (machine && (pod->charged != machine || resized))
            scheduler_charge(sim, pod, machine);
        return;
    }
    if (is_ours(sim, pod) && may_run(state))
        saw_unbound(sim, pod, before);
}

void scheduler_saw_machine(struct sim *sim, struct machine *machine)
{
    machine->seen = machine->is;
    nodes_settle(&sim->world, machine);
    if (machine->seen)
        wake_for(sim, machine);
}

void scheduler_forget(struct sim *sim)
{
    struct scheduler *scheduler = &sim->scheduler;
    const struct world *world = &sim->world;

    scheduler->epoch++;
    scheduler->batch = NULL;
    scheduler->n_active = 0;
    scheduler->n_waiting = 0;
    scheduler->cycling = false;
    for (size_t i = 0; i < world->machines.count; i++) {
        struct machine *machine = world->machines.entries[i].value;
        machine->seen = false;
        machine->used = (struct resources){0};
        nodes_settle(&sim->world, machine);
    }
    for (size_t i = 0; i < world->by_uid.count; i++) {
        struct pod *pod = world->by_uid.entries[i].value;
        pod->seen = NULL;
        pod->charged = NULL;
        pod->attempts = 0;
        scheduler_leave(sim, pod);
    }
}

void scheduler_finish(struct scheduler *scheduler)
{
    free(scheduler->active);
    free(scheduler->waiting);
}
