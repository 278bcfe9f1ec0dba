/* SPDX-License-Identifier: Apache-2.0 */
#include "contest.h"

#include "first_fit.h"
#include "fit.h"
#include "plugin/order/headroom.h"
#include "plugin/order/turn.h"
#include "plugin/state.h"

static struct tree_link *sibling_link(const void *ctx, uint32_t id)
{
    return &queue_at(ctx, id)->contest.sibling;
}

/* Volcano: priority, share, oldest head, name. Kueue: who need not borrow, then priority and age of
 * the head, name. Of a cohort it is the key of its first child. */
static int compare_keys(const struct engine *e, enum queue_kind kind, const struct contest *a,
                        const struct contest *b)
{
    int order = 0;

    if (kind != QUEUE_VOLCANO)
        order = wide_compare(a->borrows, b->borrows);
    if (order == 0)
        order = wide_compare(b->priority, a->priority);
    if (order == 0 && kind == QUEUE_VOLCANO)
        order = share_compare(a->used, a->quota, b->used, b->quota);
    if (order == 0)
        order = wide_compare(a->head_created, b->head_created);
    return order != 0 ? order : text_compare(name_text(e, a->key_name), name_text(e, b->key_name));
}

static int compare_siblings(const void *ctx, uint32_t a, uint32_t b)
{
    const struct queue *left = queue_at(ctx, a), *right = queue_at(ctx, b);

    return compare_keys(ctx, left->kind, &left->contest, &right->contest);
}

/* The least of both: a resource that one of them does not ask for bounds nothing. */
static void bound_merge(struct bound *bound, const struct bound *other)
{
    uint8_t count = 0;

    if (other->nobody)
        return;
    if (bound->nobody) {
        *bound = *other;
        return;
    }
    for (uint8_t i = 0; i < bound->count; i++) {
        for (uint8_t k = 0; k < other->count; k++) {
            if (other->item[k].resource == bound->item[i].resource) {
                bound->item[count] = bound->item[i];
                bound->item[count].least = wide_min(bound->item[i].least, other->item[k].least);
                count++;
                break;
            }
        }
    }
    bound->count = count;
}

static bool bound_same(const struct bound *a, const struct bound *b)
{
    if (a->nobody != b->nobody || (!a->nobody && a->count != b->count))
        return false;
    for (uint8_t i = 0; i < a->count && !a->nobody; i++) {
        if (a->item[i].resource != b->item[i].resource || a->item[i].least != b->item[i].least)
            return false;
    }
    return true;
}

static bool update_all(void *ctx, uint32_t id)
{
    struct contest *contest = &queue_at(ctx, id)->contest;
    const uint32_t below[2] = {contest->sibling.left, contest->sibling.right};
    const struct bound before = contest->all;
    int64_t created_before = contest->all_head_created;

    contest->all = contest->own;
    contest->all_head_created = contest->head_created;
    for (int i = 0; i < 2; i++) {
        if (below[i] != 0) {
            const struct contest *other = &queue_at(ctx, below[i])->contest;

            bound_merge(&contest->all, &other->all);
            if (other->all_head_created < contest->all_head_created)
                contest->all_head_created = other->all_head_created;
        }
    }
    return created_before != contest->all_head_created || !bound_same(&before, &contest->all);
}

static const struct tree_type siblings = {sibling_link, compare_siblings, update_all};

/* From what is asked for below a queue to what passes up from it. What is not listed in the queue's
 * cells passes unchanged. */
static void bound_pass(const struct queue *queue, struct bound *bound)
{
    for (uint8_t i = 0; i < bound->count; i++) {
        wide room = -HEADROOM_UNLIMITED, spare = 0;

        for (uint32_t k = 0; k < queue->cell_count; k++) {
            const struct cell *cell = &queue->cells[k];

            if (cell->resource != bound->item[i].resource)
                continue;
            spare = wide_max(spare, cell_spares(cell, false));
            room = wide_max(room, cell->bounded ? cell->ceiling - cell->usage : HEADROOM_UNLIMITED);
        }
        if (room != -HEADROOM_UNLIMITED && bound->item[i].least > room)
            bound->nobody = true;
        bound->item[i].least -= spare;
    }
}

/* A cell may be there only to be counted: for a queue below, or where 0 stands for unset. */
static bool sets_something(const struct cell *cell)
{
    return cell->named && !cell->counting &&
           (cell->own_share > 0 || cell->has_ceiling || cell->has_kept);
}

static void volcano_key(const struct queue *queue, struct contest *key)
{
    key->priority = queue->priority;
    key->used = 0;
    key->quota = 1;
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        const struct cell *cell = &queue->cells[i];
        wide used = cell->reserved + cell->allocated;

        if (sets_something(cell) && share_compare(used, cell->share, key->used, key->quota) > 0) {
            key->used = used;
            key->quota = cell->share;
        }
    }
}

/* Whether even the least that is asked for is more than what is left of the queue's share. */
static bool must_borrow(const struct queue *queue, const struct bound *asked)
{
    for (uint8_t i = 0; i < asked->count; i++) {
        bool covered = false, enough = false;

        for (uint32_t k = 0; k < queue->cell_count; k++) {
            const struct cell *cell = &queue->cells[k];

            if (cell->resource == asked->item[i].resource) {
                covered = true;
                enough = enough || cell->usage + asked->item[i].least <= cell->share;
            }
        }
        if (covered && !enough)
            return true;
    }
    return false;
}

/* The contest of a queue as it should stand now; the links stay as they are. */
static void compute(const struct engine *e, uint32_t id, struct contest *next)
{
    const struct queue *queue = queue_at(e, id);

    *next = queue->contest;
    next->borrows = false;
    next->key_name = queue->name;
    if (queue->first_child != 0) {
        next->competes = next->children != 0 && !queue_state_halts((enum queue_state)queue->state);
        if (!next->competes)
            return;

        const struct contest *root = &queue_at(e, next->children)->contest;
        const struct contest *first =
            &queue_at(e, tree_first(&siblings, e, next->children))->contest;

        next->own = root->all;
        next->head_created = root->all_head_created;
        if (queue->kind != QUEUE_VOLCANO) {
            next->borrows = first->borrows;
            next->priority = first->priority;
            next->head_created = first->head_created;
            next->key_name = first->key_name;
        }
    } else {
        uint32_t head = queue->head;

        next->competes = head != 0 && !queue_state_halts((enum queue_state)queue->state) &&
                         queue_misfit(e, id) == REASON_NONE && !turn_is_workloads(e, id);
        if (!next->competes)
            return;
        line_bound(e, id, &next->own);
        next->head_created = claim_at(e, head)->queued;
        if (queue->kind != QUEUE_VOLCANO) {
            next->borrows = must_borrow(queue, &next->own);
            next->priority = claim_at(e, head)->priority;
        }
    }
    if (queue->kind == QUEUE_VOLCANO)
        volcano_key(queue, next);
    bound_pass(queue, &next->own);
}

void contest_leave(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    if (queue->contest.sibling.size > 0)
        tree_remove(&siblings, e, &queue_at(e, queue->parent)->contest.children, id);
}

static void place(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);
    struct contest *contest = &queue->contest;
    struct contest next;

    compute(e, id, &next);

    bool goes_in = next.competes && queue->parent != 0;

    if (contest->sibling.size > 0 && goes_in && compare_keys(e, queue->kind, contest, &next) == 0) {
        bool same = bound_same(&contest->own, &next.own);

        contest->own = next.own;
        if (!same)
            tree_refresh(&siblings, e, id);
        return;
    }
    contest_leave(e, id);
    next.sibling = contest->sibling;
    *contest = next;
    if (goes_in)
        tree_insert(&siblings, e, &queue_at(e, queue->parent)->contest.children, id);
}

void contest_refresh(struct engine *e, uint32_t id)
{
    for (; id != 0; id = queue_at(e, id)->parent)
        place(e, id);
}

/* A search for the winner: in Volcano's trees the first that is found, in Kueue's the best of all
 * queues' candidates. */
struct search {
    const struct engine *e;
    uint32_t claim;
    uint16_t *flavors;
    struct contest key; /* of the best candidate so far */
};

static bool could_fit(struct headrooms *rooms, const struct bound *bound)
{
    if (bound->nobody)
        return false;
    for (uint8_t i = 0; i < bound->count; i++) {
        if (bound->item[i].least > headrooms_for(rooms, bound->item[i].resource))
            return false;
    }
    return true;
}

bool contest_borrows(const struct engine *e, uint32_t claim, const uint16_t *flavors)
{
    const struct line *line = claim_line(e, claim);
    const struct queue *queue = queue_at(e, line_queue(e, line));

    for (uint32_t i = 0; i < line_count(e, line); i++) {
        const struct cell *cell = quota_cell(queue, flavors[i], line_resource(e, line, i));

        if (cell != NULL && cell->usage + line_amount(e, line, i) > cell->share)
            return true;
    }
    return false;
}

static void consider_leaf(struct search *search, uint32_t id)
{
    uint16_t flavors[FACTS_MAX_NEEDS];
    uint32_t found = first_fit(search->e, id, flavors);
    const struct queue *queue = queue_at(search->e, id);
    struct contest key;

    if (found == 0)
        return;

    const struct claim *claim = claim_at(search->e, found);
    const struct line *line = line_at(search->e, claim->line);

    key.borrows = contest_borrows(search->e, found, flavors);
    key.priority = claim->priority;
    key.head_created = claim->queued;
    key.key_name = queue->name;
    if (search->claim != 0 && compare_keys(search->e, queue->kind, &search->key, &key) <= 0)
        return;
    search->claim = found;
    search->key = key;
    memcpy(search->flavors, flavors, line_count(search->e, line) * sizeof(*flavors));
}

static void consider(struct search *search, uint32_t id);

/* Goes through the siblings in order, past those where nobody can fit, until none can be better. */
static void consider_siblings(struct search *search, struct headrooms *rooms, uint32_t id)
{
    const struct queue *queue;

    if (id == 0)
        return;
    queue = queue_at(search->e, id);
    if (!could_fit(rooms, &queue->contest.all))
        return;
    consider_siblings(search, rooms, queue->contest.sibling.left);
    if (search->claim != 0 &&
        (queue->kind == QUEUE_VOLCANO ||
         compare_keys(search->e, queue->kind, &search->key, &queue->contest) <= 0))
        return;
    if (could_fit(rooms, &queue->contest.own))
        consider(search, id);
    if (search->claim == 0 || queue->kind != QUEUE_VOLCANO)
        consider_siblings(search, rooms, queue->contest.sibling.right);
}

static void consider(struct search *search, uint32_t id)
{
    const struct queue *queue = queue_at(search->e, id);
    struct headrooms rooms;

    if (!queue->contest.competes)
        return;
    if (queue->first_child == 0) {
        consider_leaf(search, id);
        return;
    }
    headrooms_init(&rooms, search->e, id);
    consider_siblings(search, &rooms, queue->contest.children);
}

uint32_t contest_winner(const struct engine *e, uint32_t id, uint16_t *ret_flavors)
{
    struct search search = {.e = e, .flavors = ret_flavors};

    if (!queue_halted(e, id))
        consider(&search, id);
    return search.claim;
}

/* Whether an edit of this queue, or of one above it, is still on its way down. */
static bool is_to_be_told(const struct engine *e, uint32_t id)
{
    while (id != 0 && !queue_at(e, id)->settles_all)
        id = queue_at(e, id)->parent;
    return id != 0;
}

const char *contest_check(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    struct contest now;

    if (is_to_be_told(e, id))
        return NULL;
    compute(e, id, &now);
    if (now.competes != queue->contest.competes)
        return "a queue competes while somebody waits in it who may advance";
    if ((queue->contest.sibling.size > 0) != (now.competes && queue->parent != 0))
        return "a queue is among its siblings while it competes";
    if (!tree_check(&siblings, e, queue->contest.children))
        return "the children that compete stand in order";
    if (now.competes && (compare_keys(e, queue->kind, &now, &queue->contest) != 0 ||
                         !bound_same(&now.own, &queue->contest.own)))
        return "a queue's key and least needs are up to date";
    return NULL;
}
