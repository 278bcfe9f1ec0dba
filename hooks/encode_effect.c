/* SPDX-License-Identifier: Apache-2.0 */
#include "encode.h"

const char *effect_name(enum effect_kind kind)
{
    static const char *const names[EFFECT_KINDS] = {
        [EFFECT_ACTIVATE] = "activate",
        [EFFECT_REMOVE_GATES] = "removeGates",
        [EFFECT_SET_CONDITION] = "setCondition",
        [EFFECT_ANSWER_PERMIT] = "answerPermit",
        [EFFECT_SET_GROUP] = "setGroup",
        [EFFECT_CREATE_GROUP] = "createGroup",
        [EFFECT_SET_GROUP_STATUS] = "setGroupStatus",
        [EFFECT_CHANGE_GROUP] = "changeGroup",
        [EFFECT_WRITE_MEMORY] = "writeMemory",
        [EFFECT_SET_CLUSTER] = "setCluster",
        [EFFECT_RETRY_CHECK] = "retryCheck",
        [EFFECT_CREATE_REPLICA] = "createReplica",
        [EFFECT_DELETE_REPLICA] = "deleteReplica",
        [EFFECT_OPEN_GATE] = "openGate",
        [EFFECT_QUEUE_STATUS] = "queueStatus",
        [EFFECT_EVENT] = "event",
        [EFFECT_DELETE_COMMAND] = "deleteCommand",
        [EFFECT_EVICT_POD] = "evictPod",
        [EFFECT_WRITE_WORKLOAD] = "writeWorkload",
        [EFFECT_CREATE_NATIVE_GROUP] = "createNativeGroup",
    };

    return names[kind];
}

void put_effect_name(struct msg_writer *w, const struct effect *effect)
{
    put_key_int(w, "id", effect->id);
    put_key_str(w, "kind", effect_name(effect->kind));
    put_key_text(w, "uid", effect->uid);
    put_key_text(w, "namespace", effect->space);
    put_key_text(w, "name", effect->name);
    put_key_int(w, "attempt", effect->attempt);
}

static void put_amounts(struct msg_writer *w, const char *key, const struct queue_usage *usage,
                        bool reserved)
{
    msg_put_key(w, key);
    msg_put_map(w, usage->count);
    for (uint32_t i = 0; i < usage->count; i++) {
        const struct queue_used *used = &usage->item[i];

        msg_put_text(w, used->resource.at, used->resource.len);
        msg_put_int(w, reserved ? used->reserved : used->allocated);
    }
}

static void put_mark(struct msg_writer *w, const char *name, uint8_t mark)
{
    msg_put_key(w, name);
    if (mark == 0)
        msg_put_nil(w);
    else
        msg_put_str(w, queue_mark_text(mark));
}

/* Whether the queue grants, and why not: of a state the reason is its name. */
static void put_conditions(struct msg_writer *w, const struct effect *effect)
{
    enum queue_state state = (enum queue_state)effect->state.state;
    bool grants = effect->reason == REASON_NONE || effect->reason == REASON_QUEUE_INACTIVE;

    msg_put_key(w, "conditions");
    msg_put_array(w, 1);
    msg_put_map(w, 4);
    put_key_str(w, "type", "Granting");
    put_key_str(w, "status", grants ? "True" : "False");
    put_key_str(w, "reason",
                grants || state != QUEUE_OPEN ? queue_state_name(state)
                                              : reason_name(effect->reason));
    put_key_str(w, "message", "");
}

static void put_status(struct msg_writer *w, const struct effect *effect)
{
    put_key_str(w, "state", queue_state_name((enum queue_state)effect->state.state));
    msg_put_key(w, "annotations");
    msg_put_map(w, 2);
    put_mark(w, QUEUE_CLOSED_BY_PARENT, effect->state.closed_by);
    put_mark(w, QUEUE_SUSPENDED_BY_PARENT, effect->state.suspended_by);
    put_amounts(w, "allocated", &effect->usage, false);
    put_amounts(w, "reserved", &effect->usage, true);
    put_key_int(w, "pending",
                (int64_t)effect->groups[CLAIM_HELD] + (int64_t)effect->groups[CLAIM_WAITING]);
    put_key_int(w, "inqueue", effect->groups[CLAIM_RESERVED]);
    put_key_int(w, "running", effect->groups[CLAIM_ALLOCATED]);
    put_key_int(w, "unknown", 0);
    put_key_int(w, "completed", 0);
    put_conditions(w, effect);
}

static void put_about(struct msg_writer *w, const struct effect *effect)
{
    bool command = effect->object == EFFECT_OF_COMMAND, queue = effect->about_queue;

    msg_put_key(w, "about");
    msg_put_map(w, 4);
    put_key_str(w, "kind", queue ? "Queue" : command ? "Command" : "Pod");
    put_key_text(w, "namespace", queue ? text_of("") : effect->space);
    put_key_text(w, "name", queue ? effect->queue_name : effect->name);
    put_key_text(w, "uid", queue ? effect->queue_uid : effect->uid);
}

static void put_event(struct msg_writer *w, const struct effect *effect)
{
    put_about(w, effect);
    put_key_str(w, "type", reason_is_amiss(effect->reason) ? "Warning" : "Normal");
    put_key_str(w, "reason", reason_name(effect->reason));
    put_key_str(w, "message", effect->message);
    put_key_hex(w, "key", effect->key);
    put_key_bool(w, "again", effect->again);
}

static void put_group_spec(struct msg_writer *w, const struct group_effect *create)
{
    put_key_text(w, "queue", create->queue);
    put_key_int(w, "minMember", create->minimum);
    msg_put_key(w, "minResources");
    msg_put_map(w, create->least_count);
    for (uint32_t i = 0; i < create->least_count; i++) {
        msg_put_text(w, create->least[i].resource.at, create->least[i].resource.len);
        msg_put_int(w, create->least[i].amount);
    }
    put_key_text(w, "priorityClass", create->priority_class);
}

static void put_owner(struct msg_writer *w, const struct group_effect *create)
{
    msg_put_key(w, "owner");
    msg_put_map(w, 4);
    put_key_text(w, "apiVersion", create->api_version);
    put_key_text(w, "kind", create->owner_kind);
    put_key_text(w, "name", create->owner_name);
    put_key_text(w, "uid", create->owner_uid);
}

static void put_native_creation(struct msg_writer *w, const struct group_effect *create)
{
    put_owner(w, create);
    put_key_int(w, "minMember", create->minimum);
    put_key_text(w, "priorityClass", create->priority_class);
}

static void put_group_condition(struct msg_writer *w, const struct group_status *status,
                                const char *message)
{
    msg_put_map(w, 4);
    put_key_str(w, "type", status->type);
    put_key_str(w, "status", status->status);
    put_key_str(w, "reason", status->reason);
    put_key_str(w, "message", message);
}

static void put_group_status(struct msg_writer *w, const struct group_status *status,
                             const char *message)
{
    bool has_condition = status->type[0] != '\0';

    put_group_kind(w, status->kind);
    if (status->kind != GROUP_VOLCANO) {
        msg_put_key(w, "condition");
        put_group_condition(w, status, message);
        return;
    }
    put_key_str(w, "phase", status->phase);
    put_key_int(w, "running", status->running);
    put_key_int(w, "succeeded", status->succeeded);
    put_key_int(w, "failed", status->failed);
    msg_put_key(w, "conditions");
    msg_put_array(w, has_condition ? 1 : 0);
    if (has_condition)
        put_group_condition(w, status, message);
}

enum { NATIVE_STATUS_KEYS = 4, NATIVE_CHANGE_KEYS = 3 };

static void put_change(struct msg_writer *w, const struct group_effect *change, int64_t version)
{
    put_key_int(w, "resourceVersion", version);
    if (change->kind == GROUP_VOLCANO) {
        put_group_spec(w, change);
        return;
    }
    put_key_bool(w, "native", true);
    put_key_int(w, "minMember", change->minimum);
}

static bool is_native(const struct effect *effect)
{
    return effect->kind == EFFECT_CHANGE_GROUP ? effect->create.kind != GROUP_VOLCANO
                                               : effect->kind == EFFECT_SET_GROUP_STATUS &&
                                                     effect->group_status.kind != GROUP_VOLCANO;
}

static uint32_t keys_of(const struct effect *effect)
{
    static const uint32_t keys[EFFECT_KINDS] = {
        [EFFECT_REMOVE_GATES] = PATCH_KEYS, [EFFECT_SET_CONDITION] = 4,
        [EFFECT_QUEUE_STATUS] = 10,         [EFFECT_EVENT] = 6,
        [EFFECT_ANSWER_PERMIT] = 2,         [EFFECT_SET_GROUP] = 2,
        [EFFECT_CREATE_GROUP] = 5,          [EFFECT_SET_GROUP_STATUS] = 8,
        [EFFECT_CHANGE_GROUP] = 5,          [EFFECT_EVICT_POD] = 3,
        [EFFECT_CREATE_NATIVE_GROUP] = 3,
    };

    if (!is_native(effect))
        return keys[effect->kind];
    return effect->kind == EFFECT_CHANGE_GROUP ? NATIVE_CHANGE_KEYS : NATIVE_STATUS_KEYS;
}

void put_effect(struct msg_writer *w, const struct engine *engine, const struct effect *effect)
{
    msg_put_map(w, EFFECT_NAME_KEYS + keys_of(effect));
    put_effect_name(w, effect);
    if (effect->kind == EFFECT_REMOVE_GATES) {
        put_patch(w, engine, &effect->patch);
    } else if (effect->kind == EFFECT_SET_CONDITION) {
        put_key_int(w, "resourceVersion", effect->resource_version);
        put_key_str(w, "reason", reason_name(effect->reason));
        put_key_str(w, "message", effect->message);
        put_key_bool(w, "gated", effect->gated);
    } else if (effect->kind == EFFECT_QUEUE_STATUS) {
        put_status(w, effect);
    } else if (effect->kind == EFFECT_EVENT) {
        put_event(w, effect);
    } else if (effect->kind == EFFECT_ANSWER_PERMIT) {
        put_key_bool(w, "allow", effect->allow);
        put_key_str(w, "message", effect->message);
    } else if (effect->kind == EFFECT_SET_GROUP) {
        put_key_text(w, "group", effect->group);
        put_key_int(w, "resourceVersion", effect->resource_version);
    } else if (effect->kind == EFFECT_CREATE_GROUP) {
        put_owner(w, &effect->create);
        put_group_spec(w, &effect->create);
    } else if (effect->kind == EFFECT_CREATE_NATIVE_GROUP) {
        put_native_creation(w, &effect->create);
    } else if (effect->kind == EFFECT_CHANGE_GROUP) {
        put_change(w, &effect->create, effect->resource_version);
    } else if (effect->kind == EFFECT_SET_GROUP_STATUS) {
        put_key_int(w, "resourceVersion", effect->resource_version);
        put_group_status(w, &effect->group_status, effect->message);
    } else if (effect->kind == EFFECT_EVICT_POD) {
        put_key_str(w, "reason", reason_name(effect->reason));
        put_key_str(w, "message", effect->message);
        put_key_hex(w, "key", effect->key);
    }
}
