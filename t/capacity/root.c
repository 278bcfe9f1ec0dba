/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/capacity/root.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static bool bounds(const char *options, const char *queue)
{
    struct kit kit;
    bool all;

    kit_open(&kit, options);
    kit_do(&kit, "queue q; flavor f; cluster c group=cpu flavor=f cpu=1");
    all = root_bounds_all(kit.engine, kit_queue(&kit, queue));
    kit_close(&kit);
    return all;
}

int main(void)
{
    ok(bounds("root=cluster", "root"), "what no node has is not to be had");
    ok(!bounds("root=cluster", "q"), "which is the root's to say");
    ok(!bounds("root=cluster", "cluster/c"), "and nothing of Kueue's");
    ok(!bounds("root.cpu=4", "root"), "amounts bound what they name");
    ok(!bounds("", "root"), "and nothing is bound where nothing is said");
    return tap_done();
}
