/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/workloads/workload_details.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

/* Whatever memory is missing, nothing is held. */
int main(void)
{
    struct workload_kit kit;
    struct workload_details details;
    struct workload_object *object;
    long needed = 0;
    int error = -1;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=3 gate=g selects=key:value");
    object = &kit.objects[0];
    object->facts.name = object->facts.uid = text_of("b");
    object->facts.queue = text_of("other");
    object->facts.unsupported = text_of("nothing");
    object->facts.priority = 7;
    object->set.count = 2;
    for (long n = 1; error < 0 && n < 100; n++) {
        details = (struct workload_details){0};
        kit.kit.memory.calls = 0;
        kit.kit.memory.fail_at = n;
        kit.kit.memory.failed = false;
        error = workload_read_details(kit.kit.engine, &object->facts, &details);
        kit.kit.memory.fail_at = 0;
        workload_release_details(kit.kit.engine, &details);
        needed = n;
    }
    ok(error == 0, "it is read in the end");
    ok(needed > 3, "and needed memory");
    ok(local_queue_find(kit.kit.engine, text_of("default"), text_of("other")) == 0,
       "no LocalQueue is left that nobody names");
    workload_kit_close(&kit);
    return tap_done();
}
