/* SPDX-License-Identifier: Apache-2.0 */

/* New cells whose queues hold much: they are counted in slices, whatever changes meanwhile. */
#include "plugin/claims/recount.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

#include <stdio.h>

enum { PODS = 840, MANY = 900 };

static struct kit kit;

static void step(const char *format, int n, int queue)
{
    char text[120];

    snprintf(text, sizeof(text), format, n, queue);
    kit_quick(&kit, text);
}

/* Two in three are bound, the others are granted; all use one of cpu and of gpu. */
static void fill(void)
{
    kit_do(&kit, "queue p cpu=10000; queue other");
    for (int i = 0; i < 4; i++)
        step("queue q%d parent=p", i, 0);
    for (int i = 0; i < PODS; i++)
        step(i % 3 == 0 ? "pod p%d queue=q%d cpu=1 gpu=1" : "pod p%d queue=q%d cpu=1 gpu=1 node=n",
             i, i % 4);
    kit_work_off(&kit);
}

static void is_counting(const char *queue, const char *resource, const char *what)
{
    const struct cell *cell = kit_cell(&kit, queue, resource);

    ok(cell != NULL && cell->counting, "%s", what);
}

static void test_in_slices(void)
{
    int slices = 0;

    kit_open(&kit, "");
    fill();
    kit_quick(&kit, "queue p cpu=10000 gpu=600");
    is_counting("p", "gpu", "what many hold is not counted at once");
    is_counting("root", "gpu", "nor above");
    kit_quick(&kit, "pod new queue=other gpu=1");
    is_str(kit_state(&kit, "new"), "waiting", "nobody is granted any of it before");
    kit_quick(&kit, "pod else queue=q1 cpu=1");
    is_str(kit_state(&kit, "else"), "reserved", "but who asks for something else");
    is_str(engine_check(kit.engine), NULL, "all is sound");
    for (; kit.engine->claims.recount.cells > 0; slices++)
        engine_tick(kit.engine);
    ok(slices >= PODS / RECOUNT_SLICE - 2, "%d slices", slices);
    kit_work_off(&kit);
    is_str(kit_state(&kit, "new"), "reserved", "then it is");
    is_int(kit_usage(&kit, "p", "gpu"), 600, "who is too much gives back");
    is_int(kit_usage(&kit, "root", "gpu"), 601, "the root knows all that is used");
    is_str(engine_check(kit.engine), NULL, "all is sound");
    kit_do(&kit, "queue p cpu=10000");
    is_int(kit_usage(&kit, "p", "gpu"), -1, "a resource that is named no more is not counted");
    kit_close(&kit);
}

/* Before and behind the place where the pass is. */
static void test_changes_meanwhile(void)
{
    kit_open(&kit, "");
    fill();
    kit_quick(&kit, "queue p cpu=10000 gpu=900 guarantee.gpu=100");
    ok(recount_has(kit.engine, kit_claim(&kit, "p0")), "some are counted");
    ok(!recount_has(kit.engine, kit_claim(&kit, "p599")), "others are not");
    engine_check(kit.engine);
    kit_quick(&kit, "lose-pod p1");
    kit_quick(&kit, "pod p3 queue=q3 cpu=1 gpu=1 node=n");
    kit_quick(&kit, "pod p598 queue=q2 cpu=1 gpu=5 node=n");
    kit_work_off(&kit);
    is_int(kit_usage(&kit, "p", "gpu"), PODS - 1 + 4, "each counts once, with what it holds now");
    is_int(kit_usage(&kit, "root", "gpu"), PODS - 1 + 4 - 100, "less what is kept");
    is_str(engine_check(kit.engine), NULL, "all is sound");
    kit_close(&kit);
}

static void test_edits_meanwhile(void)
{
    kit_open(&kit, "");
    fill();
    kit_quick(&kit, "queue p cpu=10000 gpu=900");
    kit_quick(&kit, "queue q0 parent=p guarantee.gpu=7");
    is_str(engine_check(kit.engine), NULL, "a queue below begins to name it as well");
    kit_work_off(&kit);
    is_int(kit_usage(&kit, "p", "gpu"), PODS - 7, "what is kept for it does not arrive");
    kit_do(&kit, "queue p cpu=10000; queue q0 parent=p");
    kit_quick(&kit, "queue p cpu=10000 gpu=900");
    kit_quick(&kit, "queue q1 parent=other");
    is_str(engine_check(kit.engine), NULL, "a queue goes elsewhere");
    kit_work_off(&kit);
    is_int(kit_usage(&kit, "p", "gpu"), PODS - PODS / 4, "with what it holds");
    kit_do(&kit, "queue p cpu=10000");
    kit_quick(&kit, "queue p cpu=10000 gpu=900 memory=1");
    kit_quick(&kit, "queue p cpu=10000 memory=1");
    is_str(engine_check(kit.engine), NULL, "named no more before it is counted");
    kit_work_off(&kit);
    ok(kit_cell(&kit, "root", "gpu") == NULL, "it is forgotten");
    kit_quick(&kit, "queue p cpu=10000 gpu=900");
    kit_quick(&kit, "lose-queue p");
    kit_work_off(&kit);
    is_int((int)kit.engine->claims.recount.cells, 0, "and so when its queue is gone");
    kit_close(&kit);
}

/* Somebody goes, and somebody is promised it: before and behind the place where the pass is. */
static void test_what_is_under_way(void)
{
    const struct cell *cell;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue p cpu=900; queue q parent=p cpu=900 within=lower");
    for (int i = 0; i < MANY; i++)
        step("pod p%d queue=q cpu=1 gpu=2 node=n", i, 0);
    kit_work_off(&kit);
    kit_do(&kit, "pod high queue=q cpu=2 gpu=1 priority=5");
    is_str(kit_promised(&kit), "high", "somebody is promised what two hold");
    kit_quick(&kit, "queue p cpu=900 gpu=2000 guarantee.gpu=100");
    is_counting("p", "gpu", "they are counted");
    kit_quick(&kit, "pod p1 queue=q cpu=1 gpu=2 node=n deleted");
    is_str(engine_check(kit.engine), NULL, "as far as the pass is");
    kit_quick(&kit, "pod higher queue=q cpu=3 gpu=1 priority=6");
    is_str(engine_check(kit.engine), NULL, "also while somebody begins to go");
    is_str(kit_promised(&kit), "high", "nobody finds victims before all are counted");
    kit_quick(&kit, "pod p590 queue=q cpu=1 gpu=2 node=n deleted");
    kit_work_off(&kit);
    is_str(engine_check(kit.engine), NULL, "all is sound");
    is_str(kit_promised(&kit), "high higher", "then they do");
    cell = kit_cell(&kit, "p", "gpu");
    is_int(amount_clamp(cell->usage), 2 * MANY, "all is used still");
    is_int(amount_clamp(cell->later), 2 * (MANY - 5) + 2, "less who goes, and who comes");
    is_int(amount_clamp(kit_cell(&kit, "root", "gpu")->later), 2 * (MANY - 5) + 2 - 100,
           "less what is kept, above");
    kit_do(&kit, "queue p cpu=900");
    kit_quick(&kit, "queue p cpu=900 gpu=2000");
    kit_quick(&kit, "lose-pod high");
    kit_quick(&kit, "lose-pod p1");
    is_str(engine_check(kit.engine), NULL, "promises end, and who goes is gone, meanwhile");
    kit_work_off(&kit);
    is_str(engine_check(kit.engine), NULL, "all is sound");
    kit_close(&kit);
}

/* Nobody holds anything there any more. */
static void test_only_promised(void)
{
    kit_open(&kit, "evicts");
    kit_do(&kit, "queue p cpu=4; queue q parent=p within=lower; pod low queue=q cpu=3 node=n;"
                 "pod high queue=q cpu=4 priority=5");
    kit_quick(&kit, "lose-pod low");
    is_str(engine_check(kit.engine), NULL, "a promise counts where nobody holds anything");
    kit_quick(&kit, "queue q parent=p cpu=4 within=lower");
    is_str(engine_check(kit.engine), NULL, "also in a cell that is new");
    kit_close(&kit);
}

int main(void)
{
    test_in_slices();
    test_changes_meanwhile();
    test_edits_meanwhile();
    test_what_is_under_way();
    test_only_promised();
    return tap_done();
}
