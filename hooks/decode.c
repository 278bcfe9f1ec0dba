/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

#include "plugin/base/amount.h"
#include "plugin/base/quantity.h"

bool decode_words(struct msg_reader *r, size_t max_len, struct text *ret)
{
    struct msg_text text;

    if (!msg_get_text(r, 0, max_len, &text))
        return false;
    *ret = (struct text){text.at, text.len};
    return true;
}

static bool decode_some(struct msg_reader *r, size_t max_len, struct text *ret)
{
    struct msg_text text;

    if (!msg_get_text(r, 1, max_len, &text))
        return false;
    *ret = (struct text){text.at, text.len};
    return true;
}

bool decode_name(struct msg_reader *r, struct text *ret)
{
    return decode_some(r, DECODE_NAME_MAX, ret);
}

bool decode_uid(struct msg_reader *r, struct text *ret)
{
    return decode_some(r, DECODE_UID_MAX, ret);
}

bool decode_label_key(struct msg_reader *r, struct text *ret)
{
    return decode_some(r, DECODE_LABEL_KEY_MAX, ret);
}

bool decode_priority(struct msg_reader *r, int32_t *ret)
{
    int64_t priority;

    if (!msg_get_int(r, INT32_MIN, INT32_MAX, &priority))
        return false;
    *ret = (int32_t)priority;
    return true;
}

static bool decode_quantity(struct msg_reader *r, bool milli, int64_t *ret)
{
    struct msg_text text;

    if (!msg_get_text(r, 0, SIZE_MAX, &text))
        return false;
    if (quantity_parse(text.at, text.len, milli, ret))
        return true;
    msg_fail(r, MSG_INVALID, "a quantity such as 500m, 2 or 16Gi, or an integer in base units");
    return false;
}

bool decode_amount(struct msg_reader *r, struct text resource, int64_t *ret)
{
    int64_t amount;
    bool read = msg_peek_type(r) == MSG_TEXT ? decode_quantity(r, text_is(resource, "cpu"), &amount)
                                             : msg_get_int(r, INT64_MIN, INT64_MAX, &amount);

    if (!read)
        return false;
    if (amount < 0) {
        msg_fail(r, MSG_RANGE, "an amount that is not negative");
        return false;
    }
    *ret = amount < AMOUNT_MAX ? amount : AMOUNT_MAX;
    return true;
}

static void read_amounts(struct msg_reader *r, const char *except, bool all,
                         struct named_amounts *ret)
{
    struct msg_map map;
    struct msg_text key;

    ret->count = 0;
    msg_open_map(r, &map);
    if (all && map.left > FACTS_MAX_NEEDS - 1)
        msg_fail(r, MSG_LENGTH, "at most 32 resources");
    while (msg_next_key(r, &map, &key)) {
        struct text resource = {key.at, key.len};
        int64_t amount = 0;

        if (key.len == 0 || key.len > DECODE_LABEL_KEY_MAX)
            msg_fail(r, MSG_LENGTH, "the name of a resource, of 1 to 317 bytes");
        decode_amount(r, resource, &amount);
        if ((!except || !text_is(resource, except)) && ret->count < FACTS_MAX_NEEDS - 1)
            ret->item[ret->count++] = (struct named_amount){resource, amount};
    }
}

void decode_amounts(struct msg_reader *r, struct named_amounts *ret)
{
    read_amounts(r, NULL, true, ret);
}

void decode_requests(struct msg_reader *r, bool all, struct named_amounts *ret)
{
    read_amounts(r, "pods", all, ret);
}

void *decode_room(struct msg_reader *r, struct scratch *scratch, struct msg_array *ret_array,
                  uint32_t max, size_t size, const char *want)
{
    msg_open_array(r, ret_array);
    if (ret_array->left > max)
        msg_fail(r, MSG_LENGTH, want);
    return r->error < 0 ? NULL : scratch_take(scratch, ret_array->left * size);
}

static const char *const queue_kinds[] = {
    [QUEUE_VOLCANO] = "Queue",
    [QUEUE_CLUSTER] = "ClusterQueue",
    [QUEUE_COHORT] = "Cohort",
    NULL,
};

bool decode_queue_kind(struct msg_reader *r, bool with_cohort, enum queue_kind *ret)
{
    static const char *const leaf_kinds[] = {"Queue", "ClusterQueue", NULL};
    int kind;

    if (!msg_get_enum(r, with_cohort ? queue_kinds : leaf_kinds, &kind))
        return false;
    *ret = (enum queue_kind)kind;
    return true;
}

const char *queue_kind_name(enum queue_kind kind)
{
    return queue_kinds[kind];
}

/* The text behind the one key that counts. */
static void read_only_key(struct msg_reader *r, const char *only, size_t max_len, struct text *ret)
{
    struct msg_map map;
    struct msg_text key;
    bool found = false;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, only))
            found = decode_some(r, max_len, ret);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, found, only);
}

void decode_lost_pod(struct msg_reader *r, struct text *ret_uid)
{
    read_only_key(r, "uid", DECODE_UID_MAX, ret_uid);
}

void decode_lost_named(struct msg_reader *r, struct text *ret_name)
{
    read_only_key(r, "name", DECODE_NAME_MAX, ret_name);
}

void decode_lost_queue(struct msg_reader *r, enum queue_kind *ret_kind, struct text *ret_name)
{
    struct msg_map map;
    struct msg_text key;
    bool has_kind = false;
    bool has_name = false;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "kind"))
            has_kind = decode_queue_kind(r, true, ret_kind);
        else if (msg_text_is(key, "name"))
            has_name = decode_name(r, ret_name);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, has_kind, "kind");
    msg_require(r, has_name, "name");
}

bool decode_identity(struct msg_reader *r, struct msg_text key, const struct identity *who)
{
    if (msg_text_is(key, "uid"))
        decode_uid(r, who->uid);
    else if (msg_text_is(key, "namespace"))
        decode_name(r, who->space);
    else if (msg_text_is(key, "name"))
        decode_name(r, who->name);
    else
        return false;
    return true;
}

void require_identity(struct msg_reader *r, const struct identity *who)
{
    msg_require(r, who->uid->len > 0, "uid");
    msg_require(r, who->space->len > 0, "namespace");
    msg_require(r, who->name->len > 0, "name");
}

bool decode_bool(struct msg_reader *r)
{
    bool flag = false;

    msg_get_bool(r, &flag);
    return flag;
}

bool decode_says(struct msg_reader *r, size_t max_len, const char *yes)
{
    struct text word;

    return decode_words(r, max_len, &word) && text_is(word, yes);
}

uint32_t decode_names(struct msg_reader *r, uint32_t max, const char *want, struct text *ret_names)
{
    struct msg_array array;
    uint32_t count = 0;

    msg_open_array(r, &array);
    if (array.left > max)
        msg_fail(r, MSG_LENGTH, want);
    while (msg_next_item(r, &array)) {
        if (decode_name(r, &ret_names[count]))
            count++;
    }
    return count;
}

uint32_t decode_spec_gates(struct msg_reader *r, struct text *ret_names)
{
    uint32_t named = decode_names(r, FACTS_MAX_PREEMPTION_GATES, "at most 8 gates", ret_names);
    uint32_t count = 0;

    for (uint32_t i = 0; i < named; i++) {
        if (!text_among(ret_names[i], ret_names, count))
            ret_names[count++] = ret_names[i];
    }
    return count;
}

void decode_gate_states(struct msg_reader *r, struct gate_states *ret)
{
    struct msg_map map;
    struct msg_text key;

    ret->count = 0;
    msg_open_map(r, &map);
    if (map.left > DECODE_GATE_STATES_MAX)
        msg_fail(r, MSG_LENGTH, "at most 16 gates");
    while (msg_next_key(r, &map, &key)) {
        ret->item[ret->count].name = (struct text){key.at, key.len};
        if (decode_words(r, SIZE_MAX, &ret->item[ret->count].position))
            ret->count++;
    }
}
