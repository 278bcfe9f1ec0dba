/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "examples/sim/effects.h"
#include "examples/sim/group_cycle.h"
#include "examples/sim/nodes.h"
#include "examples/sim/scheduler.h"
#include "examples/sim/sim.h"

enum {
    CYCLE_TAKES = 1, /* ms */
    BIND_TAKES = 2,
};

/* A pod between its cycle and its node. */
struct binding {
    struct pod *pod;
    struct machine *machine;
    uint64_t ticket;
    int epoch;
};

static struct request *about(struct sim *sim, const struct pod *pod, const char *node)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_str(r, "uid", pod->uid);
    if (node)
        r_key_str(r, "node", node);
    return r;
}

/* The scheduler compares with its cache, and does not write what it believes is there. */
static void write_condition(struct sim *sim, struct pod *pod, const char *reason,
                            const char *message)
{
    if (strcmp(pod->seen->reason, reason) == 0 && strcmp(pod->seen->message, message) == 0)
        return;
    world_set_condition(sim, pod, 0, reason, message);
}

/* For a queue's sake, or because something failed: never Unschedulable. */
static void end_in_error(struct sim *sim, struct pod *pod, const char *message)
{
    write_condition(sim, pod, "SchedulerError", message);
    scheduler_back_off(sim, pod);
}

static void find_none(struct sim *sim, struct pod *pod, const char *message)
{
    if (sim->world.n_machines > 0) {
        about(sim, pod, NULL);
        host_must(sim, LOADER_POST_FILTER);
    }
    scheduler_park(sim, pod);
    write_condition(sim, pod, "Unschedulable", message);
}

static const char *no_nodes(struct arena *arena, const struct sim *sim)
{
    return arena_format(arena, "0/%" PRId64 " nodes are available", sim->world.n_machines);
}

static bool bit_of(const uint8_t *bits, size_t len, size_t i)
{
    return bits && i / 8 < len && bits[i / 8] >> (i % 8) & 1;
}

/* Asks the library about all nodes in one call. */
static const uint8_t *ask_filter(struct sim *sim, struct pod *pod, size_t *ret_len)
{
    const struct map *machines = &sim->world.machines;
    struct request *r = about(sim, pod, NULL);

    r_key_array(r, "nodes");
    for (size_t i = 0; i < machines->count; i++) {
        const struct machine *machine = machines->entries[i].value;
        r_int(r, machine->seen ? machine->id : 0);
    }
    r_end(r);
    return value_bin(host_must(sim, LOADER_FILTER), "bits", ret_len);
}

struct bits {
    const uint8_t *bits;
    size_t len;
};

static bool is_set(const void *ctx, const struct machine *machine)
{
    const struct bits *bits = ctx;

    return bit_of(bits->bits, bits->len, machine->place);
}

static struct machine *choose(struct sim *sim, struct pod *pod, bool nodes_matter)
{
    struct bits bits = {0};

    if (!nodes_matter)
        return nodes_choose(&sim->world, pod->seen, NULL, NULL);
    bits.bits = ask_filter(sim, pod, &bits.len);
    return nodes_choose(&sim->world, pod->seen, is_set, &bits);
}

static void fail_binding(struct sim *sim, const struct binding *binding, const char *why)
{
    struct pod *pod = binding->pod;

    about(sim, pod, binding->machine->name);
    host_must(sim, LOADER_UNRESERVE);
    story(sim, pod->ref, "bindFailed", "binding to %s fails: %s", binding->machine->name, why);
    scheduler_leave(sim, pod);
    scheduler_discharge(sim, pod);
    if (!pod->state->gone && !pod->state->deleted)
        end_in_error(sim, pod, why);
}

/* Our Bind plugin's patch, and then the stock one's binding. NULL: it is bound. */
static const char *carry_out(struct sim *sim, const struct binding *binding)
{
    struct pod *pod = binding->pod;
    struct gate_patch patch;

    about(sim, pod, binding->machine->name);
    effects_read_patch(&pod->arena, host_must(sim, LOADER_BIND), &patch);
    if (sim->faults.patches == PATCHES_CONFLICT || sim->faults.patches == PATCHES_FAIL)
        return "the patch is refused";
    if (patch.gates.count > 0 && world_remove_gates(sim, pod, &patch) != WRITE_DONE)
        return "the pod has changed";
    if (sim->faults.binds == BINDS_FAIL)
        return "the binding is refused";
    if (world_bind(sim, pod, binding->machine->name) != WRITE_DONE)
        return "the API server does not bind it";
    return NULL;
}

static void bind_now(struct sim *sim, void *what)
{
    const struct binding *binding = what;
    struct pod *pod = binding->pod;

    if (binding->epoch != sim->scheduler.epoch || pod->ticket != binding->ticket)
        return;
    const char *why = carry_out(sim, binding);
    if (why) {
        fail_binding(sim, binding, why);
        return;
    }
    about(sim, pod, binding->machine->name);
    host_must(sim, LOADER_POST_BIND);
}

/* Others of its gang do not have their nodes. */
static void reject(struct sim *sim, struct binding *binding, const char *why)
{
    struct pod *pod = binding->pod;

    pod->waits = NULL;
    about(sim, pod, binding->machine->name);
    host_must(sim, LOADER_UNRESERVE);
    story(sim, pod->ref, "letGo", "gives its node back: %s", why);
    scheduler_leave(sim, pod);
    scheduler_discharge(sim, pod);
    if (pod->state->gone || pod->state->deleted)
        return;
    scheduler_park(sim, pod);
    write_condition(sim, pod, "Unschedulable", why);
}

void scheduler_answer_permit(struct sim *sim, struct pod *pod, bool allow, const char *why)
{
    struct binding *binding = pod->waits;

    if (!binding || binding->epoch != sim->scheduler.epoch || pod->ticket != binding->ticket)
        return;
    pod->waits = NULL;
    if (allow)
        clock_at(&sim->clock, sim->clock.now + BIND_TAKES * MILLISECOND, bind_now, binding);
    else
        reject(sim, binding, why);
}

static void time_is_over(struct sim *sim, void *what)
{
    struct binding *binding = what;

    if (binding->pod->waits == binding && binding->epoch == sim->scheduler.epoch &&
        binding->pod->ticket == binding->ticket)
        reject(sim, binding, "the wait in Permit took too long");
}

static void wait_in_permit(struct sim *sim, struct binding *binding, int64_t until)
{
    binding->pod->waits = binding;
    story(sim, binding->pod->ref, "waits", "has a place on %s, and waits for its gang",
          binding->machine->name);
    clock_at(&sim->clock, sim->clock.now + (until - sim_wall(sim)), time_is_over, binding);
}

static void go_to(struct sim *sim, struct pod *pod, struct machine *machine)
{
    struct binding *binding = arena_get(&pod->arena, sizeof(*binding));

    pod->pool = POOL_BINDING;
    *binding = (struct binding){pod, machine, pod->ticket, sim->scheduler.epoch};
    scheduler_charge(sim, pod, machine);
    about(sim, pod, machine->name);
    const msgpack_object *answer = host_must(sim, LOADER_RESERVE);
    if (!value_bool(answer, "pass", false)) {
        const char *why = arena_copy(&pod->arena, value_str(answer, "message", "refused"));
        fail_binding(sim, binding, why);
        return;
    }
    about(sim, pod, machine->name);
    answer = host_must(sim, LOADER_PERMIT);
    if (!value_bool(answer, "allow", false)) {
        wait_in_permit(sim, binding, value_int(answer, "wait", 0));
        return;
    }
    clock_at(&sim->clock, sim->clock.now + BIND_TAKES * MILLISECOND, bind_now, binding);
}

static void schedule(struct sim *sim, struct pod *pod)
{
    pod->attempts++;
    story_touch(sim, pod);
    if (sim->world.n_machines == 0) { /* the stock scheduler asks no plugin then */
        find_none(sim, pod, no_nodes(&pod->arena, sim));
        return;
    }
    about(sim, pod, NULL);
    const msgpack_object *answer = host_must(sim, LOADER_PRE_FILTER);
    if (!value_bool(answer, "pass", false)) {
        const char *message = arena_copy(&pod->arena, value_str(answer, "message", "refused"));
        if (value_bool(answer, "unschedulable", false))
            find_none(sim, pod, message);
        else
            end_in_error(sim, pod, message);
        return;
    }
    struct machine *machine = choose(sim, pod, value_bool(answer, "nodes", true));
    if (machine)
        go_to(sim, pod, machine);
    else
        find_none(sim, pod, no_nodes(&pod->arena, sim));
}

bool cycle_try(struct sim *sim, struct pod *pod, struct trial *ret)
{
    const msgpack_object *answer;

    *ret = (struct trial){pod, NULL};
    if (sim->world.n_machines == 0)
        return false;
    about(sim, pod, NULL);
    answer = host_must(sim, LOADER_PRE_FILTER);
    if (!value_bool(answer, "pass", false))
        return false;
    ret->machine = choose(sim, pod, value_bool(answer, "nodes", true));
    if (!ret->machine)
        return false;
    scheduler_charge(sim, pod, ret->machine);
    r_key_bool(about(sim, pod, ret->machine->name), "groupCycle", true);
    if (value_bool(host_must(sim, LOADER_RESERVE), "pass", false))
        return true;
    scheduler_discharge(sim, pod);
    return false;
}

void cycle_take_back(struct sim *sim, const struct trial *trial)
{
    r_key_bool(about(sim, trial->pod, trial->machine->name), "groupCycle", true);
    host_must(sim, LOADER_UNRESERVE);
    scheduler_discharge(sim, trial->pod);
}

void cycle_go(struct sim *sim, const struct trial *trial)
{
    go_to(sim, trial->pod, trial->machine);
}

void cycle_find_none(struct sim *sim, struct pod *pod)
{
    pod->attempts++;
    scheduler_park(sim, pod);
    write_condition(sim, pod, "Unschedulable", no_nodes(&pod->arena, sim));
}

static void cycle(struct sim *sim, void *what)
{
    if ((intptr_t)what != sim->scheduler.epoch)
        return;
    sim->scheduler.cycling = false;
    struct pod *pod = scheduler_pop(sim);
    if (!pod)
        return;
    if (pod->native[0])
        group_cycle(sim, pod);
    else
        schedule(sim, pod);
    if (sim->scheduler.n_active > 0)
        scheduler_plan_cycle(sim);
}

void scheduler_plan_cycle(struct sim *sim)
{
    if (sim->scheduler.cycling)
        return;
    sim->scheduler.cycling = true;
    clock_at(&sim->clock, sim->clock.now + CYCLE_TAKES * MILLISECOND, cycle,
             (void *)(intptr_t)sim->scheduler.epoch);
}
