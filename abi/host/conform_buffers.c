/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_checks.h"

/* Every size up to this one, then fewer and fewer of them. */
enum {
    EVERY_SIZE = 4096,
};

static size_t next_size(size_t cap, size_t size)
{
    if (cap < EVERY_SIZE || cap + EVERY_SIZE / 8 >= size)
        return cap + 1;
    return cap + 61;
}

static void sizes(struct probe *probe, enum loader_hook hook, uint64_t handle, const char *before)
{
    const struct request *r = &probe->samples[hook].request;
    size_t size = probe->samples[hook].cap;

    for (size_t cap = 0; cap < size; cap = next_size(cap, size)) {
        probe_detail(probe, "cap %zu, of %zu that it needs", cap, size);
        int64_t result = probe_call(probe, hook, handle, request_bytes(r), request_len(r), cap);

        if (probe->subject->use[hook] == USE_REFUSES &&
            sluice_error_code(result) == SLUICE_UNSUPPORTED)
            continue;
        if (sluice_error_code(result) != SLUICE_TOO_SMALL)
            probe_wrong(probe, probe_function(hook), "returned %lld, want TOO_SMALL",
                        (long long)result);
        else if (sluice_error_length(result) != size)
            probe_wrong(probe, probe_function(hook), "needs %llu by TOO_SMALL, %zu by the manifest",
                        (unsigned long long)sluice_error_length(result), size);
        if (cap % 64 == 0 || cap + 1 == size)
            probe_unchanged(probe, probe_function(hook), handle, before);
    }
}

static void argument(struct probe *probe, enum loader_hook hook, uint64_t handle,
                     const uint8_t *req, size_t len, uint8_t *out, size_t cap, const char *before)
{
    int64_t result;

    points_doing(probe->points, "%s (%s)", probe_function(hook), probe->detail);
    result = loader_call(probe->lib, hook, handle, req, len, out, cap);
    if (result != -(int64_t)SLUICE_ARGUMENT)
        probe_wrong(probe, probe_function(hook), "returned %lld, want ARGUMENT", (long long)result);
    probe_unchanged(probe, probe_function(hook), handle, before);
}

static void null_pointers(struct probe *probe, enum loader_hook hook, uint64_t handle,
                          const char *before)
{
    const struct request *r = &probe->samples[hook].request;
    size_t cap = probe->samples[hook].cap;
    uint8_t *out = malloc(cap);

    if (!out)
        abort();
    probe_detail(probe, "a null pointer for a request of 5 bytes");
    argument(probe, hook, handle, NULL, 5, out, cap, before);
    probe_detail(probe, "a null pointer for an answer of %zu bytes", cap);
    argument(probe, hook, handle, request_bytes(r), request_len(r), NULL, cap, before);
    free(out);
}

/* The request lies at the start, in the middle and at the end of the answer's buffer. */
static void overlaps(struct probe *probe, enum loader_hook hook, uint64_t handle,
                     const char *before)
{
    const struct request *r = &probe->samples[hook].request;
    size_t cap = probe->samples[hook].cap;
    size_t len = request_len(r);
    uint8_t *both = malloc(cap + 2 * len);

    if (!both)
        abort();
    for (int i = 0; i < 3; i++) {
        size_t at = (size_t[]){1, len + cap / 2, cap + len - 1}[i];

        probe_detail(probe, "a request that overlaps the answer's %s",
                     (const char *[]){"start", "middle", "end"}[i]);
        memcpy(both + at, request_bytes(r), len);
        argument(probe, hook, handle, both + at, len, both + len, cap, before);
        if (memcmp(both + at, request_bytes(r), len) != 0)
            probe_wrong(probe, probe_function(hook), "wrote into its request");
    }
    free(both);
}

void check_buffers(struct points *points, void *arg)
{
    const struct hook_check *check = arg;
    const char *name = loader_hook_name(check->hook);
    struct probe probe;
    char before[DIGEST_BYTES];

    if (!probe_init(&probe, points, check->subject))
        return;
    uint64_t handle = probe_open(&probe);
    probe_populate(&probe, handle);
    probe_digest(&probe, handle, before);

    point_begin(points, "%s says what size it needs, at every smaller size, and does nothing",
                name);
    sizes(&probe, check->hook, handle, before);
    point_end(points);
    point_begin(points, "%s with a null pointer is ARGUMENT", name);
    null_pointers(&probe, check->hook, handle, before);
    point_end(points);
    point_begin(points, "%s with buffers that overlap is ARGUMENT", name);
    overlaps(&probe, check->hook, handle, before);
    point_end(points);
    probe_close(&probe, handle);
}
