/* SPDX-License-Identifier: Apache-2.0 */

/* Records of claims: bounded in number, and made or not at all. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void test_limit(void)
{
    struct kit kit;

    kit_open(&kit, "maxPods=2");
    kit_do(&kit, "pod a; pod b");
    is_int(kit_try(&kit, "pod c"), ENGINE_FULL_PODS, "one too many");
    is_str(kit_granted(&kit), "a b", "changes nothing");
    is_int(kit_try(&kit, "pod a priority=4"), 0, "those that are known may change");
    is_int(kit_try(&kit, "pod b uid=b2"), 0, "and be replaced by another pod of their name");
    is_int(kit_try(&kit, "pod x finished"), 0, "what is no claim needs no room");
    kit_do(&kit, "lose-pod a; pod c");
    is_int(engine_count_pods(kit.engine), 2, "and who goes makes room");
    kit_close(&kit);
}

static void test_no_memory(void)
{
    struct kit kit;

    kit_open(&kit, "");
    ok(kit_starve(&kit, "pod a queue=q cpu=1 memory=2 gpu=3") > 5, "a new claim needs memory");
    ok(kit_starve(&kit, "pod a queue=p cpu=2") > 2, "so does one that moves and grows");
    ok(kit_starve(&kit, "pod a uid=other queue=o node=n") > 2, "and one that replaces another");
    kit_close(&kit);
}

int main(void)
{
    test_limit();
    test_no_memory();
    return tap_done();
}
