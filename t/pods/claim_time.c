/* SPDX-License-Identifier: Apache-2.0 */

/* When claims must be looked at again. */
#include "plugin/pods/claim_time.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void test_deadlines(void)
{
    struct kit kit;

    kit_open(&kit, "timeout=60");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=4; pod b queue=q cpu=4");
    is_int(claim_deadline(kit.engine, kit_claim(&kit, "a")), 61 * SECOND, "a reservation ends");
    ok(claim_deadline(kit.engine, kit_claim(&kit, "b")) == INT64_MAX, "who waits has no deadline");
    is_int(engine_next(kit.engine), 61 * SECOND, "the engine asks for the earliest");
    kit_do(&kit, "reserve a");
    is_int(engine_next(kit.engine), 0, "past the reserve hook nothing is due");
    kit_close(&kit);
}

/* Room for members that nobody has made yet is kept for as long as a grant may be unseen. */
static void test_booked(void)
{
    struct kit kit;
    uint32_t entry;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; group g min=2 queue=q cpu=2");
    entry = group_at(kit.engine, group_find(kit.engine, text_of("default"), text_of("g")))->entry;
    is_int(claim_booked_until(kit.engine, entry), (1 + CLAIM_CYCLE_SECONDS) * SECOND,
           "then it is taken back");
    is_int(claim_deadline(kit.engine, entry), claim_booked_until(kit.engine, entry),
           "which is when the entry is looked at");
    kit_do(&kit, "time 301");
    is_int(claim_booked_until(kit.engine, entry), claim_pauses_until(claim_at(kit.engine, entry)),
           "and it pauses");
    is_int(claim_pauses_until(claim_at(kit.engine, entry)), (301 + CLAIM_BACKOFF_SECONDS) * SECOND,
           "for a while");
    kit_close(&kit);
}

/* A pod that its owner takes out of the queues is forgotten when all is done for it. */
static void test_over(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1; pod b queue=q cpu=1");
    ok(!claim_is_over(kit.engine, kit_claim(&kit, "b")), "one that waits is not over");
    claim_at(kit.engine, kit_claim(&kit, "b"))->flags |= CLAIM_LET_GO;
    ok(!claim_is_over(kit.engine, kit_claim(&kit, "b")), "nor one whose gate is to go");
    claim_at(kit.engine, kit_claim(&kit, "b"))->gates = 0;
    claim_at(kit.engine, kit_claim(&kit, "b"))->flags &= ~(uint32_t)CLAIM_PARKED;
    ok(claim_is_over(kit.engine, kit_claim(&kit, "b")), "without it nothing is left to do");
    kit_close(&kit);
}

int main(void)
{
    test_deadlines();
    test_booked();
    test_over();
    return tap_done();
}
