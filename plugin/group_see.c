/* SPDX-License-Identifier: Apache-2.0 */
#include "group.h"

#include "advance.h"
#include "gang.h"
#include "group_effects.h"
#include "pod.h"
#include "regrant.h"
#include "state.h"

/* PodGroups as they are seen. */

/* A member that goes to the queue that its group names. */
struct move {
    uint32_t claim, line;
    char *text;
};

/* All that a sight of a group needs, in hand before anything changes. */
struct sight {
    uint32_t group;
    uint32_t uid, queue_name; /* names */
    uint32_t queue;           /* 0: the members stay where they are */
    uint32_t entry;           /* a new one for another uid or for the first minimum; or 0 */
    struct group_amount *least;
    uint32_t least_count;
    struct move *moves;
    uint32_t move_count, move_cap;
};

static void drop_sight(struct engine *e, struct sight *sight)
{
    struct group unused = {.least = sight->least, .least_count = sight->least_count};

    for (uint32_t i = 0; i < sight->move_count; i++) {
        const struct move *move = &sight->moves[i];

        mem_free(&e->mem, move->text, claim_text_size(e, move->claim, move->line));
        line_unref(e, move->line);
    }
    mem_free(&e->mem, sight->moves, sight->move_cap * sizeof(*sight->moves));
    group_free_least(e, &unused);
    if (sight->entry != 0)
        gang_free_entry(e, sight->entry);
    intern_unref(&e->names, sight->uid);
    intern_unref(&e->names, sight->queue_name);
    if (sight->queue != 0)
        queue_drop_unused(e, sight->queue);
    group_drop_unused(e, sight->group);
}

static int read_least(struct engine *e, const struct named_amounts *amounts, struct sight *sight)
{
    if (amounts->count == 0)
        return 0;
    sight->least = mem_alloc(&e->mem, amounts->count * sizeof(*sight->least));
    if (sight->least == NULL)
        return ENGINE_NO_MEMORY;
    sight->least_count = amounts->count;
    memset(sight->least, 0, amounts->count * sizeof(*sight->least));
    for (uint32_t i = 0; i < amounts->count; i++) {
        sight->least[i].amount = amounts->item[i].amount;
        if (name_get(e, amounts->item[i].resource, &sight->least[i].resource) < 0)
            return ENGINE_NO_MEMORY;
    }
    return 0;
}

static int read_move(struct engine *e, uint32_t claim, struct sight *sight)
{
    struct move *move = &sight->moves[sight->move_count];
    int error = line_get_like(e, claim_at(e, claim)->line, sight->queue, &move->line);

    if (error < 0)
        return error;
    sight->move_count++;
    move->claim = claim;
    move->text = claim_new_text(e, claim, move->line);
    return move->text == NULL ? ENGINE_NO_MEMORY : 0;
}

static int read_moves(struct engine *e, const struct group_facts *facts, struct sight *sight)
{
    const struct group *group = group_at(e, sight->group);
    int error;

    if (facts->queue.len == 0)
        return 0;
    error = queue_get(e, QUEUE_VOLCANO, facts->queue, &sight->queue);
    if (error < 0 || group->members == 0)
        return error;
    sight->moves = mem_alloc(&e->mem, group->members * sizeof(*sight->moves));
    if (sight->moves == NULL)
        return ENGINE_NO_MEMORY;
    sight->move_cap = group->members;
    for (uint32_t id = group->first; id != 0 && error == 0; id = claim_at(e, id)->next_member) {
        if (claim_queue(e, id) != sight->queue)
            error = read_move(e, id, sight);
    }
    return error;
}

static int read_sight(struct engine *e, const struct group_facts *facts, struct sight *sight)
{
    const struct group *group;
    int error = group_get_named(e, facts->space, facts->name, &sight->group);

    if (error < 0)
        return error;
    group = group_at(e, sight->group);
    error = name_get(e, facts->uid, &sight->uid);
    if (error == 0)
        error = name_get(e, facts->queue, &sight->queue_name);
    if (error == 0)
        error = read_least(e, &facts->least, sight);
    if (error == 0 && facts->minimum > 1 && (group->entry == 0 || group->uid != sight->uid))
        error = gang_make_entry(e, sight->group, facts->uid, &sight->entry);
    if (error == 0)
        error = read_moves(e, facts, sight);
    if (error < 0)
        drop_sight(e, sight);
    return error;
}

static void move_members(struct engine *e, struct sight *sight)
{
    for (uint32_t i = 0; i < sight->move_count; i++) {
        const struct move *move = &sight->moves[i];
        const struct claim *claim = claim_at(e, move->claim);
        bool restoring = (claim->flags & CLAIM_RESTORING) != 0;
        const struct demand demand = {claim->priority, claim->created, move->line, move->text,
                                      NULL};

        regrant(e, move->claim, &demand);
        if (restoring)
            claim_to_restore(e, move->claim);
        else
            pod_settle(e, move->claim);
    }
    sight->move_count = 0;
}

/* What its object says of its status. */
static uint64_t status_written(const struct group_facts *facts)
{
    return group_status_number(facts->phase, facts->counts, facts->condition);
}

static void commit(struct engine *e, const struct group_facts *facts, struct sight *sight)
{
    struct group *group = group_at(e, sight->group);
    struct group_amount *least = group->least;
    uint32_t least_count = group->least_count, uid = group->uid, queue = group->queue;

    if (sight->entry != 0 || group->uid != sight->uid)
        gang_set_entry(e, sight->group, sight->entry);
    group->known = true;
    group->was_made = false;
    group->written = status_written(facts);
    if (group->uid != sight->uid)
        group->sent_over = -1;
    group->uid = sight->uid;
    group->queue = sight->queue_name;
    group->created = facts->created;
    group->version = facts->resource_version;
    group->has_priority = facts->has_priority;
    group->priority = facts->priority;
    group->minimum = facts->minimum;
    group->least = sight->least;
    group->least_count = sight->least_count;
    sight->entry = 0;
    sight->least = least;
    sight->least_count = least_count;
    sight->uid = uid;
    sight->queue_name = queue;
    move_members(e, sight);
    group_touch(e, sight->group);
    drop_sight(e, sight);
}

int engine_see_group(struct engine *e, const struct group_facts *facts)
{
    struct sight sight = {0};
    uint32_t id = group_find(e, facts->space, facts->name);
    int error;

    if (facts->deleted) {
        engine_lose_group(e, facts->space, facts->name, facts->uid);
        return 0;
    }
    if (id != 0 && group_at(e, id)->known && facts->resource_version != 0 &&
        facts->resource_version < group_at(e, id)->version &&
        text_same(name_text(e, group_at(e, id)->uid), facts->uid))
        return 0; /* an old message */
    error = read_sight(e, facts, &sight);
    if (error < 0)
        return error;
    commit(e, facts, &sight);
    advance(e);
    return 0;
}

/* Its members are held where they are, and what it said of its queue stands as long as it has any:
 * those that run are still counted there. */
void engine_lose_group(struct engine *e, struct text space, struct text name, struct text uid)
{
    uint32_t id = group_find(e, space, name);

    if (id != 0 && group_at(e, id)->known &&
        (uid.len == 0 || text_same(name_text(e, group_at(e, id)->uid), uid))) {
        group_at(e, id)->known = false;
        group_at(e, id)->was_made = false;
        group_touch(e, id);
    }
    advance(e);
}
