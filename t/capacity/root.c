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

static void test_devices(void)
{
    struct kit kit;

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q cpu=9 deviceclass/gpu=1; node n pods=9; pod a queue=q deviceclass/gpu=1;"
                 "pod b queue=q deviceclass/gpu=1; pod c queue=q gpu=1; queue r cpu=9;"
                 "pod d queue=r deviceclass/gpu=1");
    is_str(kit_granted(&kit), "a d", "nodes bound no devices of claims, but queues do");
    kit_do(&kit, "node n pods=1");
    is_str(kit_granted(&kit), "a", "and what they do bound, they bound");
    kit_close(&kit);
}

int main(void)
{
    ok(bounds("root=cluster", "root"), "what no node has is not to be had");
    ok(!bounds("root=cluster", "q"), "which is the root's to say");
    ok(!bounds("root=cluster", "cluster/c"), "and nothing of Kueue's");
    ok(!bounds("root.cpu=4", "root"), "amounts bound what they name");
    ok(!bounds("", "root"), "and nothing is bound where nothing is said");
    test_devices();
    return tap_done();
}
