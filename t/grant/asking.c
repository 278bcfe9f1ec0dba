/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/asking.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

#include <stdio.h>

static const char *asking(struct kit *kit, const char *queue)
{
    struct asking found;

    asking_find(kit->engine, kit_queue(kit, queue), &found);
    kit->text[0] = '\0';
    for (uint32_t i = 0; i < found.count; i++) {
        struct text name = claim_name(kit->engine, found.claims[i]);
        size_t len = strlen(kit->text);

        snprintf(kit->text + len, sizeof(kit->text) - len, "%s%.*s", len == 0 ? "" : " ",
                 (int)name.len, name.at);
    }
    return kit->text;
}

int main(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=1; queue s cpu=1 strict; pod q1 queue=q cpu=5 created=1;"
                 "pod q2 queue=q cpu=5 created=2; pod q3 queue=q cpu=7 priority=1;"
                 "pod s1 queue=s cpu=5 created=1; pod s2 queue=s cpu=4 created=2");
    is_str(asking(&kit, "q"), "q3 q1", "the first of each line asks, by rank");
    is_str(asking(&kit, "s"), "s1", "of a strict queue its head");
    kit_do(&kit, "lose-pod s1; lose-pod s2; lose-pod q1; lose-pod q2; lose-pod q3");
    is_str(asking(&kit, "s"), "", "nobody waits, nobody asks");
    is_str(asking(&kit, "q"), "", "in neither");
    kit_do(&kit, "queue q cpu=4 within=lower; pod low queue=q cpu=4 node=n;"
                 "pod high queue=q cpu=4 priority=5; pod next queue=q cpu=4 priority=4");
    is_str(kit_promised(&kit), "high", "who is promised room");
    is_str(asking(&kit, "q"), "next", "asks no more: the next of its line does");
    kit_close(&kit);
    return tap_done();
}
