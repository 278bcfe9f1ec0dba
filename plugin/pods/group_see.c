/* SPDX-License-Identifier: Apache-2.0 */
#include "claim_rest.h"
#include "gang.h"
#include "group.h"
#include "group_home.h"
#include "group_move.h"
#include "plugin/queues/queue_tree.h"
#include "plugin/state.h"

/* PodGroups as they are seen. */

void group_release_all(struct engine *e)
{
    for (uint32_t id = 0; slab_step(&e->pods.groups, &id);) {
        group_drop_words(e, &group_at(e, id)->said);
        group_drop_parts(e, &group_at(e, id)->parts);
    }
}

/* All that a sight of a group needs, in hand before anything changes. */
struct sight {
    uint32_t group;
    struct group_words said;
    uint32_t queue; /* 0: it names none */
    uint32_t entry; /* a new one for another uid or for the first minimum; or 0 */
    struct group_parts parts;
    struct group_moves moves;
};

static void drop_sight(struct engine *e, struct sight *sight)
{
    group_drop_moves(e, &sight->moves);
    group_drop_words(e, &sight->said);
    group_drop_parts(e, &sight->parts);
    if (sight->entry != 0)
        gang_free_entry(e, sight->entry);
    if (sight->queue != 0)
        queue_drop_unused(e, sight->queue);
    group_drop_unused(e, sight->group);
}

/* Negative on error; then, too, what was read is to be dropped. */
static int read_words(struct engine *e, const struct group_facts *facts, struct group_words *said)
{
    const struct named_amounts *amounts = &facts->least;

    if (name_get(e, facts->uid, &said->uid) < 0 || name_get(e, facts->queue, &said->queue) < 0 ||
        name_get(e, facts->priority_class, &said->priority_class) < 0)
        return ENGINE_NO_MEMORY;
    if (amounts->count == 0)
        return 0;
    said->least = mem_zalloc(&e->mem, amounts->count * sizeof(*said->least));
    if (said->least == NULL)
        return ENGINE_NO_MEMORY;
    said->least_count = amounts->count;
    for (uint32_t i = 0; i < amounts->count; i++) {
        said->least[i].amount = amounts->item[i].amount;
        if (name_get(e, amounts->item[i].resource, &said->least[i].resource) < 0)
            return ENGINE_NO_MEMORY;
    }
    return 0;
}

static int read_sight(struct engine *e, const struct group_facts *facts, struct sight *sight)
{
    const struct group_name name = {facts->space, facts->name, facts->kind};
    struct group_place place = {0, true, facts->ours, facts->not_selected};
    const struct group *group;
    uint32_t before = group_find_named(e, &name);
    int error = before != 0 && group_at(e, before)->known ? 0 : limit_has_room(e, LIMITED_GROUPS);

    if (error == 0)
        error = group_get_named(e, &name, &sight->group);
    if (error < 0)
        return error;
    group = group_at(e, sight->group);
    error = read_words(e, facts, &sight->said);
    if (error == 0)
        error = group_read_parts(e, facts, &sight->parts);
    if (error == 0 && (facts->minimum > 1 || !facts->ours || facts->kind != GROUP_VOLCANO) &&
        (group->entry == 0 || group->said.uid != sight->said.uid))
        error = gang_make_entry(e, sight->group, facts->uid, &sight->entry);
    if (error == 0 && facts->queue.len > 0)
        error = queue_get(e, QUEUE_VOLCANO, facts->queue, &sight->queue);
    place.queue = sight->queue;
    if (error == 0)
        error = group_read_moves(e, sight->group, &place, &sight->moves);
    if (error < 0)
        drop_sight(e, sight);
    return error;
}

/* A member that waits for something else is named after its group as well. */
static void sync_members(struct engine *e, uint32_t id)
{
    for (uint32_t at = group_at(e, id)->claims.first; at != 0; at = member_after(e, at))
        outbox_sync(&e->outbox, EFFECT_OF_POD, at);
}

static uint64_t mix(uint64_t hash, struct text text)
{
    uint64_t len = text.len;

    return hash_bytes64(text.at, text.len, hash_bytes64(&len, sizeof(len), hash));
}

uint64_t group_status_number(struct text phase, const int64_t counts[3],
                             const struct text condition[FACTS_GROUP_CONDITION])
{
    uint64_t hash = hash_bytes64(counts, 3 * sizeof(*counts), mix(1, phase));

    for (int i = 0; i < FACTS_GROUP_CONDITION; i++)
        hash = mix(hash, condition[i]);
    return hash;
}

/* The queue that its members are in may be for their namespace now, or no longer. */
static void select_members(struct engine *e, uint32_t id)
{
    for (uint32_t at = group_at(e, id)->claims.first; at != 0; at = member_after(e, at)) {
        const struct claim *claim = claim_at(e, at);

        if (!claim_holds(claim) && (claim->flags & CLAIM_RESTORING) == 0 &&
            (claim_rest(e, at) == REASON_NAMESPACE_NOT_SELECTED) !=
                (claim->reason == REASON_NAMESPACE_NOT_SELECTED))
            claim_to_rest(e, at);
    }
}

static void commit(struct engine *e, const struct group_facts *facts, struct sight *sight)
{
    struct group *group = group_at(e, sight->group);
    struct group_words before = group->said;
    bool was_known = group->known;

    if (sight->entry != 0 || before.uid != sight->said.uid)
        gang_set_entry(e, sight->group, sight->entry);
    limit_count(&e->queues, LIMITED_GROUPS, &group->known, true);
    group->ours = facts->ours;
    group->was_made = false;
    if (facts->resource_version == 0 || facts->resource_version > group->changed_over)
        group->changed_over = -1;
    group->written = group_status_number(facts->phase, facts->counts, facts->condition);
    if (before.uid != sight->said.uid)
        group->sent_over = group->changed_over = -1;
    group->said = sight->said;
    sight->said = before;
    group->completed = text_is(facts->phase, "Completed");
    group->inqueue = text_is(facts->phase, "Inqueue");
    group_set_home(e, sight->group, sight->queue);
    group->not_selected = facts->not_selected;
    group->created = facts->created;
    group->version = facts->resource_version;
    group->has_priority = facts->has_priority;
    group->priority = facts->priority;
    group->minimum = facts->kind == GROUP_COMPOSITE ? 0 : facts->minimum;
    group_swap_parts(e, group, &sight->parts);
    group->goes_whole = facts->goes_whole;
    sight->entry = 0;
    group_make_moves(e, sight->group, &sight->moves);
    select_members(e, sight->group);
    if (!was_known)
        sync_members(e, sight->group);
    group_touch(e, sight->group);
    drop_sight(e, sight);
}

int group_see(struct engine *e, const struct group_facts *facts)
{
    const struct group_name name = {facts->space, facts->name, facts->kind};
    struct sight sight = {0};
    uint32_t id = group_find_named(e, &name);
    int error;

    if (facts->deleted)
        return group_lose(e, &name, facts->uid);
    if (id != 0 && group_at(e, id)->known && facts->resource_version != 0 &&
        facts->resource_version < group_at(e, id)->version &&
        text_same(name_text(e, group_at(e, id)->said.uid), facts->uid))
        return SEEN_BEFORE;
    error = read_sight(e, facts, &sight);
    if (error < 0)
        return error;
    commit(e, facts, &sight);
    group_settle(e);
    return SEEN_ANEW;
}

/* Of one that was to be made, and was not seen since, what was in its place is gone. */
static void make_again(struct engine *e, uint32_t id)
{
    if (!group_at(e, id)->was_made)
        return;
    group_at(e, id)->was_made = false;
    group_touch(e, id);
    group_settle(e);
}

/* Its members are held in the queues that they name themselves; those that run are counted where
 * they are. */
int group_lose(struct engine *e, const struct group_name *name, struct text uid)
{
    uint32_t id = group_find_named(e, name);
    const struct group_place nowhere = {0};
    struct group_moves moves = {0};
    int error = 0;

    if (id != 0 && !group_at(e, id)->known) {
        make_again(e, id);
        return SEEN_ANEW;
    }
    if (id == 0 || (uid.len != 0 && !text_same(name_text(e, group_at(e, id)->said.uid), uid)))
        return SEEN_ANEW;
    error = group_read_moves(e, id, &nowhere, &moves);
    if (error == 0) {
        limit_count(&e->queues, LIMITED_GROUPS, &group_at(e, id)->known, false);
        group_at(e, id)->ours = false;
        group_at(e, id)->was_made = false;
        group_drop_parts(e, &group_at(e, id)->parts);
        group_at(e, id)->misses_parts = false;
        group_set_home(e, id, 0);
        intern_unref(&e->names, group_at(e, id)->said.queue);
        group_at(e, id)->said.queue = 0;
        intern_unref(&e->names, group_at(e, id)->said.priority_class);
        group_at(e, id)->said.priority_class = 0;
        group_make_moves(e, id, &moves);
        select_members(e, id);
        sync_members(e, id);
        group_touch(e, id);
        group_settle(e);
    }
    group_drop_moves(e, &moves);
    return error;
}
