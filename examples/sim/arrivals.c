/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/arrivals.h"

#include <inttypes.h>
#include <stdlib.h>

#include "examples/sim/clock.h"
#include "examples/sim/map.h"

/* How long those of a queue ran that ended. */
struct lengths {
    int64_t *items;
    size_t count;
    size_t cap;
    int64_t half;
};

/* What is known of all queues, and of all of them together. */
struct known {
    struct map queues; /* struct lengths */
    struct lengths all;
    struct arena arena;
};

struct arrival *arrivals_add(struct arrivals *arrivals)
{
    struct arrival *made = arena_get(&arrivals->arena, sizeof(*made));

    *made = (struct arrival){.started = -1, .ended = -1, .row = {.user = "", .pods = 1}};
    arrivals->items =
        array_room(arrivals->items, arrivals->count, &arrivals->cap, sizeof(*arrivals->items));
    arrivals->items[arrivals->count++] = made;
    return made;
}

static bool has_ended(const struct arrival *arrival)
{
    return arrival->started >= 0 && arrival->ended >= arrival->started;
}

static int compare(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;

    return *left < *right ? -1 : *left > *right;
}

static void add(struct lengths *to, int64_t length)
{
    to->items = array_room(to->items, to->count, &to->cap, sizeof(*to->items));
    to->items[to->count++] = length;
}

static void settle(struct lengths *lengths)
{
    if (lengths->count == 0)
        return;
    qsort(lengths->items, lengths->count, sizeof(*lengths->items), compare);
    lengths->half = lengths->items[(lengths->count - 1) / 2];
}

static void learn(struct known *known, const struct arrivals *arrivals)
{
    for (size_t i = 0; i < arrivals->count; i++) {
        const struct arrival *one = arrivals->items[i];
        struct lengths *of_queue = map_get(&known->queues, one->row.queue);
        if (!has_ended(one))
            continue;
        if (!of_queue) {
            of_queue = arena_get(&known->arena, sizeof(*of_queue));
            map_put(&known->queues, one->row.queue, of_queue);
        }
        add(of_queue, one->ended - one->started);
        add(&known->all, one->ended - one->started);
    }
    for (size_t i = 0; i < known->queues.count; i++)
        settle(known->queues.entries[i].value);
    settle(&known->all);
}

static void forget(struct known *known)
{
    for (size_t i = 0; i < known->queues.count; i++)
        free(((struct lengths *)known->queues.entries[i].value)->items);
    map_finish(&known->queues);
    free(known->all.items);
    arena_finish(&known->arena);
}

/* As long as half of those of its queue, or of all; 0: none has ended. */
static int64_t usual(const struct known *known, const char *queue)
{
    const struct lengths *of_queue = map_get(&known->queues, queue);

    return of_queue ? of_queue->half : known->all.half;
}

/* How many there are of each sort. */
struct counts {
    int64_t before, ended, run, wait, unknown;
};

static void put(struct trace *trace, const struct arrival *one, const struct known *known,
                int64_t begin, int64_t end, struct counts *counts)
{
    struct trace_row row = one->row;
    bool ran_before = one->started >= 0 && one->started < begin;
    int64_t since = ran_before ? begin : one->started;
    int64_t like_others = usual(known, row.queue);

    row.at = ran_before ? 0 : SECOND + (row.at > begin ? row.at - begin : 0);
    if (has_ended(one))
        row.runs_for = one->ended - since;
    else if (one->started >= 0)
        row.runs_for = end - since > like_others ? end - since : like_others;
    else
        row.runs_for = like_others;
    counts->unknown += row.runs_for <= 0 && one->started < 0;
    if (row.runs_for <= 0 && one->started < 0)
        return;
    row.runs_for = row.runs_for > 0 ? row.runs_for : 1;
    counts->before += ran_before;
    counts->ended += has_ended(one);
    counts->run += one->started >= 0 && !has_ended(one);
    counts->wait += one->started < 0;
    trace_add(trace, &row);
}

bool arrivals_trace(const struct arrivals *arrivals, int64_t begin, int64_t end, const char *path,
                    struct trace *ret, struct fault *fault)
{
    struct known known = {0};
    struct counts counts = {0};

    *ret = (struct trace){0};
    learn(&known, arrivals);
    for (size_t i = 0; i < arrivals->count; i++)
        put(ret, arrivals->items[i], &known, begin, end, &counts);
    forget(&known);
    trace_sort(ret);
    if (ret->count == 0)
        fault_say(fault, NULL,
                  "%s: nothing in it waited in a queue and ran: look at the cluster for longer",
                  path);
    trace_note(ret,
               "They were seen in %" PRId64 " minutes of the cluster: %" PRId64 " ended; %" PRId64
               " run still, and are taken to run at least as long as half of those of their queue "
               "that ended; %" PRId64 " had not started, and are taken to run so long.",
               (end - begin) / MINUTE, counts.ended, counts.run, counts.wait);
    if (counts.before > 0)
        trace_note(ret, "%" PRId64 " of them ran already when that began.", counts.before);
    if (counts.unknown > 0)
        trace_note(ret,
                   "%" PRId64 " are left out: none has ended, so nothing says how long they run.",
                   counts.unknown);
    return !fault->is;
}

void arrivals_finish(struct arrivals *arrivals)
{
    free(arrivals->items);
    arena_finish(&arrivals->arena);
}
