/* SPDX-License-Identifier: Apache-2.0 */
#include "root.h"

#include "plugin/state.h"

bool root_bounds_all(const struct engine *e, uint32_t queue)
{
    return queue == e->queues.volcano_root && e->config.root_ceiling == ROOT_CLUSTER;
}
