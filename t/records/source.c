/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/source.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>
#include <string.h>

/* In the order in which they come; they would go in the order of their names. */
static const struct {
    char name[2];
    int queue, priority;
} lent[] = {
    {"i", 0, 2}, {"c", 2, 0}, {"f", 0, 1}, {"h", 1, 2}, {"b", 0, 0},
    {"e", 1, 1}, {"g", 2, 2}, {"a", 1, 0}, {"d", 2, 1},
};
enum { LENT = sizeof(lent) / sizeof(lent[0]) };

/* A queue takes back what three others use, of which the first has a share of its own. */
static void test(int share, int room, const char *want, const char *what)
{
    struct workload_kit kit;
    char steps[300], gone[LENT + 1] = "";

    workload_kit_open(&kit, "");
    snprintf(
        steps, sizeof(steps),
        "flavor f; cluster c parent=o group=cpu flavor=f cpu=%d reclaim=any; local c cluster=c; "
        "cluster d0 parent=o group=cpu flavor=f cpu=%d; local d0 cluster=d0",
        LENT - share, share);
    workload_kit_do(&kit, steps);
    workload_kit_do(&kit, "cluster d1 parent=o group=cpu flavor=f cpu=0; local d1 cluster=d1; "
                          "cluster d2 parent=o group=cpu flavor=f cpu=0; local d2 cluster=d2");
    for (int i = 0; i < LENT; i++) {
        snprintf(steps, sizeof(steps), "time %d; add %s queue=d%d cpu=1 priority=%d", i + 2,
                 lent[i].name, lent[i].queue, lent[i].priority);
        workload_kit_do(&kit, steps);
    }
    snprintf(steps, sizeof(steps), "add w queue=c cpu=%d", room);
    workload_kit_do(&kit, steps);
    is_str(workload_kit_state(&kit, "w"), room <= LENT - share ? "admitted f" : "pending",
           "%d of %d: %s", room, LENT - share, what);
    for (char name[2] = "a"; name[0] < 'a' + LENT; name[0]++) {
        if (strstr(workload_kit_state(&kit, name), "admitted") == NULL)
            snprintf(gone + strlen(gone), sizeof(gone) - strlen(gone), "%s", name);
    }
    is_str(gone, want, "%d of %d: these go", room, LENT - share);
    workload_kit_close(&kit);
}

int main(void)
{
    test(0, 1, "a", "the first of all queues' firsts");
    test(0, 3, "abc", "lower priority before newer, whatever its queue");
    test(0, 5, "abcde", "newer ones of one priority");
    test(0, 9, "abcdefghi", "each queue to its end");
    test(1, 8, "abcdefgh", "nobody of a queue that has come down to its share");
    test(2, 7, "abcdegh", "nor anybody behind the one with whom it came down");
    test(2, 8, "", "more than that is not lent");
    return tap_done();
}
