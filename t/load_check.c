/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/load.h"

#include "t/load_kit.h"
#include "t/tap.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

static void breaks(struct load_kit *kit, uint32_t *number, uint32_t change, const char *want)
{
    *number += change;
    is_str(load_check(kit->kit.engine) == NULL ? "" : load_check(kit->kit.engine), want, "%s",
           want);
    *number -= change;
}

int main(void)
{
    struct load_kit kit;
    struct engine *e;
    uint32_t load, local, queue;
    struct load was;

    load_kit_open(&kit, "");
    load_kit_do(&kit, world);
    load_kit_do(&kit, "add a queue=l cpu=3; add b queue=l cpu=2");
    e = kit.kit.engine;
    load = load_find(e, text_of("default"), text_of("a"));
    local = load_at(e, load)->local_queue;
    queue = kit_queue(&kit.kit, "cluster/c");
    ok(load_check(e) == NULL, "all invariants hold");
    breaks(&kit, &local_queue_at(e, local)->counts[LOCAL_PENDING], 1,
           "a LocalQueue counts its workloads");
    breaks(&kit, &queue_at(e, queue)->bay.below, 1,
           "workloads that hold or are promised something are counted over the subtree");
    breaks(&kit, &load_at(e, load)->flags, LOAD_PROMISED,
           "who is promised something, or goes, is listed");
    breaks(&kit, &e->loads_apart, 1, "workloads that go or come are counted");
    breaks(&kit, &load_at(e, load)->flags, LOAD_BLOCKED,
           "a signal that is to be given, or to end, is written, and seen");
    breaks(&kit, &load_at(e, load)->flags, LOAD_ASSUMED - LOAD_RESERVED,
           "a reservation that was decided is written, and seen");
    e->loads_apart++;
    breaks(&kit, &load_at(e, load)->flags, LOAD_VICTIM,
           "an eviction that was decided is written, and seen");
    e->loads_apart--;
    load_kit_do(&kit, "jobsStay; add c queue=l cpu=4 priority=1");
    was = *load_at(e, load);
    load_at(e, was.of)->first = load_at(e, load)->of = 0;
    load_at(e, load)->flags &= ~(uint32_t)(LOAD_VICTIM | LOAD_EVICTED);
    breaks(&kit, &e->loads_apart, UINT32_MAX,
           "a workload that is promised room waits for somebody who goes");
    *load_at(e, load) = was;
    load_at(e, was.of)->first = load;
    load_kit_close(&kit);
    return tap_done();
}
