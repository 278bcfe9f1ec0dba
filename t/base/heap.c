/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/heap.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

enum { IDS = 300 };

struct model {
    bool in[IDS];
    int64_t at[IDS];
    uint32_t rank[IDS]; /* a shuffle: what decides between equal times */
};

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct model *model = ctx;

    return (model->rank[a] > model->rank[b]) - (model->rank[a] < model->rank[b]);
}

static uint32_t model_min(const struct model *model, bool ties)
{
    uint32_t best = 0;

    for (uint32_t id = 1; id < IDS; id++) {
        if (!model->in[id])
            continue;
        if (best == 0 || model->at[id] < model->at[best] ||
            (ties && model->at[id] == model->at[best] && compare(model, id, best) < 0))
            best = id;
    }
    return best;
}

static int heap_differs(const struct heap *heap, const struct model *model, bool ties)
{
    uint32_t want = model_min(model, ties);
    int64_t at = heap_earliest(heap);
    uint32_t id = heap_due(heap, INT64_MAX);

    if (want == 0 || id == 0)
        return want != id || at != INT64_MAX;
    return at != model->at[want] || (ties ? id != want : !model->in[id] || model->at[id] != at);
}

static void test_random_use(bool ties)
{
    static struct model model;
    struct test_mem test;
    struct heap heap;
    unsigned long long state = 11;
    uint32_t end = 1;
    uint32_t count = 0;
    int wrong = 0;

    memset(&model, 0, sizeof(model));
    for (uint32_t id = 0; id < IDS; id++)
        model.rank[id] = id * 7 % IDS;
    test_mem_init(&test);
    heap_init(&heap, &test.mem, ties ? compare : NULL, &model);
    for (int i = 0; i < 60000; i++) {
        uint32_t id = 1 + test_random(&state) % (IDS - 1);
        bool filling = i / 5000 % 2 == 0;

        if (test_random(&state) % 4 == (filling ? 0U : 1U) || (!filling && i % 2 == 0)) {
            if (i % 3 == 0)
                heap_set(&heap, id, INT64_MAX);
            else
                heap_clear(&heap, id);
            count -= model.in[id];
            model.in[id] = false;
        } else {
            if (id >= end) {
                wrong += heap_reserve(&heap, id + 1) != 0;
                end = id + 1;
            }
            model.at[id] = (int64_t)(test_random(&state) % 40) - 20;
            count += !model.in[id];
            model.in[id] = true;
            heap_set(&heap, id, model.at[id]);
        }
        wrong += heap_when(&heap, id) != (model.in[id] ? model.at[id] : INT64_MAX);
        wrong += heap.count != count || heap_differs(&heap, &model, ties);
    }
    is_int(wrong, 0, "60000 sets and clears, ties %s", ties ? "in order" : "as they fall");

    while (model_min(&model, ties) != 0) {
        int64_t at = heap_earliest(&heap);
        uint32_t id = heap_due(&heap, INT64_MAX);

        wrong += heap_differs(&heap, &model, ties);
        wrong += heap_due(&heap, at - 1) != 0 || heap_due(&heap, at) != id;
        heap_clear(&heap, id);
        model.in[id] = false;
    }
    ok(wrong == 0 && heap.count == 0, "emptied in order");
    heap_finish(&heap);
    ok(test_mem_clean(&test), "all is released");
}

static void test_edges(void)
{
    struct test_mem test;
    struct slab few;
    struct heap heap;

    test_mem_init(&test);
    heap_init(&heap, &test.mem, NULL, NULL);
    slab_init(&few, &test.mem, sizeof(uint32_t));
    ok(heap_earliest(&heap) == INT64_MAX, "empty");
    is_int(heap_due(&heap, INT64_MAX), 0, "nothing is due");
    ok(heap_when(&heap, 0) == INT64_MAX && heap_when(&heap, 77) == INT64_MAX, "nothing is in it");
    heap_clear(&heap, 77);
    is_int(heap_reserve(&heap, 0), 0, "nothing to reserve");
    is_int(test.calls, 0, "nothing was allocated");
    is_int(heap_reserve(&heap, 5000), 0, "reserve");

    long calls = test.calls;

    for (uint32_t i = 1; i < 5000; i++)
        heap_set(&heap, i, -(int64_t)i);
    is_int(test.calls, calls, "what was reserved needs no memory");
    ok(heap_due(&heap, 0) == 4999 && heap_earliest(&heap) == -4999, "the last is the first");
    heap_set(&heap, 4999, INT64_MAX - 1);
    is_int(heap_due(&heap, 0), 4998, "moved away");
    ok(heap_check(&heap, &heap.slots), "all are records of a slab that has so many");
    ok(!heap_check(&heap, &few), "and not of one that has none");
    heap_finish(&heap);
    ok(test_mem_clean(&test), "all is released");
}

static void test_no_memory(void)
{
    int wrong = 0;
    long n;

    for (n = 1;; n++) {
        struct test_mem test;
        struct heap heap;

        test_mem_init(&test);
        heap_init(&heap, &test.mem, NULL, NULL);
        test.fail_at = n;
        for (uint32_t end = 2; end < 9000; end += 700) {
            uint32_t ends = slab_end(&heap.slots);

            if (heap_reserve(&heap, end) < 0) {
                wrong += slab_end(&heap.slots) != ends;
                wrong += heap_reserve(&heap, end) != 0;
            }
            heap_set(&heap, end - 1, -(int64_t)end);
            wrong += heap_due(&heap, 0) != end - 1 || heap_earliest(&heap) != -(int64_t)end;
        }
        heap_finish(&heap);
        wrong += !test_mem_clean(&test);
        if (!test.failed)
            break;
    }
    is_int(wrong, 0, "whichever allocation fails, reserve changes nothing");
    ok(n > 8, "and that was tried at %ld of them", n - 1);
}

int main(void)
{
    test_edges();
    test_random_use(true);
    test_random_use(false);
    test_no_memory();
    return tap_done();
}
