/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "serve.h"

/* A pod and its node. Which node it is makes no difference to the queues, but a host that does not
 * know it is wrong. ret_tries: the scheduler only finds out whether a group would have nodes; NULL:
 * that makes no difference either. */
static bool read_placed(struct call *call, struct text *ret_uid, bool *ret_tries)
{
    struct msg_text key;
    struct text node;
    bool has_uid = false, has_node = false, tries = false;

    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "uid"))
            has_uid = decode_uid(&call->in, ret_uid);
        else if (msg_text_is(key, "node"))
            has_node = decode_name(&call->in, &node);
        else if (msg_text_is(key, "groupCycle"))
            msg_get_bool(&call->in, &tries);
        else
            msg_skip_unknown(&call->in);
    }
    msg_require(&call->in, has_uid, "uid");
    msg_require(&call->in, has_node, "node");
    if (ret_tries != NULL)
        *ret_tries = tries;
    return call_begin(call);
}

void serve_reserve(struct call *call)
{
    struct text uid;
    struct verdict verdict;
    bool tries;

    if (!read_placed(call, &uid, &tries))
        return;
    engine_reserve(call->engine, uid, tries, &verdict);
    call_answer(call, VERDICT_KEYS);
    put_verdict(&call->out, &verdict);
}

void serve_unreserve(struct call *call)
{
    struct text uid;
    bool tries;

    if (!read_placed(call, &uid, &tries))
        return;
    if (!tries)
        engine_unreserve(call->engine, uid);
    call_answer(call, 0);
}

void serve_permit(struct call *call)
{
    struct text uid;
    int64_t until;
    bool allow;

    if (!read_placed(call, &uid, NULL))
        return;
    allow = engine_permit(call->engine, uid, &until);
    call_answer(call, 2);
    put_key_bool(&call->out, "allow", allow);
    put_key_int(&call->out, "wait", until);
}

void serve_bind(struct call *call)
{
    struct text uid;
    struct removal_patch patch;

    if (!read_placed(call, &uid, NULL))
        return;
    engine_bind(call->engine, uid, &patch);
    call_answer(call, PATCH_KEYS);
    put_patch(&call->out, call->engine, &patch);
    if (msg_writer_fits(&call->out) && patch.gates != 0)
        engine_hand_out(call->engine, uid);
}

void serve_post_bind(struct call *call)
{
    struct text uid;

    if (!read_placed(call, &uid, NULL))
        return;
    engine_post_bind(call->engine, uid);
    call_answer(call, 0);
}
