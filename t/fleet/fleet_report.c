/* SPDX-License-Identifier: Apache-2.0 */

/* What a person sees of all clusters. */
#include "plugin/fleet/fleet.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static void report_later(const struct fleet_kit *f, const char *name, int64_t seconds,
                         struct dispatch_report *ret)
{
    uint32_t id = fleet_find_dispatch(f->fleet, text_of("ns"), text_of(name));

    fleet_report_dispatch(f->fleet, id, f->fleet->now + seconds * FLEET_SECOND, ret);
}

static void test_words(void)
{
    struct dispatch_report one;
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; cluster b; replica a/w");
    is_str(fleet_kit_state(&f, "w"), "Unknown", "only a replica");
    fleet_kit_do(&f, "time 60");
    is_str(fleet_kit_state(&f, "w"), "LeftBehind", "whose workload does not come");
    fleet_kit_do(&f, "workload w in=a,b unreserved");
    is_str(fleet_kit_state(&f, "w"), "Held", "no quota");
    fleet_kit_do(&f, "workload w in=a,b timeout=ever");
    is_str(fleet_kit_state(&f, "w"), "Dispatched", "sent out");
    is_str(fleet_kit_message(&f, "w"),
           "its annotation sluice.sh/single-cluster-preemption-timeout is no span of time such as "
           "5m, the configured one is used; no worker asks to preempt",
           "and what is wrong");
    fleet_kit_do(&f, "workload w in=a,b; replica b/w; replica a/w signals");
    is_str(fleet_kit_state(&f, "w"), "Writing", "first step");
    is_str(fleet_kit_message(&f, "w"), "a: written down before its gate is opened", "in words");
    fleet_kit_do(&f, "done write w");
    is_str(fleet_kit_state(&f, "w"), "Opening", "second step");
    is_str(fleet_kit_message(&f, "w"), "a: its gate is being opened", "in words");
    fleet_kit_do(&f, "done open a/w; replica a/w open; replica b/w signals; time 90");
    is_str(fleet_kit_message(&f, "w"), "b may preempt next, in 4m30s", "the next one");
    report_later(&f, "w", 30, &one);
    is_str(one.message, "b may preempt next, in 4m", "and the time of whoever asks counts");
    fleet_kit_do(&f, "replica b/w admitted");
    is_str(fleet_kit_state(&f, "w"), "Admitted", "decided");
    is_str(fleet_kit_message(&f, "w"), "b admitted it first", "for whom");
    fleet_kit_do(&f, "workload w bound=b");
    is_str(fleet_kit_state(&f, "w"), "Bound", "for good");
    fleet_kit_close(&f);
}

static void test_blocked(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(
        &f, "cluster a; cluster b; workload w in=a,b; replica a/w; replica b/w signals blocked");
    is_str(fleet_kit_message(&f, "w"),
           "b asks to preempt, but a gate that is not ours is closed there", "held by another");
    fleet_kit_close(&f);
}

static void test_pages(void)
{
    struct dispatch_report one;
    struct replica_report replica;
    struct worker_report worker;
    struct fleet_kit f;
    uint32_t at = 0, id;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster b off; cluster a; workload w2 in=b,a; workload w1 in=a,b bound=b;"
                     "replica a/w2 signals open");
    ok(fleet_next_dispatch(f.fleet, &at), "a workload");
    fleet_report_dispatch(f.fleet, at, 0, &one);
    ok(text_is(one.name, "w1") && text_is(one.cluster, "b") && one.replicas == 0, "by name");
    ok(fleet_next_dispatch(f.fleet, &at), "another");
    id = at;
    fleet_report_dispatch(f.fleet, at, 0, &one);
    ok(text_is(one.name, "w2") && one.replicas == 1 && one.open == 1 && one.signals == 1,
       "counted");
    ok(!fleet_next_dispatch(f.fleet, &at), "no more");
    at = 0;
    ok(fleet_next_replica(f.fleet, id, &at), "a replica");
    fleet_report_replica(f.fleet, at, &replica);
    ok(text_is(replica.cluster, "a") && replica.there && replica.connected, "by cluster");
    is_str(replica.gate, "open", "its gate");
    ok(fleet_next_replica(f.fleet, id, &at), "a place");
    fleet_report_replica(f.fleet, at, &replica);
    ok(text_is(replica.cluster, "b") && !replica.there && !replica.connected, "with nothing there");
    ok(!fleet_next_replica(f.fleet, id, &at), "no more");
    at = 0;
    ok(fleet_next_cluster(f.fleet, &at), "a cluster");
    fleet_report_cluster(f.fleet, at, &worker);
    ok(worker.known, "that was seen");
    ok(fleet_next_cluster(f.fleet, &at) && !fleet_next_cluster(f.fleet, &at), "and another");
    fleet_kit_close(&f);
}

int main(void)
{
    test_words();
    test_blocked();
    test_pages();
    return tap_done();
}
