/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/workload_why.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/text.h"
#include "examples/sim/why.h"
#include "examples/sim/workload_show.h"

static void say_gates(const msgpack_object *seen)
{
    const msgpack_object *gates = value_array(seen, "gates");

    for (uint32_t i = 0; i < value_count(gates); i++) {
        const msgpack_object *gate = value_item(gates, i);
        text_say(stdout, "Its preemption gate %s is %s.\n", value_str(gate, "name", ""),
                 value_bool(gate, "open", false) ? "open" : "closed");
    }
    if (value_bool(seen, "signal", false))
        text_say(stdout, "It signals that it could preempt.\n");
}

static void say_names(const char *words, const msgpack_object *list)
{
    for (uint32_t i = 0; i < value_count(list); i++)
        text_say(stdout, "%s%s%s", i ? ", " : words, value_str(value_item(list, i), "name", ""),
                 i + 1 == value_count(list) ? ".\n" : "");
}

static void say_flavors(const msgpack_object *flavors)
{
    for (uint32_t i = 0; i < value_count(flavors); i++) {
        const msgpack_object *flavor;
        const char *resource = value_pair(flavors, i, &flavor);
        text_say(stdout, ", %s of %s", resource,
                 value_is(flavor, MSGPACK_OBJECT_STR) ? flavor->via.str.ptr : "");
    }
}

static void say_pod_sets(const char *words, const msgpack_object *list)
{
    for (uint32_t i = 0; i < value_count(list); i++) {
        const msgpack_object *set = value_item(list, i);
        const msgpack_object *flavors = value_map(set, "flavors");
        if (value_count(flavors) == 0)
            continue;
        int64_t count = value_int(set, "count", 0);
        text_say(stdout, "%s: %s, %" PRId64 " pod%s", words, value_str(set, "name", ""), count,
                 count == 1 ? "" : "s");
        say_flavors(flavors);
        text_say(stdout, ".\n");
    }
}

static void say_checks(const msgpack_object *list)
{
    for (uint32_t i = 0; i < value_count(list); i++)
        text_say(stdout, "The check %s says %s.\n", value_str(value_item(list, i), "name", ""),
                 value_str(value_item(list, i), "state", ""));
}

void workload_why(struct sim *sim, const struct workload *workload, const char *at)
{
    const char *ref = workload->object->ref;
    const msgpack_object *seen = workload_inspect(sim, workload->object);
    const char *state = value_str(seen, "state", "");
    const char *reason = value_str(seen, "reason", "");
    const char *message = value_str(seen, "message", "");
    const char *cluster_queue = value_str(seen, "clusterQueue", "");
    bool holds = strcmp(state, "reserved") == 0 || strcmp(state, "allocated") == 0;

    if (!seen) {
        text_say(stdout, "%s at %s: the queues do not know it: %s\n", ref, at, sim->library.error);
        return;
    }
    text_say(stdout, "%s at %s is %s in queue %s", ref, at, state,
             text_name(&sim->arena, value_str(seen, "queue", "")));
    if (*cluster_queue)
        text_say(stdout, " of ClusterQueue %s", cluster_queue);
    text_say(stdout, "%s%s.\n", *reason ? ": " : "", reason);
    if (*message)
        text_say(stdout, "It waits for this: %s.\n", message);
    if (strcmp(state, "waiting") == 0)
        why_waiting(seen);
    say_gates(seen);
    say_names(strcmp(reason, "PreemptionGated") == 0 ? "For it these would be evicted: "
                                                     : "For it these are evicted: ",
              value_array(seen, "victims"));
    say_pod_sets(holds ? "It holds" : "It is promised", value_array(seen, "podSets"));
    say_checks(value_array(seen, "checks"));
    if (workload->object->runs)
        text_say(stdout, "In the cluster its job runs.\n");
}
