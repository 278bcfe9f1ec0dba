/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/tree.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

#include <stdlib.h>

enum { NODES = 3000, LARGE = 200000 };

struct node {
    struct tree_link link;
    uint64_t key;
    uint64_t value;
    uint64_t sum; /* of the values of the subtree */
    uint64_t least;
};

static struct tree_link *node_link(const void *ctx, uint32_t id)
{
    struct node *nodes = (struct node *)(uintptr_t)ctx;

    return &nodes[id].link;
}

static int node_compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct node *nodes = ctx;

    return (nodes[a].key > nodes[b].key) - (nodes[a].key < nodes[b].key);
}

static bool node_update(void *ctx, uint32_t id)
{
    struct node *nodes = ctx;
    struct node *node = &nodes[id];
    const struct node before = *node;
    uint32_t children[] = {node->link.left, node->link.right};

    node->sum = node->value;
    node->least = node->value;
    for (int i = 0; i < 2; i++) {
        if (children[i] == 0)
            continue;
        node->sum += nodes[children[i]].sum;
        if (nodes[children[i]].least < node->least)
            node->least = nodes[children[i]].least;
    }
    return node->sum != before.sum || node->least != before.least;
}

static const struct tree_type type = {node_link, node_compare, node_update};
static const struct tree_type plain = {node_link, node_compare, NULL};

static struct node *make_nodes(uint32_t count)
{
    struct node *nodes = calloc(count + 1, sizeof(*nodes));

    if (nodes == NULL)
        abort();
    return nodes;
}

/* The model: ids in order. */
struct model {
    uint32_t ids[NODES];
    uint32_t count;
};

static uint32_t model_place(const struct model *model, const struct node *nodes, uint32_t id)
{
    uint32_t place = 0;

    while (place < model->count && nodes[model->ids[place]].key < nodes[id].key)
        place++;
    return place;
}

static void model_insert(struct model *model, const struct node *nodes, uint32_t id)
{
    uint32_t place = model_place(model, nodes, id);

    memmove(&model->ids[place + 1], &model->ids[place],
            (model->count++ - place) * sizeof(model->ids[0]));
    model->ids[place] = id;
}

static void model_remove(struct model *model, const struct node *nodes, uint32_t id)
{
    uint32_t place = model_place(model, nodes, id);

    memmove(&model->ids[place], &model->ids[place + 1],
            (--model->count - place) * sizeof(model->ids[0]));
}

static bool sums_are_right(struct node *nodes, uint32_t root)
{
    uint32_t id = tree_first(&type, nodes, root);

    for (; id != 0; id = tree_next(&type, nodes, id)) {
        uint64_t sum = nodes[id].sum;
        uint64_t least = nodes[id].least;

        node_update(nodes, id);
        if (nodes[id].sum != sum || nodes[id].least != least)
            return false;
    }
    return true;
}

static int differences(const struct model *model, struct node *nodes, uint32_t root)
{
    uint32_t id = tree_first(&type, nodes, root);
    uint32_t count = model->count;
    int wrong = !tree_check(&type, nodes, root) || !sums_are_right(nodes, root);

    wrong += tree_size(&type, nodes, root) != count;
    wrong += tree_last(&type, nodes, root) != (count > 0 ? model->ids[count - 1] : 0);
    wrong += tree_at(&type, nodes, root, count) != 0;
    for (uint32_t n = 0; n < count; n++) {
        wrong += id != model->ids[n] || tree_at(&type, nodes, root, n) != id;
        wrong += tree_rank(&type, nodes, model->ids[n]) != n;
        wrong += tree_prev(&type, nodes, model->ids[n]) != (n > 0 ? model->ids[n - 1] : 0);
        id = tree_next(&type, nodes, model->ids[n]);
    }
    return wrong + (id != 0);
}

static void test_random_use(uint32_t most, int steps, int look_every)
{
    static struct model model;
    struct node *nodes = make_nodes(most);
    unsigned long long state = most;
    uint32_t root = 0;
    int wrong = 0;

    model.count = 0;
    for (int i = 0; i < steps; i++) {
        uint32_t id = 1 + test_random(&state) % most;
        bool filling = i / (steps / 6 + 1) % 2 == 0;

        if (nodes[id].link.size == 0 && (filling || i % 4 == 0)) {
            nodes[id].key = (uint64_t)test_random(&state) << 32 | id;
            nodes[id].value = test_random(&state) % 1000;
            model_insert(&model, nodes, id);
            tree_insert(&type, nodes, &root, id);
        } else if (nodes[id].link.size != 0 && (!filling || i % 4 == 0)) {
            model_remove(&model, nodes, id);
            tree_remove(&type, nodes, &root, id);
            wrong += nodes[id].link.size != 0 || nodes[id].link.parent != 0;
        } else if (nodes[id].link.size != 0) {
            nodes[id].value = test_random(&state) % 1000;
            tree_refresh(&type, nodes, id);
        }
        if (i % look_every == 0)
            wrong += differences(&model, nodes, root);
    }
    wrong += differences(&model, nodes, root);
    while (model.count > 0) {
        uint32_t id = model.ids[test_random(&state) % model.count];

        model_remove(&model, nodes, id);
        tree_remove(&type, nodes, &root, id);
        if (model.count % 50 == 0)
            wrong += differences(&model, nodes, root);
    }
    is_int(wrong, 0, "%d random steps with at most %u", steps, most);
    is_int(root, 0, "emptied");
    free(nodes);
}

/* Every order of insertion and removal of a few. */
static void test_all_orders(void)
{
    enum { FEW = 6, ORDERS = 720 };
    struct node nodes[FEW + 1];
    int wrong = 0;

    for (int order = 0; order < ORDERS * ORDERS; order += 7) {
        int codes[] = {order % ORDERS, order / ORDERS};
        uint32_t root = 0;

        memset(nodes, 0, sizeof(nodes));
        for (int pass = 0; pass < 2; pass++) {
            uint32_t left[FEW] = {1, 2, 3, 4, 5, 6};
            int code = codes[pass];

            for (int n = FEW; n > 0; n--) {
                int k = code % n;
                uint32_t id = left[k];

                code /= n;
                left[k] = left[n - 1];
                nodes[id].key = id;
                nodes[id].value = id;
                if (pass == 0)
                    tree_insert(&type, nodes, &root, id);
                else
                    tree_remove(&type, nodes, &root, id);
                wrong += !tree_check(&type, nodes, root) || !sums_are_right(nodes, root);
            }
        }
        wrong += root != 0;
    }
    is_int(wrong, 0, "orders of inserting and removing %d", FEW);
}

static uint32_t depth_of(struct node *nodes, uint32_t root, uint32_t count)
{
    uint32_t most = 0;

    for (uint32_t n = 0; n < count; n++) {
        uint32_t depth = 1;
        uint32_t id = tree_at(&plain, nodes, root, n);

        for (; nodes[id].link.parent != 0; id = nodes[id].link.parent)
            depth++;
        most = depth > most ? depth : most;
    }
    return most;
}

static void test_runs(void)
{
    struct node *nodes = make_nodes(LARGE);
    uint32_t root = 0;

    for (uint32_t id = 1; id <= LARGE; id++) {
        nodes[id].key = id;
        tree_insert(&plain, nodes, &root, id);
    }
    ok(tree_check(&plain, nodes, root), "%d appended in order", LARGE);

    /* log 200000 / log (4/3) = 42.4 */
    uint32_t depth = depth_of(nodes, root, LARGE);

    ok(depth <= 43, "no deeper than its balance allows: %u", depth);
    for (uint32_t id = 1; id < LARGE; id++)
        tree_remove(&plain, nodes, &root, tree_first(&plain, nodes, root));
    ok(tree_check(&plain, nodes, root) && root == LARGE, "removed in order");
    tree_remove(&plain, nodes, &root, LARGE);

    for (uint32_t id = LARGE; id > 0; id--)
        tree_insert(&plain, nodes, &root, id);
    ok(tree_check(&plain, nodes, root), "%d put before each other", LARGE);
    for (uint32_t id = 1; id <= LARGE; id += 2)
        tree_remove(&plain, nodes, &root, id);
    ok(tree_check(&plain, nodes, root), "every second one removed");
    is_int(tree_rank(&plain, nodes, 1000), 499, "the rank of one of them");
    free(nodes);
}

/* The check itself must see what is wrong. */
static void test_check(void)
{
    struct node *nodes = make_nodes(100);
    uint32_t root = 0;

    ok(tree_check(&plain, nodes, 0), "the empty tree is sound");
    is_int(tree_first(&plain, nodes, 0), 0, "and has no first");
    is_int(tree_last(&plain, nodes, 0), 0, "and no last");
    is_int(tree_size(&plain, nodes, 0), 0, "and no size");
    for (uint32_t id = 1; id <= 100; id++) {
        nodes[id].key = id * 10;
        tree_insert(&plain, nodes, &root, id);
    }
    ok(tree_check(&plain, nodes, root), "a sound tree");

    nodes[50].key = 5;
    ok(!tree_check(&plain, nodes, root), "sees a wrong order");
    nodes[50].key = 500;

    nodes[root].link.size++;
    ok(!tree_check(&plain, nodes, root), "sees a wrong size");
    nodes[root].link.size--;

    uint32_t last = tree_last(&plain, nodes, root);
    uint32_t parent = nodes[last].link.parent;

    nodes[last].link.parent = root;
    ok(!tree_check(&plain, nodes, root), "sees a wrong parent");
    nodes[last].link.parent = parent;
    ok(!tree_check(&plain, nodes, parent), "sees that this is not a root");

    struct node bare[5] = {0};

    for (uint32_t id = 1; id <= 4; id++)
        bare[id] = (struct node){.key = id, .link = {0, id < 4 ? id + 1 : 0, id - 1, 5 - id}};
    ok(!tree_check(&plain, bare, 1), "sees a lack of balance");
    free(nodes);
}

/* Records of a slab that are nothing but a link. */
static struct tree_link *record_link(const void *ctx, uint32_t id)
{
    return slab_at(ctx, id);
}

static int record_compare(const void *ctx, uint32_t a, uint32_t b)
{
    (void)ctx;
    return a < b ? -1 : 1;
}

static void test_step(void)
{
    static const struct tree_type records = {record_link, record_compare, NULL};
    struct test_mem test;
    struct slab slab;
    uint32_t root = 0, at = 0;

    test_mem_init(&test);
    slab_init(&slab, &test.mem, sizeof(struct tree_link));
    ok(!tree_step(&records, &slab, root, &slab, &at), "the empty tree has no steps");
    is_int(slab_reserve(&slab, 2), 0, "reserve");
    for (uint32_t id = 1; id <= 2; id++)
        tree_insert(&records, &slab, &root, slab_take(&slab));
    ok(tree_step(&records, &slab, root, &slab, &at) && at == 1, "to the first");
    ok(tree_step(&records, &slab, root, &slab, &at) && at == 2, "to the next");
    ok(!tree_step(&records, &slab, root, &slab, &at) && at == 0, "no further");
    tree_remove(&records, &slab, &root, 1);
    slab_give(&slab, 1);
    at = 1;
    ok(!tree_step(&records, &slab, root, &slab, &at), "from one that is gone nowhere");
    slab_finish(&slab);
    ok(test_mem_clean(&test), "all is released");
}

int main(void)
{
    test_check();
    test_step();
    test_all_orders();
    test_random_use(8, 20000, 1);
    test_random_use(40, 20000, 3);
    test_random_use(NODES - 1, 60000, 2000);
    test_runs();
    return tap_done();
}
