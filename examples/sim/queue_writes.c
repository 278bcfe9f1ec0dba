/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/queue_writes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/text.h"

enum {
    STATUS_BYTES = 4000, /* of what is about one status, at a time */
};

struct queue_write {
    struct arena arena; /* of a status: what was read of it */
    enum { WRITES_STATUS, WRITES_EVENT, WRITES_DELETION } what;
    const char *ref; /* of what it is about */
    const char *uid;
    const struct tree *patch;                   /* of a status: of the whole object */
    int64_t version;                            /* of the object that was written */
    const char *state, *reason, *message, *key; /* of an event, but for the state */
    bool again;
};

static const struct tree *parse(struct arena *arena, struct fault *fault, const char *yaml)
{
    const struct tree *list = tree_parse(arena, "an effect", yaml, strlen(yaml), fault);

    return list && list->count > 0 ? list->pairs[0].value : NULL;
}

static const char *mark(struct arena *arena, const msgpack_object *effect, const char *name)
{
    const char *value = value_str(value_map(effect, "annotations"), name, NULL);

    return value ? arena_format(arena, "'%s': %s", name, text_quoted(arena, value))
                 : arena_format(arena, "'%s': null", name);
}

static const char *amounts(struct arena *arena, const msgpack_object *map)
{
    const char *text = "";

    for (uint32_t i = 0; i < value_count(map); i++) {
        const msgpack_object *value;
        const char *key = value_pair(map, i, &value);
        int64_t number = value_is(value, MSGPACK_OBJECT_POSITIVE_INTEGER) ? value->via.i64 : 0;

        text = arena_format(arena, "%s%s: %" PRId64 "%s, ", text, text_quoted(arena, key), number,
                            strcmp(key, "cpu") == 0 ? "m" : "");
    }
    return text;
}

static void read_status(struct sim *sim, const msgpack_object *effect, struct queue_write *ret)
{
    struct arena *arena = &ret->arena;

    ret->what = WRITES_STATUS;
    ret->ref = arena_format(arena, "queue/%s", value_str(effect, "name", ""));
    ret->state = arena_copy(arena, value_str(effect, "state", ""));
    ret->patch = parse(
        arena, &sim->fault,
        arena_format(arena,
                     "{metadata: {annotations: {%s, %s}}, status: {state: '%s', pending: %d, "
                     "inqueue: %d, running: %d, allocated: {%s}, reserved: {%s}}}",
                     mark(arena, effect, "volcano.sh/closed-by-parent"),
                     mark(arena, effect, "volcano.sh/suspended-by-parent"), ret->state,
                     (int)value_int(effect, "pending", 0), (int)value_int(effect, "inqueue", 0),
                     (int)value_int(effect, "running", 0),
                     amounts(arena, value_map(effect, "allocated")),
                     amounts(arena, value_map(effect, "reserved"))));
}

static const char *ref_of(struct sim *sim, const char *kind, const char *namespace,
                          const char *name)
{
    if (*namespace == '\0' || strcmp(namespace, "default") == 0)
        return arena_format(&sim->arena, "%s/%s", kind, name);
    return arena_format(&sim->arena, "%s/%s/%s", kind, namespace, name);
}

static void read_event(struct sim *sim, const msgpack_object *effect, struct queue_write *ret)
{
    const msgpack_object *about = value_map(effect, "about");
    const char *kind = value_str(about, "kind", "");

    ret->what = WRITES_EVENT;
    ret->ref = ref_of(sim,
                      strcmp(kind, "Pod") == 0     ? "pod"
                      : strcmp(kind, "Queue") == 0 ? "queue"
                                                   : "command",
                      value_str(about, "namespace", ""), value_str(about, "name", ""));
    ret->reason = arena_copy(&sim->arena, value_str(effect, "reason", ""));
    ret->message = arena_copy(&sim->arena, value_str(effect, "message", ""));
    ret->key = arena_format(&sim->arena, "%s.%s", ret->ref, value_str(effect, "key", ""));
    ret->again = value_bool(effect, "again", false);
}

struct queue_write *queue_write_read(struct sim *sim, const msgpack_object *effect)
{
    const char *kind = value_str(effect, "kind", "");
    bool is_status = strcmp(kind, "queueStatus") == 0;
    bool is_event = strcmp(kind, "event") == 0;
    struct queue_write *write;

    if (!is_status && !is_event && strcmp(kind, "deleteCommand") != 0)
        return NULL;
    write = array_zeroed(1, sizeof(*write));
    write->arena.chunk = STATUS_BYTES;
    if (is_status) {
        read_status(sim, effect, write);
    } else if (is_event) {
        read_event(sim, effect, write);
    } else {
        write->what = WRITES_DELETION;
        write->ref = ref_of(sim, "command", value_str(effect, "namespace", ""),
                            value_str(effect, "name", ""));
    }
    write->uid = arena_copy(&write->arena, value_str(effect, "uid", ""));
    return write;
}

void queue_write_finish(struct queue_write *write)
{
    if (!write)
        return;
    arena_finish(&write->arena);
    free(write);
}

static const char *text_at(const struct tree *doc, const char *path)
{
    const struct tree *value = tree_find(doc, path);

    return value && value->type == TREE_TEXT ? value->text : "";
}

static enum write write_status(struct sim *sim, struct queue_write *write)
{
    struct object *object = map_get(&sim->world.objects, write->ref);

    if (!object || !object->is || strcmp(object->uid, write->uid) != 0)
        return WRITE_GONE;

    /* Statuses are written often: a document of the object's own, in the place of the last. */
    struct arena scratch = {0}, own = {.chunk = STATUS_BYTES};
    const struct tree *next = tree_merge(&scratch, object->doc, write->patch);
    const char *before = text_at(object->doc, "status/state");

    if (strcmp(before, write->state) != 0)
        story(sim, object->ref, "state", "is %s", write->state);
    object->doc = tree_copy(&own, next);
    arena_finish(&scratch);
    arena_finish(&object->arena);
    object->arena = own;
    object->writes++;
    world_changed(sim, object);
    write->version = object->version;
    return WRITE_DONE;
}

static enum write write_event(struct sim *sim, const struct queue_write *write)
{
    struct pod *pod = world_pod(sim, write->ref);
    struct object *object = map_get(&sim->world.objects, write->ref);

    bool is_there = map_get(&sim->world.events, write->key) != NULL;

    if (is_there && !write->again)
        return WRITE_DONE;
    map_put(&sim->world.events, write->key, sim);
    if (pod) {
        pod->events += !is_there;
        pod->told = write->reason;
    } else if (object) {
        object->events += !is_there;
    }
    story(sim, write->ref, "event", "%s: %s", write->reason, write->message);
    return WRITE_DONE;
}

enum write queue_write_do(struct sim *sim, struct queue_write *write)
{
    struct object *object = map_get(&sim->world.objects, write->ref);

    if (write->what == WRITES_STATUS)
        return write_status(sim, write);
    if (write->what == WRITES_EVENT)
        return write_event(sim, write);
    if (!object || !object->is || strcmp(object->uid, write->uid) != 0)
        return WRITE_GONE;
    world_delete(sim, object->doc, write->ref);
    return WRITE_DONE;
}

int64_t queue_write_version(const struct queue_write *write)
{
    return write->version;
}

bool queue_write_patches(const struct queue_write *write)
{
    return write->what == WRITES_STATUS;
}
