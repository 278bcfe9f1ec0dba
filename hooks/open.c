/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"
#include "decode.h"
#include "manifest.h"
#include "probes.h"

static const struct msg_limits config_limits = {MSG_BYTES_DEFAULT, MSG_DEPTH_DEFAULT};

/* A handle that nobody knows yet, or NULL: then *ret_error is an enum sluice_error and, if it is
 * FIELD, *r says more. */
static struct handle *handle_create(const uint8_t *config, size_t len, struct msg_reader *r,
                                    enum sluice_error *ret_error)
{
    struct handle *handle = memory_take(sizeof(*handle));
    struct open_config opened;

    *ret_error = SLUICE_NO_MEMORY;
    if (!handle)
        return NULL;
    *handle = (struct handle){.engine = NULL};
    memory_init(&handle->memory);
    handle->config_bytes = memory_take(len);
    if (!handle->config_bytes)
        goto fail;
    memcpy(handle->config_bytes, config, len);
    msg_reader_init(r, handle->config_bytes, len);
    decode_config(r, &opened);
    if (r->error < 0) {
        *ret_error = SLUICE_FIELD;
        goto fail;
    }
    handle->config = opened.engine;
    handle->fleet_config = opened.fleet;
    handle->manages = opened.manages;
    handle->config.journal = PROBES_BUILT;
    handle->message_limit = opened.message_limit;
    if (!recorder_init(&handle->recorder, opened.record) ||
        engine_create(&handle->config, &handle->memory.mem, &handle->engine) < 0)
        goto fail;
    handle->outbox = engine_outbox(handle->engine);
    if (fleet_create(&handle->fleet_config, &handle->memory.mem, handle->outbox, &handle->fleet) <
        0)
        goto fail;
    engine_set_time(handle->engine, opened.now);
    fleet_set_time(handle->fleet, opened.now);
    return handle;

fail:
    handle_destroy(handle);
    return NULL;
}

struct opening {
    struct handle *handle;
    const uint8_t *config;
    size_t len;
    const uint8_t *manifest; /* NULL: nothing is recorded */
    size_t manifest_len;
};

static void record_opening(void *ctx, int64_t number)
{
    const struct opening *opening = ctx;

    recorder_add(&opening->handle->recorder, "open", opening->config, opening->len, number,
                 opening->manifest, opening->manifest_len);
}

/* The first frame of a recording says which build it comes from. */
static bool describe_build(struct opening *opening)
{
    struct msg_writer w;
    uint8_t *manifest;

    if (opening->handle->recorder.size == 0)
        return true;
    msg_writer_init(&w, NULL, 0);
    put_manifest(&w);
    manifest = memory_take(msg_writer_length(&w));
    if (!manifest)
        return false;
    msg_writer_init(&w, manifest, msg_writer_length(&w));
    put_manifest(&w);
    opening->manifest = manifest;
    opening->manifest_len = msg_writer_length(&w);
    return true;
}

/* Takes the handle: either it has a number, or it is gone. */
static int64_t publish(struct opening *opening, struct msg_fault *ret_fault)
{
    int64_t number = HANDLE_NO_MEMORY;

    if (describe_build(opening))
        number = handle_publish(opening->handle, record_opening, opening);
    memory_give_back((void *)(uintptr_t)opening->manifest);
    if (number > 0)
        return number;
    handle_destroy(opening->handle);
    if (number == HANDLE_NO_MEMORY)
        return call_error(SLUICE_NO_MEMORY, 0);
    *ret_fault = (struct msg_fault){"handles", "1024", "fewer open handles: close one"};
    return call_error(SLUICE_LIMIT, 0);
}

int64_t sluice_open(const uint8_t *config, uint64_t len, uint8_t *out, uint64_t cap)
{
    struct opening opening = {.config = config, .len = len, .manifest = NULL};
    struct msg_reader r;
    enum sluice_error error;
    size_t at;

    if (!call_arguments_valid(config, len, out, cap))
        return call_error(SLUICE_ARGUMENT, 0);

    int flaw = msg_check(config, len, &config_limits, &at);
    if (flaw < 0) {
        call_message_fault(flaw, at, &r.fault);
        return call_error_map(SLUICE_MESSAGE, &r.fault, out, cap);
    }
    opening.handle = handle_create(config, len, &r, &error);
    if (!opening.handle)
        return error == SLUICE_FIELD ? call_error_map(error, &r.fault, out, cap)
                                     : call_error(error, 0);

    int64_t result = publish(&opening, &r.fault);
    return sluice_error_code(result) == SLUICE_LIMIT
               ? call_error_map(SLUICE_LIMIT, &r.fault, out, cap)
               : result;
}
