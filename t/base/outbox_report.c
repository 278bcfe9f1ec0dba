/* SPDX-License-Identifier: Apache-2.0 */

/* What a person is shown of the outbox, and what must hold of it. */
#include "plugin/base/outbox.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static struct effect effect;

static void test_live(void)
{
    uint32_t cursor = 0;
    int64_t given;
    struct kit kit;

    kit_open_parked(&kit, "");
    ok(!outbox_next_live(engine_outbox(kit.engine), &cursor, &effect), "nothing is needed");
    ok(!outbox_peek(engine_outbox(kit.engine), &effect), "nor to be given out");
    kit_do(&kit, "lose-pod a");
    cursor = 0;
    ok(outbox_next_live(engine_outbox(kit.engine), &cursor, &effect), "what is needed is live");
    is_int(effect.id, 0, "without an id, as long as it was not given out");
    ok(outbox_peek(engine_outbox(kit.engine), &effect) && effect.id > 0,
       "who looks at it sees its next");
    given = effect.id;
    kit_lease(&kit, &effect);
    is_int(effect.id, given, "under which it goes out");
    ok(!outbox_peek(engine_outbox(kit.engine), &effect), "once");
    cursor = 0;
    ok(outbox_next_live(engine_outbox(kit.engine), &cursor, &effect) && effect.leased,
       "it is under way");
    is_int(effect.id, given, "as that");
    ok(!outbox_next_live(engine_outbox(kit.engine), &cursor, &effect), "that is all");
    kit_close(&kit);
}

static void test_check(void)
{
    struct outbox_entry *entry;
    struct kit kit;

    kit_open_parked(&kit, "");
    kit_do(&kit, "lose-pod a");
    entry = outbox_at(engine_outbox(kit.engine), EFFECT_OF_POD, kit_claim(&kit, "b"));
    ok(outbox_check(engine_outbox(kit.engine), kit.engine, false) == NULL, "all holds");
    entry->wanted = 0;
    ok(outbox_check(engine_outbox(kit.engine), kit.engine, false) != NULL,
       "what is ready is needed");
    entry->wanted = entry->ready;
    entry->leased = entry->ready;
    ok(outbox_check(engine_outbox(kit.engine), kit.engine, false) != NULL, "and not under way");
    entry->leased = 0;
    kit_close(&kit);
}

int main(void)
{
    test_live();
    test_check();
    return tap_done();
}
