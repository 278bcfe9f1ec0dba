/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/gang_world.h"

#include "t/oracle/world.h"

#include <stdio.h>
#include <string.h>

enum { LIVES = 512 };

static const char *name_of(int number)
{
    static char names[GANG_PODS][8];

    snprintf(names[number], sizeof(names[number]), "p%02d", number);
    return names[number];
}

static const char *numbered(char (*texts)[16], const char *prefix, int number, int life)
{
    snprintf(texts[life % LIVES], sizeof(texts[0]), "%s%d-%d", prefix, number, life % LIVES);
    return texts[life % LIVES];
}

const char *gang_world_uid(int number, int life)
{
    static char uids[GANG_PODS][LIVES][16];

    return numbered(uids[number], "u", number, life);
}

static const char *owner_uid(int owner, int life)
{
    static char uids[GANG_OWNERS][LIVES][16];

    return numbered(uids[owner], "o", owner, life);
}

static const char *group_uid(const struct gang_group *group, int place)
{
    static char uids[GANG_GROUPS][LIVES][16];

    return numbered(uids[place], "g", place, group->life);
}

const char *const gang_world_queues[GANG_QUEUES] = {"a", "b", "c"};

static void copy(char *to, size_t size, struct text text)
{
    snprintf(to, size, "%.*s", (int)text.len, text.len == 0 ? "" : text.at);
}

/* The number of a pod or an owner, whose uids begin with this letter; -1: of none of them. */
static int find_numbered(struct text uid, char letter, int *ret_life)
{
    char text[16];
    int number;

    copy(text, sizeof(text), uid);
    return text[0] == letter && sscanf(text + 1, "%d-%d", &number, ret_life) == 2 ? number : -1;
}

int gang_world_find_queue(struct text name)
{
    return world_find(name, gang_world_queues, GANG_QUEUES);
}

const char *gang_world_asked(const struct gang_pod *pod, char text[GANG_TEXT])
{
    if (pod->names_user_group || pod->opted_out || pod->spec.minimum == 0)
        return NULL;
    snprintf(text, GANG_TEXT, "podgroup-%s", owner_uid(pod->owner & 0xff, pod->owner >> 8));
    return text;
}

struct gang_group *gang_world_group(struct gang_world *world, const char *name)
{
    for (int n = 0; n < GANG_GROUPS; n++)
        if (world->groups[n].is && strcmp(world->groups[n].name, name) == 0)
            return &world->groups[n];
    return NULL;
}

struct gang_pod *gang_world_change(struct gang_world *world, int pod)
{
    world->pods_before[pod] = world->pods[pod];
    world->pods[pod].version = ++world->version;
    return &world->pods[pod];
}

struct gang_group *gang_world_change_group(struct gang_world *world, struct gang_group *group)
{
    world->groups_before[group - world->groups] = *group;
    group->version = ++world->version;
    return group;
}

struct gang_spec gang_world_spec(const struct gang_world *world, const struct gang_spec *asked)
{
    return world->kind == GROUP_VOLCANO
               ? *asked
               : (struct gang_spec){.queue = -1, .minimum = asked->minimum};
}

void gang_world_make(struct gang_world *world, int number, int owner)
{
    const struct gang_owner *from = &world->owners[owner];
    struct gang_pod *pod = gang_world_change(world, number);
    int life = pod->life + 1;

    *pod = (struct gang_pod){.is = true,
                             .number = number,
                             .life = life,
                             .owner = owner | from->life << 8,
                             .version = world->version,
                             .generation = 1,
                             .created = world->now,
                             .spec = from->spec,
                             .granted_in = -1,
                             .gated = true};
    if (world->kind == GROUP_NATIVE)
        gang_world_asked(pod, pod->group);
}

void gang_world_remove_owner(struct gang_world *world, int owner)
{
    world->owners[owner].is = false;
    for (int n = 0; n < GANG_PODS; n++)
        if (world->pods[n].is && (world->pods[n].owner & 0xff) == owner)
            gang_world_change(world, n)->is = false;
    for (int n = 0; n < GANG_GROUPS; n++)
        if (world->groups[n].is && world->groups[n].owner >= 0 &&
            (world->groups[n].owner & 0xff) == owner)
            gang_world_change_group(world, &world->groups[n])->is = false;
}

void gang_world_pod_facts(const struct gang_world *world, const struct gang_pod *pod,
                          struct pod_facts *ret)
{
    bool native = world->kind == GROUP_NATIVE;

    *ret = (struct pod_facts){
        .uid = text_of(gang_world_uid(pod->number, pod->life)),
        .space = text_of("space"),
        .name = text_of(name_of(pod->number)),
        .created = pod->created,
        .generation = pod->generation,
        .resource_version = pod->version,
        .gates = {.ours = pod->gated ? GATE_LONG : 0},
        .opted_in = !pod->opted_out,
        .queue = text_of(gang_world_queues[pod->spec.queue]),
        .group = text_of(native ? "" : pod->group),
        .native_group = text_of(native ? pod->group : ""),
        .minimum = pod->opted_out || pod->names_user_group ? 0 : pod->spec.minimum,
        .stamp = pod->stamp,
        .stamped_queue = text_of(pod->granted_in < 0 ? "" : gang_world_queues[pod->granted_in]),
        .requests = {1, {{text_of("cpu"), pod->spec.cpu}}},
        .node = text_of(pod->bound ? "n" : ""),
        .finished = pod->finished,
        .unschedulable = pod->unschedulable};
    ret->controller =
        (struct controller_facts){.api_version = text_of("apps/v1"),
                                  .kind = text_of("Deployment"),
                                  .name = text_of("d"),
                                  .uid = text_of(owner_uid(pod->owner & 0xff, pod->owner >> 8))};
}

int gang_world_place(const struct gang_group *group)
{
    int place = 0;

    sscanf(group->name, "podgroup-o%d",
           &place); /* a place for each owner, and the last for users */
    return group->owner >= 0 ? place : GANG_GROUPS - 1;
}

void gang_world_group_facts(const struct gang_world *world, const struct gang_group *group,
                            struct group_facts *ret)
{
    int queue = group->spec.queue;

    *ret = (struct group_facts){.kind = world->kind,
                                .uid = text_of(group_uid(group, gang_world_place(group))),
                                .space = text_of("space"),
                                .name = text_of(group->name),
                                .created = group->created,
                                .resource_version = group->version,
                                .queue = text_of(queue < 0 ? "" : gang_world_queues[queue]),
                                .minimum = group->spec.minimum,
                                .ours = group->owner >= 0,
                                .phase = text_of(group->phase)};
    if (group->owner >= 0 && world->kind == GROUP_VOLCANO)
        ret->least = (struct named_amounts){
            1, {{text_of("cpu"), (int64_t)group->spec.cpu * group->spec.minimum}}};
    memcpy(ret->counts, group->counts, sizeof(ret->counts));
    for (int n = 0; n < FACTS_GROUP_CONDITION; n++)
        ret->condition[n] = text_of(group->condition[n]);
}

static void read_status(const struct effect *effect, struct gang_group *ret)
{
    const struct group_status *is = &effect->group_status;
    const char *const condition[] = {is->type, is->status, is->reason, effect->message};

    copy(ret->phase, sizeof(ret->phase), text_of(is->phase));
    ret->counts[0] = is->running;
    ret->counts[1] = is->succeeded;
    ret->counts[2] = is->failed;
    for (int n = 0; n < FACTS_GROUP_CONDITION; n++)
        snprintf(ret->condition[n], sizeof(ret->condition[n]), "%s",
                 condition[n] == NULL ? "" : condition[n]);
}

void gang_world_read(const struct gang_world *world, const struct effect *effect,
                     struct gang_request *ret)
{
    *ret = (struct gang_request){.id = effect->id,
                                 .kind = effect->kind,
                                 .pod = -1,
                                 .group = -1,
                                 .life = -1,
                                 .version = effect->resource_version,
                                 .allow = effect->allow};
    if (effect->object == EFFECT_OF_POD) {
        ret->pod = find_numbered(effect->uid, 'u', &ret->life);
        copy(ret->name, sizeof(ret->name), effect->group);
        if (effect->kind == EFFECT_REMOVE_GATES)
            ret->patch = effect->patch,
            ret->granted_in = gang_world_find_queue(effect->patch.queue);
        return;
    }
    copy(ret->name, sizeof(ret->name), effect->name);
    for (int n = 0; n < GANG_GROUPS; n++)
        if (world->groups[n].is && text_is(effect->name, world->groups[n].name) &&
            text_is(effect->uid, group_uid(&world->groups[n], n)))
            ret->life = world->groups[n].life, ret->group = n;
    if (effect->kind == EFFECT_SET_GROUP_STATUS) {
        read_status(effect, &ret->status);
        return;
    }
    ret->owner = find_numbered(effect->create.owner_uid, 'o', &ret->owner_life);
    ret->spec.queue = gang_world_find_queue(effect->create.queue);
    ret->spec.minimum = effect->create.minimum;
    ret->spec.cpu = effect->create.least_count == 0 || ret->spec.minimum == 0
                        ? 0
                        : (int)(effect->create.least[0].amount / ret->spec.minimum);
}

static enum effect_result write_pod(struct gang_world *world, const struct gang_request *request,
                                    int64_t *ret_version)
{
    struct gang_pod *pod = &world->pods[request->pod];
    char asked[GANG_TEXT];

    if (!pod->is || pod->life != request->life)
        return EFFECT_GONE;
    switch (request->kind) {
    case EFFECT_REMOVE_GATES:
        if (!pod->gated && request->patch.gates != 0)
            return EFFECT_DONE;
        if (pod->generation != request->patch.generation)
            return EFFECT_CONFLICT;
        pod = gang_world_change(world, request->pod);
        pod->generation += pod->gated;
        pod->gated = false;
        pod->stamp = request->patch.stamp;
        pod->granted_in = request->granted_in;
        break;
    case EFFECT_SET_CONDITION:
        if (pod->version != request->version)
            return EFFECT_CONFLICT;
        gang_world_change(world, request->pod)->unschedulable = false;
        break;
    case EFFECT_SET_GROUP:
        if ((pod->group[0] != '\0' && strcmp(pod->group, request->name) != 0) ||
            gang_world_asked(pod, asked) == NULL)
            return EFFECT_CONFLICT;
        if (pod->group[0] == '\0')
            memcpy(gang_world_change(world, request->pod)->group, request->name, GANG_TEXT);
        *ret_version = pod->version;
        break;
    default:
        break;
    }
    return EFFECT_DONE;
}

static enum effect_result create_group(struct gang_world *world, const struct gang_request *request)
{
    const struct gang_owner *owner = &world->owners[request->owner];
    struct gang_group *group = &world->groups[request->owner];
    int life = group->life + 1;

    if (!owner->is || owner->life != request->owner_life)
        return EFFECT_GONE;
    if (group->is)
        return EFFECT_DONE; /* it will be observed */
    group = gang_world_change_group(world, group);
    *group = (struct gang_group){.is = true,
                                 .life = life,
                                 .owner = request->owner | request->owner_life << 8,
                                 .version = world->version,
                                 .created = world->now,
                                 .spec = gang_world_spec(world, &request->spec)};
    memcpy(group->name, request->name, GANG_TEXT);
    return EFFECT_DONE;
}

static enum effect_result write_group(struct gang_world *world, const struct gang_request *request)
{
    struct gang_group *group = request->group < 0 ? NULL : &world->groups[request->group];

    if (request->kind == EFFECT_CREATE_GROUP || request->kind == EFFECT_CREATE_NATIVE_GROUP)
        return create_group(world, request);
    if (group == NULL || !group->is || group->life != request->life)
        return EFFECT_GONE;
    if (group->version != request->version)
        return EFFECT_CONFLICT;
    group = gang_world_change_group(world, group);
    if (request->kind == EFFECT_CHANGE_GROUP) {
        group->spec = gang_world_spec(world, &request->spec);
        return EFFECT_DONE;
    }
    memcpy(group->phase, request->status.phase, sizeof(group->phase));
    memcpy(group->condition, request->status.condition, sizeof(group->condition));
    memcpy(group->counts, request->status.counts, sizeof(group->counts));
    return EFFECT_DONE;
}

enum effect_result gang_world_write(struct gang_world *world, const struct gang_request *request,
                                    int64_t *ret_version)
{
    *ret_version = 0;
    return request->pod >= 0 ? write_pod(world, request, ret_version) : write_group(world, request);
}
