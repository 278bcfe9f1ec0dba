/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/score.h"

#include <stdlib.h>

#include "examples/sim/host.h"
#include "examples/sim/plan.h"
#include "examples/sim/workload_show.h"

static const int64_t asked_after[] = {MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR};

enum { ASKED = sizeof(asked_after) / sizeof(*asked_after) };

static void note(struct sim *sim, const struct planned *planned, const msgpack_object *seen)
{
    struct score *score = sim->plan->score;

    if (!seen || strcmp(value_str(seen, "state", ""), "waiting") != 0)
        return;
    score->said = array_room(score->said, score->count, &score->cap, sizeof(*score->said));
    score->said[score->count++] = (struct estimate){
        .of = planned,
        .at = sim->clock.now,
        .likely = value_int(seen, "estimate", -1),
        .earliest = value_int(seen, "earliest", -1),
        .latest = value_int(seen, "latest", -1),
    };
}

static void ask_pod(struct sim *sim, void *what)
{
    const struct pod *pod = what;

    if (pod->planned->runs || pod->planned->over || pod->state->gone)
        return;
    struct request *r = library_begin(&sim->library, sim_wall(sim));
    r_key_str(r, "what", "pod");
    r_key_str(r, "uid", pod->uid);
    note(sim, pod->planned, host_call(sim, LOADER_INSPECT));
}

static void ask_workload(struct sim *sim, void *what)
{
    const struct workload *workload = what;

    if (!workload->planned->runs && !workload->planned->over && workload->object->is)
        note(sim, workload->planned, workload_inspect(sim, workload->object));
}

static void follow(struct sim *sim, void (*ask)(struct sim *sim, void *what), void *what)
{
    for (size_t i = 0; i < ASKED; i++)
        clock_at(&sim->clock, sim->clock.now + asked_after[i], ask, what);
}

void score_follow_pod(struct sim *sim, struct pod *pod)
{
    follow(sim, ask_pod, pod);
}

void score_follow_workload(struct sim *sim, struct workload *workload)
{
    follow(sim, ask_workload, workload);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* How far off it was, as a part of the time that it took. */
static double error_of(const struct estimate *said, int64_t took)
{
    int64_t off = said->likely > took ? said->likely - took : took - said->likely;

    return (double)off / (double)(took > 0 ? took : 1);
}

struct score_sum score_sum(const struct score *score)
{
    struct score_sum sum = {.median_error = -1};
    double *errors = calloc(score->count + 1, sizeof(*errors));

    for (size_t i = 0; errors && i < score->count; i++) {
        const struct estimate *said = &score->said[i];
        int64_t took = said->of->started - said->at;
        if (said->of->started == 0)
            continue;
        sum.asked++;
        if (said->earliest >= 0) {
            sum.with_range++;
            sum.in_range += took >= said->earliest && (said->latest < 0 || took <= said->latest);
        }
        if (said->likely >= 0)
            errors[sum.likely++] = error_of(said, took);
    }
    if (sum.likely > 0) {
        qsort(errors, (size_t)sum.likely, sizeof(*errors), by_size);
        sum.median_error = errors[sum.likely / 2];
    }
    free(errors);
    return sum;
}

void score_finish(struct score *score)
{
    free(score->said);
    *score = (struct score){0};
}
