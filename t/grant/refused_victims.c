/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/refused_victims.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

static bool has(const struct refused_victims *alike, const struct kit *kit, const char *pod)
{
    return refused_victims_has(alike, kit->engine, kit_claim(kit, pod));
}

int main(void)
{
    struct refused_victims alike = {0};
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit,
           "queue q cpu=90 memory=90; queue r cpu=90; flavor f; flavor g;"
           "cluster c group=cpu flavor=f cpu=1 flavor=g cpu=1;"
           "pod a queue=q cpu=1; pod b queue=q cpu=1; pod more queue=q cpu=2;"
           "pod memory queue=q memory=1; pod other queue=r cpu=1;"
           "pod f cluster=c cpu=1; pod g cluster=c cpu=1;"
           "group gang min=1; pod m queue=q group=gang cpu=1; pod n queue=q group=gang cpu=1");
    ok(!has(&alike, &kit, "a"), "nobody was refused yet");
    refused_victims_add(&alike, kit.engine, kit_claim(&kit, "a"));
    ok(has(&alike, &kit, "b"), "who asks for the same in the same queue is like it");
    ok(!has(&alike, &kit, "more") && !has(&alike, &kit, "memory") && !has(&alike, &kit, "other"),
       "for more, for something else, or in another queue: not");
    refused_victims_add(&alike, kit.engine, kit_claim(&kit, "f"));
    ok(!has(&alike, &kit, "g"), "nor in another flavor");
    ok(has(&alike, &kit, "a"), "others are remembered beside it,");
    refused_victims_add(&alike, kit.engine, kit_claim(&kit, "m"));
    ok(!has(&alike, &kit, "n") && !has(&alike, &kit, "m"), "but members of a group never");
    for (int i = 0; i < REFUSED_VICTIMS_LAST; i++)
        refused_victims_add(&alike, kit.engine, kit_claim(&kit, "other"));
    ok(has(&alike, &kit, "other") && !has(&alike, &kit, "b"), "only the last ones are remembered");
    kit_close(&kit);
    return tap_done();
}
