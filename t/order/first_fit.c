/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/order/first_fit.h"

#include "plugin/order/fit.h"
#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

#include <stdio.h>
#include <string.h>

static void test_first_fit(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "queue q cpu=4; pod x queue=q cpu=2; pod big queue=q cpu=3; pod wide queue=q cpu=1 "
           "memory=1; pod one queue=q cpu=1; pod two queue=q cpu=1");
    is_str(kit_granted(&kit), "one wide x", "the first that fits passes a head that is too big");
    is_str(kit_waiting(&kit, "q"), "big two", "the others wait on");
    kit_do(&kit, "lose-pod x");
    is_str(kit_granted(&kit), "one two wide", "in order, and only as many as fit");
    kit_do(&kit, "lose-pod one; lose-pod two");
    is_str(kit_granted(&kit), "big wide", "the head passes when it fits");
    kit_close(&kit);
}

/* Two flavors, bare pods, all amounts near the limits: against a scan of all that wait. */
enum { PODS = 600 };

static uint32_t scan(const struct kit *kit, uint32_t queue, uint16_t *ret_flavors)
{
    const struct engine *e = kit->engine;
    uint16_t flavors[FACTS_MAX_NEEDS];
    uint32_t best = 0;

    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        uint32_t line = slab_live(&e->claims.records, id) ? claim_at(e, id)->line : 0;

        if (line != 0 && line_queue(e, line_at(e, line)) == queue && fit_line(e, line, flavors) &&
            (best == 0 || claim_compare_rank(e, id, best) < 0)) {
            memcpy(ret_flavors, flavors, line_count(e, line_at(e, line)) * sizeof(*flavors));
            best = id;
        }
    }
    return best;
}

static void test_against_scan(void)
{
    unsigned long long seed = 11;
    int wrong = 0, found = 0, wrong_flavors = 0;
    struct kit kit;

    kit_open(&kit, "standby"); /* so that nobody is granted */
    kit_do(&kit, "flavor spot label=pool:spot; flavor plain; flavor disk");
    for (int i = 0; i < PODS; i++) {
        const struct engine *e = kit.engine;
        uint16_t flavors[FACTS_MAX_NEEDS], wanted[FACTS_MAX_NEEDS];
        char step[256];

        snprintf(step, sizeof(step), "pod p%d cluster=c priority=%u cpu=%u memory=%u%s%s", i,
                 test_random(&seed) % 4, 1 + test_random(&seed) % 64, 1 + test_random(&seed) % 64,
                 test_random(&seed) % 3 == 0 ? " disk=3" : "",
                 test_random(&seed) % 3 == 0 ? " bare" : "");
        kit_try(&kit, step);
        if (i % 5 != 4)
            continue;
        snprintf(step, sizeof(step),
                 "cluster c group=cpu,memory flavor=spot cpu=%u memory=%u flavor=plain cpu=%u "
                 "memory=%u group=disk flavor=disk disk=%u",
                 test_random(&seed) % 16, test_random(&seed) % 16, test_random(&seed) % 16,
                 test_random(&seed) % 16, test_random(&seed) % 6);
        kit_try(&kit, step);

        uint32_t queue = kit_queue(&kit, "cluster/c"), want = scan(&kit, queue, wanted);
        uint32_t head = first_fit(e, queue, flavors);

        wrong += want != head;
        found += head != 0;
        wrong_flavors +=
            head != 0 &&
            memcmp(flavors, wanted, line_count(e, claim_line(e, head)) * sizeof(*flavors)) != 0;
    }
    ok(wrong == 0 && found > 20, "the first that fits is what a scan finds (%d found)", found);
    is_int(wrong_flavors, 0, "and in the same flavors");
    kit_close(&kit);
}

/* Who is promised room in the first flavor does not take the second one, and who asks for the same
 * may. */
static void test_promised(const char *strict, const char *granted)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; flavor g");
    kit_dof(&kit, "cluster c group=cpu flavor=f cpu=4 flavor=g cpu=5 within=lower%s", strict);
    kit_do(&kit, "pod low cluster=c cpu=4 node=n stamp=1 stamped=cpu=f;"
                 "pod high cluster=c cpu=4 priority=1 created=1; pod same cluster=c cpu=1");
    is_str(kit_promised(&kit), "high", "whenCanPreempt stops at the first flavor");
    is_str(kit_granted(&kit), granted, "and others may have the second one");
    kit_close(&kit);
}

int main(void)
{
    test_first_fit();
    test_against_scan();
    test_promised("", "low same");
    test_promised(" strict", "low");
    return tap_done();
}
