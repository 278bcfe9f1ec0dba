/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"

uint32_t sluice_abi(void)
{
    return SLUICE_ABI_MAJOR << 16 | SLUICE_ABI_MINOR;
}

int64_t sluice_close(uint64_t handle)
{
    struct handle *closed = handle_withdraw(handle);

    if (!closed)
        return call_error(SLUICE_NO_HANDLE, 0);
    handle_destroy(closed);
    return 0;
}

int64_t sluice_observe(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                       uint64_t cap)
{
    return call_run(HOOK_OBSERVE, handle, req, len, out, cap);
}

int64_t sluice_admit(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap)
{
    return call_run(HOOK_ADMIT, handle, req, len, out, cap);
}

int64_t sluice_pre_enqueue(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                           uint64_t cap)
{
    return call_run(HOOK_PRE_ENQUEUE, handle, req, len, out, cap);
}

int64_t sluice_pre_filter(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                          uint64_t cap)
{
    return call_run(HOOK_PRE_FILTER, handle, req, len, out, cap);
}

int64_t sluice_filter(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap)
{
    return call_run(HOOK_FILTER, handle, req, len, out, cap);
}

int64_t sluice_post_filter(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                           uint64_t cap)
{
    return call_run(HOOK_POST_FILTER, handle, req, len, out, cap);
}

int64_t sluice_reserve(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                       uint64_t cap)
{
    return call_run(HOOK_RESERVE, handle, req, len, out, cap);
}

int64_t sluice_unreserve(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                         uint64_t cap)
{
    return call_run(HOOK_UNRESERVE, handle, req, len, out, cap);
}

int64_t sluice_permit(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap)
{
    return call_run(HOOK_PERMIT, handle, req, len, out, cap);
}

int64_t sluice_bind(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap)
{
    return call_run(HOOK_BIND, handle, req, len, out, cap);
}

int64_t sluice_post_bind(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                         uint64_t cap)
{
    return call_run(HOOK_POST_BIND, handle, req, len, out, cap);
}

int64_t sluice_command(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                       uint64_t cap)
{
    return call_run(HOOK_COMMAND, handle, req, len, out, cap);
}

int64_t sluice_tick(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap)
{
    return call_run(HOOK_TICK, handle, req, len, out, cap);
}

int64_t sluice_drain(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap)
{
    return call_run(HOOK_DRAIN, handle, req, len, out, cap);
}

int64_t sluice_ack(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap)
{
    return call_run(HOOK_ACK, handle, req, len, out, cap);
}

int64_t sluice_inspect(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                       uint64_t cap)
{
    return call_run(HOOK_INSPECT, handle, req, len, out, cap);
}
