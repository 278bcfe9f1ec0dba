/* SPDX-License-Identifier: Apache-2.0 */

/* Groups and their members. */
#include "plugin/pods/group.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static uint32_t find(const struct kit *kit, const char *name)
{
    return group_find(kit->engine, text_of("default"), text_of(name));
}

static void test_named_or_seen(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; pod a queue=q group=g; pod b queue=q");
    ok(find(&kit, "g") != 0, "a group that a pod names is remembered");
    is_int(claim_group(kit.engine, claim_at(kit.engine, kit_claim(&kit, "b"))), 0,
           "a lone pod has none");
    kit_do(&kit, "lose-pod a");
    is_int(find(&kit, "g"), 0, "until nobody names it");
    kit_do(&kit, "group g min=2; lose-group g");
    is_int(find(&kit, "g"), 0, "one that was seen is forgotten when it is gone");
    kit_do(&kit, "group g min=2; group g min=2 deleted");
    is_int(find(&kit, "g"), 0, "or about to be");
    kit_close(&kit);
}

static void test_named_after_the_owner(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; pod a queue=q min=2 owner=one; pod b queue=q min=2 owner=two;"
                 "pod c queue=q min=2");
    ok(find(&kit, "podgroup-one") != 0 && find(&kit, "podgroup-two") != 0,
       "each controller has its own, by its uid");
    ok(find(&kit, "podgroup-c") != 0, "a bare pod is its own controller");
    kit_do(&kit, "pod a queue=q min=2 owner=one group=podgroup-one");
    is_int(claim_group(kit.engine, claim_at(kit.engine, kit_claim(&kit, "a"))),
           find(&kit, "podgroup-one"), "and is the same when it is written into the pod");
    kit_do(&kit, "pod a queue=q min=2 owner=one group=other");
    is_int(find(&kit, "podgroup-one"), 0, "what the pod names counts");
    kit_close(&kit);
}

static void test_uid_is_the_identity(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; group g min=2 uid=new version=5;"
                 "pod a queue=q cpu=1 group=g; pod b queue=q cpu=1 group=g");
    engine_lose_group(kit.engine, false, text_of("default"), text_of("g"), text_of("old"));
    is_str(kit_granted(&kit), "a b", "another's end is not its own");
    kit_do(&kit, "group g min=9 uid=new version=4");
    is_str(kit_granted(&kit), "a b", "an old message says nothing");
    kit_do(&kit, "group g min=9 uid=newer version=1");
    is_str(kit_granted(&kit), "", "another uid is another group, whatever its version");
    kit_close(&kit);
}

int main(void)
{
    test_named_or_seen();
    test_named_after_the_owner();
    test_uid_is_the_identity();
    return tap_done();
}
