/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include "plugin/order/first_fit.h"
#include "plugin/order/fit.h"

#include <stdio.h>
#include <string.h>

static uint32_t kind_of(const struct kit *kit, const char *uid)
{
    return line_at(kit->engine, claim_at(kit->engine, kit_claim(kit, uid))->line)->size_class;
}

static bool alike(const struct kit *kit, const char *a, const char *b)
{
    return kind_of(kit, a) == kind_of(kit, b);
}

static void test_likeness(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "queue q gpu=0; queue other gpu=0; pod a queue=q gpu=4 cpu=1; pod b queue=q gpu=7 cpu=1;"
           "pod c queue=q gpu=8 cpu=1; pod d queue=q gpu=4 cpu=2; pod e queue=q gpu=4;"
           "pod f queue=q gpu=4 memory=1; pod g queue=other gpu=4 cpu=1;"
           "cluster q; pod h cluster=q gpu=4 cpu=1; pod i cluster=q gpu=4 cpu=1 bare");
    ok(alike(&kit, "a", "b"), "4 and 7 are in the same power of two");
    ok(!alike(&kit, "a", "c"), "8 is in the next one");
    ok(!alike(&kit, "a", "d"), "each resource counts");
    ok(!alike(&kit, "a", "e") && !alike(&kit, "a", "f"), "and which ones they are");
    ok(!alike(&kit, "a", "g") && !alike(&kit, "a", "h"), "a size class is of one queue");
    ok(!alike(&kit, "h", "i"), "and has the same flavors to choose from");
    kit_close(&kit);
}

static void test_lives_as_long_as_its_lines(void)
{
    struct kit kit;
    uint32_t before, class;

    kit_open(&kit, "");
    kit_do(&kit, "queue q gpu=0");
    before = slab_count(&kit.engine->order.size_classes);
    kit_do(&kit, "pod a queue=q gpu=4; pod b queue=q gpu=5; pod c queue=q gpu=5");
    class = kind_of(&kit, "a");
    is_int(slab_count(&kit.engine->order.size_classes), before + 1, "three pods, one class");
    is_int(size_class_at(kit.engine, class)->users, 2, "of two lines");
    kit_do(&kit, "pod a queue=q gpu=4 foreign; pod b queue=q gpu=5 foreign; lose-pod c");
    is_int(size_class_at(kit.engine, class)->users, 2, "also while nobody waits in them");
    is_int(size_class_at(kit.engine, class)->head, 0, "then it has no head");
    is_int(queue_at(kit.engine, kit_queue(&kit, "q"))->size_classes, 0, "and is in no tree");
    kit_do(&kit, "pod b queue=q gpu=5");
    is_int(queue_at(kit.engine, kit_queue(&kit, "q"))->size_classes, class,
           "until somebody waits again");
    kit_do(&kit, "lose-pod a; lose-pod b");
    is_int(slab_count(&kit.engine->order.size_classes), before, "it goes with its last line");
    ok(kit_starve(&kit, "pod d queue=q gpu=64 memory=8000000000000 disk=8000000000000") > 4,
       "its memory is had beforehand");
    kit_close(&kit);
}

static void test_heads(void)
{
    struct kit kit;
    uint32_t q;

    kit_open(&kit, "");
    kit_do(&kit, "queue q gpu=0; pod b queue=q gpu=9 created=20; pod c queue=q gpu=8 created=30;"
                 "pod d queue=q gpu=1 created=25; pod a queue=q gpu=1 created=40");
    q = kit_queue(&kit, "q");
    is_int(queue_at(kit.engine, q)->head, kit_claim(&kit, "b"), "the first of the first class");
    is_int(size_class_at(kit.engine, kind_of(&kit, "a"))->head, kit_claim(&kit, "d"),
           "each has its own");
    kit_do(&kit, "lose-pod b");
    is_int(queue_at(kit.engine, q)->head, kit_claim(&kit, "d"), "another class comes first now");
    kit_do(&kit, "pod a queue=q gpu=1 created=40 priority=1");
    is_int(size_class_at(kit.engine, kind_of(&kit, "d"))->head, kit_claim(&kit, "a"),
           "within a size class the heads change, too");
    kit_do(&kit, "lose-pod a; lose-pod d");
    is_int(queue_at(kit.engine, q)->head, kit_claim(&kit, "c"), "until one is left");
    is_str(kit_waiting(&kit, "q"), "c", "alone");
    kit_close(&kit);
}

static void test_walk(void)
{
    char names[64] = "";
    struct kit kit;
    uint32_t q, head = 0;

    kit_open(&kit, "");
    kit_do(&kit, "queue q gpu=0; pod a queue=q gpu=9 created=10; pod b queue=q gpu=1 created=20;"
                 "pod c queue=q gpu=8 created=30; pod d queue=q gpu=70 created=40;"
                 "pod e queue=q gpu=1 created=50; pod f queue=q gpu=10 created=60;"
                 "pod g queue=q gpu=100 created=70; pod held queue=q gpu=11 created=1 foreign");
    q = kit_queue(&kit, "q");
    while ((head = size_class_next_head(kit.engine, q, head, kit_claim(&kit, "e"))) != 0)
        strncat(names, claim_uid(kit.engine, head).at, 1);
    is_str(names, "acbd", "each line whose head comes before e, class by class");
    for (names[0] = '\0'; (head = size_class_next_head(kit.engine, q, head, 0)) != 0;)
        strncat(names, claim_uid(kit.engine, head).at, 1);
    is_str(names, "acfbdg", "or each where somebody waits");
    head = size_class_next_head(kit.engine, kit_queue(&kit, "default"), 0, 0);
    is_int(head, 0, "none, where nobody does");
    kit_close(&kit);
}

/* On top of the tree that this one's line is in. */
static uint32_t top_line(const struct kit *kit, const char *uid)
{
    return claim_at(kit->engine, size_class_at(kit->engine, kind_of(kit, uid))->heads)->line;
}

/* Half ask for too much of one, half for too much of another: all of them together do not tell. */
static void test_two_kinds(void)
{
    const struct size_need *needs;
    struct headrooms rooms;
    struct kit kit;
    uint32_t q;
    uint16_t flavors[FACTS_MAX_NEEDS];

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9 memory=9");
    for (int i = 0; i < 50; i++) {
        kit_dof(&kit, "pod c%d queue=q cpu=%d memory=1", i, 100 + i % 20);
        kit_dof(&kit, "pod m%d queue=q cpu=1 memory=%d", i, 100 + i % 20);
    }
    q = kit_queue(&kit, "q");
    needs = size_class_at(kit.engine, queue_at(kit.engine, q)->size_classes)->needs;
    is_int(needs[0].least + needs[1].least + needs[2].least, 3, "somebody asks for 1 of each");
    headrooms_init(&rooms, kit.engine, q);
    ok(!headrooms_hold_least(&rooms, top_line(&kit, "c0")),
       "of those who ask for much cpu nobody fits, and their least tells");
    ok(!headrooms_hold_least(&rooms, top_line(&kit, "m0")), "so it does of the others");
    is_int(first_fit(kit.engine, q, flavors), 0, "nobody fits");
    kit_do(&kit, "pod late queue=q cpu=7 memory=3");
    is_str(kit_granted(&kit), "late", "who does, does");
    kit_close(&kit);
}

int main(void)
{
    test_likeness();
    test_lives_as_long_as_its_lines();
    test_heads();
    test_walk();
    test_two_kinds();
    return tap_done();
}
