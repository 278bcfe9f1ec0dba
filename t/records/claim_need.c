/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/claim_need.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

/* A pod and two workloads of one queue. */
int main(void)
{
    struct workload_kit kit;
    const struct engine *e;
    uint32_t pod, job, more, cpu;
    uint16_t flavor;
    struct claim_need need;
    uint32_t needs = 0;
    bool newer;

    workload_kit_open(&kit, "evicts");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=9; local l cluster=c; "
                          "add job queue=l cpu=2 count=3 min=1");
    kit_do(&kit.kit, "pod p cluster=c cpu=1 node=n created=50");
    workload_kit_do(&kit, "time 9; add more queue=l cpu=1 priority=1");
    e = kit.kit.engine;
    pod = kit_claim(&kit.kit, "p");
    job = workload_find(e, text_of("default"), text_of("job"));
    more = workload_find(e, text_of("default"), text_of("more"));
    flavor = queue_at(e, claim_queue(e, pod))->groups[0].flavors[0];
    cpu = intern_find(&e->names, text_of("cpu"));
    ok(!claim_is_workload(e, pod) && claim_is_workload(e, job), "each is known by its number");
    is_int(claim_queue(e, pod), (int)claim_queue(e, job), "both are in one queue");
    is_int(claim_at(e, more)->priority, 1, "a workload has its priority");
    is_int(claim_group(e, claim_at(e, job)), 0, "and no group");
    ok(claim_amount(e, pod, flavor, cpu) == 1, "a pod holds what it asks for");
    ok(claim_amount(e, job, flavor, cpu) == 6, "a workload what all of its pods do");
    ok(claim_least_amount(e, job, flavor, cpu) == 2, "and may come back with fewer");
    ok(claim_amount(e, job, flavor + 1, cpu) == 0, "of another flavor nothing");
    for (; claim_need(e, job, needs, &need); needs++) {
        if (need.resource == cpu)
            ok(need.amount == 6 && need.flavor == flavor, "so its need says");
    }
    is_int(needs, 2, "and there is one of pods");
    ok(claim_need(e, pod, 1, &need) && !claim_need(e, pod, 2, &need), "a pod has as many");
    ok(!claim_is_promised(claim_at(e, pod)) && !claim_is_victim(claim_at(e, job)),
       "nobody waits for others' room");
    newer = claim_at(e, pod)->stamp > claim_at(e, job)->stamp;
    ok((claim_compare_removal(e, pod, job) < 0) == newer &&
           (claim_compare_removal(e, job, pod) > 0) == newer,
       "who was granted last goes first");
    ok(claim_compare_removal(e, job, more) < 0, "lower priority before that");
    workload_kit_close(&kit);
    return tap_done();
}
