/* SPDX-License-Identifier: Apache-2.0 */

/* What was given to the host: no id is that of two effects, and none that is over is found. */
#include "plugin/base/given.h"
#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

static struct test_mem mem;
static struct given_list list;

static void begin(void)
{
    test_mem_init(&mem);
    given_init(&list, &mem.mem);
}

static void end(const char *what)
{
    slab_finish(&list.records);
    ok(test_mem_clean(&mem), "%s: all memory is given back", what);
}

static int64_t give(uint32_t *first, uint32_t slot, uint64_t content)
{
    slab_reserve(&list.records, 1);
    return given_at(&list, given_again(&list, first, slot, content))->id;
}

static void test_same(void)
{
    uint32_t first = 0;
    int64_t id, other;

    begin();
    other = given_next_id(&list);
    ok(other > 0, "the next id is known before");
    id = give(&first, 2, 77);
    is_int(id, other, "and is then its own");
    is_int(given_at(&list, given_find(&list, id))->attempts, 1, "the first attempt");
    is_int(give(&first, 2, 77), id, "what says the same is the same effect");
    is_int(given_at(&list, given_find(&list, id))->attempts, 2, "the second attempt");
    given_at(&list, given_of(&list, first, 2))->failures = 3;
    other = given_next_id(&list);
    ok(give(&first, 2, 78) == other && other != id, "what says something else is another one");
    is_int(given_find(&list, id), 0, "in place of the former, which is over");
    is_int(given_at(&list, given_find(&list, other))->attempts, 1, "its first attempt");
    is_int(given_at(&list, given_find(&list, other))->failures, 3, "after as many failures");
    ok(give(&first, 3, 78) != other, "another of the object's effects has its own");
    given_at(&list, given_of(&list, first, 2))->replaced = true;
    is_int(given_of(&list, first, 2), 0, "one that is replaced is not looked for");
    ok(given_find(&list, other) != 0, "but known, as long as it is under way");
    end("the same");
}

/* Objects come and go; a record serves all of them. */
static void test_never_again(void)
{
    enum { TIMES = 1000 };
    static int64_t ids[TIMES];
    bool once = true, unknown = true;
    uint32_t first = 0;

    begin();
    for (int i = 0; i < TIMES; i++) {
        ids[i] = give(&first, 0, 1);
        given_drop(&list, &first, first);
        unknown = unknown && given_find(&list, ids[i]) == 0;
        for (int k = 0; k < i; k++)
            once = once && ids[i] != ids[k];
    }
    ok(once, "an id that is over never comes again");
    ok(unknown && first == 0, "and is unknown");
    is_int(slab_end(&list.records), 2, "in one record");
    ok(given_find(&list, 0) == 0 && given_find(&list, -1) == 0 &&
           given_find(&list, list.last + 1) == 0 && given_find(&list, INT64_MAX) == 0,
       "made-up ids are unknown");
    end("never again");
}

static void test_times(void)
{
    uint32_t first = 0, at;
    uint64_t hash;

    begin();
    is_int(given_first_due(&list, first), 0, "nothing is waited for");
    give(&first, 0, 1);
    is_int(given_first_due(&list, first), 0, "not where nothing has a time");
    give(&first, 1, 1);
    give(&first, 2, 1);
    given_at(&list, given_of(&list, first, 0))->due = 7;
    given_at(&list, given_of(&list, first, 2))->due = 5;
    is_int(given_first_due(&list, first), given_of(&list, first, 2), "the first that ends");
    hash = given_hash(&list, first, 9);
    given_drop(&list, &first, given_of(&list, first, 1));
    ok(given_hash(&list, first, 9) != hash, "the hash tells what was given out");
    at = given_of(&list, first, 0);
    given_drop(&list, &first, at);
    given_drop(&list, &first, given_of(&list, first, 2));
    give(&first, 2, 1);
    give(&first, 1, 1);
    give(&first, 0, 1);
    given_at(&list, given_of(&list, first, 0))->due = 7;
    given_at(&list, given_of(&list, first, 2))->due = 5;
    ok(given_hash(&list, first, 9) == hash, "but neither ids nor the order");
    end("times");
}

static void test_backoff(void)
{
    uint32_t first = 0;
    int64_t ms = GIVEN_BACKOFF_MIN_MS;
    bool grows = true;

    begin();
    give(&first, 0, 1);
    for (uint32_t failures = 0; failures < 200; failures++) {
        int64_t wait;

        given_at(&list, first)->failures = failures;
        wait = given_backoff(&list, first) / 1000000;
        grows = grows && wait >= ms - ms / 4 && wait <= ms;
        ms = ms * 2 > GIVEN_BACKOFF_MAX_MS ? GIVEN_BACKOFF_MAX_MS : ms * 2;
    }
    ok(grows, "each failure waits twice as long, to a minute");
    end("backoff");
}

static void test_memory(void)
{
    begin();
    mem.fail_at = 1;
    is_int(slab_reserve(&list.records, 1), -1, "no memory is said before");
    end("memory");
}

int main(void)
{
    test_same();
    test_never_again();
    test_times();
    test_backoff();
    test_memory();
    return tap_done();
}
