/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fleet_kueue.h"

#include <stdlib.h>
#include <string.h>

#include "examples/sim/fleet_home.h"
#include "examples/sim/sim.h"

const char *names_show(struct arena *arena, const struct names *names)
{
    const char *text = "";

    for (size_t i = 0; i < names->count; i++)
        text = arena_format(arena, "%s%s%s", text, i ? ", " : "", names->items[i]);
    return text;
}

/* What a look at a worker needs for a moment. */
struct look {
    struct arena arena;
    struct copy **items;
    size_t count;
};

static int by_order(const void *a, const void *b)
{
    const struct copy *ca = *(struct copy *const *)a;
    const struct copy *cb = *(struct copy *const *)b;

    if (ca->priority != cb->priority)
        return ca->priority > cb->priority ? -1 : 1;
    return ca->created < cb->created ? -1 : ca->created > cb->created;
}

/* Lower priority first, the newest first. */
static int by_harm(const void *a, const void *b)
{
    return by_order(b, a);
}

static void list(struct look *look, const struct worker *worker,
                 bool (*wanted)(const struct worker *worker, const struct copy *copy,
                                const struct copy *by),
                 const struct copy *by, int (*order)(const void *, const void *))
{
    look->items = arena_get(&look->arena, (worker->copies.count + 1) * sizeof(struct copy *));
    look->count = 0;
    for (size_t i = 0; i < worker->copies.count; i++) {
        struct copy *copy = worker->copies.entries[i].value;
        if (copy->there && !copy->finished && wanted(worker, copy, by))
            look->items[look->count++] = copy;
    }
    qsort(look->items, look->count, sizeof(*look->items), order);
}

static bool waits(const struct worker *worker, const struct copy *copy, const struct copy *by)
{
    (void)worker;
    (void)by;
    return !copy->reserved && !copy->parked;
}

static bool may_be_taken(const struct worker *worker, const struct copy *copy,
                         const struct copy *by)
{
    if (!copy->reserved || copy->leaving || worker->within == WORKER_NEVER)
        return false;
    return copy->priority < by->priority ||
           (worker->within == WORKER_LOWER_OR_NEWER && copy->priority == by->priority &&
            copy->created > by->created);
}

/* What is free, counting the room of who is leaving as `coming` says. */
static struct resources room(struct look *look, const struct worker *worker, bool coming)
{
    struct resources free = {0};

    resources_add(&look->arena, &free, &worker->quota, 1);
    for (size_t i = 0; i < worker->copies.count; i++) {
        const struct copy *copy = worker->copies.entries[i].value;
        if (copy->there && copy->reserved && !(coming && copy->leaving))
            resources_add(&look->arena, &free, &copy->asks, -1);
    }
    return free;
}

/* Leaves the victims in the look: as few as are needed, none if all are not enough. */
static void find_victims(struct look *look, const struct worker *worker, const struct copy *copy)
{
    struct resources free = room(look, worker, true);
    size_t kept = 0;

    list(look, worker, may_be_taken, copy, by_harm);
    while (kept < look->count && !resources_fit(&copy->asks, &free))
        resources_add(&look->arena, &free, &look->items[kept++]->asks, 1);
    look->count = resources_fit(&copy->asks, &free) ? kept : 0;
    for (size_t i = look->count; i-- > 0;) {
        resources_add(&look->arena, &free, &look->items[i]->asks, -1);
        if (resources_fit(&copy->asks, &free)) {
            memmove(&look->items[i], &look->items[i + 1],
                    (look->count - i - 1) * sizeof(*look->items));
            look->count--;
        } else {
            resources_add(&look->arena, &free, &look->items[i]->asks, 1);
        }
    }
}

struct leaving {
    struct worker *worker;
    struct copy *copy;
    const char *uid;
    const char *why;
};

static void has_left(struct sim *sim, void *what)
{
    const struct leaving *leaving = what;
    struct copy *copy = leaving->copy;

    if (copy->there && copy->leaving && strcmp(copy->uid, leaving->uid) == 0)
        worker_evict(sim, leaving->worker, copy, leaving->why);
}

static void preempt(struct sim *sim, struct worker *worker, const struct copy *copy,
                    const struct look *victims)
{
    for (size_t i = 0; i < victims->count; i++) {
        struct copy *victim = victims->items[i];
        struct leaving *leaving = arena_get(&sim->arena, sizeof(*leaving));
        victim->leaving = true;
        *leaving = (struct leaving){worker, victim, victim->uid,
                                    arena_format(&sim->arena, "preempted by %s", copy->ref)};
        story(sim, copy->ref, "preempts", "preempts %s", victim->ref);
        clock_at(&sim->clock, sim->clock.now + worker->grace, has_left, leaving);
    }
    worker->preemptions += (int64_t)victims->count;
    home_count_preemptions(sim, copy, (int64_t)victims->count);
    sim->world.changes++;
}

static void set_signal(struct sim *sim, struct worker *worker, struct copy *copy, bool signals,
                       const struct look *victims)
{
    if (copy->signals == signals)
        return;
    copy->signals = signals;
    copy->signalled = signals ? (sim_wall(sim) + worker->skew) / SECOND * SECOND : 0;
    if (signals)
        story(sim, copy->ref, "signals", "signals: it would preempt %s%s", victims->items[0]->ref,
              victims->count > 1 ? " and others" : "");
    else
        story(sim, copy->ref, "signals", "does not signal any more");
    worker_changed(sim, worker, copy);
}

struct admission {
    struct worker *worker;
    struct copy *copy;
    const char *uid;
};

static void job_is_over(struct sim *sim, void *what)
{
    const struct admission *admission = what;
    struct copy *copy = admission->copy;

    if (copy->there && copy->admitted && strcmp(copy->uid, admission->uid) == 0)
        worker_complete(sim, admission->worker, copy);
}

static void job_runs(struct sim *sim, struct admission *admission)
{
    if (admission->copy->runs_for > 0)
        clock_at(&sim->clock, sim->clock.now + admission->copy->runs_for, job_is_over, admission);
}

static void admit(struct sim *sim, void *what)
{
    struct admission *admission = what;
    struct copy *copy = admission->copy;

    if (!copy->there || !copy->reserved || copy->admitted || strcmp(copy->uid, admission->uid) != 0)
        return;
    copy->admitted = true;
    story(sim, copy->ref, "admitted", "is admitted");
    job_runs(sim, admission);
    worker_changed(sim, admission->worker, copy);
}

static void reserve(struct sim *sim, struct worker *worker, struct copy *copy)
{
    struct admission *admission = arena_get(&sim->arena, sizeof(*admission));

    copy->reserved = true;
    copy->signals = copy->evicted = false;
    copy->admitted = worker->check == 0;
    story(sim, copy->ref, copy->admitted ? "admitted" : "reserved", "%s",
          copy->admitted ? "is admitted" : "reserves quota");
    worker_changed(sim, worker, copy);
    *admission = (struct admission){worker, copy, copy->uid};
    if (copy->admitted)
        job_runs(sim, admission);
    else
        clock_at(&sim->clock, sim->clock.now + worker->check, admit, admission);
}

static bool is_closed(const struct copy *copy)
{
    return copy->open != (1U << copy->gates.count) - 1;
}

/* False: it does not hold quota after this. */
static bool consider(struct sim *sim, struct worker *worker, struct copy *copy)
{
    struct look look = {0};
    struct resources now = room(&look, worker, false);
    struct resources later = room(&look, worker, true);

    if (resources_fit(&copy->asks, &now)) {
        reserve(sim, worker, copy);
    } else if (!resources_fit(&copy->asks, &later)) {
        find_victims(&look, worker, copy);
        if (look.count == 0 || is_closed(copy))
            set_signal(sim, worker, copy, look.count > 0, &look);
        else
            preempt(sim, worker, copy, &look);
    }
    arena_finish(&look.arena);
    return copy->reserved;
}

static void cycle(struct sim *sim, void *what)
{
    struct worker *worker = what;
    struct look look = {0};

    worker->planned = false;
    list(&look, worker, waits, NULL, by_order);
    for (size_t i = 0; i < look.count; i++)
        if (!consider(sim, worker, look.items[i]) && worker->strict)
            break;
    arena_finish(&look.arena);
}

void kueue_plan(struct sim *sim, struct worker *worker)
{
    if (worker->planned)
        return;
    worker->planned = true;
    clock_at(&sim->clock, sim->clock.now + worker->cycle, cycle, worker);
}
