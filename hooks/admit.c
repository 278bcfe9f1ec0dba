/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "plugin/admit.h"
#include "serve.h"

enum operation { OPERATION_CREATE, OPERATION_UPDATE, OPERATION_DELETE };

static void answer(struct call *call, const char *refusal, uint8_t gates)
{
    call_answer(call, 3);
    put_key_bool(&call->out, "allow", refusal == NULL);
    put_key_str(&call->out, "reason", refusal == NULL ? "" : refusal);
    put_gates(&call->out, gates);
}

static bool writes_states(const struct call *call)
{
    return config_names_effect(&call->handle->config, EFFECT_QUEUE_STATUS);
}

/* A pod that names its node asks nobody. */
static bool obeys_queues(const struct call *call, const struct pod_facts *pod)
{
    const struct engine_config *config = &call->handle->config;

    return writes_states(call) && !config->observe_only && pod->node.len == 0 &&
           gate_concerns(config, pod) && gate_manages(config, pod);
}

/* A gate has the name of the annotation that opts the pod in. */
static void admit_pod(struct call *call, enum operation operation)
{
    static const char *const refusals[] = {
        [GATE_LEAVE] = NULL,
        [GATE_ADD] = NULL,
        [GATE_REFUSE_STAMP] = "sluice.sh/granted says when a pod was granted: only sluice writes "
                              "it, remove the annotation",
        [GATE_REFUSE_TWO_GROUPS] = "spec.schedulingGroup names one group, and the annotation "
                                   "scheduling.k8s.io/group-name or "
                                   "scheduling.volcano.sh/group-min-member asks for another: want "
                                   "one of them",
        [GATE_REFUSE_MINIMUM] = "scheduling.volcano.sh/group-min-member says how many pods must "
                                "run together: want a number above 0",
        [GATE_REFUSE_ORDERED] = "scheduling.volcano.sh/group-min-member is above 1, but the "
                                "StatefulSet makes its next pod only when this one runs: want "
                                "podManagementPolicy: Parallel, or a minimum of 1",
    };
    enum gate_advice advice = GATE_LEAVE;
    char reason[QUEUE_REFUSAL_MAX];
    struct pod_facts pod;
    uint8_t opted;

    decode_pod(&call->in, POD_ADMITTED, &pod, &opted);
    if (!call_begin(call))
        return;
    if (operation == OPERATION_CREATE)
        advice = gate_admit(&call->handle->config, &pod);
    if (refusals[advice] != NULL)
        answer(call, refusals[advice], 0);
    else if (operation == OPERATION_CREATE && obeys_queues(call, &pod) &&
             !engine_admit_to_queue(call->engine, &pod, reason))
        answer(call, reason, 0);
    else
        answer(call, NULL, advice == GATE_ADD ? gate_to_add(opted) : 0);
}

static void admit_queue(struct call *call, enum operation operation)
{
    bool deletes = operation == OPERATION_DELETE, allow;
    char reason[QUEUE_REFUSAL_MAX];
    struct queue_facts queue = {0};

    if (deletes)
        decode_lost_queue(&call->in, &queue.kind, &queue.name);
    else
        decode_queue(&call->in, &call->handle->scratch, &queue);
    if (!call_begin(call))
        return;
    allow = queue.kind != QUEUE_VOLCANO || call->handle->config.observe_only ||
            (deletes ? engine_admit_queue_deletion(call->engine, queue.name, reason)
                     : engine_admit_queue(call->engine, &queue, reason));
    answer(call, allow ? NULL : reason, 0);
}

static void admit_command(struct call *call, enum operation operation)
{
    char reason[QUEUE_REFUSAL_MAX];
    struct command_order order;
    bool allow;

    if (operation != OPERATION_CREATE) { /* what it asks for was judged then */
        msg_skip_value(&call->in);
        order.to_queue = false;
    } else {
        decode_command(&call->in, COMMAND_ADMITTED, &order);
    }
    if (!call_begin(call))
        return;
    allow = !order.to_queue || call->handle->config.observe_only ||
            engine_admit_command(call->engine, &order.facts, reason);
    answer(call, allow ? NULL : reason, 0);
}

static void admit_group(struct call *call, enum operation operation)
{
    char reason[QUEUE_REFUSAL_MAX];
    struct group_facts group;
    bool allow;

    if (operation == OPERATION_CREATE)
        decode_pod_group(&call->in, &call->handle->scratch, &group);
    else
        msg_skip_value(&call->in);
    if (!call_begin(call))
        return;
    allow = operation != OPERATION_CREATE || call->handle->config.observe_only ||
            engine_admit_group(call->engine, &group, reason);
    answer(call, allow ? NULL : reason, 0);
}

/* The object may come before its kind: it is read when all else has been. */
void serve_admit(struct call *call)
{
    static const char *const operations[] = {"CREATE", "UPDATE", "DELETE", NULL};
    struct msg_reader *in = &call->in;
    struct msg_reader object;
    struct msg_text key;
    struct text kind = {NULL, 0};
    int operation = OPERATION_CREATE;
    bool has_kind = false, has_operation = false, has_object = false, rules;

    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "kind")) {
            has_kind = decode_words(in, SIZE_MAX, &kind);
        } else if (msg_text_is(key, "operation")) {
            has_operation = msg_get_enum(in, operations, &operation);
        } else if (msg_text_is(key, "object")) {
            has_object = true;
            object = *in;
            msg_skip_value(in);
        } else {
            msg_skip_unknown(in);
        }
    }
    msg_require(in, call->has_now, "now");
    msg_require(in, has_kind, "kind");
    msg_require(in, has_operation, "operation");
    msg_require(in, has_object, "object");
    rules = writes_states(call);
    if (in->error == 0 && !text_is(kind, "pod") &&
        !(rules &&
          (text_is(kind, "queue") || text_is(kind, "command") || text_is(kind, "group")))) {
        call_refuse_text(call, SLUICE_UNSUPPORTED, "kind", kind,
                         rules ? "pod, queue, command or group: this version admits no others"
                               : "pod: this version admits no others");
        return;
    }
    if (in->error == 0)
        *in = object;
    if (text_is(kind, "command"))
        admit_command(call, (enum operation)operation);
    else if (!text_is(kind, "queue") && !text_is(kind, "group"))
        admit_pod(call, (enum operation)operation);
    else if (!scratch_reserve(&call->handle->scratch, decode_scratch(call->len)))
        call_no_memory(call);
    else if (text_is(kind, "group"))
        admit_group(call, (enum operation)operation);
    else
        admit_queue(call, (enum operation)operation);
}
