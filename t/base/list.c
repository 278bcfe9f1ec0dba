/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/list.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

#include <stdbool.h>
#include <string.h>

enum { RECORDS = 12 };

static struct list_link links[RECORDS + 1];

static struct list_link *link_of(const void *ctx, uint32_t id)
{
    (void)ctx;
    return &links[id];
}

/* What the list should be: the ids in their order. */
struct row {
    uint32_t ids[RECORDS];
    uint32_t count;
};

static void row_remove(struct row *row, uint32_t id)
{
    uint32_t at = 0;

    while (row->ids[at] != id)
        at++;
    row->count--;
    memmove(&row->ids[at], &row->ids[at + 1], (row->count - at) * sizeof(*row->ids));
}

/* In both directions. */
static bool is_same(const struct list *list, const struct row *row)
{
    uint32_t id = list->first, before = 0;

    for (uint32_t i = 0; i < row->count; i++) {
        if (id != row->ids[i] || links[id].prev != before)
            return false;
        before = id;
        id = links[id].next;
    }
    return id == 0 && list->last == before;
}

static void test_ends(void)
{
    struct list list = {0};

    list_append(link_of, NULL, &list, 3);
    ok(list.first == 3 && list.last == 3, "the only one is first and last");
    list_append(link_of, NULL, &list, 1);
    list_append(link_of, NULL, &list, 2);
    ok(list.first == 3 && list.last == 2 && links[1].next == 2, "each comes to the end");
    list_insert(link_of, NULL, &list, 0, 5);
    list_insert(link_of, NULL, &list, 1, 4);
    ok(is_same(&list, &(struct row){{5, 3, 1, 4, 2}, 5}), "or where it is put");
    list_remove(link_of, NULL, &list, 5);
    list_remove(link_of, NULL, &list, 4);
    list_remove(link_of, NULL, &list, 3);
    list_remove(link_of, NULL, &list, 2);
    ok(list.first == 1 && list.last == 1, "one is left");
    ok(links[3].next == 0 && links[2].prev == 0, "who left has no link");
    list_remove(link_of, NULL, &list, 1);
    ok(list.first == 0 && list.last == 0, "none is");
}

static void test_random_use(void)
{
    struct list list = {0};
    struct row row = {.count = 0};
    bool in[RECORDS + 1] = {false};
    unsigned long long state = 5;
    int wrong = 0;

    for (int i = 0; i < 20000; i++) {
        uint32_t id = 1 + test_random(&state) % RECORDS;

        if (in[id]) {
            list_remove(link_of, NULL, &list, id);
            row_remove(&row, id);
        } else {
            list_append(link_of, NULL, &list, id);
            row.ids[row.count++] = id;
        }
        in[id] = !in[id];
        wrong += !is_same(&list, &row);
    }
    is_int(wrong, 0, "20000 that come and leave are in the order in which they came");
}

int main(void)
{
    test_ends();
    test_random_use();
    return tap_done();
}
