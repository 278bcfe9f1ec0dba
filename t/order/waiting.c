/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static struct waiting *waiting_of(const struct kit *kit, const char *uid)
{
    return &crowd_at(kit->engine, claim_line(kit->engine, kit_claim(kit, uid))->crowd)->behind;
}

static void see(struct kit *kit, int number, int created)
{
    kit_dof(kit, "pod p%d queue=q gpu=1 created=%d", number, created);
}

static void test_newcomers(void)
{
    const struct waiting *waiting;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q gpu=0");
    for (int i = 0; i <= WAITING_NEWCOMERS; i++)
        see(&kit, i, 1 + 10 * i);
    waiting = waiting_of(&kit, "p1");
    is_int(waiting->newcomers, WAITING_NEWCOMERS,
           "who comes last, behind the head, stands in the list");
    is_int(waiting->tree, 0, "and in no tree");
    see(&kit, 1000, 1000);
    is_int(waiting->newcomers, 1, "when it is full they enter the tree together");
    is_int(tree_size(&claims_by_rank, kit.engine, waiting->tree), WAITING_NEWCOMERS, "all of them");
    see(&kit, 1001, 1001);
    see(&kit, 999, 999);
    is_int(waiting->newcomers, 0, "who is not the last lets those in the list enter first");
    is_int(waiting->last, kit_claim(&kit, "p1001"), "the last is the last");
    kit_close(&kit);
}

static void test_leaving(void)
{
    const struct waiting *waiting;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(
        &kit,
        "queue q gpu=0; pod head queue=q gpu=1 created=1; pod gone queue=q gpu=1 created=2 foreign;"
        "pod d queue=q gpu=1 created=4; pod c queue=q gpu=1 created=3;"
        "pod e queue=q gpu=1 created=5; pod f queue=q gpu=1 created=6;"
        "pod g queue=q gpu=1 created=7; pod h queue=q gpu=1 created=8");
    waiting = waiting_of(&kit, "d");
    is_int(waiting->newcomers, 4, "c and d are in the tree, four in the list");
    is_int(waiting_next(kit.engine, waiting, kit_claim(&kit, "d")), kit_claim(&kit, "e"),
           "from the tree to the list");
    is_int(waiting_next(kit.engine, waiting, kit_claim(&kit, "e")), kit_claim(&kit, "f"),
           "and on in it");
    kit_do(&kit, "lose-pod f");
    is_str(kit_waiting(&kit, "q"), "head c d e g h", "one goes from the middle of the list,");
    kit_do(&kit, "lose-pod e");
    is_str(kit_waiting(&kit, "q"), "head c d g h", "the first,");
    kit_do(&kit, "lose-pod h");
    is_str(kit_waiting(&kit, "q"), "head c d g", "the last,");
    is_int(waiting->last, kit_claim(&kit, "g"), "and another one is the last now");
    kit_do(&kit, "lose-pod g");
    is_int(waiting->last, kit_claim(&kit, "d"), "with the list empty, the last of the tree");
    kit_do(&kit, "pod i queue=q gpu=1 created=9; lose-pod c; lose-pod d");
    is_int(waiting_first(kit.engine, waiting), kit_claim(&kit, "i"), "or only the list is left");
    kit_do(&kit, "pod j queue=q gpu=1 created=10; lose-pod i; pod x queue=q gpu=1 created=11 "
                 "foreign; lose-pod j");
    is_int(waiting->last, 0, "nobody waits behind the head");
    kit_do(&kit, "pod x queue=q gpu=1 created=11");
    is_str(kit_waiting(&kit, "q"), "head x", "until somebody does again");
    kit_close(&kit);
}

/* Against counting all that wait. Most are younger than all before, some are not. */
enum { STEPS = 3000, PODS = 200 };

static void change_one(struct kit *kit, unsigned long long *seed, unsigned step, int64_t *created)
{
    unsigned pod = test_random(seed) % PODS;
    unsigned turn = test_random(seed) % 16 == 0 ? test_random(seed) % (step + 1) : step;
    char words[64];

    if (created[pod] != 0) {
        created[pod] = 0;
        snprintf(words, sizeof(words), "lose-pod p%u", pod);
    } else {
        created[pod] = 1 + (int64_t)turn * PODS + pod;
        snprintf(words, sizeof(words), "pod p%u queue=q gpu=1 created=%lld", pod,
                 (long long)created[pod]);
    }
    kit_try(kit, words);
}

static uint32_t pod_claim(const struct kit *kit, int pod)
{
    char uid[16];

    snprintf(uid, sizeof(uid), "p%d", pod);
    return kit_claim(kit, uid);
}

/* How many answers are wrong about the claims before and after this one. */
static int count_wrong(const struct kit *kit, const int64_t *created, unsigned pod)
{
    const struct waiting *waiting = waiting_of(kit, "anchor");
    uint32_t claim = pod_claim(kit, (int)pod), before = 0, next; /* the anchor is none of them */
    int after = -1;

    for (int i = 0; i < PODS; i++) {
        before += created[i] != 0 && created[i] < created[pod];
        if (created[i] > created[pod] && (after < 0 || created[i] < created[after]))
            after = i;
    }
    next = after < 0 ? 0 : pod_claim(kit, after);
    return (waiting_count_before(kit->engine, waiting, claim) != before) +
           (waiting_after(kit->engine, waiting, claim) != next) +
           (waiting_next(kit->engine, waiting, claim) != next);
}

static void test_against_counting(void)
{
    unsigned long long seed = 5;
    int64_t created[PODS] = {0};
    int wrong = 0, broken = 0, lists = 0;
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q; pod anchor queue=q gpu=1 created=1; pod other queue=q gpu=1 foreign");
    for (unsigned step = 0; step < STEPS; step++) {
        const struct waiting *waiting = waiting_of(&kit, "anchor");
        unsigned pod = test_random(&seed) % PODS;

        change_one(&kit, &seed, step, created);
        broken += !waiting_check(kit.engine, waiting);
        lists += waiting->newcomers > 1 && waiting->tree != 0;
        if (created[pod] != 0)
            wrong += count_wrong(&kit, created, pod);
    }
    is_int(broken, 0, "they always stand in order");
    is_int(wrong, 0, "and are counted right");
    ok(lists > STEPS / 4, "in the tree and in the list (%d times)", lists);
    kit_close(&kit);
}

int main(void)
{
    test_newcomers();
    test_leaving();
    test_against_counting();
    return tap_done();
}
