/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "examples/sim/board_rows.h"
#include "examples/sim/sim.h"
#include "examples/sim/workload_show.h"

/* Of so many at the front of each line it is told why they wait; of the others where they stand. */
enum { REASONS_MOST = 30 };

/* An estimate is told in seconds: nobody plans by less, and rows change less often. */
static void put_estimate(struct json *json, const msgpack_object *seen)
{
    static const char *const ends[] = {"estimate", "earliest", "latest"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        int64_t length = value_int(seen, ends[i], -1);

        if (length >= 0)
            json_time(json, ends[i], (length + SECOND - 1) / SECOND * SECOND);
    }
    board_some_text(json, "basis", value_str(seen, "basis", ""));
}

/* What it waits for: of a pod, a gang or a workload. */
static void put_why(struct json *json, struct arena *scratch, const msgpack_object *seen)
{
    const msgpack_object *on = value_map(seen, "on");

    board_some_text(json, "message", value_str(seen, "message", ""));
    board_some_map(json, "ahead", value_map(seen, "ahead"));
    put_estimate(json, seen);
    if (!on)
        return;
    json_begin(json, "on", '{');
    json_text(json, "queue",
              board_queue_key(scratch, value_str(on, "kind", ""), value_str(on, "name", "")));
    json_text(json, "resource", value_str(on, "resource", ""));
    json_number(json, "room", value_int(on, "room", 0));
    json_number(json, "asked", value_int(on, "asked", 0));
    json_number(json, "wanted", value_int(on, "wanted", 0));
    json_end(json, '}');
}

/* What claims of all kinds have. */
static struct json *begin_claim(struct sim *sim, const char *key, const char *kind,
                                const msgpack_object *seen, const char *queue)
{
    struct json *json = board_row(sim);

    json_text(json, "key", key);
    json_text(json, "kind", kind);
    json_text(json, "namespace", value_str(seen, "namespace", ""));
    json_text(json, "name", value_str(seen, "name", ""));
    board_some_text(json, "queue", queue);
    json_text(json, "state", value_str(seen, "state", ""));
    board_some_text(json, "reason", value_str(seen, "reason", ""));
    board_some_number(json, "priority", value_int(seen, "priority", 0));
    board_some_time(sim, json, "created", value_int(seen, "created", 0));
    board_some_map(json, "asks", value_map(seen, "asks"));
    return json;
}

static const char *queue_of(struct arena *scratch, const msgpack_object *seen)
{
    const char *name = value_str(seen, "queue", "");

    return *name ? board_queue_key(scratch, value_str(seen, "queueKind", "Queue"), name) : "";
}

static void put_pod(struct sim *sim, const struct pod *pod, struct arena *scratch)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_str(r, "what", "pod");
    r_key_str(r, "uid", pod->uid);
    const msgpack_object *seen = host_call(sim, LOADER_INSPECT);
    if (!seen) {
        board_gone(sim, BOARD_CLAIMS, pod->uid);
        return;
    }
    struct json *json = begin_claim(sim, pod->uid, "Pod", seen, queue_of(scratch, seen));
    board_some_text(json, "node", value_str(seen, "node", ""));
    board_some_time(sim, json, "granted", value_int(seen, "granted", 0));
    board_some_map(json, "flavors", value_map(seen, "flavors"));
    const char *group = value_str(seen, "group", "");
    if (*group)
        json_text(json, "gang", arena_format(scratch, "Gang/%s/%s", pod->namespace, group));
    if (value_int(seen, "position", 0) <= REASONS_MOST)
        put_why(json, scratch, seen);
    else
        json_bool(json, "told", false);
    board_row_end(sim, BOARD_CLAIMS, pod->uid, true);
}

static void put_gang(struct sim *sim, const msgpack_object *seen, struct arena *scratch)
{
    static const char *const counts[] = {"minimum",   "pods",      "ready", "reserved",
                                         "allocated", "succeeded", "failed"};
    const char *key = board_gang_key(scratch, seen);
    struct json *json = begin_claim(sim, key, "Gang", seen, queue_of(scratch, seen));

    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
        board_some_number(json, counts[i], value_int(seen, counts[i], 0));
    if (value_bool(seen, "native", false))
        json_bool(json, "native", true);
    put_why(json, scratch, seen);
    board_row_end(sim, BOARD_CLAIMS, key, false);
}

static void put_gangs(struct sim *sim, struct arena *scratch)
{
    int64_t from = 0;

    do {
        struct request *r = library_begin(&sim->library, sim_wall(sim));
        r_key_str(r, "what", "groups");
        r_key_int(r, "from", from);
        const msgpack_object *answer = host_call(sim, LOADER_INSPECT);
        const msgpack_object *groups = value_array(answer, "groups");
        from = value_int(answer, "from", 0);
        for (uint32_t i = 0; i < value_count(groups); i++)
            put_gang(sim, value_item(groups, i), scratch);
    } while (from > 0);
}

static void put_pod_sets(struct json *json, const msgpack_object *list)
{
    if (value_count(list) == 0)
        return;
    json_begin(json, "podSets", '[');
    for (uint32_t i = 0; i < value_count(list); i++) {
        const msgpack_object *set = value_item(list, i);
        json_begin(json, NULL, '{');
        json_text(json, "name", value_str(set, "name", ""));
        json_number(json, "count", value_int(set, "count", 0));
        board_some_map(json, "flavors", value_map(set, "flavors"));
        json_end(json, '}');
    }
    json_end(json, ']');
}

/* Gates and checks: what each is called, and how it is. */
static void put_states(struct json *json, const char *key, const msgpack_object *list)
{
    if (value_count(list) == 0)
        return;
    json_begin(json, key, '{');
    for (uint32_t i = 0; i < value_count(list); i++) {
        const msgpack_object *one = value_item(list, i);
        const char *state = value_bool(one, "open", false) ? "Open" : "Closed";
        json_text(json, value_str(one, "name", ""), value_str(one, "state", state));
    }
    json_end(json, '}');
}

static const char *name_of(struct arena *scratch, const msgpack_object *other)
{
    return arena_format(scratch, "%s/%s", value_str(other, "namespace", ""),
                        value_str(other, "name", ""));
}

static void put_workload(struct sim *sim, const struct workload *workload, struct arena *scratch)
{
    const msgpack_object *seen = workload_inspect(sim, workload->object);
    const char *queue = value_str(seen, "clusterQueue", "");

    if (!seen || strcmp(value_str(seen, "state", ""), "finished") == 0)
        return;
    const char *key = workload->object->uid;
    struct json *json = begin_claim(sim, key, "Workload", seen,
                                    *queue ? board_queue_key(scratch, "ClusterQueue", queue) : "");
    board_some_text(json, "localQueue", value_str(seen, "queue", ""));
    put_why(json, scratch, seen);
    put_pod_sets(json, value_array(seen, "podSets"));
    put_states(json, "gates", value_array(seen, "gates"));
    put_states(json, "checks", value_array(seen, "checks"));
    const msgpack_object *victims = value_array(seen, "victims");
    if (value_count(victims) > 0) {
        json_begin(json, "victims", '[');
        for (uint32_t i = 0; i < value_count(victims); i++)
            json_text(json, NULL, name_of(scratch, value_item(victims, i)));
        json_end(json, ']');
    }
    const msgpack_object *other = value_map(seen, "for");
    if (other)
        json_text(json, "for", name_of(scratch, other));
    board_row_end(sim, BOARD_CLAIMS, key, false);
}

/* Parents may go round in a circle: that is for the library to refuse. */
static bool is_stirred(struct sim *sim, const struct board_look *look,
                       const struct board_queue *queue)
{
    for (size_t up = 0; queue && up <= look->count; up++) {
        if (board_changed(sim, BOARD_QUEUES, queue->key))
            return true;
        queue = map_get(&look->by_key, queue->parent);
    }
    return false;
}

static void put_if_pod(struct sim *sim, const char *key, struct arena *scratch)
{
    struct pod *pod = map_get(&sim->world.by_uid, key);

    if (pod && !pod->on_board)
        put_pod(sim, pod, scratch);
}

/* Those at the front, where something stirs; and whoever has come into the line. */
static void put_line(struct sim *sim, const struct board_queue *queue, struct arena *scratch)
{
    for (size_t i = 0; i < queue->n_line; i++) {
        bool is_new;
        board_is_in_line(sim, queue->line[i], &is_new);
        if (is_new || (queue->stirred && i < REASONS_MOST))
            put_if_pod(sim, queue->line[i], scratch);
    }
}

/* Those who were told of before and are in no line: a place may be granted or lost without a word
 * about the pod. */
static void put_others(struct sim *sim, struct arena *scratch)
{
    const char *key;
    size_t place = 0;
    bool is_new;

    while ((key = board_next_lasting(sim, &place)))
        if (!board_is_in_line(sim, key, &is_new))
            put_if_pod(sim, key, scratch);
}

void board_claims(struct sim *sim, struct board_look *look)
{
    struct board *board = &sim->board;

    for (size_t i = 0; i < look->count; i++) {
        look->queues[i].stirred = is_stirred(sim, look, &look->queues[i]);
        put_line(sim, &look->queues[i], &look->scratch);
    }
    put_others(sim, &look->scratch);
    for (size_t i = 0; i < board->n_touched; i++) {
        board->touched[i]->on_board = false;
        put_pod(sim, board->touched[i], &look->scratch);
    }
    board->n_touched = 0;
    put_gangs(sim, &look->scratch);
    for (size_t i = 0; i < sim->workloads.by_ref.count; i++) {
        const struct workload *workload = sim->workloads.by_ref.entries[i].value;
        if (workload)
            put_workload(sim, workload, &look->scratch);
    }
}
