/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/slab.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

#include <sys/wait.h>
#include <unistd.h>

struct record {
    uint32_t stamp;
    uint32_t filler[4];
};

enum { MOST = 5000 };

static bool is_zero(const struct record *record)
{
    static const struct record zero;

    return memcmp(record, &zero, sizeof(zero)) == 0;
}

static void test_ids(void)
{
    struct test_mem test;
    struct slab slab;
    uint32_t at = 0;

    test_mem_init(&test);
    slab_init(&slab, &test.mem, sizeof(struct record));
    is_int(slab_end(&slab), 1, "ids begin at 1");
    ok(!slab_live(&slab, 0) && !slab_live(&slab, 1), "nothing lives");
    is_int(test.calls, 0, "init allocates nothing");
    is_int(slab_reserve(&slab, 3), 0, "reserve");

    uint32_t a = slab_take(&slab);
    uint32_t b = slab_take(&slab);
    uint32_t c = slab_take(&slab);

    ok(a == 1 && b == 2 && c == 3, "ids count up");
    slab_give(&slab, a);
    slab_give(&slab, b);
    ok(!slab_live(&slab, a) && !slab_live(&slab, b) && slab_live(&slab, c), "given ones are dead");
    is_int(slab_count(&slab), 1, "one is left");
    ok(slab_step(&slab, &at) && at == c, "which is the first that lives");
    ok(!slab_step(&slab, &at) && at == 0, "and the last");
    is_int(slab_next(&slab), b, "the last given is the next to be taken");
    is_int(slab_take(&slab), b, "and is");
    is_int(slab_take(&slab), a, "then the one before");
    is_int(slab_next(&slab), 0, "then new ones");
    ok(is_zero(slab_at(&slab, a)), "a taken record is zeroed");
    is_int(slab_end(&slab), 4, "end is above all ids");
    is_int(slab_reserve(&slab, UINT32_MAX), -1, "more ids than there are");
    slab_finish(&slab);
    ok(test_mem_clean(&test), "all is released");
    slab_finish(&slab);
}

static void test_random_use(void)
{
    static uint32_t live[MOST];
    static uint32_t stamps[MOST];
    static struct record *where[MOST];
    struct test_mem test;
    struct slab slab;
    unsigned long long state = 2;
    uint32_t count = 0;
    int wrong = 0;

    test_mem_init(&test);
    slab_init(&slab, &test.mem, sizeof(struct record));
    for (uint32_t i = 1; i < 100000; i++) {
        if (count < MOST && (count == 0 || test_random(&state) % 5 < 3)) {
            wrong += slab_reserve(&slab, 1) != 0;
            live[count] = slab_take(&slab);

            struct record *record = slab_at(&slab, live[count]);

            wrong += !is_zero(record) || !slab_live(&slab, live[count]);
            memset(record, (int)(i & 0xFF), sizeof(*record));
            record->stamp = i;
            stamps[count] = i;
            where[count++] = record;
        } else {
            uint32_t k = test_random(&state) % count--;

            wrong += slab_at(&slab, live[k]) != where[k] || where[k]->stamp != stamps[k];
            slab_give(&slab, live[k]);
            wrong += slab_live(&slab, live[k]);
            live[k] = live[count];
            stamps[k] = stamps[count];
            where[k] = where[count];
        }
        wrong += slab_count(&slab) != count;
    }
    is_int(wrong, 0, "100000 takes and gives: nothing moves, nothing is lost");
    ok(slab_end(&slab) <= MOST + 1, "ids are used again");
    slab_finish(&slab);
    ok(test_mem_clean(&test), "all is released, records in use as well");
}

static void test_no_memory(void)
{
    int wrong = 0;
    long n;

    for (n = 1;; n++) {
        struct test_mem test;
        struct slab slab;

        test_mem_init(&test);
        slab_init(&slab, &test.mem, sizeof(struct record));
        test.fail_at = n;
        for (uint32_t step = 0; step < 8; step++) {
            uint32_t chunks = slab.chunk_count;
            uint32_t count = slab_count(&slab);

            if (slab_reserve(&slab, 2500) < 0) {
                wrong += slab.chunk_count != chunks || slab_count(&slab) != count;
                wrong += slab_reserve(&slab, 2500) != 0;
            }
            for (int i = 0; i < 2500; i++)
                slab_take(&slab);
        }
        wrong += slab_count(&slab) != 8 * 2500;
        slab_finish(&slab);
        wrong += !test_mem_clean(&test);
        if (!test.failed)
            break;
    }
    is_int(wrong, 0, "whichever allocation fails, reserve changes nothing");
    ok(n > 20, "and that was tried at %ld of them", n - 1);
}

#ifdef SLUICE_CHECK
/* Whether a program that asks for this record ends there. */
static bool traps(const struct slab *slab, uint32_t id)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        close(STDERR_FILENO); /* of a sanitizer's complaint */
        _exit(slab_at(slab, id) == NULL);
    }
    waitpid(child, &status, 0);
    return status != 0;
}

static void test_traps(void)
{
    struct test_mem test;
    struct slab slab;
    uint32_t live, given;

    test_mem_init(&test);
    slab_init(&slab, &test.mem, sizeof(struct record));
    slab_reserve(&slab, 2);
    live = slab_take(&slab);
    given = slab_take(&slab);
    slab_give(&slab, given);
    ok(!traps(&slab, live), "a live record can be had");
    ok(traps(&slab, 0), "record 0 is a trap");
    ok(traps(&slab, given), "so is one that was given back");
    ok(traps(&slab, slab_end(&slab)), "and one that was never taken");
    ok(traps(&slab, UINT32_MAX), "wherever that would be");
    slab_finish(&slab);
}
#else
static void test_traps(void)
{
    tap_skip(5, "this build does not check");
}
#endif

int main(void)
{
    test_ids();
    test_traps();
    test_random_use();
    test_no_memory();
    return tap_done();
}
