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

const struct door *door_load(const char *path)
{
    static struct door door;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL || !find(library, "sluice_open", &door.open) ||
        !find(library, "sluice_close", &door.close) || !find(library, "sluice_abi", &door.abi) ||
        !find(library, "sluice_observe", &door.observe) ||
        !find(library, "sluice_pre_enqueue", &door.pre_enqueue) ||
        !find(library, "sluice_tick", &door.tick)) {
        progress("%s", dlerror());
        return NULL;
    }
    return &door;
}
