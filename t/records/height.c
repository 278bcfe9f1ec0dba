/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/height.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static struct kit kit;

static uint32_t height(const char *queue)
{
    return height_of(kit.engine, kit_queue(&kit, queue));
}

static void test_follows(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue a; queue b parent=a; queue c parent=b");
    is_int(height("c"), 1, "nobody hangs below a leaf");
    is_int(height("a"), 3, "a tree is as tall as its longest way down");
    is_int(height("root"), 4, "with all that is below it");
    kit_do(&kit, "queue d parent=a; queue e parent=d; queue f parent=e");
    is_int(height("a"), 4, "a taller child counts");
    kit_do(&kit, "queue e parent=c");
    is_int(height("a"), 5, "wherever it moves");
    is_int(height("d"), 1, "and not where it was");
    kit_do(&kit, "lose-queue c");
    is_int(height("a"), 2, "who is gone takes along what hangs below it");
    is_int(height("c"), 3, "and keeps it");
    kit_do(&kit, "lose-queue f; lose-queue e; lose-queue b; lose-queue d; lose-queue a");
    is_int(height("root"), 2, "only the built-in one is left below the root");
    kit_close(&kit);
}

/* Each child that is the tallest, and goes, leaves the next one. */
static void test_many_children(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue top");
    for (int i = 0; i < 20; i++) {
        kit_dof(&kit, "queue n%d parent=top", i);
        for (int k = 0; k < i; k++) {
            char parent[16];

            snprintf(parent, sizeof(parent), k == 0 ? "n%d" : "n%d-%d", i, k - 1);
            kit_dof(&kit, "queue n%d-%d parent=%s", i, k, parent);
        }
    }
    is_int(height("n19"), 20, "a long chain");
    is_int(height("top"), 21, "below its parent");
    kit_do(&kit, "lose-queue n19-3");
    is_int(height("top"), 20, "the second longest is the longest now");
    kit_do(&kit, "queue n18 parent=n0");
    is_int(height("top"), 21, "which hangs lower");
    kit_close(&kit);
}

int main(void)
{
    test_follows();
    test_many_children();
    return tap_done();
}
