/* SPDX-License-Identifier: Apache-2.0 */

#include "queue_edit.h"

#include "admission_check.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/quota_edit.h"
#include "plugin/state.h"
#include "queue_amounts.h"
#include "queue_life.h"
#include "queue_place.h"
#include "queue_spec.h"
#include "queue_tree.h"
#include "status_turn.h"

/* What an object says, with all that it needs already in hand. */
struct edit {
    uint32_t queue, parent; /* parent 0: a root */
    uint32_t state, uid;
    uint64_t spec;
    struct quota_amount *amounts;
    uint32_t amount_count, amount_cap;
    struct queue_group *groups;
    uint32_t group_count;
    struct cluster_queue_check
        *checks; /* of ClusterQueues and Cohorts; others have none, whatever is said */
    uint32_t check_count;
};

static void free_amounts(struct engine *e, struct edit *edit)
{
    for (uint32_t i = 0; i < edit->amount_count; i++) {
        intern_unref(&e->names, edit->amounts[i].resource);
        flavor_unref(e, edit->amounts[i].flavor);
    }
    mem_free(&e->mem, edit->amounts, edit->amount_cap * sizeof(*edit->amounts));
}

/* The amount of this flavor and resource, made if it is not there yet. Takes over no user. The
 * amounts of a flavor are read one after another, so they are the last ones. */
static struct quota_amount *amount_of(struct engine *e, struct edit *edit, uint16_t flavor,
                                      struct text resource)
{
    uint32_t id;

    if (name_get(e, resource, &id) < 0)
        return NULL;
    for (uint32_t i = edit->amount_count; i-- > 0 && edit->amounts[i].flavor == flavor;) {
        if (edit->amounts[i].resource == id) {
            intern_unref(&e->names, id);
            return &edit->amounts[i];
        }
    }

    struct quota_amount *amount = &edit->amounts[edit->amount_count++];

    *amount = (struct quota_amount){.flavor = flavor, .resource = id};
    flavor_ref(e, flavor);
    return amount;
}

static int read_volcano(struct engine *e, const struct queue_facts *facts, struct edit *edit)
{
    const struct named_amounts *const named[] = {&facts->capability, &facts->deserved,
                                                 &facts->guarantee};

    edit->amount_cap = facts->capability.count + facts->deserved.count + facts->guarantee.count;
    edit->amounts = mem_alloc(&e->mem, edit->amount_cap * sizeof(*edit->amounts));
    if (edit->amount_cap > 0 && edit->amounts == NULL)
        return ENGINE_NO_MEMORY;

    for (int k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < named[k]->count; i++) {
            const struct named_amount *item = &named[k]->item[i];
            struct quota_amount *amount = amount_of(e, edit, 0, item->resource);

            if (amount == NULL)
                return ENGINE_NO_MEMORY;
            if (named[k] == &facts->capability) {
                amount->has_ceiling = !queue_amount_is_unset(item);
                amount->ceiling = item->amount;
            } else if (named[k] == &facts->deserved) {
                amount->share = item->amount;
            } else {
                amount->has_kept = true;
                amount->kept = item->amount;
            }
        }
    }
    return 0;
}

/* What the group covers and this flavor gives no quota for is there with a quota of 0. */
static int read_flavor(struct engine *e, const struct resource_group *group,
                       const struct group_flavor *from, uint16_t flavor, struct edit *edit)
{
    for (uint32_t i = 0; i < group->resource_count; i++) {
        if (amount_of(e, edit, flavor, group->resources[i]) == NULL)
            return ENGINE_NO_MEMORY;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        const struct flavor_quota *quota = &from->quotas[i];
        struct quota_amount *amount = amount_of(e, edit, flavor, quota->resource);

        if (amount == NULL)
            return ENGINE_NO_MEMORY;
        amount->share = quota->nominal;
        amount->has_ceiling = quota->has_borrowing;
        amount->ceiling = quota->borrowing;
        amount->has_kept = quota->has_lending;
        amount->kept = quota->lending;
    }
    return 0;
}

static int read_group(struct engine *e, const struct resource_group *from, struct edit *edit,
                      struct queue_group *group)
{
    for (uint32_t i = 0; i < from->resource_count; i++) {
        if (name_get(e, from->resources[i], &group->resources[i]) < 0)
            return ENGINE_NO_MEMORY;
        group->resource_count++;
    }
    for (uint32_t i = 0; i < from->flavor_count; i++) {
        int error = flavor_get(e, from->flavors[i].name, &group->flavors[i]);

        if (error < 0)
            return error;
        group->flavor_count++;
        error = read_flavor(e, from, &from->flavors[i], group->flavors[i], edit);
        if (error < 0)
            return error;
    }
    return 0;
}

static int read_kueue(struct engine *e, const struct queue_facts *facts, struct edit *edit)
{
    for (uint32_t i = 0; i < facts->group_count; i++) {
        for (uint32_t k = 0; k < facts->groups[i].flavor_count; k++)
            edit->amount_cap += facts->groups[i].resource_count + facts->groups[i].flavors[k].count;
    }
    edit->amounts = mem_alloc(&e->mem, edit->amount_cap * sizeof(*edit->amounts));
    edit->groups = mem_zalloc(&e->mem, facts->group_count * sizeof(*edit->groups));
    edit->group_count = edit->groups == NULL ? 0 : facts->group_count;
    if ((edit->amount_cap > 0 && edit->amounts == NULL) || edit->group_count < facts->group_count)
        return ENGINE_NO_MEMORY;

    for (uint32_t i = 0; i < facts->group_count; i++) {
        int error = read_group(e, &facts->groups[i], edit, &edit->groups[i]);

        if (error < 0)
            return error;
    }
    edit->check_count = facts->check_count;
    return cluster_queue_read_checks(e, facts, &edit->checks);
}

static int read_parent(struct engine *e, const struct queue_facts *facts, struct edit *edit)
{
    if (edit->queue == e->queues.volcano_root)
        return 0;
    if (facts->kind != QUEUE_VOLCANO)
        return facts->parent.len == 0 ? 0
                                      : queue_get(e, QUEUE_COHORT, facts->parent, &edit->parent);
    return queue_get(e, QUEUE_VOLCANO, facts->parent.len == 0 ? text_of("root") : facts->parent,
                     &edit->parent);
}

/* Bound pods that were seen before their ClusterQueue get the flavors that their nodes have. With
 * another flavor a gate may have to go first. */
static void guess_flavors(struct engine *e, uint32_t id)
{
    const uint32_t roots[2] = {queue_at(e, id)->reserved, queue_at(e, id)->allocated};
    bool others = false;

    for (int i = 0; i < 2 && queue_at(e, id)->kind == QUEUE_CLUSTER; i++) {
        for (uint32_t claim = tree_first(&claims_by_stamp, e, roots[i]); claim != 0;
             claim = tree_next(&claims_by_stamp, e, claim))
            others = claim_guess_flavors(e, claim) || others;
    }
    if (others)
        queue_stops_changed(e);
}

/* What an object says holds now, and what was said before no more. */
static void take(struct engine *e, struct queue *queue, const struct queue_facts *facts,
                 const struct edit *edit)
{
    cluster_queue_free_checks(e, queue->cluster.checks, queue->cluster.check_count);
    queue_free_groups(e, queue->groups, queue->group_count);
    queue->groups = edit->groups;
    queue->group_count = edit->group_count;
    queue->spec = edit->spec;
    queue->borrows_last = facts->borrows_last;
    queue->cluster.preempts_last = facts->preempts_last;
    queue->cluster.borrows_least = facts->borrows_least;
    queue->cluster.checks = edit->checks;
    queue->cluster.check_count = edit->check_count;
    queue->strict = facts->strict;
    queue->deleted = facts->deleted;
    queue->priority = facts->priority;
    queue->reclaimable = facts->reclaimable;
    queue->preempts = facts->preempts;
}

static void commit(struct engine *e, const struct queue_facts *facts, struct edit *edit)
{
    uint32_t id = edit->queue;
    struct queue *queue = queue_at(e, id);
    uint32_t old_parent = queue->parent, old_wanted = queue->wanted;
    bool stays = queue_stays(e, id, edit->parent), was_known = queue->known;
    bool was_deleted = queue->deleted;

    promise_end_of_queue(e, id); /* of a place in flavors that it may no longer have */
    if (!stays)
        queue_unhang(e, id);
    take(e, queue, facts, edit);
    limit_count(&e->queues, LIMITED_QUEUES, &queue->known, true);
    if (id != e->queues.volcano_root) /* the root's quota is configured */
        (stays ? quota_edit : quota_name)(e, id, edit->amounts, edit->amount_count);
    queue_want(e, id, edit->parent);
    if (!stays)
        queue_place(e, id);
    guess_flavors(e, id);
    if (stays && was_known)
        queue_edited(e, id);
    else
        queue_moved(e, id, old_parent == queue->parent ? 0 : old_parent);
    if (queue->deleted != was_deleted || e->config.pod_events) /* who can never fit may be others */
        queue_stops_changed(e);
    queue_drop_unused(e, old_parent); /* they may have nobody else */
    queue_drop_unused(e, old_wanted);
    cluster_queue_edited(e, id);
    if (stays)
        return;
    queue_misplace_cycle(e, id);
    queue_place_misplaced(e);
}

/* What the object says of its state, whatever else it says. */
static void hear(struct engine *e, const struct queue_facts *facts, struct edit *edit)
{
    struct queue *queue = queue_at(e, edit->queue);
    bool fresh = !queue->seen || queue->uid != edit->uid;
    enum life_stop stop = cluster_queue_stop(e, edit->queue);

    intern_unref(&e->names, queue->state_text);
    intern_unref(&e->names, queue->uid);
    queue->state_text = edit->state;
    queue->uid = edit->uid;
    queue_hear(e, edit->queue, facts, fresh);
    if (cluster_queue_stop(e, edit->queue) != stop)
        cluster_queue_edited(e, edit->queue);
}

static bool is_old(const struct queue *queue, const struct queue_facts *facts, struct text uid)
{
    return queue->seen && facts->version != 0 && facts->version < queue->version &&
           text_same(uid, facts->uid);
}

int queue_see(struct engine *e, const struct queue_facts *facts)
{
    struct edit edit = {.spec = queue_spec(facts)};
    uint32_t before = queue_find(e, facts->kind, facts->name);
    int error = before != 0 && queue_at(e, before)->known ? 0 : limit_has_room(e, LIMITED_QUEUES);

    if (error == 0)
        error = queue_get(e, facts->kind, facts->name, &edit.queue);
    if (error < 0)
        return error;
    if (is_old(queue_at(e, edit.queue), facts, name_text(e, queue_at(e, edit.queue)->uid)))
        return SEEN_BEFORE;
    if (name_get(e, facts->state, &edit.state) < 0 || name_get(e, facts->uid, &edit.uid) < 0)
        error = ENGINE_NO_MEMORY;
    if (error == 0 && queue_at(e, edit.queue)->spec == edit.spec) {
        hear(e, facts, &edit);
        return SEEN_ANEW;
    }
    if (error == 0)
        error = facts->kind == QUEUE_VOLCANO ? read_volcano(e, facts, &edit)
                                             : read_kueue(e, facts, &edit);
    if (error == 0)
        error = read_parent(e, facts, &edit);
    if (error == 0 && queue_reserve_places(e, edit.queue, edit.parent, edit.amount_count) < 0)
        error = ENGINE_NO_MEMORY;
    if (error < 0) {
        intern_unref(&e->names, edit.state);
        intern_unref(&e->names, edit.uid);
        queue_free_groups(e, edit.groups, edit.group_count);
        cluster_queue_free_checks(e, edit.checks, edit.check_count);
        free_amounts(e, &edit);
        queue_drop_unused(e, edit.parent);
        queue_drop_unused(e, edit.queue);
        return error;
    }
    hear(e, facts, &edit);
    commit(e, facts, &edit);
    free_amounts(e, &edit);
    return SEEN_ANEW;
}

static void forget_state(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    command_queue_gone(e, id);
    outbox_forget(&e->outbox, EFFECT_OF_QUEUE, id);
    heap_clear(&e->queues.timers, id);
    intern_unref(&e->names, queue->state_text);
    intern_unref(&e->names, queue->uid);
    queue->state_text = queue->uid = 0;
    queue->state = queue->own = QUEUE_OPEN;
    queue->said = queue->wrote = (struct queue_written){.state = STATE_UNSAID};
    status_turn_drop(e, id);
    queue_forget_status(queue);
    queue->version = 0;
    queue->seen = queue->created_suspended = false;
}

/* What holds where nothing is said, as Volcano has it. */
static const struct queue_facts unsaid = {.reclaimable = true};

/* Who is not known hangs where a restart would find it: below Volcano's root, or nowhere. */
static void forget(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);
    uint32_t parent = queue->kind == QUEUE_VOLCANO ? e->queues.volcano_root : 0;
    bool stays = queue_stays(e, id, parent);

    promise_end_of_queue(e, id);
    if (!stays)
        queue_unhang(e, id);
    (stays ? quota_edit : quota_name)(e, id, NULL, 0);
    take(e, queue, &unsaid, &(struct edit){0});
    forget_state(e, id);
    limit_count(&e->queues, LIMITED_QUEUES, &queue->known, id == e->queues.default_queue);
    queue_want(e, id, 0);
    queue_set_misplaced(e, id, false);
    if (!stays)
        queue_hang(e, id, parent);
}

int queue_lose(struct engine *e, enum queue_kind kind, struct text name)
{
    uint32_t id = queue_find(e, kind, name), parent, wanted;

    if (id == 0 || !queue_at(e, id)->known || id == e->queues.volcano_root)
        return SEEN_BEFORE;
    if (queue_reserve_places(e, id, kind == QUEUE_VOLCANO ? e->queues.volcano_root : 0, 0) < 0)
        return ENGINE_NO_MEMORY;
    parent = queue_at(e, id)->parent;
    wanted = queue_at(e, id)->wanted;
    forget(e, id);
    queue_moved(e, id, parent);
    cluster_queue_edited(e, id);
    queue_drop_unused(e, parent); /* they may have nobody else, and one of them may be itself */
    queue_drop_unused(e, wanted);
    queue_drop_unused(e, id);
    queue_place_misplaced(e);
    return SEEN_ANEW;
}
