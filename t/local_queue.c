/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/local_queue.h"

#include "t/load_kit.h"
#include "t/tap.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

int main(void)
{
    struct load_kit kit;

    load_kit_open(&kit, "");
    load_kit_do(&kit, world);
    load_kit_do(&kit, "cluster d group=cpu flavor=f cpu=1; local m cluster=c; "
                      "add a queue=l cpu=4; add b queue=m cpu=1; add x queue=later cpu=1");
    is_str(load_kit_state(&kit, "b"), "pending", "no room");
    load_kit_do(&kit, "local m cluster=d");
    is_str(load_kit_state(&kit, "b"), "admitted f", "its queue leads elsewhere now");
    is_str(load_kit_why(&kit, "x"), "QueueUnknown", "one that is not there");
    load_kit_do(&kit, "remove b; local later cluster=d");
    is_str(load_kit_state(&kit, "x"), "admitted f", "comes later");
    load_kit_do(&kit, "lose-local later");
    is_str(load_kit_state(&kit, "x"), "admitted f", "that it is gone takes nothing away");
    load_kit_do(&kit, "remove x");
    ok(local_queue_find(kit.kit.engine, text_of("default"), text_of("later")) == 0,
       "nobody names it any more");
    load_kit_close(&kit);
    return tap_done();
}
