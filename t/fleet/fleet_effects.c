/* SPDX-License-Identifier: Apache-2.0 */

/* What the effects say. */
#include "plugin/fleet/fleet_effects.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static bool find(const struct fleet_kit *f, enum effect_kind kind, struct effect *ret)
{
    uint32_t cursor = 0;

    while (outbox_next_live(&f->outbox, &cursor, ret)) {
        if (ret->kind == kind)
            return true;
    }
    return false;
}

static void test_words(void)
{
    struct fleet_kit f;
    struct effect effect;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; cluster b; workload w in=a,b gate=mine uid=u1 v=7");
    ok(find(&f, EFFECT_CREATE_REPLICA, &effect), "create");
    ok(text_is(effect.uid, "") && text_is(effect.origin, "u1") && text_is(effect.name, "w"),
       "for whom");
    ok(effect.gate_count == 2 && text_is(effect.gates[0], "kueue.x-k8s.io/multikueue") &&
           text_is(effect.gates[1], "mine"),
       "with our gate and its own");
    fleet_kit_do(&f, "replica b/w; replica a/w signals v=9");
    ok(find(&f, EFFECT_WRITE_MEMORY, &effect) && effect.resource_version == 7, "under its version");
    fleet_kit_do(&f, "done write w");
    ok(find(&f, EFFECT_OPEN_GATE, &effect) && effect.resource_version == 9, "and the replica's");
    ok(text_is(effect.cluster, "a") && text_is(effect.uid, "a-w"), "which one");
    is_int(effect.until, 1030 * FLEET_SECOND, "and until when");
    fleet_kit_do(&f, "done open a/w; replica a/w open admitted");
    ok(find(&f, EFFECT_SET_CLUSTER, &effect) && text_is(effect.cluster, "a"), "where it is");
    fleet_kit_do(&f, "workload w in=a,b bound=a uid=u1; replica a/w evicted");
    ok(find(&f, EFFECT_RETRY_CHECK, &effect) && text_is(effect.cluster, "a"), "try again");
    is_str(effect.message, "evicted in the cluster a", "and why");
    fleet_kit_do(&f, "lose-replica a/w");
    ok(find(&f, EFFECT_RETRY_CHECK, &effect), "why not");
    is_str(effect.message, "its copy is gone from the cluster a", "because it is gone");
    fleet_kit_do(&f, "cluster a off; time 1000");
    ok(find(&f, EFFECT_RETRY_CHECK, &effect), "or");
    is_str(effect.message, "the cluster a cannot be reached for 16m40s", "lost");
    fleet_kit_close(&f);
}

static void test_results(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w in=a; gone create a/w");
    is_str(fleet_kit_effects(&f), "", "a place that is not there is not asked for again");
    fleet_kit_do(&f, "cluster a off; cluster a");
    is_str(fleet_kit_effects(&f), "create a/w", "until its cluster is another one");
    fleet_kit_do(&f, "replica a/w signals; retry write w; time 1; gone write w");
    is_str(fleet_kit_effects(&f), "delete a/w", "a workload that is gone leaves a replica behind");
    fleet_kit_close(&f);
}

int main(void)
{
    test_words();
    test_results();
    return tap_done();
}
