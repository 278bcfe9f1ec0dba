/* SPDX-License-Identifier: Apache-2.0 */

/* What a copy stands for, and who of two has the place. */
#include "plugin/fleet/replica.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static void test_ranks(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; cluster b; workload w in=a,b; replica a/w signals");
    is_int(fleet_kit_replica(&f, "a/w")->rank, RANK_CANDIDATE, "signals");
    is_int(fleet_kit_replica(&f, "b/w")->rank, RANK_NONE, "is not there");
    fleet_kit_do(&f, "replica b/w reserved");
    is_int(fleet_kit_replica(&f, "b/w")->rank, RANK_RESERVED, "has quota");
    fleet_kit_do(&f, "replica b/w admitted; cluster b off");
    is_int(fleet_kit_replica(&f, "b/w")->rank, RANK_ADMITTED, "was admitted, wherever it is now");
    fleet_kit_do(&f, "cluster a off");
    is_int(fleet_kit_replica(&f, "a/w")->rank, RANK_NONE, "cannot be reached");
    fleet_kit_close(&f);
}

/* An ack that comes after another replica took the place. */
static void test_late_acks(void)
{
    struct effect effect;
    struct fleet_kit f;
    uint32_t cursor = 0;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w unreserved in=a; replica a/w; lease delete a/w");
    ok(outbox_next_live(&f.outbox, &cursor, &effect) && effect.leased, "it is being deleted");
    fleet_kit_do(&f, "replica a/w uid=new; lease delete a/w");
    ok(!outbox_ack(&f.outbox, effect.id, EFFECT_GONE, 0), "what is gone is the former one");
    ok(replica_is(fleet_kit_replica(&f, "a/w"), REPLICA_THERE), "and not its successor");
    fleet_kit_close(&f);
}

int main(void)
{
    test_ranks();
    test_late_acks();
    return tap_done();
}
