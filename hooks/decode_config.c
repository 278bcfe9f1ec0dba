/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"

static const char unknown_key[] = "a key of the configuration that PROTOCOL.md lists";

enum {
    OBJECTS_MAX = 1 << 30,
    RECORD_MAX = 1 << 30,
    WRITES_MAX = 1000000,
    MESSAGE_LEAST = 1 << 10,
    MESSAGE_MAX = 16 << 20
};

static void decode_schedulers(struct msg_reader *r, struct engine_config *ret)
{
    struct msg_array array;

    msg_open_array(r, &array);
    if (array.left == 0 || array.left > ENGINE_MAX_SCHEDULERS)
        msg_fail(r, MSG_LENGTH, "1 to 16 names of schedulers");
    while (msg_next_item(r, &array)) {
        if (decode_name(r, &ret->schedulers[ret->scheduler_count]))
            ret->scheduler_count++;
    }
}

/* Those of the first version are always carried out, and may be named all the same. */
static void decode_effects(struct msg_reader *r, struct engine_config *ret)
{
    struct msg_array array;
    struct text name;

    msg_open_array(r, &array);
    while (msg_next_item(r, &array)) {
        enum effect_kind kind = 0;

        if (!decode_name(r, &name))
            continue;
        while (kind < EFFECT_KINDS && !text_is(name, effect_name(kind)))
            kind++;
        if (kind == EFFECT_KINDS)
            msg_fail(r, MSG_INVALID, "kinds of effects that PROTOCOL.md lists");
        else
            ret->effects |= 1u << kind;
    }
}

static int decode_choice(struct msg_reader *r, const char *const names[])
{
    int choice = 0;

    msg_get_enum(r, names, &choice);
    return choice;
}

static void decode_root_ceiling(struct msg_reader *r, struct engine_config *ret)
{
    static const char *const names[] = {
        [ROOT_UNLIMITED] = "unlimited",
        [ROOT_CLUSTER] = "cluster",
        NULL,
    };

    if (msg_peek_type(r) == MSG_TEXT) {
        ret->root_ceiling = (enum root_ceiling)decode_choice(r, names);
        return;
    }
    if (msg_peek_type(r) != MSG_MAP)
        msg_fail(r, MSG_TYPE, "unlimited, cluster, or a map from resource to amount");
    ret->root_ceiling = ROOT_AMOUNTS;
    decode_amounts(r, &ret->root_amounts);
}

static void decode_count(struct msg_reader *r, int64_t min, int64_t max, uint32_t *ret)
{
    int64_t count;

    if (msg_get_int(r, min, max, &count))
        *ret = (uint32_t)count;
}

static void decode_limits(struct msg_reader *r, struct open_config *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "message"))
            decode_count(r, MESSAGE_LEAST, MESSAGE_MAX, &ret->message_limit);
        else if (msg_text_is(key, "pods"))
            decode_count(r, 1, OBJECTS_MAX, &ret->engine.max_pods);
        else if (msg_text_is(key, "queues"))
            decode_count(r, 1, OBJECTS_MAX, &ret->engine.max_queues);
        else if (msg_text_is(key, "nodes"))
            decode_count(r, 1, OBJECTS_MAX, &ret->engine.max_nodes);
        else if (msg_text_is(key, "workloads"))
            decode_count(r, 1, OBJECTS_MAX, &ret->engine.max_workloads);
        else if (msg_text_is(key, "clusters"))
            decode_count(r, 1, OBJECTS_MAX, &ret->fleet.max_clusters);
        else
            msg_fail(r, MSG_INVALID, unknown_key);
    }
}

static void decode_manager(struct msg_reader *r, struct open_config *ret)
{
    struct msg_map map;
    struct msg_text key;

    ret->manages = true;
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "orchestratedPreemption"))
            msg_get_bool(r, &ret->fleet.orchestrated);
        else if (msg_text_is(key, "singleClusterPreemptionTimeout"))
            msg_get_int(r, 1, DECODE_TIME_MAX, &ret->fleet.preemption_timeout);
        else if (msg_text_is(key, "workerLostTimeout"))
            msg_get_int(r, 1, DECODE_TIME_MAX, &ret->fleet.worker_lost_timeout);
        else if (msg_text_is(key, "preferNoPreemption"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &ret->fleet.prefer_no_preemption);
        else
            msg_fail(r, MSG_INVALID, unknown_key);
    }
}

void decode_config(struct msg_reader *r, struct open_config *ret)
{
    static const char *const removals[] = {
        [REMOVE_ON_BIND] = "onBind",
        [REMOVE_ON_ADMISSION] = "onAdmission",
        NULL,
    };
    static const char *const managed[] = {"optedIn", "all", NULL};
    static const char *const undeclared[] = {"refused", "unlimited", NULL};
    struct engine_config *engine = &ret->engine;
    struct msg_map map;
    struct msg_text key;

    *ret = (struct open_config){
        .engine = {.max_pods = 1 << 24,
                   .max_queues = 65536,
                   .max_nodes = 65536,
                   .max_workloads = 1 << 20},
        .fleet = {.max_clusters = 1024},
        .message_limit = MSG_BYTES_DEFAULT,
    };
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "now"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &ret->now);
        else if (msg_text_is(key, "schedulers"))
            decode_schedulers(r, engine);
        else if (msg_text_is(key, "removal"))
            engine->removal = (enum removal)decode_choice(r, removals);
        else if (msg_text_is(key, "manage"))
            engine->manage_all = decode_choice(r, managed) == 1;
        else if (msg_text_is(key, "rootCeiling"))
            decode_root_ceiling(r, engine);
        else if (msg_text_is(key, "undeclared"))
            engine->undeclared_unlimited = decode_choice(r, undeclared) == 1;
        else if (msg_text_is(key, "reservationTimeout"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &engine->reservation_timeout);
        else if (msg_text_is(key, "headGuard"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &engine->head_guard);
        else if (msg_text_is(key, "effects"))
            decode_effects(r, engine);
        else if (msg_text_is(key, "observeOnly"))
            msg_get_bool(r, &engine->observe_only);
        else if (msg_text_is(key, "partialGroups"))
            msg_get_bool(r, &engine->partial_groups);
        else if (msg_text_is(key, "preemptionGates"))
            msg_get_bool(r, &engine->preemption_gates);
        else if (msg_text_is(key, "podEvents"))
            msg_get_bool(r, &engine->pod_events);
        else if (msg_text_is(key, "waitingReasons"))
            msg_get_bool(r, &engine->waiting_reasons);
        else if (msg_text_is(key, "waitingReasonsAfter"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &engine->waiting_reasons_after);
        else if (msg_text_is(key, "waitingReasonsPerSecond"))
            decode_count(r, 0, WRITES_MAX, &engine->waiting_reasons_per_second);
        else if (msg_text_is(key, "queueStatusesPerSecond"))
            decode_count(r, 0, WRITES_MAX, &engine->queue_statuses_per_second);
        else if (msg_text_is(key, "record"))
            decode_count(r, 0, RECORD_MAX, &ret->record);
        else if (msg_text_is(key, "limits"))
            decode_limits(r, ret);
        else if (msg_text_is(key, "multiKueue"))
            decode_manager(r, ret);
        else
            msg_fail(r, MSG_INVALID, unknown_key);
    }
    if (engine->scheduler_count == 0)
        engine->schedulers[engine->scheduler_count++] = text_of("default-scheduler");
    ret->fleet.max_dispatches = engine->max_workloads;
    ret->fleet.observe_only = engine->observe_only;
}
