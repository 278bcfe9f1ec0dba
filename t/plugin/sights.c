/* SPDX-License-Identifier: Apache-2.0 */

/* What is seen is followed by one slice of work; what was known before, by none. */
#include "plugin/advance.h"
#include "plugin/engine.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static int reserved(struct kit *kit)
{
    const struct queue *q = queue_at(kit->engine, kit_queue(kit, "q"));

    return (int)tree_size(&claims_by_stamp, kit->engine, q->reserved);
}

int main(void)
{
    struct kit kit;
    char step[64];

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1");
    for (int i = 0; i < 4 * ADVANCE_SLICE; i++) {
        snprintf(step, sizeof(step), "pod p%d queue=q cpu=2", i);
        kit_quick(&kit, step);
    }
    is_int(reserved(&kit), 0, "nobody has room");
    kit_quick(&kit, "queue q cpu=1000");
    is_int(reserved(&kit), ADVANCE_SLICE, "an edit is followed by a slice");
    kit_quick(&kit, "node n");
    is_int(reserved(&kit), 2 * ADVANCE_SLICE, "something else by the next one");
    kit_quick(&kit, "lose-node m");
    is_int(reserved(&kit), 2 * ADVANCE_SLICE, "what was never there goes without");
    kit_close(&kit);
    return tap_done();
}
