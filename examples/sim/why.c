/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/why.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/run.h"
#include "examples/sim/text.h"
#include "examples/sim/workload_why.h"

static void say_amounts(const msgpack_object *map)
{
    char amount[32];

    for (uint32_t i = 0; i < value_count(map); i++) {
        const msgpack_object *value;
        const char *name = value_pair(map, i, &value);
        int64_t n = value_is(value, MSGPACK_OBJECT_POSITIVE_INTEGER) ? value->via.i64 : 0;
        text_say(stdout, "%s%s %s", i ? ", " : "", name,
                 resources_show_amount(name, n, amount, sizeof(amount)));
    }
}

void why_waiting(const msgpack_object *seen)
{
    int64_t position = value_int(seen, "position", 0);
    const msgpack_object *ahead = value_map(seen, "ahead");
    int64_t estimate = value_int(seen, "estimate", -1);
    int64_t earliest = value_int(seen, "earliest", -1), latest = value_int(seen, "latest", -1);
    const char *basis = value_str(seen, "basis", "");
    char time[32], to[32];

    if (position == 1)
        text_say(stdout, "It is the next of its queue.\n");
    else if (position > 1)
        text_say(stdout, "It is number %" PRId64 " of its queue.\n", position);
    if (position > 1 && value_count(ahead) > 0) {
        text_say(stdout, "Ahead of it, others wait for ");
        say_amounts(ahead);
        text_say(stdout, ".\n");
    }
    if (estimate >= 0)
        text_say(stdout, "Estimate: another %s", clock_show(estimate, time, sizeof(time)));
    else if (earliest >= 0)
        text_say(stdout, "No estimate");
    if (earliest >= 0 && latest >= 0)
        text_say(stdout, ", between %s and %s", clock_show(earliest, time, sizeof(time)),
                 clock_show(latest, to, sizeof(to)));
    else if (earliest >= 0)
        text_say(stdout, ", but not before %s", clock_show(earliest, time, sizeof(time)));
    if (estimate >= 0 || earliest >= 0)
        text_say(stdout, "%s%s.\n", *basis ? ": " : "", basis);
    else
        text_say(stdout, "How long is not known%s%s.\n", *basis ? ": " : "", basis);
}

static void say_scheduler(const struct pod *pod)
{
    const struct pod_state *state = pod->state;

    if (state->node[0])
        text_say(stdout, "In the cluster it is %s on node %s.\n", state->phase, state->node);
    else if (state->reason[0])
        text_say(stdout, "In the cluster it is %s, its condition says %s%s%s.\n", state->phase,
                 state->reason, state->message[0] ? ": " : "", state->message);
    for (size_t i = 0; i < state->gates.count; i++)
        text_say(stdout, "It carries the gate %s.\n", state->gates.items[i]);
}

static void say(struct sim *sim, const struct pod *pod, const char *at)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));
    char granted_at[32];

    r_key_str(r, "what", "pod");
    r_key_str(r, "uid", pod->uid);
    const msgpack_object *seen = host_call(sim, LOADER_INSPECT);
    if (!seen) {
        text_say(stdout,
                 "%s at %s is in no queue: it is over, not seen yet, or no pod of ours. Its\n",
                 pod->ref, at);
        text_say(stdout,
                 "schedulerName is %s; which ones are ours is in `config: {schedulers: [...]}`.\n",
                 pod->scheduler);
        say_scheduler(pod);
        return;
    }
    const char *state = value_str(seen, "state", "");
    const char *reason = value_str(seen, "reason", "");
    const char *message = value_str(seen, "message", "");
    int64_t granted = value_int(seen, "granted", 0);
    text_say(stdout, "%s at %s is %s in queue %s", pod->ref, at, state,
             text_name(&sim->arena, value_str(seen, "queue", "")));
    if (*reason)
        text_say(stdout, ": %s", reason);
    text_say(stdout, ".\n");
    if (*message)
        text_say(stdout, "It waits for this: %s.\n", message);
    if (strcmp(state, "waiting") == 0)
        why_waiting(seen);
    if (granted > 0)
        text_say(
            stdout, "Its place in the queue was granted at %s.\n",
            clock_show(granted - sim_wall(sim) + sim->clock.now, granted_at, sizeof(granted_at)));
    say_scheduler(pod);
}

static const struct pod *pod_named(struct sim *sim, const char *name)
{
    const char *ref =
        strncmp(name, "pod/", 4) == 0 ? name : arena_format(&sim->arena, "pod/%s", name);
    const struct pod *pod = world_pod(sim, ref);

    if (!pod)
        fault_say(&sim->fault, NULL, "there is no %s at that time", ref);
    return pod;
}

static void say_about(struct sim *sim, const char *name, const char *at)
{
    if (sim->fleet.is && strncmp(name, "workload", 8) == 0) {
        fault_say(
            &sim->fault, NULL,
            "%s is dispatched to clusters: what it waits for is in the table of run, and what "
            "it is expected to be under `why`",
            name);
        return;
    }
    const struct workload *workload = workload_owns(sim, name) ? workload_find(sim, name) : NULL;
    const struct pod *pod = workload_owns(sim, name) ? NULL : pod_named(sim, name);

    if (workload)
        workload_why(sim, workload, at);
    else if (pod)
        say(sim, pod, at);
    else if (!sim->fault.is)
        fault_say(&sim->fault, NULL, "there is no %s at that time", name);
}

int why_file(const char *library, const char *path, const char *pod, const char *at)
{
    const struct run_options options = {.library = library, .quiet = true};
    const struct tree when = {.type = TREE_TEXT, .text = at, .key = "--at"};
    struct sim sim;
    struct scenario scenario;

    if (run_init(&sim, &scenario, &options, path)) {
        int64_t until = tree_as_duration(&sim.fault, &when);
        if (until < 0)
            fault_at(&sim.fault, &when, "a time from the beginning on, such as 30s");
        if (!sim.fault.is && run_story(&sim, until)) {
            sim.clock.now = until;
            say_about(&sim, pod, at);
        }
    }
    int code = sim.fault.is ? EXIT_INPUT : EXIT_HELD;
    if (sim.fault.is)
        text_say(stderr, "sluice-sim: %s\n", sim.fault.text);
    run_finish(&sim, &scenario);
    return code;
}
