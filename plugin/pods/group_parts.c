/* SPDX-License-Identifier: Apache-2.0 */
#include "group_parts.h"

#include "group.h"
#include "plugin/base/sentence.h"
#include "plugin/state.h"

int group_read_parts(struct engine *e, const struct group_facts *facts, struct group_part **ret,
                     uint32_t *ret_count)
{
    uint32_t count = facts->part_count + 1;
    struct group_part *parts;

    *ret = NULL;
    *ret_count = 0;
    if (facts->kind != GROUP_COMPOSITE)
        return 0;
    parts = mem_zalloc(&e->mem, count * sizeof(*parts));
    if (parts == NULL)
        return ENGINE_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const struct part_facts own = {facts->name, 0, true, facts->minimum};
        const struct part_facts *part = i == 0 ? &own : &facts->parts[i - 1];

        parts[i].depth = (uint8_t)part->depth;
        parts[i].composite = part->composite;
        parts[i].minimum = part->minimum > 1 ? part->minimum : 1;
        if (name_get(e, part->name, &parts[i].name) < 0) {
            group_drop_parts(e, parts, count);
            return ENGINE_NO_MEMORY;
        }
    }
    *ret = parts;
    *ret_count = count;
    return 0;
}

void group_drop_parts(struct engine *e, struct group_part *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        intern_unref(&e->names, parts[i].name);
    mem_free(&e->mem, parts, count * sizeof(*parts));
}

bool group_parts_are_too_deep(const struct group *group)
{
    for (uint32_t i = 0; i < group->part_count; i++) {
        if (group->parts[i].depth > GROUP_MAX_DEPTH)
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
    for (uint32_t i = group->part_count; i-- > 0 && !group->misses_parts;) {
        struct group_part *part = &group->parts[i];

        if (part->composite) {
            part->there = complete[part->depth + 1];
            complete[part->depth + 1] = 0;
        }
        complete[part->depth] += is_complete(part);
    }
    if (group->part_count > 0)
        group->misses_parts = group->misses_parts || !is_complete(&group->parts[0]);
}

/* False: the name is no PodGroup's of it. */
static bool count_pods(struct group *group, uint32_t name, int more)
{
    for (uint32_t i = 0; i < group->part_count; i++) {
        struct group_part *part = &group->parts[i];

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

static bool same_parts(const struct group *group, const struct group_part *parts, uint32_t count)
{
    bool same = group->part_count == count;

    for (uint32_t i = 0; same && i < count; i++)
        same = group->parts[i].name == parts[i].name && group->parts[i].depth == parts[i].depth &&
               group->parts[i].composite == parts[i].composite &&
               group->parts[i].minimum == parts[i].minimum;
    return same;
}

void group_swap_parts(struct engine *e, struct group *group, struct group_part **parts,
                      uint32_t *count)
{
    struct group_part *before = group->parts;
    uint32_t count_before = group->part_count;

    if (same_parts(group, *parts, *count))
        return;
    group->parts = *parts;
    group->part_count = *count;
    *parts = before;
    *count = count_before;
    for (uint32_t id = group->first; id != 0; id = member_after(e, id))
        count_pods(group, claim_member(e, id)->own.part, 1);
    count_complete(group);
}

/* A part that is not complete, of which no part below it is to blame. */
static const struct group_part *first_missing(const struct group *group)
{
    const struct group_part *found = NULL;

    for (uint32_t i = 0; i < group->part_count; i++) {
        const struct group_part *part = &group->parts[i];

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
    sentence_str(say, part->composite ? "CompositePodGroup " : "PodGroup ");
    sentence_text(say, name_text(e, part->name));
    sentence_number(say, " has ", part->there, " of the ");
    sentence_number(say, "", (uint32_t)part->minimum,
                    part->composite ? " complete groups that it needs" : " pods that it needs");
}

const char *group_check_parts(const struct engine *e, const struct group *group)
{
    if ((group->part_count > 0) != (group->known && group->kind == GROUP_COMPOSITE))
        return "a composite group that is there has parts, and no other one";
    for (uint32_t i = 0; i < group->part_count; i++) {
        uint32_t there = 0;

        for (uint32_t id = group->first; id != 0; id = member_after(e, id))
            there += claim_member(e, id)->own.part == group->parts[i].name;
        if (!group->parts[i].composite && group->parts[i].there != there)
            return "a part of a composite group counts its pods";
    }
    return NULL;
}
