/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/load_promise.h"

#include "t/load_kit.h"
#include "t/tap.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

static uint32_t id(const struct load_kit *kit, const char *name)
{
    return load_find(kit->kit.engine, text_of("default"), text_of(name));
}

int main(void)
{
    struct load_kit kit;

    load_kit_open(&kit, "");
    load_kit_do(&kit, world);
    load_kit_do(&kit, "jobsStay; add a queue=l cpu=2; time 2; add b queue=l cpu=2");
    load_kit_do(&kit, "add w queue=l cpu=2 priority=1");
    is_int(load_promise_victims(kit.kit.engine, id(&kit, "w")), 1, "it is promised one's room");
    load_kit_do(&kit, "add x queue=l cpu=2 priority=2");
    is_int(load_promise_victims(kit.kit.engine, id(&kit, "x")), 1, "another one another's");
    load_kit_log(&kit);
    load_kit_do(&kit, "halt a");
    is_str(load_kit_log(&kit), "a:endEviction w:reserve", "the first promised comes first");
    load_kit_do(&kit, "remove x");
    is_str(load_kit_state(&kit, "b"), "admitted f evicted", "who was written to still goes");
    load_kit_do(&kit, "halt b");
    is_str(load_kit_state(&kit, "a"), "admitted f", "and makes room for who came before it");
    load_kit_do(&kit, "follow; lead");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 4, "who leads again counts the same");
    load_kit_close(&kit);
    return tap_done();
}
