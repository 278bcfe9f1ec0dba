/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

static void decode_condition(struct msg_reader *r, struct text ret[FACTS_GROUP_CONDITION])
{
    static const char *const names[FACTS_GROUP_CONDITION] = {"type", "status", "reason", "message"};
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        int i = 0;

        while (i < FACTS_GROUP_CONDITION && !msg_text_is(key, names[i]))
            i++;
        if (i < FACTS_GROUP_CONDITION)
            decode_words(r, SIZE_MAX, &ret[i]);
        else
            msg_skip_unknown(r);
    }
}

void decode_group_kind(struct msg_reader *r, enum group_kind said, enum group_kind *ret)
{
    bool is = false;

    if (msg_get_bool(r, &is) && is && *ret < said)
        *ret = said;
}

static void decode_part(struct msg_reader *r, struct part_facts *ret)
{
    struct msg_map map;
    struct msg_text key;
    bool has_name = false, has_depth = false;
    int64_t depth = 0, minimum = 0;

    *ret = (struct part_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            has_name = decode_name(r, &ret->name);
        else if (msg_text_is(key, "depth"))
            has_depth = msg_get_int(r, 1, UINT8_MAX, &depth);
        else if (msg_text_is(key, "composite"))
            msg_get_bool(r, &ret->composite);
        else if (msg_text_is(key, "minMember"))
            msg_get_int(r, 0, INT32_MAX, &minimum);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, has_name, "name");
    msg_require(r, has_depth, "depth");
    ret->depth = (uint32_t)depth;
    ret->minimum = (int32_t)minimum;
}

/* Each is below one that came before it: below the last composite one that is a level above. */
static void decode_parts(struct msg_reader *r, struct scratch *scratch, struct group_facts *ret)
{
    struct msg_array array;
    uint32_t deepest = 1; /* that the next one may be */

    msg_open_array(r, &array);
    if (array.left > FACTS_MAX_PARTS) {
        msg_fail(r, MSG_LENGTH, "at most 1024 parts");
        return;
    }
    ret->parts = scratch_take(scratch, array.left * sizeof(*ret->parts));
    while (msg_next_item(r, &array)) {
        struct part_facts *part = &ret->parts[ret->part_count++];

        decode_part(r, part);
        if (part->depth > deepest)
            msg_fail(r, MSG_RANGE,
                     "a depth of at most one more than that of a composite part before");
        deepest = part->depth + (part->composite ? 1 : 0);
    }
}

void decode_pod_group(struct msg_reader *r, struct scratch *scratch, struct group_facts *ret)
{
    struct msg_map map;
    struct msg_text key;
    struct identity who = {0};
    bool has_created = false;
    int64_t minimum = 0;

    *ret = (struct group_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (decode_identity(r, key, &who))
            continue;
        if (msg_text_is(key, "created"))
            has_created = msg_get_int(r, 0, DECODE_TIME_MAX, &ret->created);
        else if (msg_text_is(key, "resourceVersion"))
            msg_get_int(r, 0, INT64_MAX, &ret->resource_version);
        else if (msg_text_is(key, "queue"))
            decode_words(r, DECODE_NAME_MAX, &ret->queue);
        else if (msg_text_is(key, "mayUse"))
            ret->not_selected = !decode_bool(r);
        else if (msg_text_is(key, "minMember"))
            msg_get_int(r, INT32_MIN, INT32_MAX, &minimum);
        else if (msg_text_is(key, "minResources"))
            decode_amounts(r, NULL, &ret->least);
        else if (msg_text_is(key, "priority"))
            ret->has_priority = decode_priority(r, &ret->priority);
        else if (msg_text_is(key, "priorityClass"))
            decode_words(r, DECODE_NAME_MAX, &ret->priority_class);
        else if (msg_text_is(key, "ours"))
            msg_get_bool(r, &ret->ours);
        else if (msg_text_is(key, "native"))
            decode_group_kind(r, GROUP_NATIVE, &ret->kind);
        else if (msg_text_is(key, "composite"))
            decode_group_kind(r, GROUP_COMPOSITE, &ret->kind);
        else if (msg_text_is(key, "parts"))
            decode_parts(r, scratch, ret);
        else if (msg_text_is(key, "goesWhole"))
            msg_get_bool(r, &ret->goes_whole);
        else if (msg_text_is(key, "phase"))
            decode_words(r, DECODE_NAME_MAX, &ret->phase);
        else if (msg_text_is(key, "running"))
            msg_get_int(r, 0, INT32_MAX, &ret->counts[0]);
        else if (msg_text_is(key, "succeeded"))
            msg_get_int(r, 0, INT32_MAX, &ret->counts[1]);
        else if (msg_text_is(key, "failed"))
            msg_get_int(r, 0, INT32_MAX, &ret->counts[2]);
        else if (msg_text_is(key, "condition"))
            decode_condition(r, ret->condition);
        else if (msg_text_is(key, "deleted"))
            msg_get_bool(r, &ret->deleted);
        else
            msg_skip_unknown(r);
    }
    require_identity(r, &who);
    msg_require(r, has_created, "created");
    ret->uid = who.uid;
    ret->space = who.space;
    ret->name = who.name;
    ret->minimum = (int32_t)minimum;
}

void decode_lost_group(struct msg_reader *r, struct group_facts *ret)
{
    struct msg_map map;
    struct msg_text key;
    bool has_namespace = false, has_name = false;

    *ret = (struct group_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "namespace"))
            has_namespace = decode_name(r, &ret->space);
        else if (msg_text_is(key, "name"))
            has_name = decode_name(r, &ret->name);
        else if (msg_text_is(key, "uid"))
            decode_uid(r, &ret->uid);
        else if (msg_text_is(key, "native"))
            decode_group_kind(r, GROUP_NATIVE, &ret->kind);
        else if (msg_text_is(key, "composite"))
            decode_group_kind(r, GROUP_COMPOSITE, &ret->kind);
        else
            msg_skip_value(r);
    }
    msg_require(r, has_namespace, "namespace");
    msg_require(r, has_name, "name");
}
