/* SPDX-License-Identifier: Apache-2.0 */
#include "wish.h"

#include "assign.h"
#include "flavor.h"
#include "load.h"
#include "placement.h"
#include "wish_text.h"
#include "state.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &wish_at(ctx, id)->link;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;

    return load_compare_rank(e, wish_at(e, a)->head, wish_at(e, b)->head);
}

static bool update(void *ctx, uint32_t id)
{
    struct wish *wish = wish_at(ctx, id);
    const uint32_t below[2] = {wish->link.left, wish->link.right};
    uint64_t least = wish->refused;

    for (int i = 0; i < 2; i++) {
        if (below[i] != 0 && wish_at(ctx, below[i])->least < least)
            least = wish_at(ctx, below[i])->least;
    }
    if (least == wish->least)
        return false;
    wish->least = least;
    return true;
}

const struct tree_type wishes_by_head = {link_of, compare, update};

struct wish_question {
    const struct engine *e;
    uint32_t queue, text;
    bool gated, yields;
};

static bool same(const void *ctx, uint32_t id)
{
    const struct wish_question *q = ctx;
    const struct wish *wish = wish_at(q->e, id);

    return wish->queue == q->queue && wish->text == q->text && wish->gated == q->gated &&
           wish->yields == q->yields;
}

static uint32_t hash_of(const struct wish_question *q)
{
    const uint32_t words[4] = {q->queue, q->text, q->gated, q->yields};

    return hash_bytes(words, sizeof(words), 16);
}

static void release(struct engine *e, struct wish *wish)
{
    for (uint32_t s = 0; s < wish->set_count; s++) {
        for (uint32_t i = 0; i < wish->asks[s].need_count; i++)
            intern_unref(&e->names, wish->asks[s].needs[i].resource);
    }
    mem_free(&e->mem, wish->asks, wish->size);
    intern_unref(&e->names, wish->text);
}

int wish_get(struct engine *e, uint32_t queue, uint32_t text, bool gated, bool yields,
             uint32_t *ret_wish)
{
    struct wish_question q = {e, queue, text, gated, yields};
    struct wish wish = {.queue = queue, .text = text, .gated = gated, .yields = yields};
    uint32_t id;

    wish.hash = hash_of(&q);
    id = index_find(&e->wishes_by_text, wish.hash, same, &q);
    if (id == 0) {
        if (slab_reserve(&e->wishes, 1) < 0 || index_reserve(&e->wishes_by_text) < 0)
            return ENGINE_NO_MEMORY;
        intern_ref(&e->names, text);
        if (wish_read(e, &wish) < 0 || asks_get_wish(e, &wish) < 0) {
            release(e, &wish);
            return ENGINE_NO_MEMORY;
        }
        id = slab_take(&e->wishes);
        *wish_at(e, id) = wish;
        index_put(&e->wishes_by_text, wish.hash, id);
    }
    wish_at(e, id)->users++;
    *ret_wish = id;
    return 0;
}

void wish_unref(struct engine *e, uint32_t id)
{
    struct wish *wish;

    if (id == 0 || --(wish = wish_at(e, id))->users > 0)
        return;
    index_drop(&e->wishes_by_text, wish->hash, id);
    asks_unref_wish(e, wish);
    release(e, wish);
    slab_give(&e->wishes, id);
}

void wish_release(struct engine *e, uint32_t id)
{
    release(e, wish_at(e, id));
}

static bool suits(const struct engine *e, const struct wish_set *set, uint16_t flavor)
{
    struct flavor_facts facts;
    uint32_t taint;

    if (flavor == 0 || !flavor_usable(e, flavor))
        return false;
    engine_flavor(e, flavor, &facts);
    return placement_judge(&set->placement, &facts, &facts.taints, &taint) == PLACEMENT_SUITS;
}

void wish_judge(struct engine *e, uint32_t id)
{
    struct wish *wish = wish_at(e, id);
    const struct queue *queue = queue_at(e, wish->queue);

    if (wish->judged == e->placements)
        return;
    wish->judged = e->placements;
    for (uint32_t s = 0; s < wish->set_count; s++) {
        uint64_t *refused = wish->asks[s].refused;

        for (uint32_t g = 0; g < queue->group_count; g++) {
            refused[g] = 0;
            for (uint32_t k = 0; k < queue->groups[g].flavor_count; k++) {
                if (!suits(e, &wish->sets[s], queue->groups[g].flavors[k]))
                    refused[g] |= (uint64_t)1 << k;
            }
        }
    }
}

static void take_out(struct engine *e, uint32_t id)
{
    struct bay *bay = &queue_at(e, wish_at(e, id)->queue)->bay;

    if (wish_at(e, id)->lacks)
        tree_remove(&wishes_by_shortage, e, &bay->short_of, id);
    else
        tree_remove(&wishes_by_head, e, &bay->wishes, id);
}

static void put_in(struct engine *e, uint32_t id)
{
    struct bay *bay = &queue_at(e, wish_at(e, id)->queue)->bay;

    if (wish_at(e, id)->lacks)
        tree_insert(&wishes_by_shortage, e, &bay->short_of, id);
    else
        tree_insert(&wishes_by_head, e, &bay->wishes, id);
}

/* Its head may be another one now: then it has its place by that, and is asked again. */
static void set_head(struct engine *e, uint32_t id, bool better)
{
    struct wish *wish = wish_at(e, id);
    uint32_t head = tree_first(&loads_by_rank, e, wish->waiting);

    if (head == wish->head)
        return;
    if (wish->head != 0)
        take_out(e, id);
    wish->head = head;
    if (better) {
        wish->refused = 0;
        wish->lacks = false;
    }
    if (head != 0)
        put_in(e, id);
}

/* Somebody waits in it now, or nobody any more. */
static void count_waiting(struct engine *e, uint32_t id, bool waited)
{
    const struct wish *wish = wish_at(e, id);
    uint32_t more = (uint32_t)((wish->head != 0) - waited);

    if (wish->gated)
        e->gated_wishes += more;
    if (wish->set_count > 1)
        queue_at(e, wish->queue)->bay.choosers += more;
}

void wish_join(struct engine *e, uint32_t load)
{
    uint32_t id = load_at(e, load)->wish;
    bool waited = wish_at(e, id)->head != 0;

    if (load_is(load_at(e, load), LOAD_BLOCKED))
        wish_set_signals(e, id, true);
    if (!waited)
        wish_at(e, id)->refused = wish_at(e, id)->refusal = 0;
    tree_insert(&loads_by_rank, e, &wish_at(e, id)->waiting, load);
    set_head(e, id, true);
    count_waiting(e, id, waited);
    /* Who is before it signals for victims that this one cannot take: it may fit elsewhere. And if
     * this one signals, that may be over. */
    if (wish_at(e, id)->signals && wish_at(e, id)->head != load)
        wish_refuse(e, id, 0);
}

/* The next one of the same wish gets no better verdict, if its head was refused. But one whose
 * head left because it was granted something was not refused. */
void wish_leave(struct engine *e, uint32_t load)
{
    uint32_t id = load_at(e, load)->wish;

    if (load != wish_at(e, id)->head) {
        tree_remove(&loads_by_rank, e, &wish_at(e, id)->waiting, load);
        return;
    }
    take_out(e, id);
    wish_at(e, id)->head = 0;
    tree_remove(&loads_by_rank, e, &wish_at(e, id)->waiting, load);
    set_head(e, id, false);
    count_waiting(e, id, true);
}

/* Of those that lack nothing. */
static uint32_t first_open(const struct engine *e, uint32_t queue, uint64_t change)
{
    uint32_t id = queue_at(e, queue)->bay.wishes;

    while (id != 0) {
        const struct wish *wish = wish_at(e, id);
        uint32_t left = wish->link.left;

        if (left != 0 && wish_at(e, left)->least < change) {
            id = left;
            continue;
        }
        if (wish->refused < change)
            return id;
        id = wish->link.right;
        if (id != 0 && wish_at(e, id)->least >= change)
            return 0;
    }
    return 0;
}

uint32_t wish_first(const struct engine *e, uint32_t queue, uint64_t change)
{
    uint32_t open = first_open(e, queue, change), other = shortage_first(e, queue);

    if (open == 0 || other == 0)
        return open == 0 ? other : open;
    return compare(e, open, other) < 0 ? open : other;
}

bool wish_pass_over(struct engine *e, uint32_t id, uint64_t change)
{
    struct shortage shortage;

    wish_judge(e, id);
    if (wish_at(e, id)->signals || !shortage_find(e, id, &shortage))
        return false;
    take_out(e, id);
    wish_at(e, id)->shortage = shortage;
    wish_at(e, id)->refused = change;
    wish_at(e, id)->lacks = true;
    put_in(e, id);
    return true;
}

void wish_refuse(struct engine *e, uint32_t id, uint64_t change)
{
    struct wish *wish = wish_at(e, id);

    if (wish->head == 0) /* whoever was refused does not even wait any more */
        return;
    take_out(e, id);
    wish->refused = change;
    wish->lacks = false;
    put_in(e, id);
}

void wish_set_signals(struct engine *e, uint32_t id, bool signals)
{
    struct wish *wish = wish_at(e, id);

    wish->signals = signals;
    if (!signals || !wish->lacks || wish->head == 0)
        return;
    take_out(e, id);
    wish->lacks = false;
    put_in(e, id);
}

static const char *check_open(const struct engine *e, uint32_t id)
{
    const struct wish *wish = wish_at(e, id);
    const uint32_t below[2] = {wish->link.left, wish->link.right};
    uint64_t least = wish->refused;

    for (int i = 0; i < 2; i++) {
        if (below[i] != 0 && wish_at(e, below[i])->least < least)
            least = wish_at(e, below[i])->least;
    }
    return least == wish->least ? NULL : "a wish knows the oldest refusal of those below it";
}

const char *wish_check(const struct engine *e, uint32_t id)
{
    const struct wish *wish = wish_at(e, id);

    if (!tree_check(&loads_by_rank, e, wish->waiting))
        return "the workloads of a wish wait in order of rank";
    if (wish->head != tree_first(&loads_by_rank, e, wish->waiting))
        return "a wish's head is its first workload";
    if ((wish->head != 0) != (wish->link.size != 0))
        return "a wish is in one of its queue's trees while somebody waits in it";
    if (wish->users == 0)
        return "a wish is somebody's";
    for (uint32_t load = wish->head; load != 0; load = tree_next(&loads_by_rank, e, load)) {
        if (load_is(load_at(e, load), LOAD_BLOCKED) && !wish->signals)
            return "a wish knows that somebody in it signals";
    }
    if (wish->head == 0)
        return NULL;
    if (wish->lacks && (wish->refused == 0 || wish->signals))
        return "what a wish lacks is known of those that were refused, and do not signal";
    return wish->lacks ? shortage_check(e, id) : check_open(e, id);
}
