/* SPDX-License-Identifier: Apache-2.0 */
#include "group.h"

#include "plugin/base/asked_group.h"
#include "plugin/state.h"

void group_wake_at(struct engine *e, uint32_t id, int64_t at)
{
    heap_set(&e->pods.group_timers, id, at);
}

struct group_question {
    const struct engine *e;
    const struct group_name *name;
};

static bool same_name(const void *ctx, uint32_t id)
{
    const struct group_question *q = ctx;
    const struct group *group = group_at(q->e, id);

    return group->kind == q->name->kind && text_same(name_text(q->e, group->name), q->name->name) &&
           text_same(name_text(q->e, group->space), q->name->space);
}

uint32_t group_find_named(const struct engine *e, const struct group_name *name)
{
    const struct group_question q = {e, name};

    return index_find(&e->pods.groups_by_name, hash_names(name->space, name->name), same_name, &q);
}

uint32_t group_find(const struct engine *e, struct text space, struct text name)
{
    return group_find_named(e, &(struct group_name){space, name, GROUP_VOLCANO});
}

static struct tree_link *name_link(const void *ctx, uint32_t id)
{
    return &group_at(ctx, id)->by_name;
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b)
{
    const struct group *x = group_at(ctx, a), *y = group_at(ctx, b);
    int order = text_compare(name_text(ctx, x->space), name_text(ctx, y->space));

    if (order == 0)
        order = text_compare(name_text(ctx, x->name), name_text(ctx, y->name));
    return order != 0 ? order : x->kind - y->kind;
}

const struct tree_type groups_by_identity = {name_link, compare_names, NULL};

/* A group that nobody has seen. */
static int make(struct engine *e, const struct group_name *name, uint32_t *ret_group)
{
    uint32_t space_id, name_id, id;

    if (slab_reserve(&e->pods.groups, 1) < 0 || index_reserve(&e->pods.groups_by_name) < 0 ||
        heap_reserve(&e->pods.group_timers, slab_end(&e->pods.groups) + 1) < 0 ||
        name_get(e, name->space, &space_id) < 0)
        return ENGINE_NO_MEMORY;
    if (name_get(e, name->name, &name_id) < 0) {
        intern_unref(&e->names, space_id);
        return ENGINE_NO_MEMORY;
    }
    id = slab_take(&e->pods.groups);
    *group_at(e, id) =
        (struct group){.space = space_id,
                       .name = name_id,
                       .kind = (uint8_t)name->kind,
                       .at_once = name->kind != GROUP_VOLCANO && !e->config.partial_groups,
                       .replicas = -1,
                       .changed_over = -1};
    index_put(&e->pods.groups_by_name, hash_names(name->space, name->name), id);
    tree_insert(&groups_by_identity, e, &e->pods.groups_in_order, id);
    *ret_group = id;
    return 0;
}

int group_get_named(struct engine *e, const struct group_name *name, uint32_t *ret_group)
{
    *ret_group = group_find_named(e, name);
    return *ret_group != 0 ? 0 : make(e, name, ret_group);
}

int group_get(struct engine *e, const struct pod_facts *pod, uint32_t *ret_group)
{
    struct group_name name = {pod->space, pod->native_group, GROUP_NATIVE};
    char text[ASKED_GROUP_MAX];

    *ret_group = 0;
    if (pod->composite_group.len > 0)
        name = (struct group_name){pod->space, pod->composite_group, GROUP_COMPOSITE};
    if (pod->native_group.len > 0)
        return group_get_named(e, &name, ret_group);
    name.kind = GROUP_VOLCANO;
    name.name = pod->group.len > 0 || pod->minimum == 0 ? pod->group : asked_group_name(pod, text);
    return name.name.len == 0 ? 0 : group_get_named(e, &name, ret_group);
}

int group_read_owner(struct engine *e, const struct pod_facts *pod, struct group_owner *ret)
{
    const struct controller_facts *controller = &pod->controller;
    bool bare = controller->uid.len == 0;

    *ret = (struct group_owner){0};
    if (!asked_group_has(&e->config, pod))
        return 0;
    if (name_get(e, bare ? text_of("v1") : controller->api_version, &ret->api_version) < 0 ||
        name_get(e, bare ? text_of("Pod") : controller->kind, &ret->kind) < 0 ||
        name_get(e, bare ? pod->name : controller->name, &ret->name) < 0 ||
        name_get(e, bare ? pod->uid : controller->uid, &ret->uid) < 0) {
        group_drop_owner(&e->names, ret);
        return ENGINE_NO_MEMORY;
    }
    return 0;
}

void group_drop_owner(struct intern *names, struct group_owner *owner)
{
    intern_unref(names, owner->api_version);
    intern_unref(names, owner->kind);
    intern_unref(names, owner->name);
    intern_unref(names, owner->uid);
    *owner = (struct group_owner){0};
}

void group_note_owner(struct engine *e, uint32_t id, const struct pod_facts *pod,
                      struct group_owner *owner)
{
    struct group *group = group_at(e, id);
    struct group_owner before = group->owner;
    int64_t replicas = pod->controller.has_replicas ? pod->controller.replicas : -1;

    if (!asked_group_has(&e->config, pod))
        return;
    if (group->ordered != pod->controller.ordered || group->replicas != replicas)
        group_touch(e, id);
    group->ordered = pod->controller.ordered;
    group->replicas = replicas;
    if (memcmp(&before, owner, sizeof(before)) == 0)
        return;
    group->owner = *owner;
    *owner = before;
    group->owner_gone = false;
    group_touch(e, id);
}

static struct list_link *todo_of(const void *ctx, uint32_t id)
{
    return &group_at(ctx, id)->todo;
}

void group_touch(struct engine *e, uint32_t id)
{
    if (group_at(e, id)->is_todo)
        return;
    group_at(e, id)->is_todo = true;
    list_append(todo_of, e, &e->pods.touched, id);
}

void group_untouch(struct engine *e, uint32_t id)
{
    if (!group_at(e, id)->is_todo)
        return;
    group_at(e, id)->is_todo = false;
    list_remove(todo_of, e, &e->pods.touched, id);
}

void group_drop_words(struct engine *e, struct group_words *said)
{
    for (uint32_t i = 0; i < said->least_count; i++)
        intern_unref(&e->names, said->least[i].resource);
    mem_free(&e->mem, said->least, said->least_count * sizeof(*said->least));
    intern_unref(&e->names, said->uid);
    intern_unref(&e->names, said->queue);
    intern_unref(&e->names, said->priority_class);
}

void group_end(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);

    group_untouch(e, id);
    outbox_forget(&e->outbox, EFFECT_OF_GROUP, id);
    heap_clear(&e->pods.group_timers, id);
    group_drop_owner(&e->names, &group->owner);
    group_drop_words(e, &group->said);
    group_drop_parts(e, &group->parts);
    index_drop(&e->pods.groups_by_name,
               hash_names(name_text(e, group->space), name_text(e, group->name)), id);
    tree_remove(&groups_by_identity, e, &e->pods.groups_in_order, id);
    intern_unref(&e->names, group->space);
    intern_unref(&e->names, group->name);
    slab_give(&e->pods.groups, id);
}

void group_drop_unused(struct engine *e, uint32_t id)
{
    if (id != 0 && slab_live(&e->pods.groups, id) && group_is_unused(group_at(e, id)) &&
        !group_at(e, id)->is_todo)
        group_end(e, id);
}

bool group_is_ready(const struct claim *claim)
{
    if (claim->state != CLAIM_HELD)
        return claim->state == CLAIM_WAITING;
    return claim->reason == REASON_GROUP_MISSING || claim->reason == REASON_GROUP_CHANGING ||
           claim->reason == REASON_GROUP_INVALID || claim->reason == REASON_GROUP_INCOMPLETE;
}

bool group_is_superseded(const struct claim *claim)
{
    return claim->state == CLAIM_HELD && claim->reason == REASON_SUPERSEDED;
}

const char *group_check(const struct engine *e, uint32_t id)
{
    const struct group *group = group_at(e, id);
    uint32_t members = 0, ready = 0, holding = 0, reserved = 0, at_permit = 0, superseded = 0;
    uint32_t obeying = 0;

    if (group->is_todo)
        return "no group is left to be looked at";
    if (group_is_unused(group))
        return "a group that was not seen is named by somebody";
    for (uint32_t at = group->claims.first; at != 0; at = member_after(e, at)) {
        const struct claim *claim = claim_at(e, at);
        uint32_t before = claim_member(e, at)->by_rank.prev;

        if (claim_group(e, claim) != id || ++members > slab_count(&e->claims.records))
            return "the members of a group know it";
        if (before != 0 && claim_compare_rank(e, before, at) >= 0)
            return "the members of a group stand in order of rank";
        if (claim_waits_in_gang(claim) !=
            (claim->state == CLAIM_WAITING && claim_is_in_gang(e, at)))
            return "a member waits with its gang while that waits";
        obeying += (claim->flags & CLAIM_MANAGED) != 0;
        ready += group_is_ready(claim);
        superseded += group_is_superseded(claim);
        holding += claim_holds(claim);
        reserved += claim->state == CLAIM_RESERVED;
        at_permit += (claim->flags & CLAIM_AT_PERMIT) != 0;
    }
    if (members != group->members || ready != group->ready || holding != group->holding ||
        reserved != group->reserved || at_permit != group->at_permit ||
        superseded != group->superseded || obeying != group->obeying)
        return "a group counts its members";
    return group_check_parts(e, group);
}
