/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "serve.h"

static bool read_uid(struct call *call, struct text *ret)
{
    struct msg_text key;
    bool has_uid = false;

    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "uid"))
            has_uid = decode_uid(&call->in, ret);
        else
            msg_skip_unknown(&call->in);
    }
    msg_require(&call->in, has_uid, "uid");
    return call_begin(call);
}

void serve_pre_filter(struct call *call)
{
    struct text uid;
    struct verdict verdict;
    bool nodes_matter, unschedulable;

    if (!read_uid(call, &uid))
        return;
    engine_pre_filter(call->engine, uid, &verdict, &nodes_matter, &unschedulable);
    call_answer(call, VERDICT_KEYS + 2);
    put_verdict(&call->out, &verdict);
    put_key_bool(&call->out, "nodes", nodes_matter);
    put_key_bool(&call->out, "unschedulable", unschedulable);
}

void serve_post_filter(struct call *call)
{
    struct text uid;

    if (!read_uid(call, &uid))
        return;
    engine_post_filter(call->engine, uid);
    call_answer(call, 0);
}

/* Which nodes are asked about: count ids at the reader, or every one. */
struct asked {
    bool named, every;
    struct msg_reader ids;
    uint32_t count;
};

static void read_nodes(struct msg_reader *r, struct asked *ret)
{
    struct msg_array array;

    ret->named = true;
    ret->every = msg_get_nil(r);
    if (ret->every)
        return;
    ret->ids = *r;
    msg_open_array(r, &array);
    ret->count = array.left;
    while (msg_next_item(r, &array)) {
        int64_t id;

        msg_get_int(r, 0, UINT32_MAX, &id);
    }
}

static bool may_use(const struct call *call, uint32_t claim, uint32_t node)
{
    return node < engine_node_end(call->engine) && engine_filter(call->engine, claim, node);
}

/* The n-th bit is the n-th of the array, or the node with the id n. */
static void put_bits(struct call *call, struct text uid, struct asked *asked)
{
    uint32_t claim = engine_find_pod(call->engine, uid);
    size_t size = ((size_t)asked->count + 7) / 8;
    uint8_t *bits = scratch_take(&call->handle->scratch, size);
    struct msg_array array;

    if (size > 0)
        memset(bits, 0, size);
    if (!asked->every)
        msg_open_array(&asked->ids, &array);
    for (uint32_t n = 0; n < asked->count; n++) {
        int64_t id = n;

        if (!asked->every) {
            msg_next_item(&asked->ids, &array);
            msg_get_int(&asked->ids, 0, UINT32_MAX, &id);
        }
        if (may_use(call, claim, (uint32_t)id))
            bits[n / 8] |= (uint8_t)(1u << n % 8);
    }
    msg_put_key(&call->out, "bits");
    msg_put_bin(&call->out, bits, size);
}

void serve_filter(struct call *call)
{
    struct msg_text key;
    struct asked asked = {.named = false, .every = false, .count = 0};
    struct text uid;
    bool has_uid = false;

    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "uid"))
            has_uid = decode_uid(&call->in, &uid);
        else if (msg_text_is(key, "nodes"))
            read_nodes(&call->in, &asked);
        else
            msg_skip_unknown(&call->in);
    }
    msg_require(&call->in, has_uid, "uid");
    msg_require(&call->in, asked.named, "nodes");
    if (asked.every)
        asked.count = engine_node_end(call->engine);

    uint64_t size = (asked.count + UINT64_C(7)) / 8;
    if (!call_has_room(call, 64 + size) || !call_begin(call))
        return;
    if (!scratch_reserve(&call->handle->scratch, size)) {
        call_no_memory(call);
        return;
    }
    call_answer(call, 1);
    put_bits(call, uid, &asked);
}
