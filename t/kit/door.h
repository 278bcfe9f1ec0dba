/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_DOOR_H
#define SLUICE_T_DOOR_H

#include "hooks/call.h"

/* A sluice.so that is not linked with the test, by the addresses that dlsym gives, with nothing in
 * between. Several may be loaded side by side. */
typedef int64_t hook_function(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                              uint64_t cap);

struct door {
    int64_t (*open)(const uint8_t *config, uint64_t len, uint8_t *out, uint64_t cap);
    int64_t (*close)(uint64_t handle);
    uint32_t (*abi)(void);
    hook_function *hooks[HOOK_COUNT];
};

/* False: it cannot be loaded, and stderr says why. It is never unloaded. */
bool door_load(const char *path, struct door *ret_door);

#endif
