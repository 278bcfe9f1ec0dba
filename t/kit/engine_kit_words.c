/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit_words.h"

#include "plugin/records/claim.h"
#include "t/kit/engine_kit_preempt.h"
#include "t/kit/workload_kit.h"

#include <stdlib.h>

bool words_next(const char **at, struct word *ret)
{
    size_t len, key;

    *at += strspn(*at, " ");
    len = strcspn(*at, " ");
    if (len == 0)
        return false;
    key = strcspn(*at, "= ");
    ret->key = (struct text){*at, key};
    ret->value =
        key < len ? (struct text){*at + key + 1, len - key - 1} : (struct text){*at + len, 0};
    ret->number = strtoll(ret->value.at, NULL, 10);
    *at += len;
    return true;
}

static bool is_resource(struct text name)
{
    static const char *const names[] = {"cpu", "memory", "gpu", "pods", "disk", "deviceclass/gpu"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (text_is(name, names[i]))
            return true;
    }
    return name.len > 1 && name.at[0] == 'r' && name.at[1] >= '0' && name.at[1] <= '9';
}

bool words_resource(const struct word *word, const char *prefix, struct text *ret_resource)
{
    size_t len = strlen(prefix);

    if (word->key.len <= len || memcmp(word->key.at, prefix, len) != 0)
        return false;
    *ret_resource = (struct text){word->key.at + len, word->key.len - len};
    return is_resource(*ret_resource);
}

bool words_add_amount(struct named_amounts *amounts, struct text resource, int64_t amount)
{
    if (amounts->count == FACTS_MAX_NEEDS)
        return false;
    amounts->item[amounts->count++] = (struct named_amount){resource, amount};
    return true;
}

static bool add_group(struct words_queue *facts, struct text resources)
{
    uint32_t n = facts->queue.group_count;

    if (n == WORDS_MAX_GROUPS)
        return false;
    facts->queue.groups = facts->groups;
    facts->queue.group_count++;
    facts->groups[n].flavors = facts->flavors[n];
    while (resources.len > 0) {
        const char *comma = memchr(resources.at, ',', resources.len);
        size_t len = comma == NULL ? resources.len : (size_t)(comma - resources.at);
        struct text resource = {resources.at, len};

        if (!is_resource(resource))
            return false;
        facts->groups[n].resources[facts->groups[n].resource_count++] = resource;
        resources.at += comma == NULL ? len : len + 1;
        resources.len -= comma == NULL ? len : len + 1;
    }
    return true;
}

static bool add_flavor(struct words_queue *facts, struct text name)
{
    uint32_t n = facts->queue.group_count, k;

    if (n == 0 || facts->groups[n - 1].flavor_count == WORDS_MAX_FLAVORS)
        return false;
    k = facts->groups[n - 1].flavor_count++;
    facts->flavors[n - 1][k] = (struct group_flavor){name, 0, facts->quotas[n - 1][k]};
    return true;
}

/* The quota of a resource in the flavor that was named last, made if it is new. */
static struct flavor_quota *quota_of(struct words_queue *facts, struct text resource)
{
    uint32_t n = facts->queue.group_count;

    if (n == 0 || facts->groups[n - 1].flavor_count == 0)
        return NULL;

    struct group_flavor *flavor = &facts->flavors[n - 1][facts->groups[n - 1].flavor_count - 1];

    for (uint32_t i = 0; i < flavor->count; i++) {
        if (text_same(flavor->quotas[i].resource, resource))
            return &flavor->quotas[i];
    }
    if (flavor->count == WORDS_MAX_QUOTAS)
        return NULL;
    flavor->quotas[flavor->count] = (struct flavor_quota){.resource = resource};
    return &flavor->quotas[flavor->count++];
}

static bool kueue_word(const struct word *word, struct words_queue *facts)
{
    struct flavor_quota *quota = NULL;
    struct text resource;

    if (text_is(word->key, "group"))
        return add_group(facts, word->value);
    if (text_is(word->key, "flavor"))
        return add_flavor(facts, word->value);
    if (words_resource(word, "borrow.", &resource)) {
        quota = quota_of(facts, resource);
        if (quota != NULL) {
            quota->borrowing = word->number;
            quota->has_borrowing = true;
        }
    } else if (words_resource(word, "lend.", &resource)) {
        quota = quota_of(facts, resource);
        if (quota != NULL) {
            quota->lending = word->number;
            quota->has_lending = true;
        }
    } else if (words_resource(word, "", &resource)) {
        quota = quota_of(facts, resource);
        if (quota != NULL)
            quota->nominal = word->number;
    }
    return quota != NULL;
}

static bool volcano_word(const struct word *word, struct queue_facts *queue)
{
    struct text resource;

    if (words_resource(word, "guarantee.", &resource))
        return words_add_amount(&queue->guarantee, resource, word->number);
    if (words_resource(word, "deserved.", &resource))
        return words_add_amount(&queue->deserved, resource, word->number);
    return words_resource(word, "", &resource) &&
           words_add_amount(&queue->capability, resource, word->number);
}

static bool queue_word(const struct word *word, struct words_queue *facts)
{
    struct queue_facts *queue = &facts->queue;

    if (text_is(word->key, "parent"))
        queue->parent = word->value;
    else if (text_is(word->key, "priority"))
        queue->priority = (int32_t)word->number;
    else if (text_is(word->key, "strict"))
        queue->strict = true;
    else if (text_is(word->key, "suspended"))
        queue->state = text_of("Suspended");
    else if (text_is(word->key, "closed"))
        queue->state = text_of("Closed");
    else if (text_is(word->key, "state"))
        queue->state = word->value;
    else if (text_is(word->key, "uid"))
        queue->uid = word->value;
    else if (text_is(word->key, "version"))
        queue->version = word->number;
    else if (text_is(word->key, "closedBy"))
        queue->closed_by = queue_mark_of(word->value);
    else if (text_is(word->key, "suspendedBy"))
        queue->suspended_by = queue_mark_of(word->value);
    else if (text_is(word->key, "createSuspended"))
        queue->create_suspended = true;
    else if (text_is(word->key, "borrowsLast"))
        queue->borrows_last = true;
    else if (text_is(word->key, "hold"))
        queue->stop = QUEUE_HOLD;
    else if (text_is(word->key, "deleted"))
        queue->deleted = true;
    else if (!words_preempt_queue(word, queue) && !words_workload_queue(word, facts))
        return queue->kind == QUEUE_VOLCANO ? volcano_word(word, queue) : kueue_word(word, facts);
    return true;
}

bool words_to_queue(const char *words, enum queue_kind kind, struct words_queue *ret)
{
    struct word word;

    memset(ret, 0, sizeof(*ret));
    ret->queue.kind = kind;
    if (!words_next(&words, &word))
        return false;
    ret->queue.name = word.key;
    while (words_next(&words, &word)) {
        if (!queue_word(&word, ret))
            return false;
    }
    return true;
}

static bool pod_flag(const struct word *word, struct pod_facts *pod)
{
    if (text_is(word->key, "bare"))
        pod->gates.ours = 0;
    else if (text_is(word->key, "asksNothing"))
        pod->opted_in = false;
    else if (text_is(word->key, "foreign"))
        gates_add(&pod->gates, text_of("example.com/gate"));
    else if (text_is(word->key, "nominated"))
        pod->nominated = true;
    else if (text_is(word->key, "outside"))
        pod->not_selected = true;
    else if (text_is(word->key, "finished"))
        pod->finished = true;
    else if (text_is(word->key, "failed"))
        pod->finished = pod->failed = true;
    else if (text_is(word->key, "deleted"))
        pod->deleted = true;
    else if (text_is(word->key, "unschedulable"))
        pod->unschedulable = true;
    else
        return false;
    return true;
}

static bool pod_word(const struct word *word, struct pod_facts *pod)
{
    if (pod_flag(word, pod) || words_preempt_pod(word, pod) || words_member_pod(word, pod))
        return true;
    if (text_is(word->key, "queue") || text_is(word->key, "cluster")) {
        pod->queue = word->value;
        pod->queue_kind = text_is(word->key, "cluster") ? QUEUE_CLUSTER : QUEUE_VOLCANO;
    } else if (text_is(word->key, "priority")) {
        pod->priority = (int32_t)word->number;
    } else if (text_is(word->key, "created") || text_is(word->key, "second")) {
        pod->created = word->number * (text_is(word->key, "second") ? SECOND : 1);
    } else if (text_is(word->key, "missing")) {
        pod->missing = word->value;
    } else if (text_is(word->key, "node")) {
        pod->node = word->value;
    } else if (text_is(word->key, "stamp")) {
        pod->stamp = word->number;
    } else if (text_is(word->key, "stamped")) {
        pod->stamped_flavors = word->value;
    } else if (text_is(word->key, "granted") || text_is(word->key, "grantedCluster")) {
        pod->stamped_queue = word->value;
        pod->stamped_kind = text_is(word->key, "granted") ? QUEUE_VOLCANO : QUEUE_CLUSTER;
    } else if (text_is(word->key, "version")) {
        pod->resource_version = word->number;
    } else if (text_is(word->key, "generation")) {
        pod->generation = word->number;
    } else if (text_is(word->key, "uid")) {
        pod->uid = word->value;
    } else if (text_is(word->key, "namespace")) {
        pod->space = word->value;
    } else {
        return is_resource(word->key) && words_add_amount(&pod->requests, word->key, word->number);
    }
    return true;
}

bool words_to_pod(const char *words, struct pod_facts *ret)
{
    struct word word;

    memset(ret, 0, sizeof(*ret));
    if (!words_next(&words, &word))
        return false;
    ret->name = ret->uid = word.key;
    ret->space = text_of("default");
    ret->scheduler = text_of("default-scheduler");
    ret->opted_in = true;
    ret->gates.ours = GATE_LONG;
    while (words_next(&words, &word)) {
        if (!pod_word(&word, ret))
            return false;
    }
    return true;
}

static bool to_label(struct text value, struct label *ret)
{
    const char *colon = value.len == 0 ? NULL : memchr(value.at, ':', value.len);

    if (colon == NULL)
        return false;
    ret->key = (struct text){value.at, (size_t)(colon - value.at)};
    ret->value = (struct text){colon + 1, value.len - ret->key.len - 1};
    return true;
}

bool words_to_node(const char *words, struct label *labels, struct node_facts *ret)
{
    struct word word;

    memset(ret, 0, sizeof(*ret));
    ret->labels = labels;
    if (!words_next(&words, &word))
        return false;
    ret->name = word.key;
    while (words_next(&words, &word)) {
        bool known = text_is(word.key, "label")
                         ? ret->label_count < FACTS_MAX_LABELS &&
                               to_label(word.value, &labels[ret->label_count++])
                         : is_resource(word.key) &&
                               words_add_amount(&ret->allocatable, word.key, word.number);

        if (!known)
            return false;
    }
    return true;
}

bool words_to_flavor(const char *words, struct flavor_facts *ret)
{
    struct word word;

    memset(ret, 0, sizeof(*ret));
    if (!words_next(&words, &word))
        return false;
    ret->name = word.key;
    while (words_next(&words, &word)) {
        if (text_is(word.key, "label") && ret->label_count < FACTS_MAX_LABELS) {
            if (!to_label(word.value, &ret->labels[ret->label_count++]))
                return false;
        } else if (text_is(word.key, "toleration") &&
                   ret->toleration_count < FACTS_MAX_TOLERATIONS) {
            ret->tolerations[ret->toleration_count++] =
                (struct toleration){.key = word.value, .operator_ = text_of("Exists")};
        } else {
            return false;
        }
    }
    return true;
}
