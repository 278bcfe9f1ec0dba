/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/queue_users.h"

#include <stdio.h>
#include <string.h>

#include "examples/sim/sim.h"

enum {
    PRIORITY_MOST = 1000000000, /* of a class that is not one of system-* */
    PARENTS_MOST = 9,
};

static const char *text_of(const struct tree *tree)
{
    return tree && tree->type == TREE_TEXT ? tree->text : NULL;
}

static const char *annotation_of(const struct tree *document, const char *key)
{
    return text_of(tree_get(tree_find(document, "metadata/annotations"), key));
}

/* The API server gives each namespace its name as a label. */
static const char *label_of(const struct sim *sim, const char *namespace, const char *key)
{
    const struct tree *document = world_document(sim, "namespace", namespace);

    return strcmp(key, "kubernetes.io/metadata.name") == 0
               ? namespace
               : text_of(tree_get(tree_find(document, "metadata/labels"), key));
}

static bool demand_holds(const struct sim *sim, const struct tree *demand, const char *namespace)
{
    const char *key = text_of(tree_get(demand, "key"));
    const char *how = text_of(tree_get(demand, "operator"));
    const struct tree *values = tree_get(demand, "values");
    const char *value = key ? label_of(sim, namespace, key) : NULL;
    bool listed = false;

    if (!key || !how)
        return false;
    for (size_t i = 0; value && values && i < values->count; i++) {
        const char *each = text_of(values->pairs[i].value);
        listed = listed || (each && strcmp(each, value) == 0);
    }
    if (strcmp(how, "In") == 0)
        return listed;
    if (strcmp(how, "NotIn") == 0)
        return !listed;
    if (strcmp(how, "Exists") == 0)
        return value != NULL;
    return strcmp(how, "DoesNotExist") == 0 && value == NULL;
}

bool queue_users_selected(const struct sim *sim, const char *cluster_queue, const char *namespace)
{
    const struct tree *queue = world_document(sim, "clusterqueue", cluster_queue);
    const struct tree *selector = tree_find(queue, "spec/namespaceSelector");
    const struct tree *wanted = tree_get(selector, "matchLabels");
    const struct tree *demands = tree_get(selector, "matchExpressions");

    if (!queue || !selector)
        return !queue;
    for (size_t i = 0; wanted && i < wanted->count; i++) {
        const char *has = label_of(sim, namespace, wanted->pairs[i].key);
        const char *want = text_of(wanted->pairs[i].value);
        if (!has || !want || strcmp(has, want) != 0)
            return false;
    }
    for (size_t i = 0; demands && i < demands->count; i++) {
        if (!demand_holds(sim, demands->pairs[i].value, namespace))
            return false;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next word of a list: what lies between the separators, without blanks around it. */
static size_t next_word(const char **at, const char *separators, const char **ret_word)
{
    size_t len = strcspn(*at, separators);
    const char *word = *at;

    *at += len + ((*at)[len] != '\0');
    while (len > 0 && is_blank(word[0]))
        word++, len--;
    while (len > 0 && is_blank(word[len - 1]))
        len--;
    *ret_word = word;
    return len;
}

static bool is_listed(const char *list, const char *name)
{
    const char *word;

    while (*list != '\0') {
        size_t len = next_word(&list, ",", &word);
        if (len == strlen(name) && memcmp(word, name, len) == 0)
            return true;
    }
    return false;
}

/* One term of a selector in text: `key`, `!key`, `key=value`, `key!=value`. */
static bool term_holds(const struct sim *sim, const char *term, size_t len, const char *namespace)
{
    char key[320];
    bool not = len > 0 && term[0] == '!';
    size_t end = not ? len : strcspn(term, "!=");
    bool has_value = end < len;
    const char *value = term + end;

    snprintf(key, sizeof(key), "%.*s", (int)((end < len ? end : len) - (not ? 1 : 0)),
             term + (not ? 1 : 0));
    const char *has = label_of(sim, namespace, key);
    if (!has_value)
        return (has != NULL) != not ;
    not = value[0] == '!';
    while (value < term + len && (value[0] == '!' || value[0] == '='))
        value++;
    bool same = has && strlen(has) == (size_t)(term + len - value) &&
                memcmp(has, value, (size_t)(term + len - value)) == 0;
    return same != not ;
}

/* Terms of equality and existence alone; the real hosts read all that kubectl does. */
static bool selector_holds(const struct sim *sim, const char *selector, const char *namespace)
{
    const char *term;

    while (*selector != '\0') {
        size_t len = next_word(&selector, ",", &term);
        if (!term_holds(sim, term, len, namespace))
            return false;
    }
    return true;
}

bool queue_users_listed(const struct sim *sim, const char *queue, const char *namespace)
{
    for (int depth = 0; queue && depth < PARENTS_MOST; depth++) {
        const struct tree *document = world_document(sim, "queue", queue);
        const char *list = annotation_of(document, "sluice.sh/namespaces");
        const char *selector = annotation_of(document, "sluice.sh/namespace-selector");

        if (list && !is_listed(list, namespace))
            return false;
        if (selector && !selector_holds(sim, selector, namespace))
            return false;
        const char *parent = text_of(tree_find(document, "spec/parent"));
        queue = parent || strcmp(queue, "root") == 0 ? parent : "root";
    }
    return true;
}

const char *queue_users_home(const struct sim *sim, const char *namespace, bool *ret_binds)
{
    const struct tree *document = world_document(sim, "namespace", namespace);
    const char *binding = annotation_of(document, "sluice.sh/queue-binding");

    *ret_binds = binding && strcmp(binding, "true") == 0;
    return annotation_of(document, "scheduling.volcano.sh/queue-name");
}

int64_t queue_users_priority(const struct sim *sim, const char *kind, const char *queue,
                             int64_t priority)
{
    const char *counts =
        annotation_of(world_document(sim, kind, queue), "sluice.sh/system-priorities");

    return priority <= PRIORITY_MOST || (counts && strcmp(counts, "true") == 0) ? priority : 0;
}

static bool says_something(const struct tree *queue)
{
    return annotation_of(queue, "sluice.sh/namespaces") ||
           annotation_of(queue, "sluice.sh/namespace-selector") ||
           annotation_of(queue, "sluice.sh/system-priorities");
}

bool queue_users_differ(const struct tree *before, const struct tree *now)
{
    const char *parent = text_of(tree_find(before, "spec/parent"));
    const char *now_parent = text_of(tree_find(now, "spec/parent"));

    return says_something(before) || says_something(now) ||
           (before && strcmp(parent ? parent : "root", now_parent ? now_parent : "root") != 0);
}

int64_t queue_users_class(struct sim *sim, const char *class, int64_t unset)
{
    const struct tree *document = world_document(sim, "priorityclass", class);

    if (document)
        return tree_int(&sim->fault, document, "value", INT32_MIN, INT32_MAX, 0);
    if (strcmp(class, "system-node-critical") == 0)
        return 2000001000;
    return strcmp(class, "system-cluster-critical") == 0 ? 2000000000 : unset;
}
