/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

/* A workload that is admitted here, and what it needs to be: LocalQueues, AdmissionChecks. */
static void decode_condition(struct msg_reader *r, struct condition_facts *ret)
{
    struct msg_map map;
    struct msg_text key;
    struct text status = {NULL, 0};

    *ret = (struct condition_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "status"))
            decode_words(r, SIZE_MAX, &status);
        else if (msg_text_is(key, "reason"))
            decode_words(r, SIZE_MAX, &ret->reason);
        else if (msg_text_is(key, "since"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &ret->since);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, status.at != NULL, "status");
    ret->is_true = text_is(status, "True");
    ret->is_false = text_is(status, "False");
}

static void decode_conditions(struct msg_reader *r, struct workload_facts *ret)
{
    static const char *const types[CONDITIONS] = {
        [CONDITION_RESERVED] = "QuotaReserved",
        [CONDITION_ADMITTED] = "Admitted",
        [CONDITION_EVICTED] = "Evicted",
        [CONDITION_FINISHED] = "Finished",
        [CONDITION_REQUEUED] = "Requeued",
        [CONDITION_TARGET] = "DeactivationTarget",
        [CONDITION_SIGNAL] = "BlockedOnPreemptionGates",
        [CONDITION_SIGNAL_KEP] = "PreemptionBlocked",
    };
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        struct condition_facts other;
        int type = 0;

        while (type < CONDITIONS && !msg_text_is(key, types[type]))
            type++;
        decode_condition(r, type < CONDITIONS ? &ret->conditions[type] : &other);
    }
}

static void decode_granted_flavors(struct msg_reader *r, struct granted_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    if (map.left > FACTS_MAX_NEEDS)
        msg_fail(r, MSG_LENGTH, "at most 33 resources");
    while (msg_next_key(r, &map, &key)) {
        ret->flavors[ret->flavor_count].resource = (struct text){key.at, key.len};
        if (decode_name(r, &ret->flavors[ret->flavor_count].flavor))
            ret->flavor_count++;
    }
}

static void decode_granted(struct msg_reader *r, struct granted_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    *ret = (struct granted_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "count"))
            msg_get_int(r, 0, INT32_MAX, &ret->count);
        else if (msg_text_is(key, "flavors"))
            decode_granted_flavors(r, ret);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->name.len > 0, "name");
}

static void decode_granted_sets(struct msg_reader *r, struct scratch *scratch,
                                struct workload_facts *ret)
{
    struct msg_array array;

    ret->granted = decode_room(r, scratch, &array, FACTS_MAX_SETS, sizeof(*ret->granted),
                               "at most 18 pod sets");
    while (msg_next_item(r, &array))
        decode_granted(r, &ret->granted[ret->granted_count++]);
}

static void decode_admission(struct msg_reader *r, struct scratch *scratch,
                             struct workload_facts *ret)
{
    struct msg_map map;
    struct msg_text key;

    if (msg_get_nil(r))
        return;
    ret->has_admission = true;
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "clusterQueue"))
            decode_name(r, &ret->granted_queue);
        else if (msg_text_is(key, "podSets"))
            decode_granted_sets(r, scratch, ret);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->granted_queue.len > 0, "clusterQueue");
    msg_require(r, ret->granted != NULL, "podSets");
}

static void decode_check_state(struct msg_reader *r, struct workload_check_facts *ret)
{
    struct msg_map map;
    struct msg_text key;
    struct text state = {NULL, 0};

    *ret = (struct workload_check_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "state"))
            decode_words(r, SIZE_MAX, &state);
        else if (msg_text_is(key, "retryAfter"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &ret->retry_at);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->name.len > 0, "name");
    msg_require(r, state.at != NULL, "state");
    ret->state = text_is(state, "Ready")      ? CHECK_READY
                 : text_is(state, "Retry")    ? CHECK_RETRY
                 : text_is(state, "Rejected") ? CHECK_REJECTED
                                              : CHECK_PENDING;
}

static void decode_check_states(struct msg_reader *r, struct workload_facts *ret)
{
    struct msg_array array;

    msg_open_array(r, &array);
    if (array.left > FACTS_MAX_CHECKS)
        msg_fail(r, MSG_LENGTH, "at most 16 checks");
    while (msg_next_item(r, &array))
        decode_check_state(r, &ret->checks[ret->check_count++]);
}

static void decode_gates(struct msg_reader *r, struct workload_facts *ret)
{
    struct text names[FACTS_MAX_PREEMPTION_GATES];

    ret->gate_count = decode_spec_gates(r, names);
    for (uint32_t i = 0; i < ret->gate_count; i++)
        ret->gates[i].name = names[i];
}

static void take_gate_states(const struct gate_states *states, struct workload_facts *ret)
{
    for (uint32_t i = 0; i < states->count; i++) {
        bool known = false;

        for (uint32_t g = 0; g < ret->gate_count; g++) {
            if (!text_same(states->item[i].name, ret->gates[g].name))
                continue;
            known = ret->gates[g].said = true;
            ret->gates[g].open = text_is(states->item[i].position, "Open");
        }
        ret->stray_gates = ret->stray_gates || !known;
    }
}

void decode_admitted_workload(struct msg_reader *r, struct scratch *scratch,
                              struct workload_facts *ret)
{
    struct gate_states states = {0};
    const struct identity who = {&ret->uid, &ret->space, &ret->name};
    struct msg_map map;
    struct msg_text key;
    bool has_created = false;
    int64_t count;

    *ret = (struct workload_facts){.active = true};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "created"))
            has_created = msg_get_int(r, 0, DECODE_TIME_MAX, &ret->created);
        else if (msg_text_is(key, "resourceVersion"))
            msg_get_int(r, 0, INT64_MAX, &ret->version);
        else if (msg_text_is(key, "queue"))
            decode_words(r, DECODE_NAME_MAX, &ret->queue);
        else if (msg_text_is(key, "priority"))
            decode_priority(r, &ret->priority);
        else if (msg_text_is(key, "active"))
            ret->active = decode_bool(r);
        else if (msg_text_is(key, "deleted"))
            ret->deleted = decode_bool(r);
        else if (msg_text_is(key, "podSets"))
            decode_sets(r, scratch, ret);
        else if (msg_text_is(key, "gates"))
            decode_gates(r, ret);
        else if (msg_text_is(key, "gateStatus"))
            decode_gate_states(r, &states);
        else if (msg_text_is(key, "conditions"))
            decode_conditions(r, ret);
        else if (msg_text_is(key, "admission"))
            decode_admission(r, scratch, ret);
        else if (msg_text_is(key, "checks"))
            decode_check_states(r, ret);
        else if (msg_text_is(key, "requeueAt"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &ret->requeue_at);
        else if (msg_text_is(key, "requeueCount"))
            ret->has_requeue = msg_get_int(r, 0, INT32_MAX, &count) && count > 0;
        else if (msg_text_is(key, "jobStopped"))
            ret->job_stopped = decode_bool(r);
        else if (msg_text_is(key, "cannotPreempt"))
            ret->yields = decode_bool(r);
        else if (msg_text_is(key, "jobUid"))
            decode_words(r, DECODE_NAME_MAX, &ret->job);
        else if (msg_text_is(key, "unsupported"))
            decode_words(r, SIZE_MAX, &ret->unsupported);
        else if (msg_text_is(key, "admissionGated"))
            ret->admission_gated = decode_bool(r);
        else if (!decode_identity(r, key, &who))
            msg_skip_unknown(r);
    }
    require_identity(r, &who);
    msg_require(r, has_created, "created");
    msg_require(r, ret->set_count > 0, "podSets");
    ret->has_requeue = ret->has_requeue || ret->requeue_at != 0;
    ret->admission_gated = ret->admission_gated && ret->unsupported.len > 0;
    take_gate_states(&states, ret);
}

void decode_local_queue(struct msg_reader *r, bool gone, struct local_queue_facts *ret)
{
    const struct identity who = {&ret->uid, &ret->space, &ret->name};
    struct msg_map map;
    struct msg_text key;

    *ret = (struct local_queue_facts){.selected = true, .stop = QUEUE_OPEN};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "clusterQueue"))
            decode_name(r, &ret->queue);
        else if (msg_text_is(key, "stopPolicy"))
            decode_stop(r, &ret->stop);
        else if (msg_text_is(key, "selected"))
            ret->selected = decode_bool(r);
        else if (msg_text_is(key, "resourceVersion"))
            msg_get_int(r, 0, INT64_MAX, &ret->version);
        else if (!decode_identity(r, key, &who))
            msg_skip_unknown(r);
    }
    msg_require(r, ret->space.len > 0, "namespace");
    msg_require(r, ret->name.len > 0, "name");
    msg_require(r, ret->queue.len > 0 || gone, "clusterQueue");
}

void decode_check(struct msg_reader *r, struct text *ret_name, bool *ret_active)
{
    struct msg_map map;
    struct msg_text key;
    bool has_name = false;

    *ret_active = true;
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            has_name = decode_name(r, ret_name);
        else if (msg_text_is(key, "active"))
            msg_get_bool(r, ret_active);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, has_name, "name");
}
