/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/index.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

enum { IDS = 40000 };

struct model {
    bool in[IDS + 1];
    uint32_t hash[IDS + 1];
};

static bool same_id(const void *ctx, uint32_t id)
{
    const uint32_t *wanted = ctx;

    return *wanted == id;
}

static bool any_id(const void *ctx, uint32_t id)
{
    (void)ctx;
    (void)id;
    return true;
}

static uint32_t find(const struct index *index, uint32_t hash, uint32_t id)
{
    return index_find(index, hash, same_id, &id);
}

static int mismatches(const struct index *index, const struct model *model)
{
    int wrong = 0;

    for (uint32_t id = 1; id <= IDS; id++)
        wrong += find(index, model->hash[id], id) != (model->in[id] ? id : 0);
    return wrong;
}

/* Few different hashes make long runs of equal ones; `spread` of them. */
static void test_random_use(uint32_t ids, uint32_t spread, const char *name)
{
    static struct model model;
    struct test_mem test;
    struct index index;
    unsigned long long state = spread;
    uint32_t count = 0;
    int wrong = 0;

    memset(&model, 0, sizeof(model));
    test_mem_init(&test);
    index_init(&index, &test.mem);
    for (uint32_t id = 1; id <= IDS; id++)
        model.hash[id] = hash_bytes(&(uint32_t){test_random(&state) % spread}, 4, 0);
    for (uint32_t i = 0; i < ids * 10; i++) {
        uint32_t id = 1 + test_random(&state) % ids;
        bool growing = (i / ids) % 4 < 2;

        if (model.in[id] && !(growing && i % 4 != 0)) {
            index_drop(&index, model.hash[id], id);
            model.in[id] = false;
            count--;
        } else if (!model.in[id] && (growing || i % 4 == 0)) {
            wrong += index_reserve(&index) != 0;
            index_put(&index, model.hash[id], id);
            model.in[id] = true;
            count++;
        }
        wrong += find(&index, model.hash[id], id) != (model.in[id] ? id : 0);
        wrong += index.count != count;
        if (i % (ids * 2) == ids / 3)
            wrong += mismatches(&index, &model);
    }
    wrong += mismatches(&index, &model);
    is_int(wrong, 0, "random use: %s", name);
    index_drop(&index, 12345, IDS + 1);
    is_int(index.count, count, "dropping what is not there does nothing");
    index_finish(&index);
    ok(test_mem_clean(&test), "all is released");
}

static uint32_t all_slots(const struct index *index, uint32_t *most, int *too_full)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < index->shelf_count; i++) {
        const struct index_shelf *shelf = &index->shelves[i];

        sum += shelf->size;
        *most = shelf->size > *most ? shelf->size : *most;
        *too_full += shelf->count * 4 > shelf->size * 3;
    }
    return sum;
}

static void test_growing_is_spread_out(void)
{
    struct test_mem test;
    struct index index;
    uint32_t most = 0;
    int lost = 0, too_full = 0, too_large = 0;

    test_mem_init(&test);
    index_init(&index, &test.mem);
    for (uint32_t id = 1; id <= 200000; id++) {
        uint32_t slots;

        if (index_reserve(&index) < 0)
            break;
        slots = all_slots(&index, &most, &too_full);
        index_put(&index, hash_bytes(&id, sizeof(id), 0), id);
        too_large += id > 1000 && slots * 10ull > id * 15ull;
    }
    for (uint32_t id = 1; id <= 200000; id++)
        lost += find(&index, hash_bytes(&id, sizeof(id), 0), id) != id;
    is_int(lost, 0, "200000 entries are found");
    ok(most < 4 * INDEX_PER_SHELF, "a put moves what is on one shelf, of %u slots at most", most);
    is_int(too_full, 0, "none is fuller than three quarters");
    is_int(too_large, 0, "all together have no more than three slots for two entries");
    index_finish(&index);
    ok(test_mem_clean(&test), "all is released");
}

static void test_no_memory(void)
{
    int wrong = 0;
    long n;

    for (n = 1;; n++) {
        struct test_mem test;
        struct index index;

        test_mem_init(&test);
        index_init(&index, &test.mem);
        test.fail_at = n;
        for (uint32_t id = 1; id <= 3000; id++) {
            struct index before = index;

            if (index_reserve(&index) < 0) {
                wrong += memcmp(&before, &index, sizeof(index)) != 0;
                wrong += index_reserve(&index) != 0;
            }
            index_put(&index, id, id);
        }
        for (uint32_t id = 1; id <= 3000; id++)
            wrong += find(&index, id, id) != id;
        index_finish(&index);
        wrong += !test_mem_clean(&test);
        if (!test.failed)
            break;
    }
    is_int(wrong, 0, "whichever allocation fails, reserve changes nothing");
    ok(n > 5, "and that was tried at %ld of them", n - 1);
}

/* Hashes that follow each other, as those of a host's own numbers might. */
static void test_plain_hashes(void)
{
    struct test_mem test;
    struct index index;
    int lost = 0, failed = 0;

    test_mem_init(&test);
    index_init(&index, &test.mem);
    is_int(index_find(&index, 1, any_id, NULL), 0, "an empty index has nothing");
    index_drop(&index, 1, 1);
    index_bring(&index, 1);
    is_int(index.count, 0, "nor does it lose anything");
    for (uint32_t id = 8; id < 50008; id++) {
        long calls;

        failed += index_reserve(&index) != 0;
        calls = test.calls;
        index_put(&index, id, id);
        failed += test.calls != calls;
    }
    is_int(failed, 0, "what was reserved needs no memory");
    for (uint32_t id = 8; id < 50008; id++)
        lost += find(&index, id, id) != id;
    is_int(lost, 0, "all are found");
    for (uint32_t id = 8; id < 50008; id++)
        index_drop(&index, id, id);
    is_int(index.count, 0, "all go");
    index_finish(&index);
    ok(test_mem_clean(&test), "all is released");
}

static void test_hash(void)
{
    static const char text[] = "0f8fad5b-d9cb-469f-a165-70867728950e";
    char moved[64];
    int same = 0;
    int bits = 0;

    ok(hash_bytes64("", 0, 0) == UINT64_C(0x9CA066F1A4AB2EEA), "a known value: nothing");
    ok(hash_bytes64("abc", 3, 0) == UINT64_C(0xD7DD46AC1C9F78D8), "a known value: abc");
    ok(hash_bytes64(text, 36, 1) == UINT64_C(0xEE51E25E9A1C1365), "a known value: a UID");
    for (size_t at = 0; at < 8; at++) {
        memcpy(moved + at, text, 36);
        same += hash_bytes64(moved + at, 36, 1) == hash_bytes64(text, 36, 1);
    }
    is_int(same, 8, "alignment does not matter");
    ok(hash_bytes("\0", 1, 0) != hash_bytes("\0\0", 2, 0), "the length counts");
    ok(hash_bytes("a", 1, 0) != hash_bytes("a", 1, 1), "the seed counts");
    for (int bit = 0; bit < 36 * 8; bit++) {
        memcpy(moved, text, 36);
        moved[bit / 8] = (char)(moved[bit / 8] ^ 1 << bit % 8);
        bits += __builtin_popcount(hash_bytes(moved, 36, 0) ^ hash_bytes(text, 36, 0));
    }
    ok(bits > 36 * 8 * 15 && bits < 36 * 8 * 17, "one bit changes half of the others: %d of %d",
       bits, 36 * 8 * 32);
}

int main(void)
{
    test_hash();
    test_random_use(IDS, UINT32_MAX, "hashes that differ");
    test_random_use(IDS, 5000, "hashes that collide");
    test_random_use(100, 2, "two hashes");
    test_growing_is_spread_out();
    test_plain_hashes();
    test_no_memory();
    return tap_done();
}
