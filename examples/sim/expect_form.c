/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/expect.h"

#include <stdio.h>
#include <string.h>

#include "examples/sim/fleet_seen.h"
#include "examples/sim/workload_seen.h"
#include "plugin/base/quantity.h"

/* The form of expectations: what may be expected of what, and what its values look like. */

enum form {
    FORM_TEXT,
    FORM_COUNT,
    FORM_TRUTH,
    FORM_TEXTS,   /* a map */
    FORM_AMOUNTS, /* a map of quantities, or a count */
    FORM_GATES,   /* a list, or "*" */
};

struct key {
    const char *name; /* NULL: the end */
    enum form form;
};

static const struct key pod_keys[] = {
    {"gates", FORM_GATES},        {"reason", FORM_TEXT},
    {"message", FORM_TEXT},       {"node", FORM_TEXT},
    {"phase", FORM_TEXT},         {"annotations", FORM_TEXTS},
    {"nodeSelector", FORM_TEXTS}, {"events", FORM_COUNT},
    {"patches", FORM_COUNT},      {"state", FORM_TEXT},
    {"hold", FORM_TEXT},          {"why", FORM_TEXT},
    {"queue", FORM_TEXT},         {"position", FORM_COUNT},
    {"told", FORM_TEXT},          {NULL, FORM_TEXT},
};
static const struct key queue_keys[] = {
    {"allocated", FORM_AMOUNTS}, {"reserved", FORM_AMOUNTS}, {"usage", FORM_AMOUNTS},
    {"waiting", FORM_COUNT},     {"held", FORM_COUNT},       {"state", FORM_TEXT},
    {"reason", FORM_TEXT},       {"parent", FORM_TEXT},      {"known", FORM_TRUTH},
    {"own", FORM_TEXT},          {"byParent", FORM_TRUTH},   {"written", FORM_TRUTH},
    {"writes", FORM_COUNT},      {"events", FORM_COUNT},     {NULL, FORM_TEXT},
};
/* Texts, for a status that lacks one has "". */
static const struct key group_keys[] = {
    {"phase", FORM_TEXT},  {"running", FORM_TEXT}, {"succeeded", FORM_TEXT},
    {"failed", FORM_TEXT}, {NULL, FORM_TEXT},
};
static const struct key world_keys[] = {
    {"nodes", FORM_COUNT},       {"bought", FORM_COUNT}, {"effects", FORM_COUNT},
    {"unknownAcks", FORM_COUNT}, {"leader", FORM_TRUTH}, {"preemptions", FORM_COUNT},
    {NULL, FORM_TEXT},
};

static const struct key *key_named(const struct key *keys, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0)
        keys++;
    return keys->name ? keys : NULL;
}

bool expect_is_world(const char *key)
{
    return key_named(world_keys, key) != NULL;
}

static bool starts(const char *ref, const char *kind)
{
    size_t len = strlen(kind);

    return strncmp(ref, kind, len) == 0 && ref[len] == '/' && ref[len + 1];
}

static const struct key *keys_of(const char *ref)
{
    if (starts(ref, "pod"))
        return pod_keys;
    if (starts(ref, "podgroup"))
        return group_keys;
    return starts(ref, "queue") || starts(ref, "clusterqueue") || starts(ref, "cohort") ? queue_keys
                                                                                        : NULL;
}

/* A value without the ! before it; NULL: any will do. */
static const char *word_of(const char *text)
{
    return strcmp(text, "*") == 0 ? NULL : text + (text[0] == '!');
}

static void check_word(struct fault *fault, const struct tree *value, enum form form)
{
    if (value->type != TREE_TEXT) {
        fault_at(fault, value, "text, \"*\" or \"!text\" (nothing is \"\")");
        return;
    }
    const char *word = word_of(value->text);
    if (!word)
        return;
    if (form == FORM_COUNT && (!*word || strspn(word, "0123456789") != strlen(word)))
        fault_at(fault, value, "a count, \"*\" or \"!count\"");
    if (form == FORM_TRUTH && strcmp(word, "true") != 0 && strcmp(word, "false") != 0)
        fault_at(fault, value, "true, false or \"*\"");
}

static void check_amount(struct fault *fault, const struct tree_pair *pair)
{
    const char *flavor_ends = strchr(pair->key, ':');
    const char *resource = flavor_ends ? flavor_ends + 1 : pair->key;
    const char *word = pair->value->type == TREE_TEXT ? word_of(pair->value->text) : "";
    int64_t amount;

    if (word && !quantity_parse(word, strlen(word), strcmp(resource, "cpu") == 0, &amount))
        fault_at(fault, pair->value, "a quantity such as 2, 500m or 16Gi, \"*\" or \"!quantity\"");
}

static void check_items(struct fault *fault, const struct tree *items, enum form form)
{
    for (size_t i = 0; i < items->count; i++)
        if (form == FORM_AMOUNTS)
            check_amount(fault, &items->pairs[i]);
        else
            check_word(fault, items->pairs[i].value, FORM_TEXT);
}

static void check_field(struct fault *fault, const struct key *keys, const struct tree_pair *field)
{
    const struct key *key = key_named(keys, field->key);
    const struct tree *value = field->value;
    char want[300] = "";
    size_t len = 0;

    for (size_t i = 0; !key && keys[i].name && len < sizeof(want); i++)
        len += (size_t)snprintf(want + len, sizeof(want) - len, "%s%s",
                                i == 0             ? ""
                                : keys[i + 1].name ? ", "
                                                   : " or ",
                                keys[i].name);
    if (!key)
        fault_say(fault, value, "%s cannot be expected, want %s", field->key, want);
    else if (key->form == FORM_GATES && value->type == TREE_LIST)
        check_items(fault, value, FORM_TEXT);
    else if (key->form == FORM_GATES && value->type != TREE_TEXT)
        fault_at(fault, value, "a list of gates, \"*\" or \"!gate\"");
    else if ((key->form == FORM_TEXTS || key->form == FORM_AMOUNTS) && value->type == TREE_MAP)
        check_items(fault, value, key->form);
    else if (key->form == FORM_TEXTS)
        fault_at(fault, value, "a map");
    else
        check_word(fault, value, key->form == FORM_AMOUNTS ? FORM_COUNT : key->form);
}

/* Copies of a document, and the pods of a Job, have its name and a number. */
static bool is_made_of(const char *ref, const char *document)
{
    const char *name = strchr(ref, '/');
    const char *stem = strchr(document, '/');
    size_t len = stem ? strlen(stem) : 0;

    return name && stem && strncmp(name, stem, len) == 0 && name[len] == '-';
}

static bool is_described(const struct map *documents, const char *ref)
{
    bool is_pod = starts(ref, "pod");

    if (map_get(documents, ref) || strcmp(ref, "pod/*") == 0 || strcmp(ref, "queue/root") == 0 ||
        strcmp(ref, "queue/default") == 0)
        return true;
    for (size_t i = 0; i < documents->count; i++)
        if (is_made_of(ref, documents->entries[i].key) &&
            (is_pod || strncmp(ref, documents->entries[i].key, strcspn(ref, "/") + 1) == 0))
            return true;
    /* The engine makes groups, and a cohort is there when somebody names it. */
    return !is_pod && !starts(ref, "queue") && !starts(ref, "clusterqueue");
}

/* documents: those one of which it must be about; NULL: it may be about anything. */
static void check_entry(struct fault *fault, const struct tree_pair *entry,
                        const struct map *documents, bool fleet)
{
    const struct key *world = key_named(world_keys, entry->key);
    const struct key *keys = keys_of(entry->key);
    const struct tree *value = entry->value;

    if (world) {
        check_word(fault, value, world->form);
    } else if (!fleet && workload_seen_is(entry->key)) {
        workload_seen_check(fault, entry);
    } else if (fleet_seen_is(entry->key)) {
        fleet_seen_check(fault, entry);
    } else if (!keys) {
        fault_say(fault, value,
                  "%s cannot be expected, want pod/NAME, queue/NAME, clusterqueue/NAME, "
                  "cohort/NAME, podgroup/NAME, nodes, bought, effects, unknownAcks, leader, "
                  "preemptions, workload/NAME, localqueue/NAME, workload@CLUSTER/NAME, "
                  "cluster/NAME, manager/NAME or never",
                  entry->key);
    } else if (value->type == TREE_MAP) {
        for (size_t i = 0; i < value->count; i++)
            check_field(fault, keys, &value->pairs[i]);
    } else if (value->type != TREE_TEXT || strcmp(value->text, "gone") != 0) {
        fault_at(fault, value, "a map of what is expected, or gone");
    }
    if (keys && documents && !is_described(documents, entry->key))
        fault_say(fault, value, "%s is not described: want a document with that name in this file",
                  entry->key);
}

static void check_entries(struct fault *fault, const struct tree *tree, const struct map *documents,
                          bool fleet, bool with_never)
{
    if (tree->type != TREE_MAP || tree->count == 0) {
        fault_at(fault, tree, "a map such as {pod/p: {reason: Unschedulable}}");
        return;
    }
    for (size_t i = 0; i < tree->count; i++)
        if (with_never && strcmp(tree->pairs[i].key, "never") == 0)
            check_entries(fault, tree->pairs[i].value, documents, fleet, false);
        else
            check_entry(fault, &tree->pairs[i], with_never ? NULL : documents, fleet);
}

void expect_check(struct fault *fault, const struct tree *tree, const struct map *documents,
                  bool fleet)
{
    check_entries(fault, tree, documents, fleet, true);
}
