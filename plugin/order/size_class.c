/* SPDX-License-Identifier: Apache-2.0 */
#include "size_class.h"

#include "plugin/state.h"

/* What is known of a subtree is in the lines of its heads, which all need the same resources. */
static bool update_head(void *ctx, uint32_t id)
{
    const struct claim *head = claim_at(ctx, id);
    const struct line *below[2] = {claim_line(ctx, head->link.left),
                                   claim_line(ctx, head->link.right)};
    struct line *line = line_at(ctx, head->line);
    const struct size_class *class = size_class_at(ctx, line->size_class);
    bool crowded = line_is_crowded(ctx, line), changed;

    for (int k = 0; k < 2; k++)
        crowded = crowded || (below[k] != NULL && below[k]->crowded);
    changed = crowded != line->crowded;
    line->crowded = crowded;
    for (uint32_t i = 0; i < class->count; i++) {
        int64_t least = needs_amount(&line->needs, class, i);

        for (int k = 0; k < 2; k++) {
            int64_t theirs = below[k] == NULL ? least : needs_least(&below[k]->needs, class, i);

            least = theirs < least ? theirs : least;
        }
        changed = changed || least != needs_least(&line->needs, class, i);
        needs_set_least(&line->needs, class, i, least);
    }
    return changed;
}

const struct tree_type heads_by_rank = {claim_link, claim_compare_rank, update_head};

static struct tree_link *class_link(const void *ctx, uint32_t id)
{
    return &size_class_at(ctx, id)->link;
}

static int compare_classes(const void *ctx, uint32_t a, uint32_t b)
{
    return claim_compare_rank(ctx, size_class_at(ctx, a)->head, size_class_at(ctx, b)->head);
}

int64_t size_class_least(const struct size_class *class, uint32_t resource)
{
    for (uint32_t i = 0; i < class->count; i++) {
        if (class->needs[i].resource == resource)
            return class->needs[i].least;
    }
    return 0;
}

static bool update_class(void *ctx, uint32_t id)
{
    struct size_class *class = size_class_at(ctx, id);
    const uint32_t below[2] = {class->link.left, class->link.right};
    bool changed = false;

    for (uint32_t i = 0; i < class->count; i++) {
        int64_t least = class->needs[i].own;

        for (int k = 0; k < 2; k++) {
            if (below[k] != 0) {
                int64_t theirs =
                    size_class_least(size_class_at(ctx, below[k]), class->needs[i].resource);

                least = theirs < least ? theirs : least;
            }
        }
        changed = changed || least != class->needs[i].least;
        class->needs[i].least = least;
    }
    return changed;
}

const struct tree_type size_classes_by_head = {class_link, compare_classes, update_class};

static uint8_t magnitude_of(int64_t amount)
{
    return (uint8_t)(63 - __builtin_clzll((unsigned long long)amount));
}

static bool is_wanted(const void *ctx, uint32_t id)
{
    const struct shape_question *wanted = ctx;
    const struct size_class *class = size_class_at(wanted->e, id);
    const struct shape *shape = wanted->shape;

    if (class->queue != shape->queue || class->bare != shape->bare || class->count != shape->count)
        return false;
    for (uint32_t i = 0; i < class->count; i++) {
        if (class->needs[i].resource != shape->requests[i].resource ||
            class->needs[i].magnitude != magnitude_of(shape->requests[i].amount))
            return false;
    }
    return true;
}

static uint32_t hash_of(const struct shape *shape)
{
    uint32_t hash = shape->queue * 2 + shape->bare;

    for (uint32_t i = 0; i < shape->count; i++) {
        const uint32_t like[2] = {shape->requests[i].resource,
                                  magnitude_of(shape->requests[i].amount)};

        hash = hash_bytes(like, sizeof(like), hash);
    }
    return hash;
}

static void lay_out(struct size_class *class)
{
    class->line_bytes = 0;
    for (uint32_t i = 0; i < class->count; i++) {
        class->needs[i].at = class->line_bytes;
        class->line_bytes = (uint16_t)(class->line_bytes + needs_size(class->needs[i].magnitude));
    }
}

static int make(struct engine *e, const struct shape *shape, uint32_t hash, uint32_t *ret_class)
{
    struct size_need *needs = mem_alloc(&e->mem, shape->count * sizeof(*needs));
    uint32_t id;

    if (needs == NULL || slab_reserve(&e->order.size_classes, 1) < 0 ||
        index_reserve(&e->order.size_classes_by_needs) < 0 ||
        backlog_reserve(e, shape->queue, shape->count) < 0) {
        mem_free(&e->mem, needs, shape->count * sizeof(*needs));
        return ENGINE_NO_MEMORY;
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct request *request = &shape->requests[i];

        intern_ref(&e->names, request->resource);
        needs[i] = (struct size_need){.resource = request->resource,
                                      .backlog = backlog_get(e, shape->queue, request->resource),
                                      .magnitude = magnitude_of(request->amount)};
    }
    id = slab_take(&e->order.size_classes);
    *size_class_at(e, id) = (struct size_class){.queue = shape->queue,
                                                .hash = hash,
                                                .users = 1,
                                                .count = shape->count,
                                                .bare = shape->bare,
                                                .needs = needs};
    lay_out(size_class_at(e, id));
    index_put(&e->order.size_classes_by_needs, hash, id);
    *ret_class = id;
    return 0;
}

int size_class_get(struct engine *e, const struct shape *shape, uint32_t *ret_class)
{
    const struct shape_question wanted = {e, shape};
    uint32_t hash = hash_of(shape);
    uint32_t id = index_find(&e->order.size_classes_by_needs, hash, is_wanted, &wanted);

    if (id == 0)
        return make(e, shape, hash, ret_class);
    size_class_at(e, id)->users++;
    *ret_class = id;
    return 0;
}

int size_class_make_own(struct engine *e, uint32_t *ret_class)
{
    struct size_need *needs = mem_alloc(&e->mem, FACTS_MAX_NEEDS * sizeof(*needs));
    uint32_t id;

    if (needs == NULL || slab_reserve(&e->order.size_classes, 1) < 0) {
        mem_free(&e->mem, needs, FACTS_MAX_NEEDS * sizeof(*needs));
        return ENGINE_NO_MEMORY;
    }
    id = slab_take(&e->order.size_classes);
    *size_class_at(e, id) = (struct size_class){.users = 1, .own = true, .needs = needs};
    *ret_class = id;
    return 0;
}

void size_class_set_own(struct engine *e, uint32_t id, const struct shape *shape)
{
    struct size_class *class = size_class_at(e, id);

    for (uint8_t i = 0; i < shape->count; i++)
        intern_ref(&e->names, shape->requests[i].resource);
    for (uint8_t i = 0; i < class->count; i++)
        intern_unref(&e->names, class->needs[i].resource);
    for (uint8_t i = 0; i < shape->count; i++)
        class->needs[i] = (struct size_need){.resource = shape->requests[i].resource,
                                             .magnitude = magnitude_of(shape->requests[i].amount)};
    class->queue = shape->queue;
    class->count = shape->count;
    class->bare = shape->bare;
    lay_out(class);
}

void size_class_release(struct engine *e, uint32_t id)
{
    size_t count = size_class_at(e, id)->own ? FACTS_MAX_NEEDS : size_class_at(e, id)->count;

    mem_free(&e->mem, size_class_at(e, id)->needs, count * sizeof(struct size_need));
}

void size_class_unref(struct engine *e, uint32_t id)
{
    if (--size_class_at(e, id)->users > 0)
        return;
    if (!size_class_at(e, id)->own)
        index_drop(&e->order.size_classes_by_needs, size_class_at(e, id)->hash, id);
    for (uint32_t i = 0; i < size_class_at(e, id)->count; i++) {
        backlog_unref(e, size_class_at(e, id)->queue, size_class_at(e, id)->needs[i].backlog);
        intern_unref(&e->names, size_class_at(e, id)->needs[i].resource);
    }
    size_class_release(e, id);
    slab_give(&e->order.size_classes, id);
}

/* The class's heads changed: its place among the queue's classes follows. */
static void settle(struct engine *e, uint32_t id)
{
    struct size_class *class = size_class_at(e, id);
    struct queue *queue = queue_at(e, class->queue);
    uint32_t head = tree_first(&heads_by_rank, e, class->heads), first;

    for (uint32_t i = 0; i < class->count && head != 0; i++)
        class->needs[i].own = line_least(e, claim_line(e, class->heads), i);
    if (head == class->head) {
        tree_refresh(&size_classes_by_head, e, id);
        return;
    }
    if (class->head != 0)
        tree_remove(&size_classes_by_head, e, &queue->size_classes, id);
    class->head = head;
    if (head != 0)
        tree_insert(&size_classes_by_head, e, &queue->size_classes, id);
    first = tree_first(&size_classes_by_head, e, queue->size_classes);
    queue->head = first == 0 ? 0 : size_class_at(e, first)->head;
}

void size_class_set_head(struct engine *e, uint32_t id, uint32_t head)
{
    struct line *line = line_at(e, id);
    struct size_class *class = size_class_at(e, line->size_class);

    if (line->head != 0)
        tree_remove(&heads_by_rank, e, &class->heads, line->head);
    line->head = head;
    if (head != 0)
        tree_insert(&heads_by_rank, e, &class->heads, head);
    settle(e, line->size_class);
}

static bool is_after(const struct engine *e, uint32_t head, uint32_t claim)
{
    return claim != 0 && claim_compare_rank(e, head, claim) > 0;
}

uint32_t size_class_next_head(const struct engine *e, uint32_t queue, uint32_t head, uint32_t claim)
{
    uint32_t next, class;

    if (head != 0) {
        next = tree_next(&heads_by_rank, e, head);
        if (next != 0 && !is_after(e, next, claim))
            return next;
        class = tree_next(&size_classes_by_head, e, claim_line(e, head)->size_class);
    } else {
        class = tree_first(&size_classes_by_head, e, queue_at(e, queue)->size_classes);
    }
    next = class == 0 ? 0 : size_class_at(e, class)->head;
    return next == 0 || is_after(e, next, claim) ? 0 : next;
}

static bool comes_before(const struct engine *e, uint32_t a, uint32_t b)
{
    if (a == b || a == e->name_pods || b == e->name_pods)
        return a != b && a == e->name_pods;
    return text_compare(name_text(e, a), name_text(e, b)) < 0;
}

struct request *shape_request(const struct engine *e, struct shape *shape, uint32_t resource)
{
    uint8_t i = 0;

    while (i < shape->count && comes_before(e, shape->requests[i].resource, resource))
        i++;
    if (i < shape->count && shape->requests[i].resource == resource)
        return &shape->requests[i];
    if (shape->count == FACTS_MAX_NEEDS)
        return NULL;
    for (uint8_t k = shape->count++; k > i; k--)
        shape->requests[k] = shape->requests[k - 1];
    shape->requests[i] = (struct request){resource, 0};
    return &shape->requests[i];
}
