/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

enum {
    GATES_MAX = 64,
    FLAVOR_STAMP_MAX = FACTS_MAX_NEEDS * (DECODE_LABEL_KEY_MAX + DECODE_NAME_MAX + 2),
};

/* Without the requests' items, which are most of it, and are read only up to their count. */
static void clear(struct pod_facts *pod)
{
    size_t behind = offsetof(struct pod_facts, requests) + sizeof(pod->requests);

    memset(pod, 0, offsetof(struct pod_facts, requests));
    pod->requests.count = 0;
    memset((char *)pod + behind, 0, sizeof(*pod) - behind);
}

static void decode_gates(struct msg_reader *r, struct gates *ret)
{
    struct msg_array array;

    msg_open_array(r, &array);
    if (array.left > GATES_MAX)
        msg_fail(r, MSG_LENGTH, "at most 64 gates");
    while (msg_next_item(r, &array)) {
        struct text name;

        if (decode_name(r, &name))
            gates_add(ret, name);
    }
}

/* Nanoseconds as text; 0 if it is not above 0, or too late. */
static int64_t stamp_of(struct text text)
{
    int64_t stamp = 0;

    for (size_t i = 0; i < text.len; i++) {
        int digit = text.at[i] - '0';

        if (digit < 0 || digit > 9 || stamp > (DECODE_TIME_MAX - digit) / 10)
            return 0;
        stamp = stamp * 10 + digit;
    }
    return stamp;
}

/* Where it was granted; nothing, if that cannot be read. */
static void read_queue_stamp(struct text text, struct pod_facts *ret)
{
    static const struct {
        const char *prefix;
        enum queue_kind kind;
    } kinds[] = {{STAMP_OF_QUEUE, QUEUE_VOLCANO}, {STAMP_OF_CLUSTER_QUEUE, QUEUE_CLUSTER}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t len = strlen(kinds[i].prefix);

        if (text.len <= len || text.len > len + DECODE_NAME_MAX ||
            memcmp(text.at, kinds[i].prefix, len) != 0)
            continue;
        ret->stamped_queue = (struct text){text.at + len, text.len - len};
        ret->stamped_kind = kinds[i].kind;
    }
}

/* A number from 1 up, and nothing else; else -1, also for none. */
static int32_t minimum_of(struct text text)
{
    int64_t minimum = 0;

    for (size_t i = 0; i < text.len; i++) {
        int digit = text.at[i] - '0';

        if (digit < 0 || digit > 9 || minimum > INT32_MAX / 10)
            return -1;
        minimum = minimum * 10 + digit;
    }
    return minimum > 0 && minimum <= INT32_MAX ? (int32_t)minimum : -1;
}

/* Where a pod says whether it may be evicted for others: at NULL where it does not. */
struct preemptable {
    struct text annotation, label;
};

/* As Volcano reads it: the annotation first, then the label; what is no bool is taken for false. */
static bool is_settled(const struct preemptable *said)
{
    static const char *const truths[] = {"1", "t", "T", "true", "TRUE", "True"};
    struct text word = said->annotation.at != NULL ? said->annotation : said->label;

    for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
        if (text_is(word, truths[i]))
            return false;
    }
    return word.at != NULL;
}

static void decode_labels(struct msg_reader *r, struct text *ret_preemptable)
{
    struct msg_map map;
    struct msg_text key;
    struct text value;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (decode_words(r, SIZE_MAX, &value) && msg_text_is(key, "volcano.sh/preemptable"))
            *ret_preemptable = value;
    }
}

static void decode_word(struct msg_reader *r, enum pod_use use, struct text *ret)
{
    struct text word;

    if (use != POD_BOUND)
        decode_words(r, DECODE_NAME_MAX, ret);
    else if (decode_words(r, SIZE_MAX, &word) && word.len <= DECODE_NAME_MAX)
        *ret = word;
}

static void decode_annotations(struct msg_reader *r, enum pod_use use, struct pod_facts *ret,
                               struct text *ret_preemptable, uint8_t *ret_opted)
{
    struct msg_map map;
    struct msg_text key;
    struct text value;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "scheduling.volcano.sh/queue-name")) {
            ret->queue = text_of("(unreadable)"); /* no queue has such a name */
            decode_word(r, use, &ret->queue);
        } else if (msg_text_is(key, "kueue.x-k8s.io/workload")) {
            decode_word(r, use, &ret->workload);
        } else if (msg_text_is(key, "scheduling.k8s.io/group-name")) {
            decode_word(r, use, &ret->group);
        } else if (msg_text_is(key, "scheduling.volcano.sh/group-min-member")) {
            if (decode_words(r, SIZE_MAX, &value))
                ret->minimum = minimum_of(value);
        } else if (msg_text_is(key, "volcano.sh/preemptable")) {
            decode_words(r, SIZE_MAX, ret_preemptable);
        } else if (msg_text_is(key, "sluice.sh/granted")) {
            if (decode_words(r, SIZE_MAX, &value))
                ret->stamp = stamp_of(value);
        } else if (msg_text_is(key, "sluice.sh/queue")) {
            if (decode_words(r, SIZE_MAX, &value))
                read_queue_stamp(value, ret);
        } else if (msg_text_is(key, "sluice.sh/flavors")) {
            if (decode_words(r, SIZE_MAX, &value) && value.len <= FLAVOR_STAMP_MAX)
                ret->stamped_flavors = value;
        } else if (decode_words(r, SIZE_MAX, &value) && text_is(value, "true")) {
            *ret_opted |= gate_named((struct text){key.at, key.len});
        }
    }
    ret->opted_in = *ret_opted != 0;
}

static void decode_phase(struct msg_reader *r, struct pod_facts *ret)
{
    struct text phase;

    if (!decode_words(r, SIZE_MAX, &phase))
        return;
    ret->failed = text_is(phase, "Failed");
    ret->finished = ret->failed || text_is(phase, "Succeeded");
}

static void decode_controller(struct msg_reader *r, struct controller_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "uid"))
            decode_uid(r, &ret->uid);
        else if (msg_text_is(key, "kind"))
            decode_name(r, &ret->kind);
        else if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "apiVersion"))
            decode_words(r, DECODE_LABEL_KEY_MAX, &ret->api_version);
        else if (msg_text_is(key, "replicas"))
            ret->has_replicas = msg_get_int(r, 0, INT64_MAX, &ret->replicas);
        else if (msg_text_is(key, "ordered"))
            msg_get_bool(r, &ret->ordered);
        else if (msg_text_is(key, "supersedes"))
            msg_get_bool(r, &ret->supersedes);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->uid.len > 0, "uid");
    msg_require(r, ret->kind.len > 0, "kind");
    msg_require(r, ret->name.len > 0, "name");
}

/* The keys that nearly every pod carries come first. */
void decode_pod(struct msg_reader *r, enum pod_use use, struct pod_facts *ret, uint8_t *ret_opted)
{
    struct msg_map map;
    struct msg_text key;
    bool may_use = true, selected = true;
    bool has_created = false;
    struct preemptable preemptable = {0};
    struct text nominated = {NULL, 0};

    clear(ret);
    *ret_opted = 0;
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "uid"))
            decode_uid(r, &ret->uid);
        else if (msg_text_is(key, "namespace"))
            decode_name(r, &ret->space);
        else if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "created"))
            has_created = msg_get_int(r, 0, DECODE_TIME_MAX, &ret->created);
        else if (msg_text_is(key, "gates"))
            decode_gates(r, &ret->gates);
        else if (msg_text_is(key, "annotations"))
            decode_annotations(r, use, ret, &preemptable.annotation, ret_opted);
        else if (msg_text_is(key, "labels"))
            decode_labels(r, &preemptable.label);
        else if (msg_text_is(key, "requests"))
            decode_requests(r, use != POD_BOUND, &ret->requests);
        else if (msg_text_is(key, "priority"))
            decode_priority(r, &ret->priority);
        else if (msg_text_is(key, "generation"))
            msg_get_int(r, 0, INT64_MAX, &ret->generation);
        else if (msg_text_is(key, "resourceVersion"))
            msg_get_int(r, 0, INT64_MAX, &ret->resource_version);
        else if (msg_text_is(key, "scheduler"))
            decode_words(r, DECODE_NAME_MAX, &ret->scheduler);
        else if (msg_text_is(key, "namespaceQueue"))
            decode_word(r, use, &ret->namespace_queue);
        else if (msg_text_is(key, "queueKind"))
            decode_queue_kind(r, false, &ret->queue_kind);
        else if (msg_text_is(key, "selected"))
            selected = decode_bool(r);
        else if (msg_text_is(key, "mayUse"))
            may_use = decode_bool(r);
        else if (msg_text_is(key, "schedulingGroup"))
            decode_word(r, use, &ret->native_group);
        else if (msg_text_is(key, "compositeGroup"))
            decode_word(r, use, &ret->composite_group);
        else if (msg_text_is(key, "node"))
            decode_words(r, DECODE_NAME_MAX, &ret->node);
        else if (msg_text_is(key, "nominated"))
            decode_words(r, SIZE_MAX, &nominated);
        else if (msg_text_is(key, "phase"))
            decode_phase(r, ret);
        else if (msg_text_is(key, "deleted"))
            msg_get_bool(r, &ret->deleted);
        else if (msg_text_is(key, "unschedulable"))
            msg_get_bool(r, &ret->unschedulable);
        else if (msg_text_is(key, "owner"))
            ret->of_daemon_set = decode_says(r, SIZE_MAX, "DaemonSet");
        else if (msg_text_is(key, "controller") && use == POD_BOUND)
            msg_skip_value(r); /* which asks nothing for it any more */
        else if (msg_text_is(key, "controller"))
            decode_controller(r, &ret->controller);
        else if (msg_text_is(key, "priorityClass"))
            decode_words(r, DECODE_NAME_MAX, &ret->priority_class);
        else if (msg_text_is(key, "preemptionPolicy"))
            ret->yields = decode_says(r, SIZE_MAX, "Never");
        else if (msg_text_is(key, "claimMissing"))
            decode_words(r, DECODE_NAME_MAX, &ret->missing);
        else if (msg_text_is(key, "mirror"))
            msg_get_bool(r, &ret->mirror);
        else
            msg_skip_unknown(r);
    }
    ret->nominated = nominated.len > 0;
    ret->settled = is_settled(&preemptable);
    ret->not_selected = !may_use || (!selected && ret->queue_kind == QUEUE_CLUSTER);
    msg_require(r, ret->space.len > 0, "namespace");
    if (use != POD_ADMITTED) {
        msg_require(r, ret->uid.len > 0, "uid");
        msg_require(r, ret->name.len > 0, "name");
        msg_require(r, has_created, "created");
        msg_require(r, use != POD_BOUND || ret->node.len > 0, "node");
    }
}
