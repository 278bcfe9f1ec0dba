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
    int64_t depth = 0, minimum = 0;

    *ret = (struct part_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "depth"))
            msg_get_int(r, 1, UINT8_MAX, &depth);
        else if (msg_text_is(key, "composite"))
            msg_get_bool(r, &ret->composite);
        else if (msg_text_is(key, "minMember"))
            msg_get_int(r, 0, INT32_MAX, &minimum);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->name.len > 0, "name");
    msg_require(r, depth > 0, "depth");
    ret->depth = (uint32_t)depth;
    ret->minimum = (int32_t)minimum;
}

/* Each is below one that came before it: below the last composite one that is a level above. */
static void decode_parts(struct msg_reader *r, struct scratch *scratch, struct group_facts *ret)
{
    struct msg_array array;
    uint32_t deepest = 1; /* that the next one may be */

    ret->parts =
        decode_room(r, scratch, &array, FACTS_MAX_PARTS, sizeof(*ret->parts), "at most 1024 parts");
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
    const struct identity who = {&ret->uid, &ret->space, &ret->name};
    struct msg_map map;
    struct msg_text key;
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
            decode_amounts(r, &ret->least);
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
    ret->minimum = (int32_t)minimum;
}

void decode_lost_group(struct msg_reader *r, struct group_facts *ret)
{
    const struct identity who = {&ret->uid, &ret->space, &ret->name};
    struct msg_map map;
    struct msg_text key;

    *ret = (struct group_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "native"))
            decode_group_kind(r, GROUP_NATIVE, &ret->kind);
        else if (msg_text_is(key, "composite"))
            decode_group_kind(r, GROUP_COMPOSITE, &ret->kind);
        else if (!decode_identity(r, key, &who))
            msg_skip_unknown(r);
    }
    msg_require(r, ret->space.len > 0, "namespace");
    msg_require(r, ret->name.len > 0, "name");
}
