/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "serve.h"

/* About a pod that is shown, or about one that was shown before. */
struct question {
    struct pod_facts pod;
    struct text uid;
    int64_t version;
    bool has_pod, has_uid, has_version, explain;
};

static void read_question(struct call *call, struct question *ret)
{
    struct msg_text key;
    uint8_t opted;

    ret->has_pod = ret->has_uid = ret->has_version = ret->explain = false;
    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "pod")) {
            decode_pod(&call->in, POD_SEEN, &ret->pod, &opted);
            ret->has_pod = true;
        } else if (msg_text_is(key, "uid")) {
            ret->has_uid = decode_uid(&call->in, &ret->uid);
        } else if (msg_text_is(key, "resourceVersion")) {
            ret->has_version = msg_get_int(&call->in, 0, INT64_MAX, &ret->version);
        } else if (msg_text_is(key, "explain")) {
            msg_get_bool(&call->in, &ret->explain);
        } else {
            msg_skip_unknown(&call->in);
        }
        if (ret->has_pod && ret->has_uid)
            msg_fail(&call->in, MSG_INVALID, "either `pod` or `uid`, not both");
    }
    msg_require(&call->in, ret->has_pod || ret->has_uid, "pod");
    msg_require(&call->in, ret->has_pod || ret->has_version, "resourceVersion");
}

static void answer(struct call *call, bool known, const struct verdict *verdict)
{
    call_answer(call, VERDICT_KEYS + 2);
    put_verdict(&call->out, verdict);
    put_key_bool(&call->out, "would", verdict->would);
    put_key_bool(&call->out, "known", known);
}

void serve_pre_enqueue(struct call *call)
{
    static const struct verdict none = {.reason = REASON_NONE};
    struct verdict verdict;
    struct question q;

    read_question(call, &q);
    if (!call_begin(call))
        return;
    if (q.has_pod) {
        if (call_seen(call, engine_pre_enqueue(call->engine, &q.pod, q.explain, &verdict)))
            answer(call, true, &verdict);
    } else if (engine_pre_enqueue_known(call->engine, q.uid, q.version, q.explain, &verdict)) {
        answer(call, true, &verdict);
    } else {
        answer(call, false, &none);
    }
}
