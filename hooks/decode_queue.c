/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

enum {
    GROUP_RESOURCES_MAX = FACTS_MAX_NEEDS - 1,
    FLAVORS_MAX = FACTS_MAX_GROUPS * FACTS_MAX_FLAVORS,
    QUOTAS_MAX = FLAVORS_MAX * GROUP_RESOURCES_MAX,
};

/* Every label, every quota and every part of a group takes at least two bytes of the message. */
size_t decode_scratch(size_t len)
{
    size_t groups = FACTS_MAX_GROUPS * sizeof(struct resource_group);
    size_t flavors = FLAVORS_MAX * sizeof(struct group_flavor);
    size_t quotas = len / 2 < QUOTAS_MAX ? len / 2 : QUOTAS_MAX;

    _Static_assert(sizeof(struct flavor_quota) >= sizeof(struct label), "quotas take most");
    _Static_assert(sizeof(struct flavor_quota) >= sizeof(struct part_facts), "quotas take most");
    _Static_assert((int)QUOTAS_MAX > (int)MSG_KEYS_MAX, "there are fewer labels than quotas");
    return groups + flavors + quotas * sizeof(struct flavor_quota) +
           FACTS_MAX_CHECKS * sizeof(struct queue_check_facts);
}

static void decode_quota(struct msg_reader *r, struct text resource, struct flavor_quota *ret)
{
    struct msg_map map;
    struct msg_text key;
    bool has_nominal = false;

    *ret = (struct flavor_quota){.resource = resource};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "nominal"))
            has_nominal = decode_amount(r, resource, &ret->nominal);
        else if (msg_text_is(key, "borrowing"))
            ret->has_borrowing = decode_amount(r, resource, &ret->borrowing);
        else if (msg_text_is(key, "lending"))
            ret->has_lending = decode_amount(r, resource, &ret->lending);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, has_nominal, "nominal");
}

/* The quotas of a flavor follow each other in the scratch: nothing else is taken meanwhile. */
static bool decode_quotas(struct msg_reader *r, struct scratch *scratch, struct group_flavor *ret)
{
    struct msg_map map;
    struct msg_text key;

    if (!msg_open_map(r, &map))
        return false;
    if (map.left > GROUP_RESOURCES_MAX)
        msg_fail(r, MSG_LENGTH, "at most 32 resources");
    while (msg_next_key(r, &map, &key)) {
        struct flavor_quota *quota = scratch_take(scratch, sizeof(*quota));

        if (ret->count++ == 0)
            ret->quotas = quota;
        decode_quota(r, (struct text){key.at, key.len}, quota);
    }
    return true;
}

static void decode_group_flavor(struct msg_reader *r, struct scratch *scratch,
                                struct group_flavor *ret)
{
    struct msg_map map;
    struct msg_text key;
    bool has_quotas = false;

    *ret = (struct group_flavor){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "quotas"))
            has_quotas = decode_quotas(r, scratch, ret);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->name.len > 0, "name");
    msg_require(r, has_quotas, "quotas");
}

static void decode_group_flavors(struct msg_reader *r, struct scratch *scratch,
                                 struct resource_group *ret)
{
    struct msg_array array;

    ret->flavors = decode_room(r, scratch, &array, FACTS_MAX_FLAVORS, sizeof(ret->flavors[0]),
                               "1 to 64 flavors");
    if (array.left == 0)
        msg_fail(r, MSG_LENGTH, "1 to 64 flavors");
    while (msg_next_item(r, &array))
        decode_group_flavor(r, scratch, &ret->flavors[ret->flavor_count++]);
}

static void decode_group_resources(struct msg_reader *r, struct resource_group *ret)
{
    struct msg_array array;

    msg_open_array(r, &array);
    if (array.left == 0 || array.left > GROUP_RESOURCES_MAX)
        msg_fail(r, MSG_LENGTH, "1 to 32 names of resources");
    while (msg_next_item(r, &array)) {
        if (decode_label_key(r, &ret->resources[ret->resource_count]))
            ret->resource_count++;
    }
}

/* Whether one of the first flavors of the group has this name. */
static bool has_flavor(const struct resource_group *group, uint32_t first, struct text name)
{
    for (uint32_t i = 0; i < first; i++) {
        if (text_same(group->flavors[i].name, name))
            return true;
    }
    return false;
}

static bool quotas_are_covered(const struct resource_group *group)
{
    for (uint32_t i = 0; i < group->flavor_count; i++) {
        for (uint32_t k = 0; k < group->flavors[i].count; k++) {
            if (!text_among(group->flavors[i].quotas[k].resource, group->resources,
                            group->resource_count))
                return false;
        }
    }
    return true;
}

static bool shares_a_name(const struct resource_group *a, const struct resource_group *b)
{
    for (uint32_t i = 0; i < a->resource_count; i++) {
        if (text_among(a->resources[i], b->resources, b->resource_count))
            return true;
    }
    for (uint32_t i = 0; i < a->flavor_count; i++) {
        if (has_flavor(b, b->flavor_count, a->flavors[i].name))
            return true;
    }
    return false;
}

static bool repeats_a_name(const struct resource_group *group)
{
    for (uint32_t i = 0; i < group->resource_count; i++) {
        if (text_among(group->resources[i], group->resources, i))
            return true;
    }
    for (uint32_t i = 0; i < group->flavor_count; i++) {
        if (has_flavor(group, i, group->flavors[i].name))
            return true;
    }
    return false;
}

static void decode_group(struct msg_reader *r, struct scratch *scratch, struct resource_group *ret)
{
    struct msg_map map;
    struct msg_text key;

    ret->resource_count = 0;
    ret->flavor_count = 0;
    ret->flavors = NULL;
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "resources"))
            decode_group_resources(r, ret);
        else if (msg_text_is(key, "flavors"))
            decode_group_flavors(r, scratch, ret);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->resource_count > 0, "resources");
    msg_require(r, ret->flavor_count > 0, "flavors");
    if (r->error < 0)
        return;
    if (!quotas_are_covered(ret))
        msg_fail(r, MSG_INVALID, "quotas only for the group's own resources");
    else if (repeats_a_name(ret))
        msg_fail(r, MSG_INVALID, "no resource and no flavor twice");
}

/* The resource groups of a queue of Kueue's. */
static void decode_groups(struct msg_reader *r, struct scratch *scratch, struct queue_facts *ret)
{
    struct msg_array array;

    ret->groups = decode_room(r, scratch, &array, FACTS_MAX_GROUPS, sizeof(ret->groups[0]),
                              "at most 16 groups");
    while (msg_next_item(r, &array)) {
        struct resource_group *group = &ret->groups[ret->group_count];

        decode_group(r, scratch, group);
        for (uint32_t i = 0; i < ret->group_count && r->error == 0; i++) {
            if (shares_a_name(group, &ret->groups[i]))
                msg_fail(r, MSG_INVALID, "no resource and no flavor in two groups");
        }
        ret->group_count++;
    }
}

static bool decode_strategy(struct msg_reader *r)
{
    struct text text = {NULL, 0};

    decode_words(r, DECODE_NAME_MAX, &text);
    return text_is(text, "fifo") || text_is(text, "StrictFIFO");
}

void decode_stop(struct msg_reader *r, enum queue_state *ret_stop)
{
    struct text text = {NULL, 0};

    decode_words(r, DECODE_NAME_MAX, &text);
    *ret_stop = text_is(text, "Hold")           ? QUEUE_HOLD
                : text_is(text, "HoldAndDrain") ? QUEUE_HOLD_AND_DRAIN
                                                : QUEUE_OPEN;
}

static void decode_queue_check(struct msg_reader *r, struct queue_check_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    *ret = (struct queue_check_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "flavors"))
            ret->flavor_count =
                decode_names(r, FACTS_MAX_FLAVORS, "at most 64 flavors", ret->flavors);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->name.len > 0, "name");
}

static void decode_queue_checks(struct msg_reader *r, struct scratch *scratch,
                                struct queue_facts *ret)
{
    struct msg_array array;

    ret->checks = decode_room(r, scratch, &array, FACTS_MAX_CHECKS, sizeof(*ret->checks),
                              "at most 16 checks");
    while (msg_next_item(r, &array))
        decode_queue_check(r, &ret->checks[ret->check_count++]);
}

static void decode_marks(struct msg_reader *r, struct queue_facts *ret,
                         struct preempt_policy *volcano)
{
    struct msg_map map;
    struct msg_text key;
    struct text value;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (decode_preempt_annotation(r, key, volcano) || !decode_words(r, SIZE_MAX, &value))
            continue;
        if (msg_text_is(key, QUEUE_CLOSED_BY_PARENT))
            ret->closed_by = queue_mark_of(value);
        else if (msg_text_is(key, QUEUE_SUSPENDED_BY_PARENT))
            ret->suspended_by = queue_mark_of(value);
        else if (msg_text_is(key, QUEUE_CREATE_SUSPENDED))
            ret->create_suspended = text_is(value, "true");
    }
}

void decode_queue(struct msg_reader *r, struct scratch *scratch, struct queue_facts *ret)
{
    struct msg_map map;
    struct msg_text key;
    int64_t created;
    bool has_kind = false;
    struct preempt_policy volcano = {.within = PREEMPT_LOWER, .reclaim = PREEMPT_ANY};

    *ret = (struct queue_facts){.reclaimable = true};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "kind"))
            has_kind = decode_queue_kind(r, true, &ret->kind);
        else if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "parent"))
            decode_words(r, DECODE_NAME_MAX, &ret->parent);
        else if (msg_text_is(key, "created"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &created);
        else if (msg_text_is(key, "priority"))
            decode_priority(r, &ret->priority);
        else if (msg_text_is(key, "strategy"))
            ret->strict = decode_strategy(r);
        else if (msg_text_is(key, "state"))
            decode_words(r, DECODE_NAME_MAX, &ret->state);
        else if (msg_text_is(key, "stopPolicy"))
            decode_stop(r, &ret->stop);
        else if (msg_text_is(key, "uid"))
            decode_words(r, DECODE_UID_MAX, &ret->uid);
        else if (msg_text_is(key, "resourceVersion"))
            msg_get_int(r, 0, INT64_MAX, &ret->version);
        else if (msg_text_is(key, "annotations"))
            decode_marks(r, ret, &volcano);
        else if (msg_text_is(key, "reclaimable"))
            msg_get_bool(r, &ret->reclaimable);
        else if (msg_text_is(key, "deleted"))
            msg_get_bool(r, &ret->deleted);
        else if (msg_text_is(key, "capability"))
            decode_amounts(r, &ret->capability);
        else if (msg_text_is(key, "deserved"))
            decode_amounts(r, &ret->deserved);
        else if (msg_text_is(key, "guarantee"))
            decode_amounts(r, &ret->guarantee);
        else if (msg_text_is(key, "whenCanBorrow"))
            ret->borrows_last = decode_says(r, DECODE_NAME_MAX, "TryNextFlavor");
        else if (msg_text_is(key, "whenCanPreempt"))
            ret->preempts_last = decode_says(r, DECODE_NAME_MAX, "TryNextFlavor");
        else if (msg_text_is(key, "preference"))
            ret->borrows_least = decode_says(r, DECODE_NAME_MAX, "PreemptionOverBorrowing");
        else if (msg_text_is(key, "checks"))
            decode_queue_checks(r, scratch, ret);
        else if (msg_text_is(key, "groups"))
            decode_groups(r, scratch, ret);
        else if (msg_text_is(key, "preemption"))
            decode_preemption(r, &ret->preempts);
        else
            msg_skip_unknown(r);
    }
    if (ret->kind == QUEUE_VOLCANO)
        ret->preempts = volcano;
    msg_require(r, has_kind, "kind");
    msg_require(r, ret->name.len > 0, "name");
}
