/* SPDX-License-Identifier: Apache-2.0 */

/* No wake-up is lost: after whatever happened, at rest, everybody who waits is decided about once
 * more, and nobody fits, or could send others away.
 *
 *     build/t/t-workload_wakeup [SEED]      WORKLOAD_WAKEUP=1: says what it does */
#include "plugin/grant/workload_decide.h"
#include "plugin/queues/admission_check.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"
#include "t/oracle/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORLDS = 40, EVENTS = 120, QUEUES = 4, LOADS = 40 };

struct play {
    struct workload_kit kit;
    struct random random;
    bool there[LOADS];
    bool strict[QUEUES];
};

__attribute__((format(printf, 2, 3))) static void step(struct play *play, const char *format, ...)
{
    char words[300];
    va_list args;

    va_start(args, format);
    vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    if (getenv("WORKLOAD_WAKEUP") != NULL)
        fprintf(stderr, "%s\n", words);
    memset(play->kit.world, 0, sizeof(play->kit.world)); /* nothing is restarted here */
    workload_kit_log(&play->kit);
    workload_kit_do(&play->kit, words);
}

static const char *one_of(struct play *play, const char *const *words, int count)
{
    return words[random_below(&play->random, count)];
}

static void see_queue(struct play *play, int queue)
{
    static const char *const withins[] = {"", "within=lower", "within=newer"};
    static const char *const reclaims[] = {"",
                                           "",
                                           "reclaim=any",
                                           "reclaim=lower",
                                           "reclaim=any whileBorrowing",
                                           "reclaim=lower whileBorrowing"};
    static const char *const limits[] = {"", "", "borrow.cpu=2", "lend.cpu=1"};
    static const char *const ways[] = {"", "preemptsLast", "borrowsLeast", "borrowsLast"};
    static const char *const cohorts[] = {"parent=o", "parent=o", "parent=p", ""};
    static const char *const stops[] = {"", "", "", "", "", "hold", "drain"};
    const char *cohort = one_of(play, cohorts, 4);
    bool strict = random_one_in(&play->random, 4), second = random_one_in(&play->random, 2);

    /* One after the other: in a call it would be the compiler who chooses the order. */
    const char *within = one_of(play, withins, 3), *reclaim = one_of(play, reclaims, 6);
    const char *way = one_of(play, ways, 4), *stop = one_of(play, stops, 7);
    int cpu = random_below(&play->random, 6);
    const char *limit = *cohort == '\0' ? "" : one_of(play, limits, 4);
    int memory = random_below(&play->random, 12);

    play->strict[queue] = strict;
    step(play, "cluster c%d %s %s %s %s %s %s group=cpu,memory flavor=a cpu=%d %s memory=%d%s",
         queue, cohort, within, reclaim, way, stop, strict ? "strict" : "", cpu, limit, memory,
         second ? " flavor=b cpu=3 memory=4" : "");
}

static void see_flavors(struct play *play)
{
    static const char *const labels[] = {"on:a", "on:b"};

    step(play, "flavor a label=on:a; flavor b label=%s", one_of(play, labels, 2));
}

static void add(struct play *play, int workload)
{
    static const char *const selects[] = {"", "", "", "selects=on:a", "selects=on:b"};
    static const char *const more[] = {"",       "", "", "gate=g", "cannotPreempt", "count=3 min=1",
                                       "count=2"};

    int queue = random_below(&play->random, QUEUES), cpu = random_below(&play->random, 7);
    int memory = random_below(&play->random, 7), priority = random_below(&play->random, 3);
    const char *selector = one_of(play, selects, 5), *other = one_of(play, more, 7);

    play->there[workload] = true;
    step(play, "add w%d queue=l%d cpu=%d memory=%d priority=%d %s %s", workload, queue, cpu, memory,
         priority, selector, other);
}

static void do_to_workload(struct play *play, int workload)
{
    static const char *const verbs[] = {"remove", "remove", "finish",   "finish",    "halt",
                                        "open",   "close",  "activate", "deactivate"};
    const char *verb = one_of(play, verbs, 9);

    step(play, "%s w%d g", verb, workload);
    play->there[workload] = strcmp(verb, "remove") != 0;
}

static void see_locals(struct play *play, int queue)
{
    static const char *const stops[] = {"", "", "hold", "drain"};

    step(play, "local l%d cluster=c%d %s", queue, queue, one_of(play, stops, 4));
}

static void see_cohort(struct play *play)
{
    bool below = random_one_in(&play->random, 2);

    step(play, "cohort p%s group=cpu,memory flavor=a cpu=%d", below ? " parent=o" : "",
         random_below(&play->random, 4));
}

static void event(struct play *play)
{
    int workload = random_below(&play->random, LOADS), what = random_below(&play->random, 40);

    if (what == 0)
        see_flavors(play);
    else if (what == 1)
        see_cohort(play);
    else if (what < 4)
        see_queue(play, random_below(&play->random, QUEUES));
    else if (what == 4)
        see_locals(play, random_below(&play->random, QUEUES));
    else if (what == 5)
        step(play, random_one_in(&play->random, 2) ? "jobsStay" : "jobsGo");
    else if (what == 6)
        step(play, "time %d", 1 + random_below(&play->random, 400));
    else if (play->there[workload])
        do_to_workload(play, workload);
    else
        add(play, workload);
}

static bool is_asked(const struct engine *e, uint32_t id)
{
    uint32_t queue = claim_queue(e, id);
    struct text what;

    if (!workload_is(workload_at(e, id), WORKLOAD_PLACED) ||
        claim_at(e, id)->state != CLAIM_WAITING || claim_is_promised(claim_at(e, id)))
        return false;
    if (cluster_queue_fault(e, queue, &what) != CLUSTER_QUEUE_READY ||
        queue_stops(e, queue) != REASON_NONE)
        return false;
    return !queue_at(e, queue)->strict ||
           tree_first(&claims_by_rank, e, queue_at(e, queue)->cluster.waiting) == id;
}

/* Who would preempt, but has a closed gate, signals. Who only waits for others to be gone is asked
 * when they are. */
static bool is_lost(const struct workload *workload, const struct decision *decision)
{
    return decision->what == DECIDE_FITS ||
           (decision->what == DECIDE_PREEMPTS && !decision->waits_only &&
            !workload_is(workload, WORKLOAD_BLOCKED));
}

static const char *find_lost(struct engine *e)
{
    static char lost[100];
    struct decision decision;

    for (uint32_t id = 1; id < slab_end(&e->claims.workloads); id++) {
        struct text name = slab_live(&e->claims.workloads, id)
                               ? name_text(e, workload_at(e, id)->name)
                               : text_of("");

        if (name.len == 0 || !is_asked(e, id))
            continue;
        workload_decide(e, id, &decision);
        if (!is_lost(workload_at(e, id), &decision))
            continue;
        snprintf(lost, sizeof(lost), "%.*s %s", (int)name.len, name.at,
                 decision.what == DECIDE_FITS ? "fits" : "could preempt");
        return lost;
    }
    return "";
}

static void test_world(uint64_t seed)
{
    static struct play play;

    memset(&play, 0, sizeof(play));
    play.random.state = seed;
    workload_kit_open(&play.kit, seed % 2 == 0 ? "gates" : "");
    see_flavors(&play);
    step(&play, "cohort o; cohort p parent=o");
    for (int queue = 0; queue < QUEUES; queue++) {
        see_queue(&play, queue);
        step(&play, "local l%d cluster=c%d", queue, queue);
    }
    for (int i = 0; i < EVENTS; i++) {
        event(&play);
        is_str(find_lost(play.kit.kit.engine), "", "seed %d, event %d: nobody was forgotten",
               (int)seed, i);
    }
    workload_kit_close(&play.kit);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        test_world(strtoull(argv[1], NULL, 10));
        return tap_done();
    }
    for (uint64_t seed = 1; seed <= WORLDS; seed++)
        test_world(seed);
    return tap_done();
}
