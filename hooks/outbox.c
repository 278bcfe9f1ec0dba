/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "plugin/base/index.h"
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
    fleet_tick(call->fleet);
    call_answer(call, 0);
}

/* False: no memory for it. */
static bool put(struct call *call, const struct effect *effect)
{
    struct msg_writer *w = &call->out;

    if (effect->object == EFFECT_OF_DISPATCH || effect->object == EFFECT_OF_REPLICA)
        return put_fleet_effect(w, call->fleet, &call->handle->scratch, effect);
    if (effect->object == EFFECT_OF_WORKLOAD)
        put_workload_effect(w, call->engine, effect);
    else
        put_effect(w, call->engine, effect);
    return true;
}

/* Of what an effect says, which begins behind the keys that all have. */
static uint64_t hash_content(const struct msg_writer *w, size_t mark, const struct effect *effect)
{
    struct msg_writer names;
    size_t begin;

    msg_writer_init(&names, NULL, 0);
    put_effect_name(&names, effect);
    begin =
        mark + (w->out[mark] >> 4 == 8 ? 1 : 3) + msg_writer_length(&names); /* fixmap, map 16 */
    return hash_bytes64(w->out + begin, msg_writer_mark(w) - begin, 0);
}

/* Whether the first one fits, if there is one, under any number, and there is memory for all. Else
 * nothing was noted yet, and the call says what it needs. */
static bool first_fits(struct call *call, uint32_t max)
{
    struct msg_writer *w = &call->out;
    size_t mark = msg_writer_mark(w);
    struct effect effect;

    if (!outbox_peek(call->handle->outbox, &effect))
        return true;
    effect.id = INT64_MAX;
    effect.attempt = UINT32_MAX;
    if (outbox_reserve(call->handle->outbox, max) < 0 || !put(call, &effect))
        call_no_memory(call);
    if (call->result < 0 || !msg_writer_fits(w))
        return false;
    msg_writer_rewind(w, mark);
    return true;
}

/* An effect is leased once it is written as a whole. One that says something else than when it was
 * given out before is written again, as another one. The next one is looked at in any case, so that
 * a drain leaves the same behind whether it ended by its number or by its room. */
static void put_effects(struct call *call, uint32_t max)
{
    struct msg_writer *w = &call->out;
    struct effect effect;
    uint32_t count = 0;
    int next = 0;

    msg_put_key(w, "effects");

    size_t place = msg_put_array_later(w);
    if (!first_fits(call, max))
        return;
    while ((next = outbox_next(call->handle->outbox, &effect)) > 0 && count < max) {
        size_t mark = msg_writer_mark(w);
        uint64_t content = 0;
        bool written = put(call, &effect);

        if (written && msg_writer_fits(w)) {
            content = hash_content(w, mark, &effect);
            if (outbox_renumber(call->handle->outbox, &effect, content)) {
                msg_writer_rewind(w, mark);
                written = put(call, &effect);
            }
        }
        if (!written)
            next = ENGINE_NO_MEMORY;
        if (!written || !msg_writer_fits(w)) {
            msg_writer_rewind(w, mark);
            break;
        }
        outbox_lease(call->handle->outbox, &effect, content);
        probes_tell(call->number, call->engine);
        count++;
    }
    if (next < 0 && count == 0)
        call_no_memory(call);
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
        if (!outbox_ack(call->handle->outbox, acks[i].id, acks[i].result, acks[i].version))
            unknown++;
        probes_tell(call->number, call->engine);
    }
    call_answer(call, 1);
    put_key_int(&call->out, "unknown", unknown);
}
