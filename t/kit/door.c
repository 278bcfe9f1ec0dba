/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "t/kit/door.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool find(void *library, const char *name, void *place)
{
    char symbol[64];
    void *at;

    snprintf(symbol, sizeof(symbol), "sluice_%s", name);
    at = dlsym(library, symbol);
    memcpy(place, &at, sizeof(at));
    return at != NULL;
}

bool door_load(const char *path, struct door *ret_door)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    bool whole = library != NULL && find(library, "open", &ret_door->open) &&
                 find(library, "close", &ret_door->close) && find(library, "abi", &ret_door->abi);

    for (int hook = 0; whole && hook < HOOK_COUNT; hook++)
        whole = find(library, hook_table[hook].name, &ret_door->hooks[hook]);
    if (!whole)
        fprintf(stderr, "%s\n", dlerror());
    return whole;
}
