/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/order/needs.h"

#include "plugin/base/amount.h"
#include "plugin/base/facts.h"
#include "plugin/order/size_class.h"
#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

static struct size_need likenesses[FACTS_MAX_NEEDS];

/* The first so many powers of two, one of each. */
static struct size_class make_kind(uint8_t first, uint8_t count, bool own)
{
    struct size_class class = {.count = count, .own = own, .needs = likenesses};

    for (uint8_t i = 0; i < count; i++) {
        likenesses[i] =
            (struct size_need){.magnitude = (uint8_t)(first + i), .at = class.line_bytes};
        class.line_bytes = (uint16_t)(class.line_bytes + needs_size(likenesses[i].magnitude));
    }
    return class;
}

static void test_size(void)
{
    is_int(sizeof(struct needs), NEEDS_INLINE, "what is short takes no more than its room");
    is_int(needs_size(0), 0, "of what is 1 for all nothing is kept");
    is_int(needs_size(9) + needs_size(37), 14, "half a cpu and 128 GiB are short");
    is_int(needs_size(8), 2, "256 to 511: a byte tells which");
    is_int(needs_size(62), 16, "the largest amounts are kept in eight bytes");
}

static int wrong_at(const struct needs *needs, const struct size_class *class, int64_t amount_more,
                    int64_t least_more)
{
    int wrong = 0;

    for (uint32_t i = 0; i < class->count; i++) {
        int64_t lowest = INT64_C(1) << class->needs[i].magnitude;

        wrong += needs_amount(needs, class, i) != lowest + amount_more % lowest;
        wrong += needs_least(needs, class, i) != lowest + least_more % lowest;
    }
    return wrong;
}

static void test_values(struct size_class class, const char *name)
{
    unsigned long long seed = 7;
    struct test_mem test;
    struct needs needs;
    int wrong = 0;

    test_mem_init(&test);
    is_int(needs_alloc(&test.mem, &class, &needs), 0, "%s: there is memory", name);
    is_int(wrong_at(&needs, &class, 0, 0), 0, "%s: a new one holds the lowest amounts", name);
    for (int round = 0; round < 200; round++) {
        int64_t amount = (int64_t)(test_random(&seed) | (uint64_t)test_random(&seed) << 31);
        int64_t least = (int64_t)(test_random(&seed) | (uint64_t)test_random(&seed) << 31);

        if (round == 0)
            amount = least = 0;
        for (uint32_t i = 0; i < class.count; i++) {
            int64_t lowest = INT64_C(1) << class.needs[i].magnitude;

            needs_set_least(&needs, &class, i, lowest + least % lowest);
            needs_set_amount(&needs, &class, i, lowest + amount % lowest);
        }
        wrong += wrong_at(&needs, &class, amount, least);
    }
    is_int(wrong, 0, "%s: what was set is there, each beside the others", name);
    needs_free(&test.mem, &class, &needs);
    ok(test_mem_clean(&test), "%s: all is released", name);
}

static void test_memory(void)
{
    struct size_class few = make_kind(0, 6, false), many = make_kind(0, 33, false);
    struct test_mem test;
    struct needs needs;

    test_mem_init(&test);
    test.fail_at = 1;
    is_int(needs_alloc(&test.mem, &few, &needs), 0, "what is short needs no memory");
    is_int(needs_alloc(&test.mem, &many, &needs), -1, "what is long does");
    ok(test_mem_clean(&test), "nothing is kept of a failure");
}

int main(void)
{
    test_size();
    test_values(make_kind(0, 6, false), "short");
    test_values(make_kind(0, 33, false), "long");
    test_values(make_kind(30, 33, false), "large amounts");
    test_values(make_kind(30, 33, true), "the most there can be");
    test_values(make_kind(0, 1, true), "of a gang");
    test_memory();
    return tap_done();
}
