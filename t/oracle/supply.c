/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/supply.h"

#include <stdlib.h>

enum { MOST_ALLOCATIONS = 2000 };

static bool gives(struct supply *supply, size_t size)
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
    struct supply *supply = ctx;

    supply->bytes -= size;
    free(p);
}

void supply_init(struct supply *supply, bool starves)
{
    *supply = (struct supply){
        .mem = {take, give_back, supply, take_zeroed}, .left = UINT32_MAX, .starves = starves};
}

const char *supply_call(struct supply *supply, struct engine **engine, supplied_call *call,
                        const void *ctx)
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

struct opening {
    const struct step *config;
    const struct mem *mem;
};

static int create(struct engine **engine, const void *ctx)
{
    const struct opening *opening = ctx;
    struct engine_config config;

    world_config(opening->config->v, &config);
    return engine_create(&config, opening->mem, engine);
}

const char *supply_open(struct supply *supply, const struct step *config, struct engine **ret)
{
    const struct opening opening = {config, &supply->mem};

    *ret = NULL;
    return supply_call(supply, ret, create, &opening);
}

void supply_stop(struct supply *supply)
{
    supply->left = 0;
}
