/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "serve.h"

static void answer(struct call *call, bool ignored, const struct command_report *report)
{
    call_answer(call, 5);
    put_key_bool(&call->out, "ignored", ignored);
    put_key_bool(&call->out, "waits", report->waits);
    put_key_str(&call->out, "state", report->state == NULL ? "" : report->state);
    put_key_bool(&call->out, "changed", report->changed);
    put_key_str(&call->out, "reason", report->reason);
}

static void obey(struct call *call, bool gone, const struct command_order *order)
{
    bool ours = order->to_queue;
    struct command_report report = {0};

    if (!call_begin(call))
        return;
    if (gone)
        engine_lose_command(call->engine, order->facts.uid);
    else if (ours && !call_seen(call, engine_see_command(call->engine, &order->facts, &report)))
        return;
    fleet_tick(call->fleet);
    answer(call, !ours, &report);
}

void serve_command(struct call *call)
{
    struct msg_reader *in = &call->in;
    struct msg_reader object;
    struct msg_text key;
    struct command_order order = {0};
    bool gone = false, has_command = false;

    if (!config_names_effect(&call->handle->config, EFFECT_QUEUE_STATUS)) {
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
        decode_command(in, gone ? COMMAND_GONE : COMMAND_SEEN, &order);
    }
    obey(call, gone, &order);
}
