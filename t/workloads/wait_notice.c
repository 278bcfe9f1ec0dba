/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/workloads/wait_notice.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

#define WORLD "flavor f; cluster c within=lower group=cpu flavor=f cpu=2; local l cluster=c"

static void open_world(struct workload_kit *kit, const char *words)
{
    workload_kit_open(kit, words);
    workload_kit_do(kit, WORLD);
}

static void test_waits_first(void)
{
    struct workload_kit kit;

    open_world(&kit, "reasons after=10");
    workload_kit_do(&kit, "add a queue=l cpu=2; add b queue=l cpu=1; add c queue=l cpu=2");
    is_str(workload_kit_log(&kit), "a:reserve", "who has just come is told nothing");
    workload_kit_do(&kit, "time 9; finish a");
    is_str(workload_kit_log(&kit), "b:reserve", "and gets its room with the first write");
    ok(engine_next(kit.kit.engine) == 11 * SECOND, "who goes on waiting has a time");
    workload_kit_do(&kit, "time 10");
    is_str(workload_kit_log(&kit), "", "before which nothing is said,");
    workload_kit_do(&kit, "time 11");
    is_str(workload_kit_log(&kit), "c:pending", "and then why");
    ok(engine_next(kit.kit.engine) == 0, "once");
    workload_kit_do(&kit, "time 100; finish b");
    is_str(workload_kit_log(&kit), "c:reserve", "until it has room");
    ok(engine_next(kit.kit.engine) == 0, "and nobody is left");
    workload_kit_close(&kit);
}

static void test_at_once(void)
{
    struct workload_kit kit;

    open_world(&kit, "reasons after=10");
    workload_kit_do(&kit, "add a queue=l cpu=3");
    is_str(workload_kit_log(&kit), "a:pending", "what can never be is said at once,");
    workload_kit_do(&kit,
                    "remove a; add a queue=l cpu=2; jobsStay; add b queue=l cpu=2 priority=1");
    is_str(workload_kit_log(&kit), "a:reserve a:evict b:pending", "and who goes for it,");
    workload_kit_do(&kit, "cluster c within=lower group=cpu flavor=f cpu=0");
    is_str(workload_kit_log(&kit), "b:pending", "and what has become another reason");
    workload_kit_close(&kit);

    open_world(&kit, "reasons after=10");
    workload_kit_do(&kit, "add a queue=l cpu=2; local l cluster=c hold; add b queue=l cpu=1");
    is_str(workload_kit_log(&kit), "a:reserve b:pending", "who is stopped is told so,");
    workload_kit_do(&kit, "local l cluster=c");
    is_str(workload_kit_log(&kit), "b:pending", "and that it is not any more, and waits");
    workload_kit_close(&kit);
}

static void test_again(void)
{
    struct workload_kit kit;

    open_world(&kit, "reasons after=10");
    workload_kit_do(&kit, "add a queue=l cpu=2; add b queue=l cpu=1; time 6; "
                          "local l cluster=c unselected");
    is_str(workload_kit_log(&kit), "a:reserve b:pending", "another reason ends the wait for it");
    ok(engine_next(kit.kit.engine) == 0, "there is no time any more");
    workload_kit_do(&kit, "remove b; local l cluster=c; add b queue=l cpu=1; time 12; remove b; "
                          "add b queue=l cpu=1");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "time 17");
    is_str(workload_kit_log(&kit), "", "another one of its name waits for itself");
    workload_kit_do(&kit, "time 22");
    is_str(workload_kit_log(&kit), "b:pending", "for as long as others");
    workload_kit_close(&kit);

    open_world(&kit, "reasons after=10");
    workload_kit_do(&kit, "add a queue=l cpu=2; add b queue=l cpu=1; time 8; restart");
    is_str(workload_kit_log(&kit), "a:reserve", "another leader does not know how long it waited,");
    ok(engine_next(kit.kit.engine) != 0, "and asks it to wait");
    workload_kit_do(&kit, "follow");
    ok(engine_next(kit.kit.engine) == 0, "who does not lead tells nobody");
    workload_kit_close(&kit);

    open_world(&kit, "reasons after=10");
    workload_kit_do(&kit, "add low queue=l cpu=2; add high queue=l cpu=2 priority=1");
    is_str(workload_kit_log(&kit),
           "low:reserve low:evict high:pending low:endEviction high:reserve",
           "who is evicted has been told enough");
    workload_kit_do(&kit, "time 20");
    is_str(workload_kit_log(&kit), "low:pending", "until it has waited again");
    workload_kit_close(&kit);
}

static void add_some(struct workload_kit *kit, int count)
{
    char step[64];

    for (int i = 0; i < count; i++) {
        snprintf(step, sizeof(step), "add w%d queue=l cpu=1", i);
        workload_kit_do(kit, step);
    }
}

static void test_so_many(void)
{
    struct workload_kit kit;

    open_world(&kit, "reasons after=10 perSecond=2");
    add_some(&kit, 7);
    is_str(workload_kit_log(&kit), "w0:reserve w1:reserve", "two have room");
    workload_kit_do(&kit, "time 11");
    is_str(workload_kit_log(&kit), "w2:pending", "who waits longest is told first,");
    ok(engine_next(kit.kit.engine) == 11 * SECOND + SECOND / 2, "the next one half a second later");
    workload_kit_do(&kit, "time 12; finish w0");
    is_str(workload_kit_log(&kit), "w3:pending w2:reserve", "one at a time,");
    workload_kit_do(&kit, "finish w1; finish w2");
    is_str(workload_kit_log(&kit), "w3:reserve w4:reserve", "who has room by then is not told;");
    workload_kit_do(&kit, "remove w5");
    ok(engine_next(kit.kit.engine) == 12 * SECOND + SECOND / 2, "who goes leaves no hole,");
    workload_kit_do(&kit, "time 13");
    is_str(workload_kit_log(&kit), "w6:pending", "the next one has its turn");
    workload_kit_close(&kit);

    open_world(&kit, "reasons perSecond=1");
    add_some(&kit, 4);
    is_str(workload_kit_log(&kit), "w0:reserve w1:reserve w2:pending",
           "without a delay the first is told at once");
    workload_kit_do(&kit, "time 2");
    is_str(workload_kit_log(&kit), "w3:pending", "and the others by and by");
    workload_kit_close(&kit);
}

int main(void)
{
    test_waits_first();
    test_at_once();
    test_again();
    test_so_many();
    return tap_done();
}
