/* SPDX-License-Identifier: Apache-2.0 */
#include "group_parts.h"

#include "group.h"
#include "plugin/base/sentence.h"
#include "plugin/state.h"

int group_read_parts(struct engine *e, const struct group_facts *facts, struct group_parts *ret)
{
    *ret = (struct group_parts){0};
    if (facts->kind != GROUP_COMPOSITE)
        return 0;
    ret->item = mem_zalloc(&e->mem, (facts->part_count + 1) * sizeof(*ret->item));
    if (ret->item == NULL)
        return ENGINE_NO_MEMORY;
    ret->count = facts->part_count + 1;
    for (uint32_t i = 0; i < ret->count; i++) {
        const struct part_facts own = {facts->name, 0, true, facts->minimum};
        const struct part_facts *part = i == 0 ? &own : &facts->parts[i - 1];

        ret->item[i].depth = (uint8_t)part->depth;
        ret->item[i].composite = part->composite;
        ret->item[i].minimum = part->minimum > 1 ? part->minimum : 1;
        if (name_get(e, part->name, &ret->item[i].name) < 0)
            return ENGINE_NO_MEMORY;
    }
    return 0;
}

void group_drop_parts(struct engine *e, struct group_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++)
        intern_unref(&e->names, parts->item[i].name);
    mem_free(&e->mem, parts->item, parts->count * sizeof(*parts->item));
    *parts = (struct group_parts){0};
}

bool group_parts_are_too_deep(const struct group *group)
{
    for (uint32_t i = 0; i < group->parts.count; i++) {
        if (group->parts.item[i].depth > GROUP_MAX_DEPTH)
            return true;
    }
    return false;
}

static bool is_complete(const struct group_part *part)
{
    return part->there >= (uint32_t)part->minimum;
}

/* From the last part to the first: those below one follow it. */
static void count_complete(struct group *group)
{
    uint32_t complete[GROUP_MAX_DEPTH + 2] = {0}; /* at each depth, since the last one above */

    group->misses_parts = group_parts_are_too_deep(group);
    for (uint32_t i = group->parts.count; i-- > 0 && !group->misses_parts;) {
        struct group_part *part = &group->parts.item[i];

        if (part->composite) {
            part->there = complete[part->depth + 1];
            complete[part->depth + 1] = 0;
        }
        complete[part->depth] += is_complete(part);
    }
    if (group->parts.count > 0)
        group->misses_parts = group->misses_parts || !is_complete(&group->parts.item[0]);
}

/* False: the name is no PodGroup's of it. */
static bool count_pods(struct group *group, uint32_t name, int more)
{
    for (uint32_t i = 0; i < group->parts.count; i++) {
        struct group_part *part = &group->parts.item[i];

        if (part->composite || part->name != name)
            continue;
        part->there += (uint32_t)more;
        return true;
    }
    return false;
}

void group_count_part(struct group *group, uint32_t name, int more)
{
    if (count_pods(group, name, more))
        count_complete(group);
}

static bool same_parts(const struct group_parts *a, const struct group_parts *b)
{
    bool same = a->count == b->count;

    for (uint32_t i = 0; same && i < a->count; i++)
        same = a->item[i].name == b->item[i].name && a->item[i].depth == b->item[i].depth &&
               a->item[i].composite == b->item[i].composite &&
               a->item[i].minimum == b->item[i].minimum;
    return same;
}

void group_swap_parts(struct engine *e, struct group *group, struct group_parts *parts)
{
    struct group_parts before = group->parts;

    if (same_parts(&before, parts))
        return;
    group->parts = *parts;
    *parts = before;
    for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id))
        count_pods(group, claim_member(e, id)->own.part, 1);
    count_complete(group);
}

/* A part that is not complete, of which no part below it is to blame. */
static const struct group_part *first_missing(const struct group *group)
{
    const struct group_part *found = NULL;

    for (uint32_t i = 0; i < group->parts.count; i++) {
        const struct group_part *part = &group->parts.item[i];

        if (found != NULL && part->depth <= found->depth)
            break;
        if (!is_complete(part))
            found = part;
    }
    return found;
}

void group_say_missing_part(const struct engine *e, const struct group *group, struct sentence *say)
{
    const struct group_part *part = first_missing(group);

    if (part == NULL)
        return;
    sentence_str(say, " is not complete: ");
    sentence_named(say, part->composite ? "CompositePodGroup " : "PodGroup ",
                   name_text(e, part->name), " has ");
    sentence_number(say, "", part->there, " of the ");
    sentence_number(say, "", (uint32_t)part->minimum,
                    part->composite ? " complete groups that it needs" : " pods that it needs");
}

const char *group_check_parts(const struct engine *e, const struct group *group)
{
    if ((group->parts.count > 0) != (group->known && group->kind == GROUP_COMPOSITE))
        return "a composite group that is there has parts, and no other one";
    for (uint32_t i = 0; i < group->parts.count; i++) {
        uint32_t there = 0;

        for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id))
            there += claim_member(e, id)->own.part == group->parts.item[i].name;
        if (!group->parts.item[i].composite && group->parts.item[i].there != there)
            return "a part of a composite group counts its pods";
    }
    return NULL;
}
