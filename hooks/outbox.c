/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "probes.h"
#include "serve.h"

enum { DRAIN_MAX = 1024, DRAIN_DEFAULT = 64, ACKS_MAX = 1024 };

void serve_tick(struct call *call)
{
    struct msg_text key;

    while (call_next_key(call, &key))
        msg_skip_unknown(&call->in);
    if (!call_begin(call))
        return;
    engine_tick(call->engine);
    call_answer(call, 0);
}

/* An effect is leased once it is written as a whole. If not even the first one fits it stays, too
 * long, and the call says what it needs. */
static void put_effects(struct call *call, uint32_t max)
{
    struct msg_writer *w = &call->out;
    struct effect effect;
    uint32_t count = 0;

    msg_put_key(w, "effects");

    size_t place = msg_put_array_later(w);
    while (count < max && engine_next_effect(call->engine, &effect)) {
        size_t mark = msg_writer_mark(w);
        bool written = true;

        if (effect.object == EFFECT_OF_WORKLOAD || effect.object == EFFECT_OF_REPLICA)
            written = put_fleet_effect(w, call->engine, &call->handle->scratch, &effect);
        else if (effect.object == EFFECT_OF_LOAD)
            put_load_effect(w, call->engine, &effect);
        else
            put_effect(w, call->engine, &effect);

        if (!written && count == 0)
            call_no_memory(call);
        if (!written || !msg_writer_fits(w)) {
            if (count > 0)
                msg_writer_rewind(w, mark);
            break;
        }
        engine_lease(call->engine, effect.id);
        probes_tell(call->number, call->engine);
        count++;
    }
    msg_set_count(w, place, count);
}

void serve_drain(struct call *call)
{
    struct msg_text key;
    int64_t max = DRAIN_DEFAULT;

    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "max"))
            msg_get_int(&call->in, 1, DRAIN_MAX, &max);
        else
            msg_skip_unknown(&call->in);
    }
    if (!call_begin(call))
        return;
    call_answer(call, 1);
    put_effects(call, (uint32_t)max);
}

struct ack {
    int64_t id;
    enum effect_result result;
    int64_t version;
};

static void decode_ack(struct msg_reader *r, struct ack *ret)
{
    static const char *const results[] = {
        [EFFECT_DONE] = "done",
        [EFFECT_GONE] = "gone",
        [EFFECT_CONFLICT] = "conflict",
        [EFFECT_RETRY] = "retry",
        NULL,
    };
    struct msg_map map;
    struct msg_text key;
    bool has_id = false;
    bool has_result = false;
    int result = EFFECT_DONE;

    ret->version = 0;
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "id"))
            has_id = msg_get_int(r, INT64_MIN, INT64_MAX, &ret->id);
        else if (msg_text_is(key, "result"))
            has_result = msg_get_enum(r, results, &result);
        else if (msg_text_is(key, "resourceVersion"))
            msg_get_int(r, 0, INT64_MAX, &ret->version);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, has_id, "id");
    msg_require(r, has_result, "result");
    ret->result = (enum effect_result)result;
}

/* All are read before the first one counts. */
void serve_ack(struct call *call)
{
    struct msg_text key;
    struct ack acks[ACKS_MAX];
    uint32_t count = 0;
    uint32_t unknown = 0;
    bool has_acks = false;

    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "acks")) {
            struct msg_array array;

            has_acks = msg_open_array(&call->in, &array);
            if (array.left > ACKS_MAX)
                msg_fail(&call->in, MSG_LENGTH, "at most 1024 of them");
            while (msg_next_item(&call->in, &array))
                decode_ack(&call->in, &acks[count++]);
        } else {
            msg_skip_unknown(&call->in);
        }
    }
    msg_require(&call->in, has_acks, "acks");
    if (!call_begin(call))
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!engine_ack(call->engine, acks[i].id, acks[i].result, acks[i].version))
            unknown++;
        probes_tell(call->number, call->engine);
    }
    call_answer(call, 1);
    put_key_int(&call->out, "unknown", unknown);
}
