/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "examples/sim/board_rows.h"
#include "examples/sim/sim.h"

void board_some_map(struct json *json, const char *key, const msgpack_object *map)
{
    if (value_count(map) == 0)
        return;
    json_begin(json, key, '{');
    for (uint32_t i = 0; i < value_count(map); i++) {
        const msgpack_object *value;
        const char *name = value_pair(map, i, &value);
        if (value_is(value, MSGPACK_OBJECT_POSITIVE_INTEGER))
            json_number(json, name, value->via.i64);
        else if (value_is(value, MSGPACK_OBJECT_STR))
            json_text(json, name, value->via.str.ptr);
    }
    json_end(json, '}');
}

void board_some_text(struct json *json, const char *key, const char *text)
{
    if (*text)
        json_text(json, key, text);
}

void board_some_number(struct json *json, const char *key, int64_t number)
{
    if (number != 0)
        json_number(json, key, number);
}

void board_some_time(struct sim *sim, struct json *json, const char *key, int64_t wall)
{
    if (wall != 0)
        json_time(json, key, wall - sim_wall(sim) + sim->clock.now);
}

const char *board_queue_key(struct arena *arena, const char *kind, const char *name)
{
    return arena_format(arena, "%s/%s", kind, name);
}

const char *board_gang_key(struct arena *arena, const msgpack_object *group)
{
    return arena_format(arena, "Gang/%s/%s", value_str(group, "namespace", ""),
                        value_str(group, "name", ""));
}

/* Cohorts are above ClusterQueues and above each other. */
static const char *parent_key(struct arena *arena, const msgpack_object *queue)
{
    const char *parent = value_str(queue, "parent", "");
    bool volcano = strcmp(value_str(queue, "kind", ""), "Queue") == 0;

    return *parent ? board_queue_key(arena, volcano ? "Queue" : "Cohort", parent) : "";
}

static void put_quota(struct json *json, const msgpack_object *queue)
{
    const msgpack_object *quota = value_array(queue, "quota");
    bool volcano = strcmp(value_str(queue, "kind", ""), "Queue") == 0;

    json_begin(json, "quota", '[');
    for (uint32_t i = 0; i < value_count(quota); i++) {
        const msgpack_object *row = value_item(quota, i);
        int64_t share = value_int(row, "share", 0);
        int64_t ceiling = value_int(row, "ceiling", -1);
        int64_t allocated = value_int(row, "allocated", 0);
        int64_t reserved = value_int(row, "reserved", 0);
        int64_t over = allocated + reserved - share;
        json_begin(json, NULL, '{');
        json_text(json, "flavor", value_str(row, "flavor", ""));
        json_text(json, "resource", value_str(row, "resource", ""));
        board_some_number(json, "share", share);
        board_some_number(json, "kept", value_int(row, "kept", 0));
        if (ceiling >= 0)
            json_number(json, "ceiling", ceiling);
        board_some_number(json, "allocated", allocated);
        board_some_number(json, "reserved", reserved);
        /* A queue of Volcano's without `deserved` has no share that it could go beyond. */
        if (over > 0 && !(volcano && share == 0))
            json_number(json, "borrowed", over);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_queue(struct sim *sim, const msgpack_object *queue, struct board_look *look)
{
    const char *kind = value_str(queue, "kind", "");
    const char *name = value_str(queue, "name", "");
    const char *state = value_str(queue, "state", "");
    struct arena *scratch = &look->scratch;
    struct json *json = board_row(sim);

    look->queues = array_room(look->queues, look->count, &look->cap, sizeof(*look->queues));
    struct board_queue *made = &look->queues[look->count++];
    *made = (struct board_queue){
        .key = board_queue_key(scratch, kind, name),
        .kind = arena_copy(scratch, kind),
        .name = arena_copy(scratch, name),
        .parent = parent_key(scratch, queue),
        .waits = value_bool(queue, "leaf", true) && value_int(queue, "waiting", 0) > 0,
    };
    json_text(json, "key", made->key);
    json_text(json, "kind", kind);
    json_text(json, "name", name);
    board_some_text(json, "parent", made->parent);
    json_bool(json, "leaf", value_bool(queue, "leaf", true));
    json_text(json, "state", state);
    board_some_text(json, "reason", value_str(queue, "reason", ""));
    board_some_text(json, "strategy", value_str(queue, "strategy", ""));
    if (value_bool(queue, "byParent", false))
        json_bool(json, "byParent", true);
    if (!value_bool(queue, "known", true))
        json_bool(json, "known", false);
    static const char *const counts[] = {"waiting", "held", "reserved", "allocated"};
    for (size_t i = 0; i < 4; i++)
        board_some_number(json, counts[i], value_int(queue, counts[i], 0));
    board_some_map(json, "asks", value_map(queue, "asks"));
    put_quota(json, queue);
    board_row_end(sim, BOARD_QUEUES, made->key, false);
}

/* The keys of one list of a queue's, from all of its pages. */
struct listed {
    const char **keys;
    int64_t *places;
    size_t count;
    size_t keys_cap;
    size_t places_cap;
};

static void listed_add(struct listed *listed, const char *key, int64_t place)
{
    listed->keys =
        array_room(listed->keys, listed->count, &listed->keys_cap, sizeof(*listed->keys));
    listed->places =
        array_room(listed->places, listed->count, &listed->places_cap, sizeof(*listed->places));
    listed->keys[listed->count] = key;
    listed->places[listed->count++] = place;
}

static void listed_finish(struct listed *listed)
{
    free(listed->keys);
    free(listed->places);
}

static void list(struct sim *sim, const struct board_queue *queue, bool workloads,
                 struct arena *scratch, struct listed *ret)
{
    int64_t from = 0;

    do {
        struct request *r = library_begin(&sim->library, sim_wall(sim));
        r_key_str(r, "what", workloads ? "workloads" : "pending");
        r_key_str(r, "kind", queue->kind);
        r_key_str(r, "name", queue->name);
        r_key_int(r, "from", from);
        const msgpack_object *answer = host_call(sim, LOADER_INSPECT);
        const msgpack_object *rows = value_array(answer, workloads ? "workloads" : "pods");
        from = value_int(answer, "from", 0);
        for (uint32_t i = 0; i < value_count(rows); i++) {
            const msgpack_object *row = value_item(rows, i);
            if (workloads && strcmp(value_str(row, "state", ""), "waiting") != 0)
                continue;
            const char *uid = value_str(row, "uid", "");
            /* A group whose members are still to be made waits under its own uid. */
            bool is_gang = !workloads &&
                           (value_int(row, "members", 0) > 0 || !map_get(&sim->world.by_uid, uid));
            const char *key = is_gang ? board_gang_key(scratch, row) : arena_copy(scratch, uid);
            listed_add(ret, key, value_int(row, "position", 0));
        }
    } while (from > 0);
}

/* Pods and gangs come in their order, workloads say their place among all. */
static void put_line(struct sim *sim, struct board_queue *queue, struct arena *scratch)
{
    struct listed pods = {0};
    struct listed loads = {0};
    size_t load = 0;

    if (queue->waits)
        list(sim, queue, false, scratch, &pods);
    if (queue->waits && strcmp(queue->kind, "ClusterQueue") == 0)
        list(sim, queue, true, scratch, &loads);
    queue->n_line = pods.count + loads.count;
    queue->line = arena_get(scratch, (queue->n_line + 1) * sizeof(*queue->line));
    for (size_t i = 0; i < queue->n_line; i++) {
        size_t pod = i - load;
        bool its_turn =
            load < loads.count && (pod == pods.count || loads.places[load] <= (int64_t)(i + 1));
        queue->line[i] = its_turn ? loads.keys[load++] : pods.keys[pod];
    }
    board_line(sim, queue->key, queue->line, queue->n_line);
    listed_finish(&pods);
    listed_finish(&loads);
}

void board_queues(struct sim *sim, struct board_look *look)
{
    int64_t from = 0;

    do {
        struct request *r = library_begin(&sim->library, sim_wall(sim));
        r_key_str(r, "what", "queues");
        r_key_int(r, "from", from);
        const msgpack_object *answer = host_call(sim, LOADER_INSPECT);
        const msgpack_object *queues = value_array(answer, "queues");
        from = value_int(answer, "from", 0);
        for (uint32_t i = 0; i < value_count(queues); i++)
            put_queue(sim, value_item(queues, i), look);
    } while (from > 0);
    for (size_t i = 0; i < look->count; i++) {
        map_put(&look->by_key, look->queues[i].key, &look->queues[i]);
        put_line(sim, &look->queues[i], &look->scratch);
    }
}

void board_look_finish(struct board_look *look)
{
    free(look->queues);
    map_finish(&look->by_key);
    arena_finish(&look->scratch);
}
