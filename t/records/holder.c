/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/holder.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

/* A pod and two workloads of one queue. */
int main(void)
{
    struct workload_kit kit;
    const struct engine *e;
    uint32_t pod, job, more, cpu;
    uint16_t flavor;
    struct holder_need need;
    uint32_t needs = 0;
    bool newer;

    workload_kit_open(&kit, "evicts");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=9; local l cluster=c; "
                          "add job queue=l cpu=2 count=3 min=1");
    kit_do(&kit.kit, "pod p cluster=c cpu=1 node=n created=50");
    workload_kit_do(&kit, "time 9; add more queue=l cpu=1 priority=1");
    e = kit.kit.engine;
    pod = kit_claim(&kit.kit, "p");
    job = holder_of_workload(workload_find(e, text_of("default"), text_of("job")));
    more = holder_of_workload(workload_find(e, text_of("default"), text_of("more")));
    flavor = queue_at(e, holder_queue(e, pod))->groups[0].flavors[0];
    cpu = intern_find(&e->names, "cpu", 3);
    ok(!holder_is_workload(pod) && holder_is_workload(job), "each is known by its number");
    is_int(holder_queue(e, pod), (int)holder_queue(e, job), "both are in one queue");
    is_int(holder_priority(e, more), 1, "a workload has its priority");
    is_int(holder_group(e, job), 0, "and no group");
    ok(holder_amount(e, pod, flavor, cpu) == 1, "a pod holds what it asks for");
    ok(holder_amount(e, job, flavor, cpu) == 6, "a workload what all of its pods do");
    ok(holder_least_amount(e, job, flavor, cpu) == 2, "and may come back with fewer");
    ok(holder_amount(e, job, flavor + 1, cpu) == 0, "of another flavor nothing");
    for (; holder_need(e, job, needs, &need); needs++) {
        if (need.resource == cpu)
            ok(need.amount == 6 && need.flavor == flavor, "so its need says");
    }
    is_int(needs, 2, "and there is one of pods");
    ok(holder_need(e, pod, 1, &need) && !holder_need(e, pod, 2, &need), "a pod has as many");
    ok(!holder_is_promised(e, pod) && !holder_is_victim(e, job), "nobody waits for others' room");
    newer = claim_at(e, pod)->stamp > workload_at(e, holder_workload(job))->stamp;
    ok((holder_compare(e, pod, job) < 0) == newer && (holder_compare(e, job, pod) > 0) == newer,
       "who was granted last goes first");
    ok(holder_compare(e, job, more) < 0, "lower priority before that");
    workload_kit_close(&kit);
    return tap_done();
}
