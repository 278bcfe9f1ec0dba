/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/telling/pending.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdlib.h>

enum { PODS = 300 };

static struct kit kit;

static int compare(const void *a, const void *b)
{
    return claim_compare_rank(kit.engine, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* All that waits, in order, by a sort of it. */
static uint32_t sorted(uint32_t claims[PODS])
{
    const struct engine *e = kit.engine;
    uint32_t count = 0;

    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (slab_live(&e->claims.records, id) && claim_at(e, id)->state == CLAIM_WAITING)
            claims[count++] = id;
    }
    qsort(claims, count, sizeof(*claims), compare);
    return count;
}

/* Page by page, from the first and from any other. */
static unsigned compare_pages(uint32_t size)
{
    uint32_t all[PODS], page[PODS], count = sorted(all);
    uint32_t queue = kit_queue(&kit, "q");
    unsigned wrong = 0;

    for (uint32_t from = 0; from <= count; from += from % 3 + 1) {
        uint32_t left = count - from, wanted = left < size ? left : size;
        uint32_t got = pending_page(kit.engine, queue, from == 0 ? 0 : all[from - 1], size, page);

        wrong += got != wanted || memcmp(page, all + from, got * sizeof(*page)) != 0;
    }
    return wrong;
}

/* Of each shape so many wait, by turns; then some go, and others come. */
static void test_pages(unsigned shapes, const char *what)
{
    unsigned long long seed = 5;
    unsigned wrong;

    kit_open(&kit, "standby"); /* so that nobody is granted */
    kit_do(&kit, "queue q");
    for (int i = 0; i < PODS; i++)
        kit_dof(&kit, "pod p%d queue=q cpu=%u priority=%u", i, 1 + test_random(&seed) % shapes,
                test_random(&seed) % 3);
    wrong = compare_pages(1) + compare_pages(7) + compare_pages(PODS);
    for (int i = 0; i < PODS; i += 1 + (int)(test_random(&seed) % 3))
        kit_dof(&kit, "lose-pod p%d", i);
    wrong += compare_pages(7);
    for (int i = 0; i < PODS; i += 7)
        kit_dof(&kit, "pod p%d queue=q cpu=%u created=%u", i, 1 + test_random(&seed) % shapes,
                1 + test_random(&seed) % 900);
    wrong += compare_pages(7) + compare_pages(64);
    is_int((int)wrong, 0, "%s", what);
    kit_close(&kit);
}

int main(void)
{
    test_pages(1, "all ask for the same");
    test_pages(5, "a few lines in which many wait");
    test_pages(100, "many in which a few do");
    test_pages(1000000, "as many lines as pods");
    return tap_done();
}
