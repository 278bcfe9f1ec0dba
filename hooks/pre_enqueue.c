/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "serve.h"

void serve_pre_enqueue(struct call *call)
{
    struct pod_facts pod;
    struct verdict verdict;
    struct msg_text key;
    uint8_t opted;
    bool has_pod = false, explain = false;

    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "pod")) {
            decode_pod(&call->in, POD_SEEN, &pod, &opted);
            has_pod = true;
        } else if (msg_text_is(key, "explain")) {
            msg_get_bool(&call->in, &explain);
        } else {
            msg_skip_unknown(&call->in);
        }
    }
    msg_require(&call->in, has_pod, "pod");
    if (!call_begin(call) ||
        !call_seen(call, engine_pre_enqueue(call->engine, &pod, explain, &verdict),
                   CALL_LIMIT_PODS))
        return;
    call_answer(call, VERDICT_KEYS + 1);
    put_verdict(&call->out, &verdict);
    put_key_bool(&call->out, "would", verdict.would);
}
