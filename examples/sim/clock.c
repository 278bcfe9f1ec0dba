/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/sim/arena.h"

static bool before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->ticket < b->ticket;
}

void clock_at(struct clock *clock, int64_t at, void (*run)(struct sim *sim, void *what), void *what)
{
    struct event event = {at > clock->now ? at : clock->now, ++clock->tickets, run, what};

    clock->heap = array_room(clock->heap, clock->count, &clock->cap, sizeof(*clock->heap));
    size_t i = clock->count++;
    for (; i > 0 && before(&event, &clock->heap[(i - 1) / 2]); i = (i - 1) / 2)
        clock->heap[i] = clock->heap[(i - 1) / 2];
    clock->heap[i] = event;
}

bool clock_take(struct clock *clock, int64_t until, struct event *ret)
{
    if (clock_next(clock) > until)
        return false;
    *ret = clock->heap[0];
    struct event last = clock->heap[--clock->count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < clock->count && before(&clock->heap[child + 1], &clock->heap[child]))
            child++;
        if (child >= clock->count || !before(&clock->heap[child], &last))
            break;
        clock->heap[i] = clock->heap[child];
        i = child;
    }
    clock->heap[i] = last;
    clock->now = ret->at;
    clock->ran++;
    return true;
}

int64_t clock_next(const struct clock *clock)
{
    return clock->count > 0 ? clock->heap[0].at : INT64_MAX;
}

void clock_finish(struct clock *clock)
{
    free(clock->heap);
    *clock = (struct clock){0};
}

const char *clock_show(int64_t at, char *out, size_t cap)
{
    int64_t ms = (at + MILLISECOND / 2) / MILLISECOND;

    snprintf(out, cap, "%" PRId64 ".%03" PRId64 "s", ms / 1000, ms % 1000);
    return out;
}
