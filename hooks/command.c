/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "serve.h"

struct order {
    struct command_facts facts;
    struct text kind;
    bool has_uid, has_space, has_name, has_action, has_target, has_target_name;
};

static void decode_target(struct msg_reader *r, struct order *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "kind"))
            decode_words(r, DECODE_NAME_MAX, &ret->kind);
        else if (msg_text_is(key, "name"))
            ret->has_target_name = decode_name(r, &ret->facts.target);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->has_target_name, "name");
}

static void decode_command(struct msg_reader *r, bool gone, struct order *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "uid")) {
            ret->has_uid = decode_uid(r, &ret->facts.uid);
        } else if (msg_text_is(key, "namespace")) {
            ret->has_space = decode_name(r, &ret->facts.space);
        } else if (msg_text_is(key, "name")) {
            ret->has_name = decode_name(r, &ret->facts.name);
        } else if (msg_text_is(key, "created")) {
            msg_get_int(r, 0, DECODE_TIME_MAX, &ret->facts.created);
        } else if (msg_text_is(key, "action")) {
            ret->has_action = decode_words(r, DECODE_NAME_MAX, &ret->facts.action);
        } else if (msg_text_is(key, "target")) {
            ret->has_target = true;
            decode_target(r, ret);
        } else {
            msg_skip_unknown(r);
        }
    }
    msg_require(r, ret->has_uid, "uid");
    msg_require(r, gone || ret->has_space, "namespace");
    msg_require(r, gone || ret->has_name, "name");
    msg_require(r, gone || ret->has_action, "action");
    msg_require(r, gone || ret->has_target, "target");
}

static void answer(struct call *call, bool ignored, const struct command_report *report)
{
    call_answer(call, 5);
    put_key_bool(&call->out, "ignored", ignored);
    put_key_bool(&call->out, "waits", report->waits);
    put_key_str(&call->out, "state", report->state == NULL ? "" : report->state);
    put_key_bool(&call->out, "changed", report->changed);
    put_key_str(&call->out, "reason", report->reason);
}

static void obey(struct call *call, bool gone, const struct order *order)
{
    /* A Command to a Job is Volcano's. */
    bool ours = order->kind.len == 0 || text_is(order->kind, "Queue");
    struct command_report report = {0};

    if (!call_begin(call))
        return;
    if (gone)
        engine_lose_command(call->engine, order->facts.uid);
    else if (ours && !call_seen(call, engine_see_command(call->engine, &order->facts, &report),
                                CALL_LIMIT_QUEUES))
        return;
    answer(call, !ours, &report);
}

void serve_command(struct call *call)
{
    struct msg_reader *in = &call->in;
    struct msg_reader object;
    struct msg_text key;
    struct order order = {0};
    bool gone = false, has_command = false;

    if ((call->handle->config.effects >> EFFECT_QUEUE_STATUS & 1) == 0) {
        call_refuse(call, SLUICE_UNSUPPORTED, "command", "a command",
                    "a queue whose state says so, or queueStatus among the effects of `open`: who "
                    "writes no states carries out no commands");
        return;
    }
    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "gone")) {
            msg_get_bool(in, &gone);
        } else if (msg_text_is(key, "command")) {
            has_command = true;
            object = *in;
            msg_skip_value(in);
        } else {
            msg_skip_unknown(in);
        }
    }
    msg_require(in, call->has_now, "now");
    msg_require(in, has_command, "command");
    if (in->error == 0) {
        *in = object;
        decode_command(in, gone, &order);
    }
    obey(call, gone, &order);
}
