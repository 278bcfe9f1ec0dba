/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/order/headroom.h"
#include "plugin/state.h"
#include "t/kit/tap.h"
#include "t/kit/test_mem.h"
#include "t/oracle/argument.h"
#include "t/oracle/kueue.h"
#include "t/oracle/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * What Kueue calls available and potentially available, against the tree's own numbers:
 *
 *     build/t/oracle/t-quota_trees --trees 100000      other trees: --seed N
 *
 * Each tree is made at random and edited a few times: cohorts below cohorts, cohorts that are only
 * named, quotas in two groups of resources, limits at every level, queues that move, objects that
 * go, and workloads that use more than there is: bound before quotas shrank.
 */
enum { EDITS = 6, UIDS = 24 };

struct play {
    struct random random;
    struct test_mem memory;
    struct engine *engine;
    struct kueue_tree tree;
    struct {
        int node; /* -1: there is none */
        wide uses[KUEUE_CELLS];
    } pods[UIDS];
    long compared, in_debt, deepest;
};

static const char *const resources[KUEUE_RESOURCES] = {"cpu", "memory", "example.com/gpu"};
static const char *const flavors[KUEUE_FLAVORS] = {"spot", "on-demand", "big"};
static const char *const names[KUEUE_NODES] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                               "i", "j", "k", "l", "m", "n", "o", "p"};

static bool is_cohort(int n)
{
    return n < KUEUE_COHORTS;
}

static enum queue_kind kind_of(int n)
{
    return is_cohort(n) ? QUEUE_COHORT : QUEUE_CLUSTER;
}

/* The first two resources may share a group or not; the third one has its own, with the last
 * flavor: no flavor is in two groups. */
static int group_of(int resource)
{
    return resource == 2;
}

static int64_t some_amount(struct random *random)
{
    static const int64_t most[] = {1, 10, 10, 1000, AMOUNT_MAX};
    int64_t up_to = most[random_below(random, 5)];

    return up_to == AMOUNT_MAX ? AMOUNT_MAX - random_below(random, 3)
                               : random_below(random, (int)up_to + 1);
}

static void choose_quotas(struct play *play, int n)
{
    struct kueue_node *node = &play->tree.nodes[n];
    int skipped = random_below(&play->random, KUEUE_FLAVORS + 2);
    bool second = random_below(&play->random, 3) > 0, first = random_below(&play->random, 6) > 0;

    for (int cell = 0; cell < KUEUE_CELLS; cell++) {
        struct kueue_quota *quota = &node->quotas[cell];
        int flavor = cell / KUEUE_RESOURCES, group = group_of(cell % KUEUE_RESOURCES);

        *quota = (struct kueue_quota){0, 0, KUEUE_NO_LIMIT, KUEUE_NO_LIMIT};
        if (flavor == skipped || (flavor == 2) != (group == 1) || !(group == 1 ? second : first))
            continue;
        quota->said = true;
        quota->nominal = some_amount(&play->random);
        if (node->parent >= 0 && random_one_in(&play->random, 2))
            quota->borrowing = some_amount(&play->random);
        if (node->parent >= 0 && random_one_in(&play->random, 2))
            quota->lending = some_amount(&play->random);
    }
}

/* Shown as an object of Kueue's would be. */
static void show_node(struct play *play, int n)
{
    const struct kueue_node *node = &play->tree.nodes[n];
    struct flavor_quota quotas[2][KUEUE_FLAVORS][KUEUE_RESOURCES];
    struct group_flavor of_group[2][KUEUE_FLAVORS];
    struct resource_group groups[2] = {{0}, {0}};
    struct queue_facts facts = {.kind = kind_of(n), .name = text_of(names[n]), .groups = groups};

    if (node->parent >= 0)
        facts.parent = text_of(names[node->parent]);
    for (int group = 0; group < 2; group++) {
        struct resource_group *to = &groups[facts.group_count];

        *to = (struct resource_group){.flavors = of_group[group]};
        for (int r = 0; r < KUEUE_RESOURCES; r++) {
            if (group_of(r) == group)
                to->resources[to->resource_count++] = text_of(resources[r]);
        }
        for (int f = 0; f < KUEUE_FLAVORS; f++) {
            struct group_flavor *flavor = &to->flavors[to->flavor_count];

            *flavor = (struct group_flavor){text_of(flavors[f]), 0, quotas[group][f]};
            for (int r = 0; r < KUEUE_RESOURCES; r++) {
                const struct kueue_quota *quota = &node->quotas[f * KUEUE_RESOURCES + r];
                bool borrows = quota->borrowing != KUEUE_NO_LIMIT;
                bool lends = quota->lending != KUEUE_NO_LIMIT;

                if (group_of(r) == group && quota->said)
                    flavor->quotas[flavor->count++] =
                        (struct flavor_quota){.resource = text_of(resources[r]),
                                              .nominal = (int64_t)quota->nominal,
                                              .borrowing = borrows ? (int64_t)quota->borrowing : 0,
                                              .lending = lends ? (int64_t)quota->lending : 0,
                                              .has_borrowing = borrows,
                                              .has_lending = lends};
            }
            to->flavor_count += flavor->count > 0;
        }
        facts.group_count += to->flavor_count > 0;
    }
    if (engine_see_queue(play->engine, &facts) < 0)
        abort();
}

static void lose_node(struct play *play, int n)
{
    if (engine_lose_queue(play->engine, kind_of(n), text_of(names[n])) < 0)
        abort();
    for (int cell = 0; cell < KUEUE_CELLS; cell++)
        play->tree.nodes[n].quotas[cell].said = false;
    play->tree.nodes[n].parent = -1;
    play->tree.nodes[n].there = false;
}

/* Its object is new, or another one. */
static void edit_node(struct play *play, int n)
{
    struct kueue_node *node = &play->tree.nodes[n];
    int above = is_cohort(n) ? n : KUEUE_COHORTS;
    int one = random_below(&play->random, above + 1),
        other = random_below(&play->random, above + 1);

    node->there = true;
    if (!random_one_in(&play->random, 3))
        node->parent = (one > other ? one : other) - 1;
    choose_quotas(play, n);
    show_node(play, n);
}

static void lose_pod(struct play *play, int uid)
{
    char text[8];

    snprintf(text, sizeof text, "u%d", uid);
    engine_lose_pod(play->engine, text_of(text));
    for (int cell = 0; play->pods[uid].node >= 0 && cell < KUEUE_CELLS; cell++)
        play->tree.nodes[play->pods[uid].node].used[cell] -= play->pods[uid].uses[cell];
    play->pods[uid].node = -1;
}

/* A pod that is bound holds what its stamp says, whatever there is room for. */
static void bind_pod(struct play *play, int uid)
{
    int n = KUEUE_COHORTS + random_below(&play->random, KUEUE_NODES - KUEUE_COHORTS);
    struct kueue_node *node = &play->tree.nodes[n];
    char text[8], stamped[100] = "";
    struct pod_facts pod = {.uid = {text, 0},
                            .space = text_of("space"),
                            .created = 1,
                            .stamp = 1,
                            .opted_in = true,
                            .queue_kind = QUEUE_CLUSTER,
                            .node = text_of("x")};

    if (!node->there)
        return;
    lose_pod(play, uid);
    memset(play->pods[uid].uses, 0, sizeof play->pods[uid].uses);
    for (int r = 0; r < KUEUE_RESOURCES; r++) {
        int cell = random_below(&play->random, KUEUE_FLAVORS) * KUEUE_RESOURCES + r;
        int64_t amount = some_amount(&play->random);

        if (!node->quotas[cell].said || amount == 0)
            continue;
        pod.requests.item[pod.requests.count++] =
            (struct named_amount){text_of(resources[r]), amount};
        snprintf(stamped + strlen(stamped), sizeof stamped - strlen(stamped), "%s%s=%s",
                 stamped[0] == '\0' ? "" : ",", resources[r], flavors[cell / KUEUE_RESOURCES]);
        play->pods[uid].uses[cell] = amount;
        node->used[cell] += amount;
    }
    snprintf(text, sizeof text, "u%d", uid);
    pod.uid = pod.name = text_of(text);
    pod.queue = text_of(names[n]);
    pod.stamped_flavors = text_of(stamped);
    play->pods[uid].node = n;
    if (engine_see_pod(play->engine, &pod) < 0)
        abort();
}

static uint16_t flavor_number(const struct engine *e, int flavor)
{
    for (uint32_t n = 1; n < slab_end(&e->capacity.flavors); n++) {
        if (slab_live(&e->capacity.flavors, n) &&
            text_is(flavor_name(e, (uint16_t)n), flavors[flavor]))
            return (uint16_t)n;
    }
    return 0;
}

static long depth_of(const struct kueue_tree *tree, int n)
{
    long depth = 0;

    for (; n >= 0; n = tree->nodes[n].parent)
        depth++;
    return depth;
}

static bool compare_cell(struct play *play, int n, int cell)
{
    const struct engine *e = play->engine;
    uint32_t queue = queue_find(e, kind_of(n), text_of(names[n]));
    const char *resource = resources[cell % KUEUE_RESOURCES];
    uint32_t id = intern_find(&e->names, text_of(resource));
    uint16_t flavor = flavor_number(e, cell / KUEUE_RESOURCES);
    wide available = kueue_available(&play->tree, n, cell);
    wide potential = kueue_potential(&play->tree, n, cell);

    play->compared++;
    play->in_debt += kueue_debt_above(&play->tree, n, cell);
    if (queue != 0 && id != 0 && flavor != 0 && headroom_now(e, queue, flavor, id) == available &&
        headroom_ever(e, queue, flavor, id) == potential)
        return true;
    tap_diag("%s %s, %s in %s: available %lld, potentially %lld", is_cohort(n) ? "cohort" : "queue",
             names[n], resource, flavors[cell / KUEUE_RESOURCES],
             (long long)amount_clamp(available), (long long)amount_clamp(potential));
    if (queue != 0)
        tap_diag("but there is room for %lld, and ever for %lld",
                 (long long)amount_clamp(headroom_now(e, queue, flavor, id)),
                 (long long)amount_clamp(headroom_ever(e, queue, flavor, id)));
    return false;
}

static bool compare(struct play *play)
{
    bool same = true;

    kueue_count(&play->tree);
    for (int n = 0; n < KUEUE_NODES; n++) {
        play->deepest =
            depth_of(&play->tree, n) > play->deepest ? depth_of(&play->tree, n) : play->deepest;
        for (int cell = 0; cell < KUEUE_CELLS; cell++)
            same = same && (!play->tree.nodes[n].has[cell] || compare_cell(play, n, cell));
    }
    return same;
}

static void edit(struct play *play)
{
    switch (random_below(&play->random, 8)) {
    case 0:
        lose_node(play, random_below(&play->random, KUEUE_NODES));
        return;
    case 1:
    case 2:
        edit_node(play, random_below(&play->random, KUEUE_NODES));
        return;
    case 3:
        lose_pod(play, random_below(&play->random, UIDS));
        return;
    default:
        bind_pod(play, random_below(&play->random, UIDS));
    }
}

static bool play_tree(struct play *play, uint64_t seed)
{
    const struct engine_config config = {0};
    bool same = true;

    play->random.state = seed;
    memset(&play->tree, 0, sizeof play->tree);
    test_mem_init(&play->memory);
    if (engine_create(&config, &play->memory.mem, &play->engine) < 0)
        abort();
    for (int uid = 0; uid < UIDS; uid++)
        play->pods[uid].node = -1;
    for (int n = 0; n < KUEUE_NODES; n++)
        play->tree.nodes[n].parent = -1;
    /* In any order: parents come after their children, too, and some never come. */
    for (int i = 0; i < KUEUE_NODES; i++)
        edit_node(play, random_below(&play->random, KUEUE_NODES));
    for (int uid = 0; uid < UIDS / 2; uid++)
        bind_pod(play, uid);
    same = compare(play);
    for (int i = 0; i < EDITS && same; i++) {
        edit(play);
        same = compare(play);
    }
    if (!same)
        tap_diag("in the tree of seed %" PRIu64, seed);
    engine_destroy(play->engine);
    return same && test_mem_clean(&play->memory);
}

int main(int argc, char **argv)
{
    static struct play play;
    uint64_t first = 1, count = 2000;
    long different = 0;
    const struct argument arguments[] = {
        {"--seed", .number = &first}, {"--trees", .number = &count, .least = 1}, {.name = NULL}};

    if (!argument_read(argc, argv, arguments))
        return fputs("usage: t-quota_trees [--seed N] [--trees N]\n", stderr), 2;
    for (uint64_t seed = first; seed < first + count && different < 10; seed++)
        different += !play_tree(&play, seed);
    tap_diag("%" PRIu64 " trees, up to %ld levels; %ld numbers compared, %ld below a debt; "
             "%ld trees differ",
             count, play.deepest, play.compared, play.in_debt, different);
    is_int(different, 0, "Kueue's available and potentially available are the tree's own numbers");
    ok(play.in_debt > (long)count, "also where an ancestor is in debt");
    ok(play.deepest > 4, "and in cohorts of cohorts");
    return tap_done();
}
