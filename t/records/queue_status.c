/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/queue_status.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct kit kit;

static const struct queue *of(const char *queue)
{
    return queue_at(kit.engine, kit_queue(&kit, queue));
}

int main(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q; flavor f; cluster c group=cpu flavor=f cpu=1; pod x queue=named");
    ok(queue_reports(kit.engine, of("q")), "the status of a queue of Volcano's is ours");
    ok(!queue_reports(kit.engine, of("cluster/c")), "that of Kueue's is told otherwise");
    ok(!queue_reports(kit.engine, of("named")), "and one without an object has none");
    kit_do(&kit, "time 100");
    ok(!of("q")->status.stale, "it was looked at");
    queue_note_change(kit.engine, kit_queue(&kit, "q"));
    ok(of("q")->status.stale, "a change is a mark");
    ok(heap_when(&kit.engine->queues.timers, kit_queue(&kit, "q")) < INT64_MAX,
       "and a time at which it is seen");
    queue_note_change(kit.engine, kit_queue(&kit, "cluster/c"));
    ok(!of("cluster/c")->status.stale, "where nobody writes nothing is marked");
    kit_close(&kit);

    kit_open(&kit, "");
    kit_do(&kit, "queue q");
    ok(!queue_reports(kit.engine, of("q")), "and nowhere, if the host does not write them");
    kit_close(&kit);
    return tap_done();
}
