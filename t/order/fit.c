/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/order/fit.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static uint32_t line_of(const struct kit *kit, const char *uid)
{
    return claim_at(kit->engine, kit_claim(kit, uid))->line;
}

/* The flavor that a claim holds a resource in. */
static const char *held_in(const struct kit *kit, const char *uid, const char *resource)
{
    const struct engine *e = kit->engine;
    const struct claim *claim = claim_at(e, kit_claim(kit, uid));
    const struct line *line = line_at(e, claim->line);

    for (uint32_t i = 0; i < line_count(kit->engine, line); i++) {
        if (line_resource(kit->engine, line, i) == kit_resource(kit, resource))
            return flavor_name(e, claim_flavors(claim)[i]).at;
    }
    return NULL;
}

static void refused(const struct kit *kit, const char *uid, const char *queue, const char *resource,
                    int room)
{
    const struct line *line = line_at(kit->engine, line_of(kit, uid));
    uint32_t where = 0, need = 0;
    wide got = 0;

    if (!ok(fit_refused(kit->engine, line_of(kit, uid), &where, &need, &got), "%s is refused", uid))
        return;
    is_int(where, kit_queue(kit, queue), "%s is refused by %s", uid, queue);
    is_int(line_resource(kit->engine, line, need), kit_resource(kit, resource), "for want of %s",
           resource);
    is_int(got, room, "of which it has room for %d", room);
}

/* Of a queue that tries the next flavor before it borrows. */
static void test_borrows_last(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; flavor g; flavor h; cohort top; cohort near parent=top; cluster c "
                 "parent=near borrowsLast group=cpu,memory flavor=f cpu=2 memory=9 flavor=g cpu=2 "
                 "memory=9 flavor=h cpu=6 memory=9; cluster n parent=near group=cpu,memory "
                 "flavor=g cpu=2 memory=9; cluster o parent=top group=cpu,memory flavor=f cpu=9 "
                 "memory=9");
    kit_do(&kit, "pod a cluster=c cpu=3 memory=1; pod b cluster=c cpu=1 memory=1;"
                 "pod d cluster=c cpu=4 memory=1");
    is_str(held_in(&kit, "a", "cpu"), "h", "what it need not borrow comes first");
    is_str(held_in(&kit, "b", "cpu"), "f", "in the order of the flavors");
    is_str(held_in(&kit, "d", "cpu"), "g", "else what it borrows from nearest");
    kit_do(&kit, "pod i cluster=c cpu=4 memory=1");
    is_str(held_in(&kit, "i", "cpu"), "f", "and only then from farther up");
    kit_do(&kit, "lose-pod i; cluster c parent=near group=cpu,memory flavor=f cpu=2 memory=9 "
                 "flavor=g cpu=2 memory=9 flavor=h cpu=6 memory=9; pod k cluster=c cpu=3 memory=1");
    is_str(held_in(&kit, "k", "cpu"), "f", "who may borrow takes the first that fits");
    kit_close(&kit);
}

static void test_flavors_in_order(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor spot; flavor own; cluster c group=cpu,memory flavor=spot cpu=4 memory=9 "
                 "flavor=own cpu=8 memory=9");
    kit_do(&kit, "pod a cluster=c cpu=3 memory=1; pod b cluster=c cpu=2 memory=1;"
                 "pod d cluster=c cpu=1 memory=1; pod e cluster=c cpu=7 memory=1");
    is_str(held_in(&kit, "a", "cpu"), "spot", "the first flavor that has room");
    is_str(held_in(&kit, "b", "cpu"), "own", "else the next");
    is_str(held_in(&kit, "b", "memory"), "own", "for all that the group covers");
    is_str(held_in(&kit, "d", "cpu"), "spot", "each claim begins at the first again");
    is_str(kit_state(&kit, "e"), "waiting",
           "in no flavor is there room for e, and not in the first");
    refused(&kit, "e", "cluster/c", "cpu", 0);
    kit_do(&kit, "pod f cluster=c memory=9");
    refused(&kit, "f", "cluster/c", "memory", 7);
    kit_close(&kit);
}

static void test_groups(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "flavor x; flavor y; flavor g; cluster c group=cpu flavor=x cpu=1 flavor=y cpu=9 "
           "group=gpu flavor=g gpu=2; pod a cluster=c cpu=2 gpu=2; pod b cluster=c cpu=1 gpu=1;"
           "pod d cluster=c cpu=1");
    is_str(held_in(&kit, "a", "cpu"), "y", "each group has a flavor of its own");
    is_str(held_in(&kit, "a", "gpu"), "g", "of its own list");
    is_str(kit_state(&kit, "b"), "waiting", "all groups must have room");
    refused(&kit, "b", "cluster/c", "gpu", 0);
    is_str(held_in(&kit, "d", "cpu"), "x", "of a claim that asks for them");
    kit_close(&kit);
}

/* What is free lies in two flavors: no claim can have both. */
static void test_one_flavor_for_all(void)
{
    uint32_t where, need;
    struct kit kit;
    wide room;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; flavor g; cluster c group=cpu,memory flavor=f cpu=9 memory=1 flavor=g "
                 "cpu=1 memory=9; pod a cluster=c cpu=5 memory=5");
    is_str(kit_state(&kit, "a"), "waiting", "a group's needs are of one flavor");
    ok(!fit_ever(kit.engine, line_of(&kit, "a")), "so this could never fit");
    ok(fit_refused(kit.engine, line_of(&kit, "a"), &where, &need, &room) &&
           where == kit_queue(&kit, "cluster/c"),
       "and the queue is who refuses it");
    is_str(kit_why(&kit, "a"), "QueueCapacity", "for want of capacity");
    kit_close(&kit);
}

/* Of cpu and memory. */
static void set_least(const struct kit *kit, uint32_t id, int64_t least)
{
    struct line *line = line_at(kit->engine, id);

    for (uint32_t i = 0; i < line_count(kit->engine, line); i++) {
        if (line_resource(kit->engine, line, i) != kit->engine->name_pods)
            needs_set_least(&line->needs, size_class_at(kit->engine, line->size_class), i, least);
    }
}

/* What a search knows of many lines at once: neither of each resource alone, nor in which flavor
 * there is most of it. */
static void test_rooms(void)
{
    uint16_t flavors[FACTS_MAX_NEEDS] = {77};
    struct headrooms rooms;
    struct kit kit;
    uint32_t line, bare;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f label=pool:f; flavor g; cluster c group=cpu,memory flavor=f cpu=9 "
                 "memory=4 flavor=g cpu=4 memory=9; pod a cluster=c cpu=5 memory=5;"
                 "pod b bare cluster=c cpu=5 memory=1");
    line = line_of(&kit, "a");
    bare = line_of(&kit, "b");
    headrooms_init(&rooms, kit.engine, kit_queue(&kit, "cluster/c"));
    is_int(headrooms_for(&rooms, kit_resource(&kit, "cpu")), 9, "there is room for 9 cpu");
    is_int(headrooms_for(&rooms, kit_resource(&kit, "memory")), 9, "and for 9 memory");
    ok(!headrooms_hold(&rooms, line, flavors) && flavors[0] == 77,
       "but not for 5 of both in one flavor");
    ok(!headrooms_hold_least(&rooms, line), "which is seen of the least that many ask for, too");
    ok(!headrooms_hold_least(&rooms, bare), "so is a flavor that they cannot have");
    set_least(&kit, line, 4);
    ok(headrooms_hold_least(&rooms, line), "the least of many may fit");
    ok(!headrooms_hold(&rooms, line, flavors), "where the one does not");
    set_least(&kit, line, 5);
    kit_close(&kit);
}

static void test_bare(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "flavor labelled label=pool:a; flavor tainted toleration=t; flavor plain;"
           "cluster c group=cpu flavor=labelled cpu=9 flavor=tainted cpu=9 flavor=plain cpu=2;"
           "pod gated cluster=c cpu=1; pod bare bare cluster=c cpu=2;"
           "pod more bare cluster=c cpu=1");
    is_str(held_in(&kit, "gated", "cpu"), "labelled", "what is patched into a gated pod");
    is_str(held_in(&kit, "bare", "cpu"), "plain", "cannot be into a pod without a gate");
    is_str(kit_state(&kit, "more"), "waiting", "which waits for a flavor that asks for nothing");
    is_str(kit_why(&kit, "more"), "QueueCapacity", "for want of capacity");
    refused(&kit, "more", "cluster/c", "cpu", 0);
    kit_do(&kit, "pod never bare cluster=c cpu=3");
    ok(!fit_ever(kit.engine, line_of(&kit, "never")),
       "more than these have is more than it can get");
    kit_close(&kit);
}

static void test_undeclared(void)
{
    static const char scene[] =
        "flavor f; cluster c group=cpu flavor=f cpu=4; pod g cluster=c cpu=1 "
        "gpu=1; pod p cluster=c cpu=1";
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, scene);
    is_str(kit_granted(&kit), "p", "a resource that is not declared is not to be had");
    refused(&kit, "g", "cluster/c", "gpu", 0);
    ok(!fit_ever(kit.engine, line_of(&kit, "g")), "ever");
    is_str(kit_state(&kit, "p"), "reserved", "but for pods, which are not counted then");
    kit_do(&kit, "cluster c group=cpu,pods flavor=f cpu=4 pods=1; pod q cluster=c cpu=1");
    refused(&kit, "q", "cluster/c", "pods", 0);
    kit_close(&kit);

    kit_open(&kit, "undeclaredUnlimited");
    kit_do(&kit, scene);
    is_str(kit_granted(&kit), "g p", "unless it is configured to be unlimited");
    kit_close(&kit);

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; cluster c group=cpu,memory flavor=f cpu=4; pod a cluster=c cpu=1;"
                 "pod m cluster=c memory=1");
    is_str(kit_granted(&kit), "a", "a flavor has nothing of what it gives no quota for");
    kit_close(&kit);
}

static void test_unseen_flavor(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "flavor g; cluster c group=cpu flavor=f cpu=4 flavor=g cpu=1; pod a cluster=c cpu=1;"
           "pod b cluster=c cpu=2");
    is_str(held_in(&kit, "a", "cpu"), "g", "a flavor without an object is passed by");
    is_str(kit_state(&kit, "b"), "waiting", "though it has room");
    kit_do(&kit, "flavor f");
    is_str(held_in(&kit, "b", "cpu"), "f", "until its object is seen");
    kit_do(&kit, "lose-flavor f; pod d cluster=c cpu=1");
    is_str(kit_state(&kit, "b"), "reserved", "who has it keeps it");
    is_str(kit_state(&kit, "d"), "waiting", "and nobody else gets it when the object is gone");
    kit_close(&kit);
}

static void test_refused_at_the_lowest(void)
{
    struct kit kit;

    kit_open(&kit, "root.cpu=20");
    kit_do(&kit, "queue p cpu=10; queue a parent=p cpu=6 guarantee.cpu=2; queue b parent=p;"
                 "pod x queue=b cpu=7; pod small queue=a cpu=3; pod big queue=a cpu=4");
    is_str(kit_granted(&kit), "small x", "2 are kept for a, 1 is left");
    refused(&kit, "big", "a", "cpu", 3);
    kit_do(&kit, "pod mid queue=a cpu=2; pod other queue=b cpu=1");
    refused(&kit, "mid", "p", "cpu", 0);
    refused(&kit, "other", "p", "cpu", 0);
    kit_do(&kit, "queue p; pod wide queue=b cpu=12");
    refused(&kit, "wide", "root", "cpu", 20 - 2 - 7 - 1 - 1 - 2);
    ok(fit_ever(kit.engine, line_of(&kit, "wide")), "which could fit if others went");
    kit_do(&kit, "pod never queue=b cpu=19");
    ok(!fit_ever(kit.engine, line_of(&kit, "never")), "but not what is kept for others");
    kit_close(&kit);
}

static void test_debt_above(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=10; queue a parent=p guarantee.cpu=4; queue b parent=p;"
                 "pod x queue=b cpu=8 node=n; pod two queue=a cpu=2; pod one queue=a cpu=1");
    is_str(kit_granted(&kit), "two x", "p's debt of 2 leaves 2 of the 4 that are kept");
    refused(&kit, "one", "p", "cpu", -2);
    kit_close(&kit);
}

/* What the pod is like now counts, not what it was like before it came to another queue. */
static void test_guess_after_a_move(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "flavor f; flavor g label=pool:g; flavor h label=pool:h; node n label=pool:g; queue q;"
           "cluster c group=cpu flavor=g cpu=4 flavor=f cpu=4; pod a queue=q cpu=1 bare; reserve a;"
           "cluster d group=cpu flavor=h cpu=4 flavor=g cpu=4; pod b queue=q cpu=1 bare; reserve b;"
           "pod a cluster=c cpu=1");
    is_str(kit_state(&kit, "a"), "allocated", "past the reserve hook it keeps a place");
    is_str(held_in(&kit, "a", "cpu"), "g", "with its gate it may have a flavor that asks");
    kit_do(&kit, "follow; pod b cluster=d cpu=1 bare node=n; lead");
    is_str(held_in(&kit, "b", "cpu"), "g", "on a node it has the flavor of that");
    kit_close(&kit);
}

static void test_guess(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "flavor f label=pool:f; flavor g label=pool:g; node n label=pool:g;"
           "cluster c group=cpu flavor=f cpu=4 flavor=g cpu=4; pod a cluster=c cpu=1 node=n;"
           "pod b cluster=c cpu=1 node=other; pod s cluster=c cpu=1 stamp=5 stamped=cpu=f node=n");
    is_str(held_in(&kit, "a", "cpu"), "g", "a bound pod has the flavor of its node");
    is_str(held_in(&kit, "b", "cpu"), "f", "on a node that nobody knows the first");
    is_str(held_in(&kit, "s", "cpu"), "f", "what its stamp says comes before");
    is_str(held_in(&kit, "a", "pods"), "", "pods are not counted where no group covers them");
    kit_do(&kit, "pod l cluster=late cpu=1 node=n; cluster late group=cpu flavor=f cpu=4 flavor=g "
                 "cpu=4");
    is_str(held_in(&kit, "l", "cpu"), "g", "also when its queue is seen after it");
    is_int(kit_usage(&kit, "cluster/late", "g/cpu"), 1, "which then counts it there");
    kit_close(&kit);
}

int main(void)
{
    test_flavors_in_order();
    test_borrows_last();
    test_groups();
    test_one_flavor_for_all();
    test_rooms();
    test_bare();
    test_undeclared();
    test_unseen_flavor();
    test_refused_at_the_lowest();
    test_debt_above();
    test_guess();
    test_guess_after_a_move();
    return tap_done();
}
