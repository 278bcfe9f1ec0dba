/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

#include "plugin/fleet/orchestrator.h"
#include "plugin/fleet/preemption_memory.h"

void decode_cluster(struct msg_reader *r, struct cluster_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    *ret = (struct cluster_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "connected"))
            ret->connected = decode_bool(r);
        else if (msg_text_is(key, "since"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &ret->since);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->name.len > 0, "name");
}

static bool decode_role(struct msg_reader *r, enum workload_role *ret)
{
    static const char *const roles[] = {
        [ROLE_MANAGER] = "manager",
        [ROLE_WORKER] = "worker",
        NULL,
    };
    int role;

    if (!msg_get_enum(r, roles, &role))
        return false;
    *ret = (enum workload_role)role;
    return true;
}

/* A copy of the reader: the object is read again. */
bool decode_role_of(struct msg_reader r, enum workload_role *ret)
{
    struct msg_map map;
    struct msg_text key;
    bool has_role = false;

    msg_open_map(&r, &map);
    while (msg_next_key(&r, &map, &key)) {
        if (msg_text_is(key, "role"))
            has_role = decode_role(&r, ret);
        else
            msg_skip_value(&r);
    }
    return has_role && r.error == 0;
}

static void decode_manager_annotations(struct msg_reader *r, struct dispatch_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        struct text other;

        if (msg_text_is(key, PREEMPTION_MEMORY_ANNOTATION))
            decode_words(r, SIZE_MAX, &ret->memory);
        else if (msg_text_is(key, ORCHESTRATOR_TIMEOUT))
            decode_words(r, SIZE_MAX, &ret->timeout);
        else
            decode_words(r, SIZE_MAX, &other);
    }
}

static void decode_manager_conditions(struct msg_reader *r, struct dispatch_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        bool holds = decode_says(r, SIZE_MAX, "True");

        if (msg_text_is(key, "QuotaReserved"))
            ret->reserved = holds;
        else if (msg_text_is(key, "Finished") || msg_text_is(key, "Evicted"))
            ret->over = ret->over || holds;
    }
}

void decode_dispatch(struct msg_reader *r, enum workload_role *ret_role, struct dispatch_facts *ret)
{
    const struct identity who = {&ret->uid, &ret->space, &ret->name};
    struct msg_map map;
    struct msg_text key;
    bool has_role = false, active = true;

    *ret = (struct dispatch_facts){0};
    *ret_role = ROLE_MANAGER;
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "role"))
            has_role = decode_role(r, ret_role);
        else if (msg_text_is(key, "resourceVersion"))
            msg_get_int(r, 0, INT64_MAX, &ret->resource_version);
        else if (msg_text_is(key, "conditions"))
            decode_manager_conditions(r, ret);
        else if (msg_text_is(key, "checksReady"))
            ret->ready = decode_bool(r);
        else if (msg_text_is(key, "active"))
            active = decode_bool(r);
        else if (msg_text_is(key, "deleted"))
            ret->over = decode_bool(r) || ret->over;
        else if (msg_text_is(key, "cluster"))
            decode_words(r, DECODE_NAME_MAX, &ret->cluster);
        else if (msg_text_is(key, "nominated"))
            ret->nominated_count =
                decode_names(r, FACTS_MAX_NOMINATED, "at most 128 clusters", ret->nominated);
        else if (msg_text_is(key, "gates"))
            ret->gate_count = decode_spec_gates(r, ret->gates);
        else if (msg_text_is(key, "annotations"))
            decode_manager_annotations(r, ret);
        else if (!decode_identity(r, key, &who))
            msg_skip_unknown(r);
    }
    msg_require(r, has_role, "role");
    if (*ret_role == ROLE_MANAGER)
        require_identity(r, &who);
    ret->over = ret->over || !active;
}

static bool is_open(const struct gate_states *states, struct text gate)
{
    for (uint32_t i = 0; i < states->count; i++) {
        if (text_same(states->item[i].name, gate))
            return text_is(states->item[i].position, "Open");
    }
    return false;
}

/* A gate without a status is closed; a status without a gate says nothing. */
static void take_gates(const struct text *gates, uint32_t count, const struct gate_states *states,
                       struct replica_facts *ret)
{
    for (uint32_t i = 0; i < count; i++) {
        bool ours = text_is(gates[i], ORCHESTRATOR_GATE);

        if (ours) {
            ret->gated = true;
            ret->open = is_open(states, gates[i]);
        } else if (!is_open(states, gates[i])) {
            ret->blocked = true;
        }
    }
}

/* The signal has two names: as released, and as the KEP has it. */
static void decode_replica_conditions(struct msg_reader *r, struct replica_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        bool holds = decode_says(r, SIZE_MAX, "True");

        if (msg_text_is(key, "BlockedOnPreemptionGates") || msg_text_is(key, "PreemptionBlocked"))
            ret->signals = ret->signals || holds;
        else if (msg_text_is(key, "QuotaReserved"))
            ret->reserved = holds;
        else if (msg_text_is(key, "Admitted"))
            ret->admitted = holds;
        else if (msg_text_is(key, "Evicted"))
            ret->evicted = holds;
        else if (msg_text_is(key, "Finished"))
            ret->finished = holds;
    }
}

void decode_replica(struct msg_reader *r, struct replica_facts *ret)
{
    struct text gates[FACTS_MAX_PREEMPTION_GATES];
    struct gate_states states = {0};
    const struct identity who = {&ret->uid, &ret->space, &ret->name};
    struct msg_map map;
    struct msg_text key;
    uint32_t count = 0;

    *ret = (struct replica_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "cluster"))
            decode_name(r, &ret->worker);
        else if (msg_text_is(key, "origin"))
            decode_words(r, DECODE_UID_MAX, &ret->origin);
        else if (msg_text_is(key, "resourceVersion"))
            msg_get_int(r, 0, INT64_MAX, &ret->resource_version);
        else if (msg_text_is(key, "gates"))
            count = decode_spec_gates(r, gates);
        else if (msg_text_is(key, "gateStatus"))
            decode_gate_states(r, &states);
        else if (msg_text_is(key, "conditions"))
            decode_replica_conditions(r, ret);
        else if (msg_text_is(key, "deleted"))
            ret->deleted = decode_bool(r);
        else if (!decode_identity(r, key, &who))
            msg_skip_unknown(r);
    }
    msg_require(r, ret->worker.len > 0, "cluster");
    require_identity(r, &who);
    take_gates(gates, count, &states, ret);
}

void decode_lost_workload(struct msg_reader *r, enum workload_role *ret_role,
                          struct replica_facts *ret)
{
    const struct identity who = {&ret->uid, &ret->space, &ret->name};
    struct msg_map map;
    struct msg_text key;
    bool has_role = false;

    *ret = (struct replica_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "role") && ret_role != NULL)
            has_role = decode_role(r, ret_role);
        else if (msg_text_is(key, "cluster") && ret_role == NULL)
            decode_name(r, &ret->worker);
        else if (!decode_identity(r, key, &who))
            msg_skip_unknown(r);
    }
    msg_require(r, has_role || ret_role == NULL, "role");
    msg_require(r, ret->worker.len > 0 || ret_role != NULL, "cluster");
    msg_require(r, ret->space.len > 0, "namespace");
    msg_require(r, ret->name.len > 0, "name");
}
