/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "examples/sim/expect.h"
#include "examples/sim/fleet_seen.h"
#include "examples/sim/sim.h"
#include "examples/sim/workload_seen.h"

static const char *number(struct sim *sim, int64_t n)
{
    return arena_format(&sim->arena, "%" PRId64, n);
}

static const char *joined(struct sim *sim, const struct names *names)
{
    const char *text = "";

    for (size_t i = 0; i < names->count; i++)
        text = arena_format(&sim->arena, "%s%s%s", text, i ? ", " : "", names->items[i]);
    return text;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* What the engine says about the pod, by the key of its map. */
static const char *of_engine(struct sim *sim, const struct pod *pod, const char *key)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_str(r, "what", "pod");
    r_key_str(r, "uid", pod->uid);
    const msgpack_object *seen = host_call(sim, LOADER_INSPECT);
    if (strcmp(key, "position") == 0)
        return number(sim, value_int(seen, key, 0));
    return arena_copy(&sim->arena, value_str(seen, key, "unknown"));
}

const char *seen_of_pod(struct sim *sim, const char *ref, const char *key, const char *inner)
{
    static const char *const engine_keys[][2] = {{"state", "state"},
                                                 {"hold", "reason"},
                                                 {"why", "message"},
                                                 {"queue", "queue"},
                                                 {"position", "position"}};
    const struct pod *pod = world_pod(sim, ref);

    if (!pod)
        return "gone";
    const struct pod_state *state = pod->state;
    if (strcmp(key, "gates") == 0)
        return joined(sim, &state->gates);
    if (strcmp(key, "reason") == 0)
        return state->reason;
    if (strcmp(key, "message") == 0)
        return state->message;
    if (strcmp(key, "node") == 0)
        return state->node;
    if (strcmp(key, "phase") == 0)
        return state->phase;
    if (strcmp(key, "annotations") == 0)
        return or_empty(pairs_get(&state->annotations, inner));
    if (strcmp(key, "nodeSelector") == 0)
        return or_empty(pairs_get(&state->selector, inner));
    if (strcmp(key, "patches") == 0)
        return number(sim, pod->writes);
    if (strcmp(key, "events") == 0)
        return number(sim, pod->events);
    if (strcmp(key, "told") == 0)
        return or_empty(pod->told);
    for (size_t i = 0; i < sizeof(engine_keys) / sizeof(*engine_keys); i++)
        if (strcmp(engine_keys[i][0], key) == 0)
            return of_engine(sim, pod, engine_keys[i][1]);
    return NULL;
}

/* The sum over the flavors; of one flavor if inner is "flavor:resource". */
static int64_t sum_of(const msgpack_object *quota, const char *key, const char *resource)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < value_count(quota); i++) {
        const msgpack_object *row = value_item(quota, i);
        const char *flavor = value_str(row, "flavor", "");
        const char *name = value_str(row, "resource", "");
        size_t len = strlen(flavor);
        bool is_flavor = strncmp(resource, flavor, len) == 0 && resource[len] == ':' &&
                         strcmp(resource + len + 1, name) == 0;
        if (is_flavor || strcmp(resource, name) == 0)
            sum += value_int(row, key, 0);
    }
    return sum;
}

static const char *kind_of(const char *ref)
{
    if (strncmp(ref, "clusterqueue/", 13) == 0)
        return "ClusterQueue";
    return strncmp(ref, "cohort/", 7) == 0 ? "Cohort" : "Queue";
}

/* Of its object's status. */
static const char *seen_of_group(struct sim *sim, const char *ref, const char *key)
{
    const struct object *object = map_get(&sim->world.objects, ref);
    const struct tree *value =
        object && object->is ? tree_get(tree_get(object->doc, "status"), key) : NULL;

    if (!object || !object->is)
        return "gone";
    return value && value->type == TREE_TEXT ? value->text : "";
}

const char *seen_of_queue(struct sim *sim, const char *ref, const char *key, const char *inner,
                          bool *ret_is_amount)
{
    if (!sim->fleet.is && workload_seen_is(ref)) {
        *ret_is_amount = false;
        return workload_seen(sim, ref, key, inner);
    }
    if (fleet_seen_is(ref)) {
        *ret_is_amount = false;
        return fleet_seen(sim, ref, key);
    }
    if (strncmp(ref, "podgroup/", 9) == 0) {
        *ret_is_amount = false;
        return seen_of_group(sim, ref, key);
    }

    const struct object *object = map_get(&sim->world.objects, ref);

    *ret_is_amount = false;
    if (strcmp(key, "writes") == 0 || strcmp(key, "events") == 0)
        return number(sim, !object ? 0 : *key == 'w' ? object->writes : object->events);

    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_str(r, "what", "queue");
    r_key_str(r, "kind", kind_of(ref));
    r_key_str(r, "name", strchr(ref, '/') + 1);
    const msgpack_object *answer = host_call(sim, LOADER_INSPECT);
    if (!answer)
        return "gone";
    const msgpack_object *queue = answer;
    if (strcmp(key, "state") == 0 || strcmp(key, "reason") == 0 || strcmp(key, "parent") == 0 ||
        strcmp(key, "own") == 0)
        return arena_copy(&sim->arena, value_str(queue, key, ""));
    if (strcmp(key, "waiting") == 0 || strcmp(key, "held") == 0)
        return number(sim, value_int(queue, key, 0));
    if (strcmp(key, "known") == 0 || strcmp(key, "byParent") == 0 || strcmp(key, "written") == 0)
        return value_bool(queue, key, false) ? "true" : "false";
    if (strcmp(key, "allocated") != 0 && strcmp(key, "reserved") != 0 && strcmp(key, "usage") != 0)
        return NULL;
    if (!inner)
        return number(sim, value_int(queue, key, 0));
    *ret_is_amount = true;
    return number(sim, sum_of(value_array(queue, "quota"), key, inner));
}

bool seen_is_there(struct sim *sim, const char *ref)
{
    const struct object *object = map_get(&sim->world.objects, ref);

    return sim->fleet.is && fleet_seen_is(ref) ? fleet_seen_exists(sim, ref) : object && object->is;
}

/* Effects for pods that are not done: waiting in the outbox, or leased. */
static int64_t effects(struct sim *sim)
{
    int64_t from = 0;
    int64_t sum = 0;

    do {
        struct request *r = library_begin(&sim->library, sim_wall(sim));
        r_key_str(r, "what", "effects");
        r_key_int(r, "from", from);
        const msgpack_object *answer = host_call(sim, LOADER_INSPECT);
        const msgpack_object *list = value_array(answer, "effects");
        for (uint32_t i = 0; i < value_count(list); i++)
            sum += strcmp(value_str(value_item(list, i), "kind", ""), "queueStatus") != 0;
        from = value_int(answer, "from", 0);
    } while (from > 0);
    return sum;
}

const char *seen_of_world(struct sim *sim, const char *key)
{
    if (strcmp(key, "nodes") == 0)
        return number(sim, sim->world.n_machines);
    if (strcmp(key, "bought") == 0)
        return number(sim, sim->autoscaler.bought);
    if (strcmp(key, "effects") == 0)
        return number(sim, effects(sim));
    if (strcmp(key, "unknownAcks") == 0)
        return number(sim, sim->host.unknown);
    if (strcmp(key, "preemptions") == 0)
        return number(sim, sim->fleet.preemptions);
    if (strcmp(key, "leader") == 0)
        return sim->host.leads ? "true" : "false";
    return NULL;
}
