/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include "fit.h"
#include "state.h"

/* The tree of a queue's lines: by the rank of their heads, each with the least needs below it. */
static struct tree_link *line_link(const void *ctx, uint32_t id)
{
    return &line_at(ctx, id)->link;
}

static int compare_heads(const void *ctx, uint32_t a, uint32_t b)
{
    const struct line *x = line_at(ctx, a), *y = line_at(ctx, b);

    if (x->head_priority != y->head_priority)
        return x->head_priority > y->head_priority ? -1 : 1;
    if (x->head_created != y->head_created)
        return x->head_created < y->head_created ? -1 : 1;
    return claim_compare_rank(ctx, x->head, y->head);
}

int64_t line_least(const struct line *line, uint32_t resource)
{
    for (uint32_t i = 0; i < line->count; i++) {
        if (line->needs[i].resource == resource)
            return line->needs[i].least;
    }
    return 0;
}

static bool update_least(void *ctx, uint32_t id)
{
    struct line *line = line_at(ctx, id);
    const uint32_t below[2] = {line->link.left, line->link.right};
    bool changed = false;

    for (uint32_t i = 0; i < line->count; i++) {
        int64_t least = line->needs[i].amount;

        for (int k = 0; k < 2; k++) {
            if (below[k] != 0) {
                int64_t theirs = line_least(line_at(ctx, below[k]), line->needs[i].resource);

                least = theirs < least ? theirs : least;
            }
        }
        changed = changed || least != line->needs[i].least;
        line->needs[i].least = least;
    }
    return changed;
}

const struct tree_type lines_by_head = {line_link, compare_heads, update_least};

struct shape {
    const struct engine *e;
    uint32_t queue;
    bool bare;
    uint8_t count;
    struct need needs[FACTS_MAX_NEEDS];
};

static bool same_shape(const void *ctx, uint32_t id)
{
    const struct shape *shape = ctx;
    const struct line *line = line_at(shape->e, id);

    if (line->queue != shape->queue || line->bare != shape->bare || line->count != shape->count)
        return false;
    for (uint32_t i = 0; i < line->count; i++) {
        if (line->needs[i].resource != shape->needs[i].resource ||
            line->needs[i].amount != shape->needs[i].amount)
            return false;
    }
    return true;
}

static uint32_t shape_hash(const struct shape *shape)
{
    uint32_t hash = shape->queue * 2 + shape->bare;

    for (uint32_t i = 0; i < shape->count; i++) {
        hash = hash_bytes(&shape->needs[i].resource, sizeof(shape->needs[i].resource), hash);
        hash = hash_bytes(&shape->needs[i].amount, sizeof(shape->needs[i].amount), hash);
    }
    return hash;
}

static void add_need(struct shape *shape, uint32_t resource, int64_t amount)
{
    uint32_t i = shape->count++;

    for (; i > 0 && shape->needs[i - 1].resource > resource; i--)
        shape->needs[i] = shape->needs[i - 1];
    shape->needs[i] = (struct need){resource, amount, 0};
}

static void unref_needs(struct engine *e, const struct need *needs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        intern_unref(&e->names, needs[i].resource);
}

static int read_shape(struct engine *e, const struct named_amounts *requests, struct shape *shape)
{
    intern_ref(&e->names, e->name_pods);
    add_need(shape, e->name_pods, 1);
    for (uint32_t i = 0; i < requests->count; i++) {
        const struct named_amount *item = &requests->item[i];
        uint32_t resource;

        if (item->amount <= 0)
            continue;
        if (intern_get(&e->names, item->resource.at, item->resource.len, &resource) < 0) {
            unref_needs(e, shape->needs, shape->count);
            return ENGINE_NO_MEMORY;
        }
        if (resource == e->name_pods) /* one pod is one pod, whatever it asks for */
            intern_unref(&e->names, resource);
        else
            add_need(shape, resource, item->amount);
    }
    return 0;
}

int line_get(struct engine *e, uint32_t queue, const struct named_amounts *requests, bool bare,
             uint32_t *ret_line)
{
    struct shape shape;
    struct need *needs;
    uint32_t id, hash;

    shape.e = e;
    shape.queue = queue;
    shape.bare = bare;
    shape.count = 0;
    if (read_shape(e, requests, &shape) < 0)
        return ENGINE_NO_MEMORY;
    hash = shape_hash(&shape);
    id = index_find(&e->lines_by_needs, hash, same_shape, &shape);
    if (id != 0) {
        unref_needs(e, shape.needs, shape.count);
        line_at(e, id)->users++;
        *ret_line = id;
        return 0;
    }

    needs = mem_alloc(&e->mem, shape.count * sizeof(*needs));
    if (needs == NULL || slab_reserve(&e->lines, 1) < 0 ||
        index_reserve(&e->lines_by_needs, 1) < 0) {
        mem_free(&e->mem, needs, shape.count * sizeof(*needs));
        unref_needs(e, shape.needs, shape.count);
        return ENGINE_NO_MEMORY;
    }
    memcpy(needs, shape.needs, shape.count * sizeof(*needs));
    id = slab_take(&e->lines);
    *line_at(e, id) = (struct line){.queue = queue,
                                    .hash = hash,
                                    .users = 1,
                                    .count = shape.count,
                                    .bare = bare,
                                    .needs = needs};
    index_put(&e->lines_by_needs, hash, id);
    queue_at(e, queue)->line_count++;
    *ret_line = id;
    return 0;
}

bool line_same_needs(const struct engine *e, uint32_t a, uint32_t b)
{
    const struct line *x = line_at(e, a), *y = line_at(e, b);

    if (x->queue != y->queue || x->count != y->count)
        return false;
    for (uint32_t i = 0; i < x->count; i++) {
        if (x->needs[i].resource != y->needs[i].resource ||
            x->needs[i].amount != y->needs[i].amount)
            return false;
    }
    return true;
}

void line_unref(struct engine *e, uint32_t id)
{
    struct line *line = line_at(e, id);
    uint32_t queue = line->queue;

    if (--line->users > 0)
        return;
    index_drop(&e->lines_by_needs, line->hash, id);
    unref_needs(e, line->needs, line->count);
    mem_free(&e->mem, line->needs, line->count * sizeof(*line->needs));
    slab_give(&e->lines, id);
    queue_at(e, queue)->line_count--;
    queue_drop_unused(e, queue);
}

/* Who comes first in the line is another one now: its place among the queue's lines follows. */
static void set_head(struct engine *e, uint32_t id, uint32_t head)
{
    struct line *line = line_at(e, id);
    struct queue *queue = queue_at(e, line->queue);

    if (line->head != 0)
        tree_remove(&lines_by_head, e, &queue->lines, id);
    line->head = head;
    if (head != 0) {
        line->head_priority = claim_at(e, head)->priority;
        line->head_created = claim_at(e, head)->created;
        tree_insert(&lines_by_head, e, &queue->lines, id);
    }
    queue->first_line = tree_first(&lines_by_head, e, queue->lines);
}

bool line_join(struct engine *e, uint32_t claim)
{
    uint32_t id = claim_at(e, claim)->line;
    struct line *line = line_at(e, id);

    tree_insert(&claims_by_rank, e, &line->waiting, claim);
    queue_at(e, line->queue)->waiting_count++;
    if (line->head != 0 && claim_compare_rank(e, claim, line->head) > 0)
        return false;
    set_head(e, id, claim);
    return true;
}

bool line_leave(struct engine *e, uint32_t claim)
{
    uint32_t id = claim_at(e, claim)->line;
    struct line *line = line_at(e, id);
    uint32_t next = claim == line->head ? tree_next(&claims_by_rank, e, claim) : line->head;

    tree_remove(&claims_by_rank, e, &line->waiting, claim);
    queue_at(e, line->queue)->waiting_count--;
    if (next == line->head)
        return false;
    set_head(e, id, next);
    return true;
}

uint32_t line_first_of(const struct engine *e, uint32_t queue)
{
    uint32_t id = queue_at(e, queue)->first_line;

    return id == 0 ? 0 : line_at(e, id)->head;
}

/* Nothing at or below this line fits if the least of a resource, that all of them ask for, does
 * not. */
static bool worth_a_look(struct rooms *rooms, const struct line *line)
{
    for (uint32_t i = 0; i < line->count; i++) {
        int64_t least = line->needs[i].least;

        if (least > 0 && least > rooms_for(rooms, line->needs[i].resource))
            return false;
    }
    return true;
}

/* Recursion is as deep as a balanced tree. */
static uint32_t find_fit(struct rooms *rooms, uint32_t id, uint16_t *ret_flavors)
{
    const struct line *line;
    uint32_t found;

    if (id == 0)
        return 0;
    line = line_at(rooms->e, id);
    if (!worth_a_look(rooms, line))
        return 0;
    found = find_fit(rooms, line->link.left, ret_flavors);
    if (found != 0)
        return found;
    if (fit_line(rooms->e, id, ret_flavors))
        return line->head;
    return find_fit(rooms, line->link.right, ret_flavors);
}

uint32_t line_first_fit(const struct engine *e, uint32_t id, uint16_t *ret_flavors)
{
    const struct queue *queue = queue_at(e, id);
    struct rooms rooms;

    if (queue->strict || queue->guarding) {
        uint32_t head = line_first_of(e, id);

        return head != 0 && fit_line(e, claim_at(e, head)->line, ret_flavors) ? head : 0;
    }
    rooms_init(&rooms, e, id);
    return find_fit(&rooms, queue->lines, ret_flavors);
}

void line_bound(const struct engine *e, uint32_t id, struct bound *ret_bound)
{
    const struct queue *queue = queue_at(e, id);
    bool head_only = queue->strict || queue->guarding;
    uint32_t first = head_only ? line_first_of(e, id) : 0;
    const struct line *line = line_at(e, head_only ? claim_at(e, first)->line : queue->lines);

    ret_bound->nobody = false;
    ret_bound->count = 0;
    for (uint32_t i = 0; i < line->count && ret_bound->count < BOUND_RESOURCES; i++) {
        int64_t least = head_only ? line->needs[i].amount : line->needs[i].least;
        bool counted =
            queue->kind == QUEUE_VOLCANO || queue_group_of(queue, line->needs[i].resource) != NULL;

        if (least > 0 && counted) {
            ret_bound->item[ret_bound->count].resource = line->needs[i].resource;
            ret_bound->item[ret_bound->count++].least = least;
        }
    }
}

uint32_t line_count_before(const struct engine *e, const struct line *line, uint32_t claim)
{
    uint32_t before = 0, at = line->waiting;

    while (at != 0) {
        const struct tree_link *link = &claim_at(e, at)->link;

        if (claim_compare_rank(e, at, claim) < 0) {
            before += 1 + tree_size(&claims_by_rank, e, link->left);
            at = link->right;
        } else {
            at = link->left;
        }
    }
    return before;
}

uint32_t line_position(const struct engine *e, uint32_t claim)
{
    uint32_t queue = claim_queue(e, claim), before = 0;

    /* Lines whose head comes later have nobody before it. */
    for (uint32_t id = tree_first(&lines_by_head, e, queue_at(e, queue)->lines); id != 0;
         id = tree_next(&lines_by_head, e, id)) {
        const struct line *line = line_at(e, id);

        if (claim_compare_rank(e, line->head, claim) >= 0 && line->head != claim)
            break;
        before += line_count_before(e, line, claim);
    }
    return before;
}

/* The first claim of the line that comes after this one, or its head. */
static uint32_t after(const struct engine *e, const struct line *line, uint32_t claim)
{
    uint32_t found = 0, at = line->waiting;

    if (claim == 0)
        return line->head;
    while (at != 0) {
        const struct tree_link *link = &claim_at(e, at)->link;

        if (claim_compare_rank(e, at, claim) > 0) {
            found = at;
            at = link->left;
        } else {
            at = link->right;
        }
    }
    return found;
}

uint32_t line_next(const struct engine *e, uint32_t queue, uint32_t claim)
{
    uint32_t next = 0;

    for (uint32_t id = tree_first(&lines_by_head, e, queue_at(e, queue)->lines); id != 0;
         id = tree_next(&lines_by_head, e, id)) {
        const struct line *line = line_at(e, id);
        uint32_t candidate;

        if (next != 0 && claim_compare_rank(e, line->head, next) > 0)
            break;
        candidate = after(e, line, claim);
        if (candidate != 0 && (next == 0 || claim_compare_rank(e, candidate, next) < 0))
            next = candidate;
    }
    return next;
}
