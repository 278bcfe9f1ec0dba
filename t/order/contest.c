/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/order/contest.h"

#include "plugin/order/fit.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static uint32_t winner(const struct kit *kit, uint32_t queue)
{
    uint16_t flavors[FACTS_MAX_NEEDS];

    return contest_winner(kit->engine, queue, flavors);
}

/* Standby engines grant nothing, so who would be next can be asked. */
static void next_is(const struct kit *kit, const char *queue, const char *want, const char *why)
{
    uint32_t id = winner(kit, kit_queue(kit, queue));
    struct text name = id == 0 ? text_of("") : claim_name(kit->engine, id);
    char got[64];

    snprintf(got, sizeof(got), "%.*s", (int)name.len, name.at);
    is_str(got, want, "%s", why);
}

static void test_volcano_order(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue b deserved.cpu=4; queue a deserved.cpu=4; queue c deserved.cpu=4;"
                 "pod b queue=b cpu=1 created=20; pod a queue=a cpu=1 created=20;"
                 "pod c queue=c cpu=1 created=30");
    next_is(&kit, "root", "a", "all the same: the name decides");
    kit_do(&kit, "pod b queue=b cpu=1 created=19");
    next_is(&kit, "root", "b", "the oldest head comes before the name");
    kit_do(&kit, "pod y queue=b cpu=1 node=n; pod x queue=a cpu=1 node=n");
    next_is(&kit, "root", "c", "the smallest share comes before the oldest head");
    kit_do(&kit, "pod z queue=c cpu=2 node=n; queue a deserved.cpu=5");
    next_is(&kit, "root", "a", "1 of 5 is less than 1 of 4");
    kit_do(&kit,
           "queue b deserved.cpu=6000000000000000001; queue a deserved.cpu=6000000000000000000");
    next_is(&kit, "root", "b", "exactly");
    kit_do(&kit, "queue c deserved.cpu=4 priority=1");
    next_is(&kit, "root", "c", "the queue's priority comes before all");
    kit_do(&kit, "queue c deserved.cpu=4 suspended");
    next_is(&kit, "root", "b", "who is suspended does not compete");
    kit_close(&kit);
}

static void test_share(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue a deserved.cpu=10 deserved.gpu=2; queue b deserved.cpu=10 deserved.gpu=2;"
                 "pod x queue=a cpu=1 gpu=1 node=n; pod y queue=b cpu=4 node=n;"
                 "pod a queue=a cpu=1; pod b queue=b cpu=1");
    next_is(&kit, "root", "b", "the largest share of all resources counts: 4 of 10 before 1 of 2");
    kit_do(&kit, "pod y queue=b cpu=4 node=n; pod y2 queue=b cpu=1 node=n");
    next_is(&kit, "root", "a", "5 of 10 is 1 of 2: the older head then");
    kit_do(&kit,
           "queue z; queue d cpu=9; pod d queue=d cpu=1 created=1; pod w queue=d cpu=1 node=n");
    next_is(&kit, "root", "a", "something used of nothing deserved is infinite");
    kit_do(&kit, "lose-pod w");
    next_is(&kit, "root", "d", "nothing used is nothing");
    kit_close(&kit);
}

/* Wherever it stands below. */
static void test_oldest_below(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue s; pod s queue=s cpu=1 created=5; queue p; queue k parent=p deserved.cpu=8;"
                 "queue l parent=p deserved.cpu=8; queue m parent=p deserved.cpu=8;"
                 "pod k queue=k cpu=1 created=10; pod l queue=l cpu=1 created=20;"
                 "pod m queue=m cpu=1 created=1; pod x queue=m cpu=2 node=n");
    next_is(&kit, "root", "k", "p has the oldest head, of m, though its own first is k");
    kit_do(&kit, "pod m queue=m cpu=1 created=6");
    next_is(&kit, "root", "s", "until that is younger");
    kit_close(&kit);
}

static void test_kueue_order(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "flavor f; cohort co; cluster a parent=co group=cpu flavor=f cpu=2;"
                 "cluster b parent=co group=cpu flavor=f cpu=4; pod a cluster=a cpu=3 priority=9 "
                 "created=1; pod b cluster=b cpu=3 created=50");
    next_is(&kit, "cohort/co", "b", "who need not borrow comes first");
    kit_do(&kit, "pod b cluster=b cpu=5 created=50");
    next_is(&kit, "cohort/co", "a", "then priority");
    kit_do(&kit, "pod a cluster=a cpu=3 created=60");
    next_is(&kit, "cohort/co", "b", "then age");
    kit_do(&kit, "pod a cluster=a cpu=3 created=50");
    next_is(&kit, "cohort/co", "a", "then the name");
    kit_do(&kit, "pod a2 cluster=a cpu=2 created=70");
    next_is(&kit, "cohort/co", "a", "the first that fits of each queue is its candidate");
    kit_do(&kit, "pod x cluster=b cpu=4 node=n; pod b2 cluster=b cpu=2 created=99");
    next_is(&kit, "cohort/co", "a2", "not a head that is too big, and not who must borrow");
    kit_close(&kit);
}

/* A cohort is as good as the best below it. */
static void test_kueue_deep(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "flavor f; cohort top group=cpu flavor=f cpu=9; cohort x parent=top; cohort y "
                 "parent=top; cohort z parent=y; cluster a parent=x group=cpu flavor=f cpu=1;"
                 "cluster b parent=z group=cpu flavor=f cpu=3; pod a cluster=a cpu=2 created=1;"
                 "pod b cluster=b cpu=2 created=2");
    next_is(&kit, "cohort/top", "b", "who need not borrow is first, however deep");
    next_is(&kit, "cohort/x", "a", "below x there is only a");
    kit_do(&kit, "cluster a parent=x group=cpu flavor=f cpu=2");
    next_is(&kit, "cohort/top", "a", "then the older");
    kit_do(&kit, "cohort top; cohort x parent=top group=cpu flavor=f cpu=0 borrow.cpu=0;"
                 "pod a cluster=a cpu=3 created=1");
    next_is(&kit, "cohort/top", "b", "a cohort that may not borrow has only its own");
    kit_close(&kit);
}

static void test_pruned_where_room_is(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue p cpu=5; queue a parent=p guarantee.cpu=3; queue b parent=p;"
                 "pod x queue=b cpu=2 node=n; pod a queue=a cpu=3; pod b queue=b cpu=2 created=1");
    next_is(&kit, "root", "a", "who is owed kept quota fits where others do not");
    kit_do(&kit, "pod y queue=b cpu=3 node=n; queue p cpu=8");
    next_is(&kit, "root", "a", "3 of 3 that are kept, while p has nothing left");
    kit_do(&kit, "pod z queue=b cpu=1 node=n");
    next_is(&kit, "root", "", "not when the debt eats from it");
    kit_do(&kit, "pod small queue=a cpu=1");
    next_is(&kit, "root", "small", "but what is left of it serves who asks for less");
    kit_close(&kit);
}

/* Who is next by a plain scan, in the order that the rules say. */
struct rival {
    bool borrows;
    long long priority, used, quota, created;
    struct text name;
    uint32_t claim;
};

static int compare_rivals(const struct rival *a, const struct rival *b)
{
    if (a->borrows != b->borrows)
        return a->borrows ? 1 : -1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->used * b->quota != b->used * a->quota)
        return a->used * b->quota < b->used * a->quota ? -1 : 1;
    if (a->created != b->created)
        return a->created < b->created ? -1 : 1;
    return strncmp(a->name.at, b->name.at, 8);
}

/* The first in the leaf that fits, its head with `any`. */
static uint32_t scan_leaf(const struct engine *e, uint32_t leaf, bool any, uint16_t *flavors)
{
    uint32_t best = 0;

    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (slab_live(&e->claims.records, id) && claim_at(e, id)->state == CLAIM_WAITING &&
            claim_queue(e, id) == leaf && (any || fit_line(e, claim_at(e, id)->line, flavors)) &&
            (best == 0 || claim_compare_rank(e, id, best) < 0))
            best = id;
    }
    return best;
}

static bool stopped(const struct engine *e, uint32_t id)
{
    while (id != 0 && queue_at(e, id)->state == QUEUE_OPEN)
        id = queue_at(e, id)->parent;
    return id != 0;
}

/* What a queue of Volcano's brings to the contest with its siblings; false if nobody waits. */
static bool scan_rival(const struct engine *e, uint32_t id, struct rival *ret)
{
    const struct queue *queue = queue_at(e, id);
    uint32_t head = queue->first_child == 0 ? scan_leaf(e, id, true, NULL) : 0;
    bool any = head != 0 && !stopped(e, id);

    *ret =
        (struct rival){.priority = queue->priority, .quota = 1, .name = name_text(e, queue->name)};
    ret->created = head == 0 ? INT64_MAX : claim_at(e, head)->queued;
    for (uint32_t child = queue->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        struct rival below;

        if (scan_rival(e, child, &below)) {
            any = true;
            ret->created = below.created < ret->created ? below.created : ret->created;
        }
    }
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        const struct cell *cell = &queue->cells[i];
        long long used = (long long)(cell->reserved + cell->allocated);
        long long quota = (long long)cell->own_share;

        if (!cell->named || used == 0 || ret->quota == 0)
            continue;
        if (quota == 0 || used * ret->quota > ret->used * quota) {
            ret->used = quota == 0 ? 1 : used;
            ret->quota = quota;
        }
    }
    return any;
}

static uint32_t scan_volcano(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    uint16_t flavors[FACTS_MAX_NEEDS];
    struct rival best = {0}, rival;

    if (queue->first_child == 0)
        return stopped(e, id) ? 0 : scan_leaf(e, id, false, flavors);
    for (uint32_t child = queue->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        if (!scan_rival(e, child, &rival))
            continue;
        rival.claim = scan_volcano(e, child);
        if (rival.claim != 0 && (best.claim == 0 || compare_rivals(&rival, &best) < 0))
            best = rival;
    }
    return best.claim;
}

static void scan_kueue(const struct engine *e, uint32_t id, struct rival *best)
{
    const struct queue *queue = queue_at(e, id);
    uint16_t flavors[FACTS_MAX_NEEDS];
    struct rival rival = {.quota = 1, .name = name_text(e, queue->name)};

    for (uint32_t child = queue->first_child; child != 0; child = queue_at(e, child)->next_sibling)
        scan_kueue(e, child, best);
    rival.claim = queue->kind == QUEUE_CLUSTER ? scan_leaf(e, id, false, flavors) : 0;
    if (rival.claim == 0)
        return;

    const struct claim *claim = claim_at(e, rival.claim);
    const struct line *line = line_at(e, claim->line);

    fit_line(e, claim->line, flavors);
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        const struct cell *cell = quota_cell(queue, flavors[i], line_resource(e, line, i));

        rival.borrows |= cell != NULL && cell->usage + line_amount(e, line, i) > cell->share;
    }
    rival.priority = claim->priority;
    rival.created = claim->queued;
    if (best->claim == 0 || compare_rivals(&rival, best) < 0)
        *best = rival;
}

enum { QUEUES = 9, INNER = 4, ROUNDS = 120 };

static unsigned up_to(unsigned long long *seed, unsigned most)
{
    return test_random(seed) % (most + 1);
}

static void random_queue(struct kit *kit, unsigned long long *seed, bool kueue, int n)
{
    char parent[32] = "", limit[32] = "";

    if (n > 0)
        snprintf(parent, sizeof(parent), "parent=n%u ",
                 up_to(seed, (unsigned)(n < INNER ? n : INNER) - 1));
    if (up_to(seed, 1))
        snprintf(limit, sizeof(limit), " %s.cpu=%u", kueue ? "lend" : "guarantee", up_to(seed, 4));
    if (kueue)
        kit_dof(kit, "%s n%d %sgroup=cpu flavor=f cpu=%u flavor=g cpu=%u%s",
                n < INNER ? "cohort" : "cluster", n, parent, up_to(seed, 5), up_to(seed, 5), limit);
    else
        kit_dof(kit, "queue n%d %sdeserved.cpu=%u%s priority=%u cpu=%u%s", n, parent,
                up_to(seed, 6), limit, up_to(seed, 3) / 3, (n < INNER ? 30 : 5) + up_to(seed, 15),
                up_to(seed, 9) == 0 ? " suspended" : "");
}

static void random_world(struct kit *kit, unsigned long long *seed, bool kueue)
{
    const char *of = kueue ? "cluster" : "queue";

    kit_do(kit, "flavor f; flavor g");
    for (int n = 0; n < QUEUES; n++)
        random_queue(kit, seed, kueue, n);
    for (int i = 0; i < 40; i++) {
        unsigned queue = INNER + up_to(seed, QUEUES - INNER - 1);
        const char *node = up_to(seed, 3) == 0 ? " node=n" : "";

        kit_dof(kit, "pod p%d %s=n%u cpu=%u priority=%u created=%u%s", i, of, queue,
                1 + up_to(seed, node[0] == '\0' ? 7 : 3), up_to(seed, 2), 1 + up_to(seed, 20),
                node);
    }
}

static void test_against_scan(bool kueue)
{
    const char *queue = kueue ? "cohort/n0" : "root";
    unsigned long long seed = 11;
    int wrong = 0, found = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct rival best = {0};
        struct kit kit;
        uint32_t top;

        kit_open(&kit, "standby");
        random_world(&kit, &seed, kueue);
        top = kit_queue(&kit, queue);
        if (kueue)
            scan_kueue(kit.engine, top, &best);
        else
            best.claim = scan_volcano(kit.engine, top);
        found += best.claim != 0;
        wrong += winner(&kit, top) != best.claim;
        engine_destroy(kit.engine);
    }
    ok(wrong == 0, "%s: the winner is whom a scan of everybody finds (%d of %d wrong)", queue,
       wrong, ROUNDS);
    ok(found > ROUNDS / 2, "%s: mostly there is one (%d)", queue, found);
}

int main(void)
{
    test_volcano_order();
    test_share();
    test_oldest_below();
    test_kueue_order();
    test_kueue_deep();
    test_pruned_where_room_is();
    test_against_scan(false);
    test_against_scan(true);
    return tap_done();
}
