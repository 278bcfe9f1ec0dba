/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/groups.h"

#include <inttypes.h>
#include <string.h>

#include "abi/host/value.h"
#include "examples/sim/composites.h"
#include "examples/sim/queue_users.h"
#include "examples/sim/sim.h"
#include "examples/sim/text.h"
#include "examples/sim/translate.h"

/* The label of what the scheduler has made. */
#define MANAGED_BY "app.kubernetes.io/managed-by"
#define OURSELVES "sluice-scheduler"

static const struct tree *read_text(struct sim *sim, const char *text)
{
    const struct tree *list =
        tree_parse(&sim->arena, "a PodGroup", text, strlen(text), &sim->fault);

    return list && list->count > 0 ? list->pairs[0].value : sim->scenario->tree;
}

static const char *ref_of(struct sim *sim, const char *kind, const char *namespace,
                          const char *name)
{
    if (strcmp(namespace, "default") == 0)
        return arena_format(&sim->arena, "%s/%s", kind, name);
    return arena_format(&sim->arena, "%s/%s/%s", kind, namespace, name);
}

static const char *group_ref(struct sim *sim, const msgpack_object *effect)
{
    return ref_of(sim, value_bool(effect, "composite", false) ? "compositepodgroup" : "podgroup",
                  value_str(effect, "namespace", ""), value_str(effect, "name", ""));
}

static const char *amounts_text(struct sim *sim, const msgpack_object *amounts)
{
    const char *text = "";

    for (uint32_t i = 0; i < value_count(amounts); i++) {
        const msgpack_object *amount;
        const char *resource = value_pair(amounts, i, &amount);
        const char *unit = strcmp(resource, "cpu") == 0 ? "m" : "";
        text = arena_format(&sim->arena, "%s%s%s: \"%" PRId64 "%s\"", text, i ? ", " : "",
                            text_quoted(&sim->arena, resource), amount->via.i64, unit);
    }
    return text;
}

/* What its spec is to say. */
static const char *spec_text(struct sim *sim, const msgpack_object *effect, const char *least)
{
    return arena_format(&sim->arena,
                        "{minMember: %" PRId64 ", queue: %s, priorityClassName: %s, "
                        "minResources: {%s}}",
                        value_int(effect, "minMember", 0),
                        text_quoted(&sim->arena, value_str(effect, "queue", "")),
                        text_quoted(&sim->arena, value_str(effect, "priorityClass", "")), least);
}

/* What one of Kubernetes' own is to say; its priority class only when it is made. */
static const char *native_spec(struct sim *sim, const msgpack_object *effect)
{
    const char *class = value_str(effect, "priorityClass", "");

    return arena_format(&sim->arena, "{schedulingPolicy: {gang: {minCount: %" PRId64 "}}%s%s}",
                        value_int(effect, "minMember", 0), *class ? ", priorityClassName: " : "",
                        *class ? text_quoted(&sim->arena, class) : "");
}

/* The head of an object that is of Kubernetes' own. */
#define NATIVE "apiVersion: scheduling.k8s.io/v1beta1\n"

struct group_write groups_read_creation(struct sim *sim, const msgpack_object *effect)
{
    bool native = strcmp(value_str(effect, "kind", ""), "createNativeGroup") == 0;
    const msgpack_object *owner = value_map(effect, "owner");
    const char *namespace = value_str(effect, "namespace", "");
    char *kind = arena_copy(&sim->arena, value_str(owner, "kind", ""));
    const char *text = arena_format(
        &sim->arena,
        "%skind: PodGroup\nmetadata: {name: %s, namespace: %s, "
        "labels: {" MANAGED_BY ": " OURSELVES "}}\nspec: %s\n",
        native ? NATIVE : "", text_quoted(&sim->arena, value_str(effect, "name", "")),
        text_quoted(&sim->arena, namespace),
        native ? native_spec(sim, effect)
               : spec_text(sim, effect, amounts_text(sim, value_map(effect, "minResources"))));

    for (char *c = kind; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return (struct group_write){
        .ref = group_ref(sim, effect),
        .owner = ref_of(sim, kind, namespace, value_str(owner, "name", "")),
        .owner_uid = arena_copy(&sim->arena, value_str(owner, "uid", "")),
        .doc = read_text(sim, text),
    };
}

void groups_put_own(struct request *r, const struct object *group)
{
    const struct tree *by = tree_get(tree_find(group->doc, "metadata/labels"), MANAGED_BY);
    const struct tree *class = tree_find(group->doc, "spec/priorityClassName");

    if (by && by->type == TREE_TEXT && strcmp(by->text, OURSELVES) == 0)
        r_key_bool(r, "ours", true);
    if (class && class->type == TREE_TEXT)
        r_key_str(r, "priorityClass", class->text);
}

const struct object *groups_find(const struct sim *sim, const char *kind, const char *namespace,
                                 const char *name)
{
    char ref[600];
    bool here = strcmp(namespace, "default") == 0;

    snprintf(ref, sizeof(ref), "%s/%s%s%s", kind, here ? "" : namespace, here ? "" : "/", name);
    const struct object *group = map_get(&sim->world.objects, ref);
    return group && group->is ? group : NULL;
}

bool groups_counts(const struct pod *pod)
{
    return pod->seen && !pod_is_over(pod->seen) && !pod->seen->deleted;
}

bool groups_is_native(const struct object *group)
{
    static const char api[] = "scheduling.k8s.io/";
    const struct tree *version = group->doc ? tree_get(group->doc, "apiVersion") : NULL;

    return version && version->type == TREE_TEXT &&
           strncmp(version->text, api, sizeof(api) - 1) == 0;
}

int64_t groups_native_minimum(const struct object *group)
{
    const struct tree *minimum = tree_find(group->doc, "spec/schedulingPolicy/gang/minCount");
    int64_t count;

    return minimum && tree_is_int(minimum, &count) ? count : 0;
}

/* As text in v1alpha2, as a map since. */
bool groups_goes_whole(const struct object *group)
{
    const struct tree *mode = tree_find(group->doc, "spec/disruptionMode");

    return mode && (mode->type == TREE_TEXT ? strcmp(mode->text, "PodGroup") == 0
                                            : tree_get(mode, "all") != NULL);
}

/* What the host reads of an object's condition: ours, as it was written. */
static void put_condition(struct request *r, const struct object *group)
{
    const struct tree *conditions = tree_find(group->doc, "status/conditions");

    if (!conditions || conditions->type != TREE_LIST || conditions->count == 0)
        return;
    translate_key(r, "condition", conditions->pairs[0].value);
}

void groups_put_native(struct request *r, const struct sim *sim, const struct object *group)
{
    const struct tree *queue =
        tree_get(tree_find(group->doc, "metadata/annotations"), "scheduling.volcano.sh/queue-name");

    translate_key(r, "priority", tree_find(group->doc, "spec/priority"));
    if (strcmp(group->kind, "compositepodgroup") == 0) {
        composites_put(r, sim, group);
    } else {
        r_key_int(r, "minMember", groups_native_minimum(group));
        r_key_bool(r, "goesWhole", groups_goes_whole(group));
    }
    put_condition(r, group);
    if (!queue || queue->type != TREE_TEXT)
        return;
    r_key_str(r, "queue", queue->text);
    r_key_bool(r, "mayUse", queue_users_listed(sim, queue->text, group->namespace));
}

/* What is not said any more is taken away. */
static const char *taken_away(struct sim *sim, const struct object *group,
                              const msgpack_object *amounts)
{
    const struct tree *least = group ? tree_find(group->doc, "spec/minResources") : NULL;
    const char *text = "";

    for (size_t i = 0; least && i < least->count; i++)
        if (value_int(amounts, least->pairs[i].key, -1) < 0)
            text = arena_format(&sim->arena, "%s%s: null, ", text,
                                text_quoted(&sim->arena, least->pairs[i].key));
    return text;
}

struct group_write groups_read_change(struct sim *sim, const msgpack_object *effect)
{
    const msgpack_object *amounts = value_map(effect, "minResources");
    const char *ref = group_ref(sim, effect);
    const char *spec;

    if (value_bool(effect, "native", false))
        spec = native_spec(sim, effect);
    else
        spec = spec_text(sim, effect,
                         arena_format(&sim->arena, "%s%s",
                                      taken_away(sim, map_get(&sim->world.objects, ref), amounts),
                                      amounts_text(sim, amounts)));
    return (struct group_write){
        .ref = ref,
        .owner = "",
        .version = value_int(effect, "resourceVersion", 0),
        .doc = read_text(sim, arena_format(&sim->arena, "spec: %s\n", spec)),
    };
}

static const char *condition_text(struct sim *sim, const msgpack_object *item)
{
    return arena_format(&sim->arena, "{type: \"%s\", status: \"%s\", reason: \"%s\", message: %s}",
                        value_str(item, "type", ""), value_str(item, "status", ""),
                        value_str(item, "reason", ""),
                        text_quoted(&sim->arena, value_str(item, "message", "")));
}

static struct group_write read_condition(struct sim *sim, const msgpack_object *effect)
{
    return (struct group_write){
        .ref = group_ref(sim, effect),
        .owner = "",
        .version = value_int(effect, "resourceVersion", 0),
        .doc = read_text(sim, arena_format(&sim->arena, "status: {conditions: [%s]}\n",
                                           condition_text(sim, value_map(effect, "condition")))),
    };
}

struct group_write groups_read_status(struct sim *sim, const msgpack_object *effect)
{
    if (value_bool(effect, "native", false))
        return read_condition(sim, effect);

    const msgpack_object *conditions = value_array(effect, "conditions");
    const char *text =
        arena_format(&sim->arena,
                     "status: {phase: \"%s\", running: %" PRId64 ", succeeded: %" PRId64
                     ", failed: %" PRId64 ", conditions: [",
                     value_str(effect, "phase", ""), value_int(effect, "running", 0),
                     value_int(effect, "succeeded", 0), value_int(effect, "failed", 0));

    for (uint32_t i = 0; i < value_count(conditions); i++) {
        text = arena_format(&sim->arena, "%s%s%s", text, i ? ", " : "",
                            condition_text(sim, value_item(conditions, i)));
    }
    return (struct group_write){
        .ref = group_ref(sim, effect),
        .owner = "",
        .version = value_int(effect, "resourceVersion", 0),
        .doc = read_text(sim, arena_format(&sim->arena, "%s]}\n", text)),
    };
}

static bool owner_is_there(const struct sim *sim, const struct group_write *write)
{
    const struct object *object = map_get(&sim->world.objects, write->owner);
    const struct pod *pod = world_pod(sim, write->owner);

    if (pod)
        return strcmp(pod->uid, write->owner_uid) == 0;
    return object && object->is && strcmp(object->uid, write->owner_uid) == 0;
}

enum write groups_write(struct sim *sim, const struct group_write *write)
{
    const struct object *object = map_get(&sim->world.objects, write->ref);
    bool is = object && object->is;

    if (write->owner[0]) {
        if (!owner_is_there(sim, write))
            return WRITE_GONE;
        if (!is)
            world_apply(sim, write->doc, write->doc, write->ref);
        return WRITE_DONE;
    }
    if (!is)
        return WRITE_GONE;
    if (object->version != write->version)
        return WRITE_CONFLICT;
    world_patch(sim, write->doc, write->ref);
    return WRITE_DONE;
}

enum write groups_name(struct sim *sim, struct pod *pod, const char *group)
{
    if (pod->state->gone)
        return WRITE_GONE;
    struct pod_state *next = pod_write(pod, ++sim->world.version);
    next->annotations =
        pairs_set(&sim->arena, next->annotations, "scheduling.k8s.io/group-name", group);
    pod->writes++;
    story(sim, pod->ref, "named", "belongs to the group %s", group);
    world_commit(sim, pod, next);
    return WRITE_DONE;
}
