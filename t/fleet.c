/* SPDX-License-Identifier: Apache-2.0 */

/* What a person sees of all clusters. */
#include "plugin/fleet.h"

#include "t/fleet_kit.h"
#include "t/tap.h"

static void report_later(const struct fleet *f, const char *name, int64_t seconds,
                         struct dispatch_report *ret)
{
    uint32_t id = engine_find_workload(f->engine, text_of("ns"), text_of(name));

    engine_report_workload(f->engine, id, f->engine->now + seconds * SECOND, ret);
}

static void test_words(void)
{
    struct dispatch_report one;
    struct fleet f;

    fleet_open(&f, "");
    fleet_do(&f, "cluster a; cluster b; replica a/w");
    is_str(fleet_state(&f, "w"), "Unknown", "only a replica");
    fleet_do(&f, "time 60");
    is_str(fleet_state(&f, "w"), "LeftBehind", "whose workload does not come");
    fleet_do(&f, "workload w in=a,b unreserved");
    is_str(fleet_state(&f, "w"), "Held", "no quota");
    fleet_do(&f, "workload w in=a,b timeout=ever");
    is_str(fleet_state(&f, "w"), "Dispatched", "sent out");
    is_str(fleet_message(&f, "w"),
           "its annotation sluice.sh/single-cluster-preemption-timeout is no span of time such as "
           "5m, the configured one is used; no worker asks to preempt",
           "and what is wrong");
    fleet_do(&f, "workload w in=a,b; replica b/w; replica a/w signals");
    is_str(fleet_state(&f, "w"), "Writing", "first step");
    is_str(fleet_message(&f, "w"), "a: written down before its gate is opened", "in words");
    fleet_do(&f, "done write w");
    is_str(fleet_state(&f, "w"), "Opening", "second step");
    is_str(fleet_message(&f, "w"), "a: its gate is being opened", "in words");
    fleet_do(&f, "done open a/w; replica a/w open; replica b/w signals; time 90");
    is_str(fleet_message(&f, "w"), "b may preempt next, in 4m30s", "the next one");
    report_later(&f, "w", 30, &one);
    is_str(one.message, "b may preempt next, in 4m", "and the time of whoever asks counts");
    fleet_do(&f, "replica b/w admitted");
    is_str(fleet_state(&f, "w"), "Admitted", "decided");
    is_str(fleet_message(&f, "w"), "b admitted it first", "for whom");
    fleet_do(&f, "workload w bound=b");
    is_str(fleet_state(&f, "w"), "Bound", "for good");
    fleet_close(&f);
}

static void test_blocked(void)
{
    struct fleet f;

    fleet_open(&f, "");
    fleet_do(&f,
             "cluster a; cluster b; workload w in=a,b; replica a/w; replica b/w signals blocked");
    is_str(fleet_message(&f, "w"), "b asks to preempt, but a gate that is not ours is closed there",
           "held by another");
    fleet_close(&f);
}

static void test_pages(void)
{
    struct dispatch_report one;
    struct replica_report replica;
    struct worker_report worker;
    struct fleet f;
    uint32_t at = 0, id;

    fleet_open(&f, "");
    fleet_do(&f, "cluster b off; cluster a; workload w2 in=b,a; workload w1 in=a,b bound=b;"
                 "replica a/w2 signals open");
    ok(engine_next_workload(f.engine, &at), "a workload");
    engine_report_workload(f.engine, at, 0, &one);
    ok(text_is(one.name, "w1") && text_is(one.cluster, "b") && one.replicas == 0, "by name");
    ok(engine_next_workload(f.engine, &at), "another");
    id = at;
    engine_report_workload(f.engine, at, 0, &one);
    ok(text_is(one.name, "w2") && one.replicas == 1 && one.open == 1 && one.signals == 1,
       "counted");
    ok(!engine_next_workload(f.engine, &at), "no more");
    at = 0;
    ok(engine_next_replica(f.engine, id, &at), "a replica");
    engine_report_replica(f.engine, at, &replica);
    ok(text_is(replica.cluster, "a") && replica.there && replica.connected, "by cluster");
    is_str(replica.gate, "open", "its gate");
    ok(engine_next_replica(f.engine, id, &at), "a place");
    engine_report_replica(f.engine, at, &replica);
    ok(text_is(replica.cluster, "b") && !replica.there && !replica.connected, "with nothing there");
    ok(!engine_next_replica(f.engine, id, &at), "no more");
    at = 0;
    ok(engine_next_cluster(f.engine, &at), "a cluster");
    engine_report_cluster(f.engine, at, &worker);
    ok(worker.known, "that was seen");
    ok(engine_next_cluster(f.engine, &at) && !engine_next_cluster(f.engine, &at), "and another");
    fleet_close(&f);
}

static void test_check(void)
{
    struct fleet f;

    fleet_open(&f, "");
    fleet_do(&f, "cluster a; workload w in=a; replica a/w signals");
    ok(fleet_check(f.engine) == NULL, "all is sound");
    dispatch_at(f.engine, 1)->past = dispatch_at(f.engine, 1)->counted + 1;
    is_str(fleet_check(f.engine), "what counts includes the past", "or not");
    dispatch_at(f.engine, 1)->past = 0;
    worker_at(f.engine, 1)->count++;
    is_str(fleet_check(f.engine), "a worker's replicas are counted", "or not");
    worker_at(f.engine, 1)->count--;
    fleet_close(&f);
}

int main(void)
{
    test_words();
    test_blocked();
    test_pages();
    test_check();
    return tap_done();
}
