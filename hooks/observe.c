/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "observe_fleet.h"
#include "serve.h"

/* What runs counts by what of it can be read: who wrote the rest must gain nothing by it. */
static void read_bound(struct call *call, struct msg_reader *again, struct pod_facts *ret_pod)
{
    struct pod_facts pod;
    uint8_t opted;

    decode_pod(again, POD_BOUND, &pod, &opted);
    if (again->error < 0)
        return;
    call->in = *again;
    *ret_pod = pod;
}

static void observe_pod(struct call *call, bool gone)
{
    struct msg_reader again = call->in;
    struct pod_facts pod;
    uint8_t opted;

    if (gone)
        decode_lost_pod(&call->in, &pod.uid);
    else
        decode_pod(&call->in, POD_SEEN, &pod, &opted);
    if (!gone && call->in.error < 0 && again.error == 0)
        read_bound(call, &again, &pod);
    if (!call_begin(call))
        return;
    if (gone)
        engine_lose_pod(call->engine, pod.uid);
    else
        call_seen(call, engine_see_pod(call->engine, &pod));
}

static void observe_queue(struct call *call, bool gone)
{
    struct queue_facts queue;

    if (gone)
        decode_lost_queue(&call->in, &queue.kind, &queue.name);
    else
        decode_queue(&call->in, &call->handle->scratch, &queue);
    if (!call_begin(call))
        return;
    call_seen(call, gone ? engine_lose_queue(call->engine, queue.kind, queue.name)
                         : engine_see_queue(call->engine, &queue));
}

static void observe_flavor(struct call *call, bool gone)
{
    struct flavor_facts flavor;

    if (gone)
        decode_lost_named(&call->in, &flavor.name);
    else
        decode_flavor(&call->in, &flavor);
    if (!call_begin(call))
        return;
    call_seen(call, gone ? engine_lose_flavor(call->engine, flavor.name)
                         : engine_see_flavor(call->engine, &flavor));
}

static void observe_admitted(struct call *call, bool gone)
{
    struct workload_facts workload;
    struct replica_facts lost;
    enum workload_role role;

    if (gone) {
        decode_lost_workload(&call->in, &role, &lost);
    } else if (!scratch_reserve(&call->handle->scratch, decode_workload_scratch(call->len))) {
        call_no_memory(call);
        return;
    } else {
        decode_admitted_workload(&call->in, &call->handle->scratch, &workload);
    }
    if (!call_begin(call))
        return;
    if (gone)
        engine_lose_workload(call->engine, lost.space, lost.name, lost.uid);
    else
        call_seen(call, engine_see_workload(call->engine, &workload));
}

static void observe_workload(struct call *call, bool gone)
{
    const struct engine_config *config = &call->handle->config;
    enum workload_role role = call->handle->manages ? ROLE_MANAGER : ROLE_WORKER;
    bool known = decode_role_of(call->in, &role);

    if (known && role == ROLE_WORKER && !config_names_effect(config, EFFECT_WRITE_WORKLOAD))
        call_refuse(call, SLUICE_UNSUPPORTED, "object.role", "\"worker\"",
                    "manager: without writeWorkload among the effects of `open` nothing is "
                    "admitted here");
    else if (known && role == ROLE_MANAGER && !call->handle->manages)
        call_refuse(call, SLUICE_UNSUPPORTED, "object.role", "\"manager\"",
                    "worker: only a manager of worker clusters dispatches workloads");
    else if (known && role == ROLE_WORKER)
        observe_admitted(call, gone);
    else
        observe_dispatch(call, gone);
}

static void observe_local_queue(struct call *call, bool gone)
{
    struct local_queue_facts local;

    decode_local_queue(&call->in, gone, &local);
    if (!call_begin(call))
        return;
    if (gone)
        engine_lose_local_queue(call->engine, local.space, local.name);
    else
        call_seen(call, engine_see_local_queue(call->engine, &local));
}

static void observe_check(struct call *call, bool gone)
{
    struct text name;
    bool active;

    decode_check(&call->in, &name, &active);
    if (!call_begin(call))
        return;
    if (gone)
        engine_lose_check(call->engine, name);
    else
        call_seen(call, engine_see_check(call->engine, name, active));
}

static void observe_group(struct call *call, bool gone)
{
    struct group_facts group;

    if (gone)
        decode_lost_group(&call->in, &group);
    else
        decode_pod_group(&call->in, &call->handle->scratch, &group);
    if (!call_begin(call))
        return;
    call_seen(call,
              gone ? engine_lose_group(call->engine, group.kind, group.space, group.name, group.uid)
                   : engine_see_group(call->engine, &group));
}

/* Whether there is an id: of a node that is there. */
static bool observe_node(struct call *call, bool gone, uint32_t *ret_id)
{
    struct node_facts node;

    if (gone)
        decode_lost_named(&call->in, &node.name);
    else
        decode_node(&call->in, &call->handle->scratch, &node);
    if (!call_begin(call))
        return false;
    if (!gone)
        return call_seen(call, engine_see_node(call->engine, &node, ret_id));
    call_seen(call, engine_lose_node(call->engine, node.name));
    return false;
}

static void observe_synced(struct call *call, bool gone)
{
    if (gone)
        call_refuse(call, SLUICE_FIELD, "gone", "true",
                    "false: that everything was listed is never withdrawn");
    if (!call_begin(call))
        return;
    engine_set_synced(call->engine);
    fleet_set_synced(call->fleet);
}

static void observe_leader(struct call *call, bool gone)
{
    if (!call_begin(call))
        return;
    engine_set_leader(call->engine, !gone);
    fleet_set_leader(call->fleet, !gone);
}

enum kind {
    KIND_POD,
    KIND_NODE,
    KIND_QUEUE,
    KIND_FLAVOR,
    KIND_GROUP,
    KIND_WORKLOAD,
    KIND_CLUSTER,
    KIND_REPLICA,
    KIND_LOCAL_QUEUE,
    KIND_CHECK, /* the last that is about an object */
    KIND_SYNCED,
    KIND_LEADER,
    KIND_NOTHING,
    KIND_UNMANAGED,     /* a manager's, and this is none */
    KIND_HOLDS_NOBODY,  /* a group, of a host that cannot end a wait in Permit */
    KIND_ADMITS_NOBODY, /* what workloads need, of a host that does not write them */
};

/* The kinds that there are, and who hears of each. */
static const struct {
    const char *name;
    void (*observe)(struct call *call, bool gone); /* NULL: its answer has an id */
    bool needs_scratch; /* what of it differs in length is kept there until the call ends */
} kinds[] = {
    [KIND_POD] = {"pod", observe_pod, false},
    [KIND_NODE] = {"node", NULL, true},
    [KIND_QUEUE] = {"queue", observe_queue, true},
    [KIND_FLAVOR] = {"flavor", observe_flavor, false},
    [KIND_GROUP] = {"group", observe_group, true},
    [KIND_WORKLOAD] = {"workload", observe_workload, false},
    [KIND_CLUSTER] = {"cluster", observe_cluster, false},
    [KIND_REPLICA] = {"replica", observe_replica, false},
    [KIND_LOCAL_QUEUE] = {"localQueue", observe_local_queue, false},
    [KIND_CHECK] = {"check", observe_check, false},
    [KIND_SYNCED] = {"synced", observe_synced, false},
    [KIND_LEADER] = {"leader", observe_leader, false},
};

/* What a host would have to say to be heard. */
static const char *const wants[] = {
    [KIND_UNMANAGED] = "a configuration with the key multiKueue: only a manager of worker "
                       "clusters takes this kind",
    [KIND_HOLDS_NOBODY] = "answerPermit among the effects of `open`: who waits for a gang on its "
                          "node must be told of its end",
    [KIND_ADMITS_NOBODY] = "writeWorkload among the effects of `open`: without it nothing is "
                           "admitted here",
};

static enum kind kind_of(struct text name)
{
    enum kind kind = KIND_POD;

    while (kind < KIND_NOTHING && !text_is(name, kinds[kind].name))
        kind++;
    return kind;
}

/* Worker clusters are known to their manager only, groups to hosts that can hold a gang. */
static enum kind kind_here(const struct call *call, struct text name)
{
    enum kind kind = kind_of(name);
    bool holds = config_names_effect(&call->handle->config, EFFECT_ANSWER_PERMIT);
    bool admits = config_names_effect(&call->handle->config, EFFECT_WRITE_WORKLOAD);
    bool managers = kind == KIND_CLUSTER || kind == KIND_REPLICA;

    if (kind == KIND_WORKLOAD) /* whose, its role tells */
        managers = !admits;
    if (kind == KIND_GROUP && !holds)
        return KIND_HOLDS_NOBODY;
    if ((kind == KIND_LOCAL_QUEUE || kind == KIND_CHECK) && !admits)
        return KIND_ADMITS_NOBODY;
    return managers && !call->handle->manages ? KIND_UNMANAGED : kind;
}

static void answer(struct call *call, bool ignored, bool has_id, uint32_t id)
{
    if (call->result < 0)
        return;
    call_answer(call, has_id ? 2 : 1);
    put_key_bool(&call->out, "ignored", ignored);
    if (has_id)
        put_key_int(&call->out, "id", id);
}

/* Time goes on for both: what is due is done also where the message was not heard. What failed has
 * changed nothing, and KIND_SYNCED and KIND_LEADER both have heard. */
static void tick_the_other(struct call *call, enum kind kind)
{
    if (!call->begun || call->result < 0 || kind > KIND_CHECK)
        return;
    if (call->of_fleet)
        engine_tick(call->engine);
    else
        fleet_tick(call->fleet);
}

static void observe(struct call *call, struct text name, bool gone)
{
    enum kind kind = kind_here(call, name);
    uint32_t id = 0;
    bool has_id = false;

    if (kind == KIND_NODE)
        has_id = observe_node(call, gone, &id);
    else if (kind < KIND_NOTHING)
        kinds[kind].observe(call, gone);
    else if (kind == KIND_NOTHING)
        call_begin(call);
    else
        call_refuse_text(call, SLUICE_UNSUPPORTED, "kind", name, wants[kind]);
    tick_the_other(call, kind);
    answer(call, kind == KIND_NOTHING, has_id, id);
}

/* The object may come before its kind: it is read when all else has been. */
void serve_observe(struct call *call)
{
    struct msg_reader *in = &call->in;
    struct msg_reader object;
    struct msg_text key;
    struct text name = {NULL, 0};
    bool has_kind = false, has_object = false, gone = false;
    enum kind kind;

    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "kind")) {
            has_kind = decode_words(in, SIZE_MAX, &name);
        } else if (msg_text_is(key, "gone")) {
            msg_get_bool(in, &gone);
        } else if (msg_text_is(key, "object")) {
            has_object = true;
            object = *in;
            msg_skip_value(in);
        } else {
            msg_skip_unknown(in);
        }
    }
    msg_require(in, has_kind, "kind");
    msg_require(in, call->has_now, "now");
    if (kind_here(call, name) <= KIND_CHECK) {
        msg_require(in, has_object, "object");
        if (in->error == 0)
            *in = object;
    }
    kind = kind_of(name);
    if (in->error == 0 && kind < KIND_NOTHING && kinds[kind].needs_scratch &&
        !scratch_reserve(&call->handle->scratch, decode_scratch(call->len)))
        call_no_memory(call);
    else
        observe(call, name, gone);
}
