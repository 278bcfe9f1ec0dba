/* SPDX-License-Identifier: Apache-2.0 */

/* How long a pod may have to wait: only where something was given back, from what ended, in the
 * queue that has no room. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include "plugin/telling/outlook.h"

#include <stdio.h>

static struct position place_of(const struct kit *kit, const char *uid)
{
    struct pod_report report;

    engine_report_pod(kit->engine, kit_claim(kit, uid), &report);
    return report.place;
}

/* In each of two places one pod runs for a minute after the other; then two more hold them, since
 * half a minute, and two wait. */
static void run_some(struct kit *kit, const char *queue)
{
    char line[200];

    for (int i = 0; i < 20; i++) {
        snprintf(line, sizeof(line),
                 "time %d; pod p%d queue=%s; reserve p%d; time %d; lose-pod p%d", 100 + i * 100, i,
                 queue, i, 160 + i * 100, i);
        kit_do(kit, line);
    }
    snprintf(line, sizeof(line),
             "time 3000; pod x queue=%s; pod y queue=%s; reserve x; reserve y; time 3030;"
             "pod first queue=%s; pod second queue=%s priority=-1",
             queue, queue, queue, queue);
    kit_do(kit, line);
}

static void test_own_queue(void)
{
    struct kit kit;
    struct position place;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=2; pod a queue=q; pod b queue=q; pod c queue=q");
    place = place_of(&kit, "c");
    is_int(place.estimate, -1, "nothing has ended");
    is_int(place.earliest, -1, "not even when it is over at the earliest");
    is_str(place.basis, "too few have ended there to tell", "and that is said");
    kit_close(&kit);

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=2");
    run_some(&kit, "q");
    place = place_of(&kit, "first");
    ok(place.earliest > 20 * SECOND && place.latest > place.earliest && place.latest < 60 * SECOND,
       "half a minute more or so: %lld to %lld", (long long)place.earliest,
       (long long)place.latest);
    is_str(place.basis, "when 1 pods are given back in q, whose last 20 ran for 1m2s on the mean",
           "and what that is based on");
    ok(place_of(&kit, "second").earliest >= place.earliest, "the second waits for longer");
    kit_close(&kit);
}

static void test_above(void)
{
    struct kit kit;
    struct position place;

    kit_open(&kit, "");
    kit_do(&kit, "queue top pods=2; queue q parent=top; queue other parent=top");
    run_some(&kit, "other");
    kit_do(&kit, "pod mine queue=q");
    place = place_of(&kit, "mine");
    ok(text_is(place.on.name, "top"), "it has no room in the queue above");
    ok(place.earliest > 0, "and what ended below that tells when it has");
    kit_close(&kit);
}

static void test_none(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=2");
    run_some(&kit, "q");
    kit_do(&kit, "queue q pods=2 state=Closed");
    is_int(place_of(&kit, "first").earliest, -1, "a queue that is closed lets nobody in");
    kit_do(&kit, "queue q pods=2; pod never queue=q cpu=1; queue q pods=0");
    is_int(place_of(&kit, "never").earliest, -1, "nor one that can never have so much");
    kit_close(&kit);
}

static void test_told_anew(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=2");
    run_some(&kit, "q");
    kit_do(&kit, "time 3060; lose-pod x");
    is_int(place_of(&kit, "first").position, 0, "the first has its room when one has ended");
    ok(place_of(&kit, "second").earliest >= 0, "and the second is told anew");
    kit_close(&kit);
}

int main(void)
{
    test_own_queue();
    test_above();
    test_none();
    test_told_anew();
    return tap_done();
}
