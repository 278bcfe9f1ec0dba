/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include "plugin/notes.h"
#include "plugin/state.h"

bool line_asks_for(const struct engine *e, const struct line *line, const struct shape *shape)
{
    if (line_queue(e, line) != shape->queue || line_bare(e, line) != shape->bare ||
        line_count(e, line) != shape->count)
        return false;
    for (uint32_t i = 0; i < shape->count; i++) {
        if (line_resource(e, line, i) != shape->requests[i].resource ||
            line_amount(e, line, i) != shape->requests[i].amount)
            return false;
    }
    return true;
}

static bool is_wanted(const void *ctx, uint32_t id)
{
    const struct shape_question *wanted = ctx;

    return line_asks_for(wanted->e, line_at(wanted->e, id), wanted->shape);
}

static uint32_t add_to_hash(uint32_t hash, int64_t amount)
{
    return hash_bytes(&amount, sizeof(amount), hash);
}

static void unref_names(struct intern *names, const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->count; i++)
        intern_unref(names, shape->requests[i].resource);
}

static int read_shape(struct engine *e, const struct named_amounts *requests, struct shape *shape)
{
    intern_ref(&e->names, e->name_pods);
    shape_request(e, shape, e->name_pods)->amount = 1;
    for (uint32_t i = 0; i < requests->count; i++) {
        const struct named_amount *item = &requests->item[i];
        uint32_t resource;

        if (item->amount <= 0)
            continue;
        if (name_get(e, item->resource, &resource) < 0) {
            unref_names(&e->names, shape);
            return ENGINE_NO_MEMORY;
        }
        if (resource == e->name_pods) /* one pod is one pod, whatever it asks for */
            intern_unref(&e->names, resource);
        else
            shape_request(e, shape, resource)->amount = item->amount;
    }
    return 0;
}

/* Of one claim, for no amounts yet. The use of the class is the line's from now on. */
static int make(struct engine *e, uint32_t class, uint32_t *ret_line)
{
    struct needs needs;

    if (slab_reserve(&e->order.lines, 1) < 0 ||
        needs_alloc(&e->mem, size_class_at(e, class), &needs) < 0)
        return ENGINE_NO_MEMORY;
    *ret_line = slab_take(&e->order.lines);
    *line_at(e, *ret_line) = (struct line){.size_class = class, .needs = needs};
    return 0;
}

static void set_amounts(struct engine *e, struct line *line, const struct shape *shape)
{
    for (uint8_t i = 0; i < shape->count; i++)
        needs_set_amount(&line->needs, size_class_at(e, line->size_class), i,
                         shape->requests[i].amount);
}

static int make_shared(struct engine *e, uint32_t class, const struct shape *shape, uint32_t hash,
                       uint32_t *ret_line)
{
    if (index_reserve(&e->order.lines_by_needs) < 0 || make(e, class, ret_line) < 0)
        return ENGINE_NO_MEMORY;
    set_amounts(e, line_at(e, *ret_line), shape);
    index_put(&e->order.lines_by_needs, hash, *ret_line);
    queue_at(e, shape->queue)->line_count++;
    return 0;
}

static int add_user(struct engine *e, struct line *line)
{
    if (line->crowd == 0) {
        if (slab_reserve(&e->order.crowds, 1) < 0)
            return ENGINE_NO_MEMORY;
        line->crowd = slab_take(&e->order.crowds) & INT32_MAX;
        crowd_at(e, line->crowd)->users = 1;
    }
    crowd_at(e, line->crowd)->users++;
    return 0;
}

/* Whether another one is left. */
static bool drop_user(struct engine *e, struct line *line)
{
    if (line->crowd == 0)
        return false;
    if (--crowd_at(e, line->crowd)->users == 1) {
        slab_give(&e->order.crowds, line->crowd);
        line->crowd = 0;
    }
    return true;
}

static int get_in_class(struct engine *e, uint32_t class, const struct shape *shape,
                        uint32_t *ret_line)
{
    const struct shape_question wanted = {e, shape};
    uint32_t hash = class, id;

    for (uint32_t i = 0; i < shape->count; i++)
        hash = add_to_hash(hash, shape->requests[i].amount);
    id = index_find(&e->order.lines_by_needs, hash, is_wanted, &wanted);
    if (id == 0)
        return make_shared(e, class, shape, hash, ret_line);
    if (add_user(e, line_at(e, id)) < 0)
        return ENGINE_NO_MEMORY;
    size_class_unref(e, class); /* the line has one */
    *ret_line = id;
    return 0;
}

static int get(struct engine *e, const struct shape *shape, uint32_t *ret_line)
{
    uint32_t class;
    int error = size_class_get(e, shape, &class);

    if (error < 0)
        return error;
    error = get_in_class(e, class, shape, ret_line);
    if (error < 0)
        size_class_unref(e, class);
    return error;
}

int line_get(struct engine *e, uint32_t queue, const struct named_amounts *requests, bool bare,
             uint32_t *ret_line)
{
    struct shape shape = {.queue = queue, .bare = bare};
    int error;

    if (read_shape(e, requests, &shape) < 0)
        return ENGINE_NO_MEMORY;
    error = get(e, &shape, ret_line);
    unref_names(&e->names, &shape); /* the line's class has them */
    return error;
}

void line_shape(const struct engine *e, const struct line *line, struct shape *ret)
{
    *ret = (struct shape){line_queue(e, line), line_bare(e, line), line_count(e, line), {{0}}};
    for (uint32_t i = 0; i < ret->count; i++)
        ret->requests[i] = (struct request){line_resource(e, line, i), line_amount(e, line, i)};
}

int line_get_like(struct engine *e, uint32_t like, uint32_t queue, uint32_t *ret_line)
{
    struct shape shape;

    line_shape(e, line_at(e, like), &shape);
    shape.queue = queue;
    return get(e, &shape, ret_line);
}

int line_make_own(struct engine *e, uint32_t *ret_line)
{
    uint32_t class;

    if (size_class_make_own(e, &class) < 0)
        return ENGINE_NO_MEMORY;
    if (make(e, class, ret_line) == 0)
        return 0;
    size_class_unref(e, class);
    return ENGINE_NO_MEMORY;
}

void line_set_own(struct engine *e, uint32_t id, const struct shape *shape)
{
    struct line *line = line_at(e, id);
    uint32_t before = line_queue(e, line);

    size_class_set_own(e, line->size_class, shape);
    set_amounts(e, line, shape);
    if (shape->queue != 0)
        queue_at(e, shape->queue)->line_count++;
    if (before == 0)
        return;
    queue_at(e, before)->line_count--;
    note_queue_unused(e, before);
}

void line_clear_own(struct engine *e, uint32_t id)
{
    line_set_own(e, id, &(struct shape){0});
}

void line_free_own(struct engine *e, uint32_t id)
{
    line_clear_own(e, id);
    line_release(e, id);
    size_class_unref(e, line_at(e, id)->size_class);
    slab_give(&e->order.lines, id);
}

void line_release(struct engine *e, uint32_t id)
{
    struct line *line = line_at(e, id);

    needs_free(&e->mem, size_class_at(e, line->size_class), &line->needs);
}

bool line_same_requests(const struct engine *e, uint32_t a, uint32_t b)
{
    const struct line *line = line_at(e, a);
    struct shape other;

    line_shape(e, line_at(e, b), &other);
    other.queue = line_queue(e, line);
    other.bare = line_bare(e, line);
    return line_asks_for(e, line, &other);
}

bool line_same_needs(const struct engine *e, uint32_t a, uint32_t b)
{
    return line_queue(e, line_at(e, a)) == line_queue(e, line_at(e, b)) &&
           line_same_requests(e, a, b);
}

int64_t line_asks(const struct engine *e, const struct line *line, uint32_t resource)
{
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (line_resource(e, line, i) == resource)
            return line_amount(e, line, i);
    }
    return 0;
}

void line_unref(struct engine *e, uint32_t id)
{
    struct line *line = line_at(e, id);
    uint32_t queue = line_queue(e, line), hash = line->size_class;

    if (drop_user(e, line))
        return;
    for (uint32_t i = 0; i < line_count(e, line); i++)
        hash = add_to_hash(hash, line_amount(e, line, i));
    index_drop(&e->order.lines_by_needs, hash, id);
    line_release(e, id);
    size_class_unref(e, line->size_class);
    slab_give(&e->order.lines, id);
    queue_at(e, queue)->line_count--;
    note_queue_unused(e, queue);
}

static struct waiting *behind_head(const struct engine *e, const struct line *line)
{
    return line->crowd == 0 ? NULL : &crowd_at(e, line->crowd)->behind;
}

bool line_join(struct engine *e, uint32_t claim)
{
    uint32_t id = claim_at(e, claim)->line, head = line_at(e, id)->head;
    struct line *line = line_at(e, id);

    queue_at(e, line_queue(e, line))->waiting_count++;
    if (head != 0 && claim_compare_rank(e, claim, head) > 0) {
        waiting_add(e, behind_head(e, line), claim);
        if (!line->crowded)
            tree_refresh(&heads_by_rank, e, head);
        return false;
    }
    size_class_set_head(e, id, claim);
    if (head != 0) {
        waiting_add(e, behind_head(e, line), head);
        tree_refresh(&heads_by_rank, e, claim);
    }
    return true;
}

bool line_leave(struct engine *e, uint32_t claim)
{
    uint32_t id = claim_at(e, claim)->line, next;
    struct line *line = line_at(e, id);

    queue_at(e, line_queue(e, line))->waiting_count--;
    if (claim != line->head) {
        waiting_remove(e, behind_head(e, line), claim);
        if (!line_is_crowded(e, line))
            tree_refresh(&heads_by_rank, e, line->head);
        return false;
    }
    next = line_next(e, claim);
    if (next != 0)
        waiting_remove(e, behind_head(e, line), next);
    size_class_set_head(e, id, next);
    return true;
}

uint32_t line_waiting(const struct engine *e, const struct line *line)
{
    return (line->head != 0) + (line->crowd == 0 ? 0 : waiting_count(e, behind_head(e, line)));
}

bool line_is_crowded(const struct engine *e, const struct line *line)
{
    return line->crowd != 0 && behind_head(e, line)->last != 0;
}

uint32_t line_next(const struct engine *e, uint32_t claim)
{
    const struct line *line = claim_line(e, claim);

    if (line->crowd == 0)
        return 0;
    return claim == line->head ? waiting_first(e, behind_head(e, line))
                               : waiting_next(e, behind_head(e, line), claim);
}

uint32_t line_count_before(const struct engine *e, const struct line *line, uint32_t other)
{
    if (!claim_is_before(e, line->head, other))
        return 0;
    return line->crowd == 0 ? 1 : 1 + waiting_count_before(e, behind_head(e, line), other);
}

uint32_t line_after(const struct engine *e, const struct line *line, uint32_t claim)
{
    return line->crowd == 0 ? 0 : waiting_after(e, behind_head(e, line), claim);
}

uint32_t line_below(const struct engine *e, const struct line *line, int32_t priority)
{
    return line->crowd == 0 ? 0 : waiting_below(e, behind_head(e, line), priority);
}

static void add_bound(const struct queue *queue, uint32_t resource, int64_t least,
                      struct bound *bound)
{
    bool counted = queue->kind == QUEUE_VOLCANO || queue_group_of(queue, resource) != NULL;

    if (least == 0 || !counted || bound->count == BOUND_RESOURCES)
        return;
    bound->item[bound->count].resource = resource;
    bound->item[bound->count++].least = least;
}

void line_bound(const struct engine *e, uint32_t id, struct bound *ret_bound)
{
    const struct queue *queue = queue_at(e, id);

    ret_bound->nobody = false;
    ret_bound->count = 0;
    if (queue->strict || queue->guarding) {
        const struct line *line = claim_line(e, queue->head);

        for (uint32_t i = 0; i < line_count(e, line); i++)
            add_bound(queue, line_resource(e, line, i), line_amount(e, line, i), ret_bound);
    } else {
        const struct size_class *class = size_class_at(e, queue->size_classes);

        for (uint32_t i = 0; i < class->count; i++)
            add_bound(queue, class->needs[i].resource, class->needs[i].least, ret_bound);
    }
}
