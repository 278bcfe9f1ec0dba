/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "abi/host/loader.h"

#include <dlfcn.h>
#include <ffi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/sluice.h"

enum {
    /* What `drain` and `inspect` ask for at least, and more than most other answers need. */
    FIRST_CAP = 16 << 10,
};

static const char *const hook_names[LOADER_HOOKS] = {
    [LOADER_OBSERVE] = "observe",
    [LOADER_ADMIT] = "admit",
    [LOADER_PRE_ENQUEUE] = "pre_enqueue",
    [LOADER_PRE_FILTER] = "pre_filter",
    [LOADER_FILTER] = "filter",
    [LOADER_POST_FILTER] = "post_filter",
    [LOADER_RESERVE] = "reserve",
    [LOADER_UNRESERVE] = "unreserve",
    [LOADER_PERMIT] = "permit",
    [LOADER_BIND] = "bind",
    [LOADER_POST_BIND] = "post_bind",
    [LOADER_COMMAND] = "command",
    [LOADER_TICK] = "tick",
    [LOADER_DRAIN] = "drain",
    [LOADER_ACK] = "ack",
    [LOADER_INSPECT] = "inspect",
};

/* How a function is called: its signature in libffi's terms, prepared once. */
struct shape {
    ffi_cif cif;
    ffi_type *args[5];
};

struct loader {
    void *object;
    void (*abi)(void);
    void (*manifest)(void);
    void (*open)(void);
    void (*close)(void);
    void (*hooks[LOADER_HOOKS])(void);
    struct shape abi_shape;
    struct shape manifest_shape;
    struct shape open_shape;
    struct shape close_shape;
    struct shape hook_shape;
};

const char *loader_hook_name(enum loader_hook hook)
{
    return hook_names[hook];
}

int loader_hook_of(const char *name, size_t len)
{
    for (int i = 0; i < LOADER_HOOKS; i++)
        if (strlen(hook_names[i]) == len && memcmp(hook_names[i], name, len) == 0)
            return i;
    return -1;
}

/* args is one letter for each argument: p(ointer) or i(nteger of 64 bits). */
static bool shape_init(struct shape *shape, ffi_type *result, const char *args)
{
    unsigned n = 0;

    for (; args[n]; n++)
        shape->args[n] = args[n] == 'p' ? &ffi_type_pointer : &ffi_type_uint64;
    return ffi_prep_cif(&shape->cif, FFI_DEFAULT_ABI, n, result, shape->args) == FFI_OK;
}

/* Prepared once, so libffi only reads it afterwards; its functions take it without const. */
static int64_t shape_call(const struct shape *shape, void (*function)(void), void **values)
{
    struct shape *unchanged = (struct shape *)shape;
    int64_t result = 0;

    ffi_call(&unchanged->cif, function, &result, values);
    return result;
}

/* The function sluice_<name>; if there is none, its name joins those in missing. */
static void (*find(void *object, const char *name, char *missing, size_t cap))(void)
{
    char symbol[64];
    void *found;

    snprintf(symbol, sizeof(symbol), "sluice_%s", name);
    found = dlsym(object, symbol);
    if (!found) {
        size_t used = strlen(missing);
        snprintf(missing + used, cap - used, "%s%s", used ? ", " : "", symbol);
    }
    return FFI_FN(found);
}

static bool loader_resolve(struct loader *loader, char *why, size_t cap)
{
    char missing[512] = "";

    loader->abi = find(loader->object, "abi", missing, sizeof(missing));
    loader->manifest = find(loader->object, "manifest", missing, sizeof(missing));
    loader->open = find(loader->object, "open", missing, sizeof(missing));
    loader->close = find(loader->object, "close", missing, sizeof(missing));
    for (int i = 0; i < LOADER_HOOKS; i++)
        loader->hooks[i] = find(loader->object, hook_names[i], missing, sizeof(missing));
    if (missing[0])
        snprintf(why, cap, "lacks %s", missing);
    return !missing[0];
}

static bool loader_shape(struct loader *loader, char *why, size_t cap)
{
    if (shape_init(&loader->abi_shape, &ffi_type_uint32, "") &&
        shape_init(&loader->manifest_shape, &ffi_type_sint64, "pi") &&
        shape_init(&loader->open_shape, &ffi_type_sint64, "pipi") &&
        shape_init(&loader->close_shape, &ffi_type_sint64, "i") &&
        shape_init(&loader->hook_shape, &ffi_type_sint64, "ipipi"))
        return true;
    snprintf(why, cap, "libffi cannot call functions of this kind here");
    return false;
}

static bool loader_same_major(const struct loader *loader, char *why, size_t cap)
{
    uint32_t abi = loader_abi(loader);

    if (abi >> 16 == SLUICE_ABI_MAJOR)
        return true;
    snprintf(why, cap, "speaks major version %u of the ABI, this host speaks %d", abi >> 16,
             SLUICE_ABI_MAJOR);
    return false;
}

bool loader_open(const char *path, struct loader **ret, char *why, size_t cap)
{
    struct loader *loader = calloc(1, sizeof(*loader));

    if (!loader) {
        snprintf(why, cap, "no memory");
        return false;
    }
    loader->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!loader->object) {
        snprintf(why, cap, "%s", dlerror());
        goto fail;
    }
    if (!loader_resolve(loader, why, cap) || !loader_shape(loader, why, cap) ||
        !loader_same_major(loader, why, cap))
        goto fail;
    *ret = loader;
    return true;

fail:
    loader_close(loader);
    return false;
}

void loader_close(struct loader *loader)
{
    if (!loader)
        return;
    if (loader->object)
        dlclose(loader->object);
    free(loader);
}

uint32_t loader_abi(const struct loader *loader)
{
    return (uint32_t)shape_call(&loader->abi_shape, loader->abi, NULL);
}

int64_t loader_manifest(const struct loader *loader, uint8_t *out, uint64_t cap)
{
    return shape_call(&loader->manifest_shape, loader->manifest, (void *[]){&out, &cap});
}

int64_t loader_open_handle(const struct loader *loader, const uint8_t *config, uint64_t len,
                           uint8_t *out, uint64_t cap)
{
    return shape_call(&loader->open_shape, loader->open, (void *[]){&config, &len, &out, &cap});
}

int64_t loader_end(const struct loader *loader, uint64_t handle)
{
    return shape_call(&loader->close_shape, loader->close, (void *[]){&handle});
}

int64_t loader_call(const struct loader *loader, enum loader_hook hook, uint64_t handle,
                    const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap)
{
    return shape_call(&loader->hook_shape, loader->hooks[hook],
                      (void *[]){&handle, &req, &len, &out, &cap});
}

static int64_t no_memory(struct reply *reply)
{
    reply->len = 0;
    return -(int64_t)SLUICE_NO_MEMORY;
}

/* Whether the call must be made again, with a reply that has been grown. */
static bool grow_for(struct reply *reply, int64_t *result)
{
    uint64_t needed = sluice_error_length(*result);

    if (sluice_error_code(*result) != SLUICE_TOO_SMALL || needed <= reply->cap)
        return false;
    if (reply_grow(reply, needed))
        return true;
    *result = no_memory(reply);
    return false;
}

static void keep_length(struct reply *reply, int64_t result)
{
    uint64_t len = result >= 0 ? (uint64_t)result : sluice_error_length(result);

    if (sluice_error_code(result) == SLUICE_TOO_SMALL || len > reply->cap)
        len = 0;
    reply->len = len;
}

int64_t loader_describe(const struct loader *loader, struct reply *reply)
{
    int64_t result;

    if (!reply_grow(reply, FIRST_CAP))
        return no_memory(reply);
    do
        result = loader_manifest(loader, reply->bytes, reply->cap);
    while (grow_for(reply, &result));
    keep_length(reply, result);
    return result;
}

int64_t loader_begin(const struct loader *loader, const uint8_t *config, size_t len,
                     struct reply *reply)
{
    int64_t result;

    if (!reply_grow(reply, FIRST_CAP))
        return no_memory(reply);
    do
        result = loader_open_handle(loader, config, len, reply->bytes, reply->cap);
    while (grow_for(reply, &result));
    keep_length(reply, result < 0 ? result : 0);
    return result;
}

int64_t loader_ask(const struct loader *loader, enum loader_hook hook, uint64_t handle,
                   const uint8_t *req, size_t len, struct reply *reply)
{
    int64_t result;

    if (!reply_grow(reply, FIRST_CAP))
        return no_memory(reply);
    do
        result = loader_call(loader, hook, handle, req, len, reply->bytes, reply->cap);
    while (grow_for(reply, &result));
    keep_length(reply, result);
    return result;
}
