/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/workload_seen.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/text.h"
#include "examples/sim/tree_make.h"
#include "examples/sim/workload_show.h"
#include "examples/sim/workload_status.h"

static const char *const workload_texts[] = {
    "reserved", "admitted", "evicted",   "finished", "signal",       "active",  "running",
    "count",    "flavor",   "evictions", "writes",   "requeues",     "state",   "hold",
    "why",      "position", "priority",  "victims",  "clusterQueue", "backoff", NULL};
static const char *const workload_maps[] = {"flavors", "gates",   "checks",
                                            "retries", "reasons", NULL};
static const char *const local_texts[] = {"active",    "reason",   "waiting",
                                          "reserving", "admitted", NULL};

static bool is_local(const char *ref)
{
    return strncmp(ref, "localqueue/", 11) == 0;
}

bool workload_seen_is(const char *ref)
{
    return strncmp(ref, "workload/", 9) == 0 || is_local(ref);
}

static const char *list_of(const char *const *words, char *out, size_t cap)
{
    size_t len = strlen(out);

    for (; *words && len < cap; words++)
        len += (size_t)snprintf(out + len, cap - len, "%s%s", len ? ", " : "", *words);
    return out;
}

static void check_field(struct fault *fault, const struct tree_pair *field, bool local)
{
    const struct tree *value = field->value;
    bool is_map = !local && text_is_one_of(field->key, workload_maps);
    char want[400] = "";

    if (!is_map && !text_is_one_of(field->key, local ? local_texts : workload_texts)) {
        list_of(local ? local_texts : workload_texts, want, sizeof(want));
        fault_say(fault, value, "%s cannot be expected, want one of %s", field->key,
                  local ? want : list_of(workload_maps, want, sizeof(want)));
    } else if (!is_map && value->type != TREE_TEXT) {
        fault_at(fault, value, "text, \"*\" or \"!text\" (a list is \"a, b\")");
    } else if (is_map && value->type != TREE_MAP) {
        fault_at(fault, value, "a map");
    }
    for (size_t i = 0; is_map && value->type == TREE_MAP && i < value->count; i++)
        if (value->pairs[i].value->type != TREE_TEXT)
            fault_at(fault, value->pairs[i].value, "text, \"*\" or \"!text\"");
}

void workload_seen_check(struct fault *fault, const struct tree_pair *entry)
{
    if (entry->value->type == TREE_TEXT && strcmp(entry->value->text, "gone") == 0)
        return;
    if (entry->value->type != TREE_MAP) {
        fault_at(fault, entry->value, "a map of what is expected, or gone");
        return;
    }
    for (size_t i = 0; i < entry->value->count; i++)
        check_field(fault, &entry->value->pairs[i], is_local(entry->key));
}

static const char *number(struct sim *sim, int64_t n)
{
    return arena_format(&sim->arena, "%" PRId64, n);
}

static const char *truth(bool is)
{
    return is ? "true" : "false";
}

/* Whether "a, b, c" has this name. */
static bool lists(const char *names, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = names; *at; at += strspn(at, ", ")) {
        size_t own = strcspn(at, ",");

        if (own == len && memcmp(at, name, len) == 0)
            return true;
        at += own;
    }
    return false;
}

/* All flavors that it was given, or the one of a resource. */
static const char *flavors_of(struct sim *sim, const struct tree *status, const char *resource)
{
    const struct tree *sets = tree_find(status, "admission/podSetAssignments");
    const char *text = "";

    for (size_t i = 0; sets && i < sets->count; i++) {
        const struct tree *flavors = tree_get(sets->pairs[i].value, "flavors");
        for (size_t f = 0; flavors && f < flavors->count; f++) {
            const char *name = tree_word_of(flavors->pairs[f].value);
            if (resource && strcmp(resource, flavors->pairs[f].key) == 0)
                return name;
            if (!resource && !lists(text, name))
                text = arena_format(&sim->arena, "%s%s%s", text, *text ? ", " : "", name);
        }
    }
    return text;
}

static const char *of_map(struct sim *sim, const struct tree *status, const char *key,
                          const char *inner)
{
    if (strcmp(key, "flavors") == 0)
        return flavors_of(sim, status, inner);
    if (strcmp(key, "gates") == 0)
        return tree_word(tree_item(tree_get(status, "preemptionGates"), "name", inner), "position");
    if (strcmp(key, "checks") == 0)
        return tree_word(tree_item(tree_get(status, "admissionChecks"), "name", inner), "state");
    if (strcmp(key, "retries") == 0)
        return tree_word(tree_item(tree_get(status, "admissionChecks"), "name", inner),
                         "retryCount");
    return status_of(status, inner, "reason");
}

static const char *victims_of(struct sim *sim, const msgpack_object *seen)
{
    const msgpack_object *list = value_array(seen, "victims");
    const char *text = "";

    for (uint32_t i = 0; i < value_count(list); i++)
        text = arena_format(&sim->arena, "%s%s%s", text, i ? ", " : "",
                            value_str(value_item(list, i), "name", ""));
    return text;
}

static const char *of_engine(struct sim *sim, const struct workload *workload, const char *key)
{
    const msgpack_object *seen = workload_inspect(sim, workload->object);

    if (strcmp(key, "victims") == 0)
        return victims_of(sim, seen);
    if (strcmp(key, "position") == 0 || strcmp(key, "priority") == 0)
        return number(sim, value_int(seen, key, 0));
    if (strcmp(key, "hold") == 0)
        key = "reason";
    if (strcmp(key, "why") == 0)
        key = "message";
    return arena_copy(&sim->arena, value_str(seen, key, "unknown"));
}

static const char *of_workload(struct sim *sim, const struct workload *workload, const char *key,
                               const char *inner)
{
    static const char *const conditions[][2] = {{"reserved", "QuotaReserved"},
                                                {"admitted", "Admitted"},
                                                {"evicted", "Evicted"},
                                                {"finished", "Finished"},
                                                {"signal", "BlockedOnPreemptionGates"}};
    const struct tree *doc = workload->object->doc;
    const struct tree *status = tree_get(doc, "status");

    if (inner)
        return of_map(sim, status, key, inner);
    for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
        if (strcmp(conditions[i][0], key) == 0)
            return truth(status_is(status, conditions[i][1]));
    if (strcmp(key, "active") == 0)
        return truth(strcmp(tree_word(doc, "spec/active"), "false") != 0);
    if (strcmp(key, "running") == 0)
        return truth(workload->object->runs);
    if (strcmp(key, "count") == 0)
        return number(sim, workload_count(workload));
    if (strcmp(key, "flavor") == 0)
        return flavors_of(sim, status, NULL);
    if (strcmp(key, "evictions") == 0 || strcmp(key, "writes") == 0)
        return number(sim, *key == 'e' ? workload->evictions : workload->writes);
    if (strcmp(key, "requeues") == 0)
        return *tree_word(status, "requeueState/count") ? tree_word(status, "requeueState/count")
                                                        : "0";
    if (strcmp(key, "backoff") == 0)
        return truth(*tree_word(status, "requeueState/requeueAt") != '\0');
    return of_engine(sim, workload, key);
}

static const char *of_local(struct sim *sim, const char *ref, const char *key)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));
    const char *namespace;
    const char *name;

    world_split(&sim->arena, ref, &namespace, &name);
    r_key_str(r, "what", "localQueue");
    r_key_str(r, "namespace", namespace);
    r_key_str(r, "name", name);
    const msgpack_object *seen = host_call(sim, LOADER_INSPECT);
    if (!seen)
        return "gone";
    if (strcmp(key, "active") == 0)
        return truth(value_bool(seen, key, false));
    if (strcmp(key, "reason") == 0)
        return arena_copy(&sim->arena, value_str(seen, key, ""));
    return number(sim, value_int(seen, key, 0));
}

const char *workload_seen(struct sim *sim, const char *ref, const char *key, const char *inner)
{
    const struct workload *workload = is_local(ref) ? NULL : workload_find(sim, ref);

    if (is_local(ref))
        return of_local(sim, ref, key);
    return workload ? of_workload(sim, workload, key, inner) : "gone";
}
