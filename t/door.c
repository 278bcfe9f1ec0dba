/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "t/bench/door.h"
#include "t/bench/table.h"

#include <dlfcn.h>
#include <string.h>

static bool find(void *library, const char *name, void *place)
{
    void *at = dlsym(library, name);

    memcpy(place, &at, sizeof(at));
    return at != NULL;
}

bool door_load(const char *path, struct door *ret_door)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL || !find(library, "sluice_open", &ret_door->open) ||
        !find(library, "sluice_close", &ret_door->close) ||
        !find(library, "sluice_abi", &ret_door->abi) ||
        !find(library, "sluice_observe", &ret_door->observe) ||
        !find(library, "sluice_pre_enqueue", &ret_door->pre_enqueue) ||
        !find(library, "sluice_tick", &ret_door->tick)) {
        progress("%s", dlerror());
        return false;
    }
    return true;
}
