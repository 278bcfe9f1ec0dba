/* SPDX-License-Identifier: Apache-2.0 */
#include "root.h"

#include "plugin/state.h"

bool root_bounds_all(const struct engine *e, uint32_t queue)
{
    return queue == e->queues.volcano_root && e->config.root_ceiling == ROOT_CLUSTER;
}

bool root_bounds(const struct engine *e, uint32_t queue, uint32_t resource)
{
    const struct text devices = text_of("deviceclass/");
    struct text name;

    if (!root_bounds_all(e, queue))
        return false;
    name = name_text(e, resource);
    return name.len < devices.len || memcmp(name.at, devices.at, devices.len) != 0;
}
