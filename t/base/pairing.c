/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/pairing.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

#include <string.h>

enum { RECORDS = 512, HEAPS = 4, LOGARITHM = 9 };

struct record {
    struct pairing_link link;
    uint32_t key;
    int in; /* which heap; -1: none */
};

struct scene {
    struct record records[RECORDS + 1];
    long *comparisons;
};

static struct pairing_link *link_of(const void *ctx, uint32_t id)
{
    struct scene *scene = (struct scene *)(uintptr_t)ctx;

    return &scene->records[id].link;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct scene *scene = ctx;

    ++*scene->comparisons;
    return scene->records[a].key < scene->records[b].key ? -1 : 1;
}

static const struct pairing_type type = {link_of, compare};

/* The keys are a shuffle, so the order is total; links are whatever was left there. */
static void begin(struct scene *scene, long *ret_comparisons)
{
    memset(scene, 0x5a, sizeof(*scene));
    for (uint32_t id = 1; id <= RECORDS; id++) {
        scene->records[id].key = id * 167 % RECORDS;
        scene->records[id].in = -1;
    }
    scene->comparisons = ret_comparisons;
    *ret_comparisons = 0;
}

static uint32_t first_in(const struct scene *scene, int heap)
{
    uint32_t best = 0;

    for (uint32_t id = 1; id <= RECORDS; id++) {
        if (scene->records[id].in == heap &&
            (best == 0 || scene->records[id].key < scene->records[best].key))
            best = id;
    }
    return best;
}

static void test_random_use(void)
{
    static struct scene scene;
    uint32_t heaps[HEAPS] = {0};
    unsigned long long state = 5;
    long comparisons;
    int wrong = 0;

    begin(&scene, &comparisons);
    for (int i = 0; i < 60000; i++) {
        uint32_t id = 1 + test_random(&state) % RECORDS;
        int heap = (int)(test_random(&state) % HEAPS), other = (heap + 1) % HEAPS;

        if (scene.records[id].in < 0) {
            pairing_insert(&type, &scene, &heaps[heap], id);
            scene.records[id].in = heap;
        } else if (heaps[heap] != 0) {
            scene.records[heaps[heap]].in = -1;
            pairing_remove_first(&type, &scene, &heaps[heap]);
        }
        wrong += heaps[heap] != first_in(&scene, heap) || heaps[other] != first_in(&scene, other);
    }
    is_int(wrong, 0, "60000 steps in %d heaps: the first is the first", HEAPS);
}

static void test_comparisons(void)
{
    static struct scene scene;
    uint32_t heap = 0;
    long comparisons;
    int wrong = 0;

    begin(&scene, &comparisons);
    for (uint32_t id = 1; id <= RECORDS; id++) {
        pairing_insert(&type, &scene, &heap, id);
        scene.records[id].in = 0;
    }
    is_int(comparisons, RECORDS - 1, "the first of %d: one comparison for each other", RECORDS);
    comparisons = 0;
    for (int n = 0; n < RECORDS; n++) {
        wrong += heap != first_in(&scene, 0);
        scene.records[heap].in = -1;
        pairing_remove_first(&type, &scene, &heap);
    }
    ok(wrong == 0 && heap == 0, "all of them in order");
    ok(comparisons <= 2 * LOGARITHM * RECORDS, "with %ld comparisons", comparisons);
}

static void test_changed_order(void)
{
    static struct scene scene;
    uint32_t heap = 0, count = 0;
    long comparisons;
    int twice = 0;

    begin(&scene, &comparisons);
    for (uint32_t id = 1; id <= RECORDS; id++) {
        pairing_insert(&type, &scene, &heap, id);
        scene.records[id].in = 0;
    }
    for (; heap != 0 && count <= RECORDS; count++) {
        twice += scene.records[heap].in != 0;
        scene.records[heap].in = -1;
        pairing_remove_first(&type, &scene, &heap);
        for (uint32_t id = 1; id <= RECORDS; id++)
            scene.records[id].key = scene.records[id].key * 3 % RECORDS;
    }
    ok(count == RECORDS && twice == 0, "whatever becomes of their order, each is given once");
}

int main(void)
{
    test_random_use();
    test_comparisons();
    test_changed_order();
    return tap_done();
}
