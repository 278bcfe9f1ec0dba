/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_supply.h"

#include <stdlib.h>

enum { MOST_ALLOCATIONS = 2000 };

static bool gives(struct workload_supply *supply, size_t size)
{
    if (supply->starves && supply->left == 0) {
        supply->refused = true;
        return false;
    }
    supply->left -= supply->starves && supply->left != UINT32_MAX;
    supply->bytes += size;
    return true;
}

static void *take(void *ctx, size_t size)
{
    return gives(ctx, size) ? malloc(size) : NULL;
}

static void *take_zeroed(void *ctx, size_t size)
{
    return gives(ctx, size) ? calloc(1, size) : NULL;
}

static void give_back(void *ctx, void *p, size_t size)
{
    struct workload_supply *supply = ctx;

    supply->bytes -= size;
    free(p);
}

struct mem workload_supply_mem(struct workload_supply *supply)
{
    return (struct mem){take, give_back, supply, take_zeroed};
}

const char *workload_supply_call(struct workload_supply *supply, struct engine **engine,
                                 workload_call *call, const void *ctx)
{
    uint64_t before = *engine == NULL ? 0 : engine_digest(*engine, true);
    size_t bytes = supply->bytes;

    supply->left = UINT32_MAX;
    if (!supply->starves)
        return call(engine, ctx) == 0 ? NULL : "an error from a call that has what it needs";
    for (uint32_t n = 0; n < MOST_ALLOCATIONS; n++) {
        int error;

        supply->left = n;
        supply->refused = false;
        error = call(engine, ctx);
        supply->left = UINT32_MAX;
        if (error == 0)
            return NULL;
        if (error != ENGINE_NO_MEMORY || !supply->refused)
            return "an error that is not for lack of memory";
        if (*engine == NULL && supply->bytes != bytes)
            return "an engine that could not be made keeps memory";
        if (*engine != NULL && engine_check(*engine) != NULL)
            return engine_check(*engine);
        if (*engine != NULL && engine_digest(*engine, true) != before)
            return "a call that failed has changed something";
    }
    return "a call never has memory enough";
}

void workload_supply_stop(struct workload_supply *supply)
{
    supply->left = 0;
}

void workload_supply_resume(struct workload_supply *supply)
{
    supply->left = UINT32_MAX;
}
