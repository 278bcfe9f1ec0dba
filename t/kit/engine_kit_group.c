/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_words.h"

#include <stdlib.h>
#include <string.h>

/* DEPTH:NAME:MINIMUM */
static bool add_part(const struct word *word, bool composite, struct group_facts *group)
{
    struct part_facts *part = &group->parts[group->part_count++];
    const char *name = memchr(word->value.at, ':', word->value.len);
    const char *end = word->value.at + word->value.len;
    const char *minimum = name == NULL ? NULL : memchr(name + 1, ':', (size_t)(end - name - 1));

    if (minimum == NULL || group->part_count > WORDS_MAX_PARTS)
        return false;
    part->name = (struct text){name + 1, (size_t)(minimum - name - 1)};
    part->depth = (uint32_t)strtoul(word->value.at, NULL, 10);
    part->minimum = (int32_t)strtol(minimum + 1, NULL, 10);
    part->composite = composite;
    return true;
}

static bool group_word(const struct word *word, struct group_facts *group)
{
    struct text resource;

    if (text_is(word->key, "min"))
        group->minimum = (int32_t)word->number;
    else if (text_is(word->key, "queue"))
        group->queue = word->value;
    else if (text_is(word->key, "created"))
        group->created = word->number;
    else if (text_is(word->key, "version"))
        group->resource_version = word->number;
    else if (text_is(word->key, "deleted"))
        group->deleted = true;
    else if (text_is(word->key, "outside"))
        group->not_selected = true;
    else if (text_is(word->key, "ours"))
        group->ours = true;
    else if (text_is(word->key, "native"))
        group->kind = GROUP_NATIVE;
    else if (text_is(word->key, "composite"))
        group->kind = GROUP_COMPOSITE;
    else if (text_is(word->key, "part") || text_is(word->key, "composite-part"))
        return add_part(word, text_is(word->key, "composite-part"), group);
    else if (text_is(word->key, "whole"))
        group->goes_whole = true;
    else if (text_is(word->key, "class"))
        group->priority_class = word->value;
    else if (text_is(word->key, "uid"))
        group->uid = word->value;
    else if (text_is(word->key, "phase"))
        group->phase = word->value;
    else if (text_is(word->key, "priority"))
        group->priority = (int32_t)word->number, group->has_priority = true;
    else
        return words_resource(word, "", &resource) &&
               words_add_amount(&group->least, resource, word->number);
    return true;
}

bool words_to_group(const char *words, struct part_facts parts[WORDS_MAX_PARTS],
                    struct group_facts *ret)
{
    struct word word;

    memset(ret, 0, sizeof(*ret));
    if (!words_next(&words, &word))
        return false;
    ret->name = ret->uid = word.key;
    ret->space = text_of("default");
    ret->parts = parts;
    while (words_next(&words, &word)) {
        if (!group_word(&word, ret))
            return false;
    }
    return true;
}

bool words_lost_group(struct text verb, enum group_kind *ret)
{
    *ret = text_is(verb, "lose-composite") ? GROUP_COMPOSITE
           : text_is(verb, "lose-native")  ? GROUP_NATIVE
                                           : GROUP_VOLCANO;
    return *ret != GROUP_VOLCANO || text_is(verb, "lose-group");
}

int kit_see_group(struct kit *kit, const char *words, bool *ret_known)
{
    struct part_facts parts[WORDS_MAX_PARTS];
    struct group_facts group;

    *ret_known = words_to_group(words, parts, &group);
    if (group.created == 0)
        group.created = ++kit->created;
    return *ret_known ? engine_see_group(kit->engine, &group) : 0;
}

bool words_member_pod(const struct word *word, struct pod_facts *pod)
{
    if (text_is(word->key, "group")) {
        pod->group = word->value;
    } else if (text_is(word->key, "native")) {
        pod->native_group = word->value;
        pod->opted_in = true;
    } else if (text_is(word->key, "composite")) {
        pod->composite_group = word->value;
    } else if (text_is(word->key, "min")) {
        pod->minimum = (int32_t)word->number;
    } else if (text_is(word->key, "owner")) {
        pod->controller.uid = word->value;
    } else if (text_is(word->key, "replicas")) {
        pod->controller.has_replicas = true;
        pod->controller.replicas = word->number;
    } else if (text_is(word->key, "ordered")) {
        pod->controller.ordered = true;
    } else if (text_is(word->key, "superseded")) {
        pod->controller.supersedes = true;
    } else {
        return false;
    }
    return true;
}
