/* SPDX-License-Identifier: Apache-2.0 */

/* Kinds of node: their numbers live as long as somebody uses them, their labels and tolerations are
 * given back word for word. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static uint32_t flavors(const struct kit *kit)
{
    return slab_count(&kit->engine->capacity.flavors);
}

static void test_number_zero(void)
{
    struct kit kit;

    kit_open(&kit, "");
    ok(flavor_usable(kit.engine, 0), "number 0 needs no object");
    ok(!flavor_asks(kit.engine, 0), "and asks for nothing");
    ok(text_is(flavor_name(kit.engine, 0), "default"), "it is called default");
    ok(!flavor_asks(kit.engine, FLAVOR_NONE), "what nobody counts asks for nothing");
    ok(text_is(flavor_name(kit.engine, FLAVOR_NONE), ""), "and has no name");
    flavor_ref(kit.engine, 0);
    flavor_unref(kit.engine, FLAVOR_NONE);
    is_int(flavors(&kit), 0, "neither is counted");
    kit_close(&kit);
}

static void test_life(void)
{
    struct kit kit;
    uint16_t f, again;

    kit_open(&kit, "");
    kit_do(&kit, "cluster c group=cpu flavor=f cpu=4");
    f = kit_flavor(&kit, "f/cpu");
    ok(f != 0, "a queue that names a flavor makes it known");
    ok(!flavor_usable(kit.engine, f), "but not usable");
    kit_do(&kit, "pod a cluster=c cpu=1");
    is_str(kit_state(&kit, "a"), "waiting", "nobody is granted a flavor without object");
    kit_do(&kit, "flavor f label=kind:spot");
    ok(flavor_usable(kit.engine, f), "its object makes it usable");
    is_str(kit_state(&kit, "a"), "reserved", "who waited for it is granted");

    ok(flavor_get(kit.engine, text_of("f"), &again) == 0 && again == f, "one number for a name");
    flavor_unref(kit.engine, again);
    kit_do(&kit, "lose-flavor f; lose-cluster c");
    is_int(flavors(&kit), 1, "a claim that was granted it keeps it");
    kit_do(&kit, "lose-pod a");
    is_int(flavors(&kit), 0, "the last user takes it along");
    kit_do(&kit, "lose-flavor f");
    is_int(flavors(&kit), 0, "losing it again is nothing");
    kit_close(&kit);
}

static void test_sights(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; flavor f; flavor f");
    is_int(flavors(&kit), 1, "seen three times it is one flavor");
    ok(!flavor_asks(kit.engine, kit_flavor(&kit, "f/")), "without labels it asks for nothing");
    kit_do(&kit, "flavor f toleration=spot");
    ok(flavor_asks(kit.engine, kit_flavor(&kit, "f/")), "a toleration is asking");
    kit_do(&kit, "lose-flavor f");
    is_int(flavors(&kit), 0, "and the object is one user");
    kit_close(&kit);
}

static void test_words(void)
{
    struct flavor_facts in = {.name = text_of("gold"), .label_count = 2, .toleration_count = 1},
                        out;
    struct kit kit;

    in.labels[0] = (struct label){text_of("zone"), text_of("a")};
    in.labels[1] = (struct label){text_of("kind"), text_of("")};
    in.tolerations[0] = (struct toleration){.key = text_of("paid"),
                                            .operator_ = text_of("Equal"),
                                            .value = text_of("yes"),
                                            .effect = text_of("NoExecute"),
                                            .has_seconds = true,
                                            .seconds = 30};
    kit_open(&kit, "");
    is_int(engine_see_flavor(kit.engine, &in), 0, "a flavor is seen");
    engine_flavor(kit.engine, kit_flavor(&kit, "gold/"), &out);
    ok(text_is(out.name, "gold"), "its name is handed out");
    is_int(out.label_count, 2, "and its labels");
    ok(text_is(out.labels[0].key, "zone") && text_is(out.labels[0].value, "a"), "in order");
    ok(text_is(out.labels[1].key, "kind") && text_is(out.labels[1].value, ""), "empty values too");
    is_int(out.toleration_count, 1, "and its tolerations");
    ok(text_is(out.tolerations[0].key, "paid") && text_is(out.tolerations[0].operator_, "Equal") &&
           text_is(out.tolerations[0].value, "yes") &&
           text_is(out.tolerations[0].effect, "NoExecute"),
       "word for word");
    ok(out.tolerations[0].has_seconds && out.tolerations[0].seconds == 30, "and how long");
    kit_close(&kit);
}

/* A pod without our gate cannot be changed any more. */
static void test_bare_pods(void)
{
    struct kit kit;

    kit_open(&kit, "manageAll");
    kit_do(&kit, "flavor spot label=kind:spot; flavor plain;"
                 "cluster c group=cpu flavor=spot cpu=4 flavor=plain cpu=1");
    kit_do(&kit, "pod gated cluster=c cpu=1; pod bare cluster=c cpu=1 bare");
    is_int(kit_usage(&kit, "cluster/c", "spot/cpu"), 1, "a gated pod gets the first flavor");
    is_int(kit_usage(&kit, "cluster/c", "plain/cpu"), 1, "a bare one the one that asks nothing");
    kit_do(&kit, "pod other cluster=c cpu=1 bare");
    is_str(kit_state(&kit, "other"), "waiting", "and waits where there is none");
    kit_do(&kit, "flavor spot");
    is_str(kit_state(&kit, "other"), "reserved", "until one asks for nothing any more");
    kit_close(&kit);
}

static void test_no_memory(void)
{
    struct kit kit;

    kit_open(&kit, "");
    ok(kit_starve(&kit, "flavor f label=a:b toleration=t") > 3, "a flavor needs memory");
    ok(kit_starve(&kit, "flavor f label=a:c label=d:e") > 0, "so do its new words");
    kit_close(&kit);
}

int main(void)
{
    test_number_zero();
    test_life();
    test_sights();
    test_words();
    test_bare_pods();
    test_no_memory();
    return tap_done();
}
