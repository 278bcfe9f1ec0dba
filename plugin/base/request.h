/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_REQUEST_H
#define SLUICE_PLUGIN_BASE_REQUEST_H

#include <stdint.h>

/* So much of a resource, as a pod asks for it. */
struct request {
    uint32_t resource;
    int64_t amount; /* above 0 */
};

#endif
