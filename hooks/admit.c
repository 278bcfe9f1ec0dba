/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "serve.h"

enum operation { OPERATION_CREATE, OPERATION_UPDATE, OPERATION_DELETE };

/* A gate has the name of the annotation that opts the pod in. */
static void answer(struct call *call, enum gate_advice advice, uint8_t opted)
{
    uint8_t gate = opted & GATE_LONG ? GATE_LONG : opted;
    bool refused = advice == GATE_REFUSE_STAMP;

    call_answer(call, 3);
    put_key_bool(&call->out, "allow", !refused);
    put_key_str(&call->out, "reason",
                refused ? "sluice.sh/granted says when a pod was granted: only sluice writes it, "
                          "remove the annotation"
                        : "");
    msg_put_key(&call->out, "gates");
    put_gates(&call->out, advice == GATE_ADD ? gate : 0);
}

static void admit_pod(struct call *call, enum operation operation)
{
    struct pod_facts pod;
    uint8_t opted;

    decode_pod(&call->in, POD_ADMITTED, &pod, &opted);
    if (!call_begin(call))
        return;
    answer(call,
           operation == OPERATION_CREATE ? gate_admit(&call->handle->config, &pod) : GATE_LEAVE,
           opted);
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
    bool has_kind = false, has_operation = false, has_object = false;

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
    if (in->error == 0 && !text_is(kind, "pod")) {
        call_refuse_text(call, SLUICE_UNSUPPORTED, "kind", kind,
                         "pod: this version admits no others");
        return;
    }
    if (in->error == 0)
        *in = object;
    admit_pod(call, (enum operation)operation);
}
