/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

static bool decode_label(struct msg_reader *r, struct msg_text key, struct label *ret)
{
    if (key.len == 0 || key.len > DECODE_LABEL_KEY_MAX)
        msg_fail(r, MSG_LENGTH, "the key of a label, of 1 to 317 bytes");
    ret->key = (struct text){key.at, key.len};
    return decode_words(r, DECODE_LABEL_VALUE_MAX, &ret->value);
}

static void decode_node_labels(struct msg_reader *r, struct flavor_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    if (map.left > FACTS_MAX_LABELS)
        msg_fail(r, MSG_LENGTH, "at most 8 labels");
    while (msg_next_key(r, &map, &key)) {
        if (decode_label(r, key, &ret->labels[ret->label_count]))
            ret->label_count++;
    }
}

void decode_toleration(struct msg_reader *r, struct toleration *ret)
{
    struct msg_map map;
    struct msg_text key;

    *ret = (struct toleration){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "key"))
            decode_words(r, DECODE_LABEL_KEY_MAX, &ret->key);
        else if (msg_text_is(key, "operator"))
            decode_words(r, DECODE_LABEL_VALUE_MAX, &ret->operator_);
        else if (msg_text_is(key, "value"))
            decode_words(r, DECODE_LABEL_VALUE_MAX, &ret->value);
        else if (msg_text_is(key, "effect"))
            decode_words(r, DECODE_LABEL_VALUE_MAX, &ret->effect);
        else if (msg_text_is(key, "seconds"))
            ret->has_seconds = msg_get_int(r, INT64_MIN, INT64_MAX, &ret->seconds);
        else
            msg_skip_unknown(r);
    }
}

static void decode_tolerations(struct msg_reader *r, struct flavor_facts *ret)
{
    struct msg_array array;

    msg_open_array(r, &array);
    if (array.left > FACTS_MAX_TOLERATIONS)
        msg_fail(r, MSG_LENGTH, "at most 8 tolerations");
    while (msg_next_item(r, &array))
        decode_toleration(r, &ret->tolerations[ret->toleration_count++]);
}

static void decode_taint(struct msg_reader *r, struct taint *ret)
{
    struct msg_map map;
    struct msg_text key;

    *ret = (struct taint){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "key"))
            decode_words(r, DECODE_LABEL_KEY_MAX, &ret->key);
        else if (msg_text_is(key, "value"))
            decode_words(r, DECODE_LABEL_VALUE_MAX, &ret->value);
        else if (msg_text_is(key, "effect"))
            decode_words(r, DECODE_LABEL_VALUE_MAX, &ret->effect);
        else
            msg_skip_unknown(r);
    }
}

static void decode_taints(struct msg_reader *r, struct taints *ret)
{
    struct msg_array array;

    msg_open_array(r, &array);
    if (array.left > FACTS_MAX_TAINTS)
        msg_fail(r, MSG_LENGTH, "at most 8 taints");
    while (msg_next_item(r, &array))
        decode_taint(r, &ret->item[ret->count++]);
}

void decode_flavor(struct msg_reader *r, struct flavor_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    *ret = (struct flavor_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "nodeLabels"))
            decode_node_labels(r, ret);
        else if (msg_text_is(key, "tolerations"))
            decode_tolerations(r, ret);
        else if (msg_text_is(key, "taints"))
            decode_taints(r, &ret->taints);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->name.len > 0, "name");
}

static void decode_labels(struct msg_reader *r, struct scratch *scratch, struct node_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);

    struct label *labels = scratch_take(scratch, map.left * sizeof(*labels));
    ret->labels = labels;
    while (msg_next_key(r, &map, &key)) {
        if (decode_label(r, key, &labels[ret->label_count]))
            ret->label_count++;
    }
}

void decode_node(struct msg_reader *r, struct scratch *scratch, struct node_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    *ret = (struct node_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "labels"))
            decode_labels(r, scratch, ret);
        else if (msg_text_is(key, "allocatable"))
            decode_amounts(r, &ret->allocatable);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->name.len > 0, "name");
}
