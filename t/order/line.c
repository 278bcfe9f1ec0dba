/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include "plugin/order/first_fit.h"
#include "plugin/order/fit.h"
#include "plugin/telling/pending.h"

#include <stdio.h>

static const struct line *line_of(const struct kit *kit, const char *uid)
{
    return line_at(kit->engine, claim_at(kit->engine, kit_claim(kit, uid))->line);
}

/* How many wait before this one in its queue. */
static uint32_t position(const struct engine *e, uint32_t claim)
{
    uint32_t queue = claim_queue(e, claim), before = 0, head = 0;

    while ((head = size_class_next_head(e, queue, head, claim)) != 0)
        before += line_count_before(e, claim_line(e, head), claim);
    return before;
}

static void test_rank(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=0 gpu=0; pod e queue=q gpu=1 created=50; pod d queue=q gpu=2 "
                 "created=40; pod b queue=q gpu=1 created=60 priority=5; pod c1 queue=q gpu=3 "
                 "created=30; pod c queue=q gpu=1 created=30; pod a queue=q gpu=9 priority=6 "
                 "created=99; pod z queue=q gpu=1 priority=-1 created=1");
    is_str(kit_waiting(&kit, "q"), "a b c c1 d e z", "priority, then creation, then uid");
    is_int(position(kit.engine, kit_claim(&kit, "a")), 0, "nobody is before the first");
    is_int(position(kit.engine, kit_claim(&kit, "d")), 4, "4 are before d, of all shapes");
    is_int(position(kit.engine, kit_claim(&kit, "z")), 6, "and 6 before the last");
    is_int(queue_at(kit.engine, kit_queue(&kit, "q"))->head, kit_claim(&kit, "a"), "a is the head");
    kit_do(&kit, "pod z queue=q gpu=1 priority=7");
    is_str(kit_waiting(&kit, "q"), "z a b c c1 d e", "who gets another priority gets its place");
    kit_do(&kit, "lose-pod a; lose-pod z; lose-pod c");
    is_str(kit_waiting(&kit, "q"), "b c1 d e", "who goes leaves the order as it is");
    kit_close(&kit);
}

static void test_shapes(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q gpu=0; pod a queue=q cpu=1 gpu=2; pod b queue=q gpu=2 cpu=1 memory=0;"
                 "pod c queue=q cpu=2 gpu=2; pod d queue=q gpu=2 cpu=1 pods=7");
    ok(line_of(&kit, "a") == line_of(&kit, "b"), "who asks for the same is in one line");
    ok(line_of(&kit, "a") == line_of(&kit, "d"), "a pod is one of `pods`, whatever it says");
    ok(line_of(&kit, "a") != line_of(&kit, "c"), "who asks for another amount is not");
    is_int(line_count(kit.engine, line_of(&kit, "a")), 3,
           "cpu, gpu and pods: what is 0 is not asked for");
    is_int(crowd_at(kit.engine, line_of(&kit, "a")->crowd)->users, 3, "three ask for this");
    is_int(queue_at(kit.engine, kit_queue(&kit, "q"))->line_count, 2, "two shapes");
    kit_do(&kit, "lose-pod a; lose-pod b; lose-pod d");
    is_int(queue_at(kit.engine, kit_queue(&kit, "q"))->line_count, 1,
           "a line goes with its last claim");
    kit_do(&kit, "cluster q; pod e cluster=q cpu=1; pod f cluster=q cpu=1 bare");
    ok(line_of(&kit, "e") != line_of(&kit, "f"), "who can get other flavors is in another line");
    kit_close(&kit);
}

static void test_strict(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4 strict; pod x queue=q cpu=2; pod big queue=q cpu=3;"
                 "pod one queue=q cpu=1; pod two queue=q cpu=1");
    is_str(kit_granted(&kit), "x", "a strict queue stops at its head");
    is_str(kit_why(&kit, "one"), "QueueOrder", "and says so");
    is_str(kit_why(&kit, "big"), "QueueCapacity", "the head itself lacks room");
    kit_do(&kit, "pod zero queue=q cpu=1 priority=1");
    is_str(kit_granted(&kit), "x zero", "who comes before the head may pass");
    kit_do(&kit, "lose-pod big");
    is_str(kit_granted(&kit), "one x zero", "a head that goes lets the next ones pass");
    kit_do(&kit, "pod huge queue=q cpu=4 priority=2; queue q cpu=5 strict");
    is_str(kit_granted(&kit), "one x zero", "room alone does not help who is behind");
    kit_do(&kit, "queue q cpu=5");
    is_str(kit_granted(&kit), "one two x zero", "until the queue is strict no more");
    kit_close(&kit);

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4 strict; pod x queue=q cpu=2; pod big queue=q cpu=3;"
                 "pod one queue=q cpu=1; pod big queue=q cpu=3 foreign");
    is_str(kit_granted(&kit), "one x", "a head that is held lets the next ones pass");
    kit_do(&kit, "pod big queue=q cpu=3; pod two queue=q cpu=1; pod big queue=q cpu=3 priority=-1");
    is_str(kit_granted(&kit), "one two x", "so does one that takes another place");
    kit_close(&kit);
}

/* Only a line of several claims has a crowd. */
static void test_crowd(void)
{
    const struct line *line;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q gpu=0; pod c queue=q gpu=1 created=3");
    line = line_of(&kit, "c");
    is_int(line->crowd, 0, "one claim is no crowd");
    ok(kit_starve(&kit, "pod d queue=q gpu=1 created=4") > 1, "a crowd's memory is had beforehand");
    is_int(crowd_at(kit.engine, line->crowd)->users, 2, "two claims are one");
    is_int(line_next(kit.engine, kit_claim(&kit, "c")), kit_claim(&kit, "d"), "d is behind c");
    kit_do(&kit, "pod a queue=q gpu=1 created=1");
    is_int(line->head, kit_claim(&kit, "a"), "an older one is the head");
    is_int(line_next(kit.engine, kit_claim(&kit, "a")), kit_claim(&kit, "c"), "before the old one");
    is_int(line_next(kit.engine, kit_claim(&kit, "d")), 0, "nobody is behind the last");
    is_int(line_waiting(kit.engine, line), 3, "three wait");
    kit_do(&kit, "pod a queue=q gpu=1 foreign; pod c queue=q gpu=1 foreign");
    is_int(line->head, kit_claim(&kit, "d"), "the last is the head of what is left");
    is_int(line_waiting(kit.engine, line), 1, "one waits");
    is_int(crowd_at(kit.engine, line->crowd)->users, 3, "though three ask for this");
    kit_do(&kit, "lose-pod a; lose-pod d");
    is_int(line->crowd, 0, "one is left, who does not even wait: no crowd");
    is_int(line->head, 0, "and no head");
    is_int(slab_count(&kit.engine->order.crowds), 0, "so there is none at all");
    kit_close(&kit);
}

/* Random shapes against a scan of all that wait. */
enum { SHAPES = 1000 };

static uint32_t scan(const struct kit *kit, uint32_t queue, bool strict)
{
    const struct engine *e = kit->engine;
    uint16_t flavors[FACTS_MAX_NEEDS];
    uint32_t best = 0;

    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (slab_live(&e->claims.records, id) && claim_at(e, id)->state == CLAIM_WAITING &&
            claim_queue(e, id) == queue &&
            (strict || fit_line(e, claim_at(e, id)->line, flavors)) &&
            (best == 0 || claim_compare_rank(e, id, best) < 0))
            best = id;
    }
    return best != 0 && fit_line(e, claim_at(e, best)->line, flavors) ? best : 0;
}

static void test_against_scan(void)
{
    unsigned long long seed = 3;
    int wrong = 0, found = 0, wrong_place = 0;
    uint16_t flavors[FACTS_MAX_NEEDS];
    uint32_t page[SHAPES], queue, count;
    const struct engine *all;
    struct kit kit;

    kit_open(&kit, "standby"); /* so that nobody is granted */
    kit_do(&kit, "queue q");
    queue = kit_queue(&kit, "q");
    for (int i = 0; i < SHAPES; i++) {
        struct engine *e = kit.engine;
        char step[256];
        int len = snprintf(step, sizeof(step), "pod p%d queue=q priority=%u created=%u", i,
                           test_random(&seed) % 4, 1 + test_random(&seed) % 50);

        for (int r = 0; r < 5; r++) {
            if (test_random(&seed) % 2)
                len += snprintf(step + len, sizeof(step) - (size_t)len, " r%d=%u", r,
                                1 + test_random(&seed) % 300);
        }
        kit_try(&kit, step);
        if (i % 10 != 9)
            continue;
        snprintf(step, sizeof(step), "queue q r0=%u r1=%u r2=%u r3=%u r4=%u",
                 test_random(&seed) % 200, test_random(&seed) % 200, test_random(&seed) % 200,
                 test_random(&seed) % 200, test_random(&seed) % 200);
        kit_try(&kit, step);
        found += first_fit(e, queue, flavors) != 0;
        wrong += first_fit(e, queue, flavors) != scan(&kit, queue, false);
        queue_at(e, queue)->strict = true;
        wrong += first_fit(e, queue, flavors) != scan(&kit, queue, true);
        queue_at(e, queue)->strict = false;
    }
    all = kit.engine;
    count = pending_page(all, queue, 0, SHAPES, page);
    for (uint32_t n = 0; n < count; n += 20)
        wrong_place += position(all, page[n]) != n;
    is_int((int)count, SHAPES, "all of them wait");
    ok(wrong == 0 && found > 20, "first fit is what a scan of all shapes finds (%d found)", found);
    is_int(wrong_place, 0, "the n-th that waits has n before it");
    kit_close(&kit);
}

static void test_least(void)
{
    struct bound bound;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "queue q gpu=0; pod a queue=q gpu=5 cpu=3; pod b queue=q gpu=7; pod c queue=q gpu=4 "
           "cpu=1");
    line_bound(kit.engine, kit_queue(&kit, "q"), &bound);
    for (int i = 0; i < bound.count; i++)
        is_int(bound.item[i].least, bound.item[i].resource == kit_resource(&kit, "gpu") ? 4 : 1,
               "the least of what all ask for");
    is_int(bound.count, 2, "gpu and pods: not everybody asks for cpu");
    kit_do(&kit, "queue q gpu=0 strict");
    line_bound(kit.engine, kit_queue(&kit, "q"), &bound);
    is_int(bound.count, 3, "where the head stops its queue, it alone asks");
    kit_close(&kit);
}

int main(void)
{
    test_rank();
    test_shapes();
    test_strict();
    test_crowd();
    test_against_scan();
    test_least();
    return tap_done();
}
