/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/plan_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/text.h"

static int compare_waits(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;

    return *left < *right ? -1 : *left > *right;
}

/* The wait that so many thousandths did not exceed. [sorted] */
static int64_t quantile(const int64_t *waits, size_t count, size_t thousandths)
{
    return count == 0 ? -1 : waits[(count - 1) * thousandths / 1000];
}

static void measure(struct queue_outcome *outcome, int64_t *waits, size_t count)
{
    if (count > 0)
        qsort(waits, count, sizeof(*waits), compare_waits);
    outcome->started = (int64_t)count;
    outcome->p50 = quantile(waits, count, 500);
    outcome->p95 = quantile(waits, count, 950);
}

static void add(struct queue_outcome *all, const struct queue_outcome *one)
{
    all->arrived += one->arrived;
    all->left += one->left;
    all->evictions += one->evictions;
    for (int i = 0; i < PLANNED_AMOUNTS; i++) {
        all->used[i] += one->used[i];
        all->borrowed[i] += one->borrowed[i];
    }
}

static char *copy_of(const char *text)
{
    char *copy = array_zeroed(strlen(text) + 1, 1);

    memcpy(copy, text, strlen(text));
    return copy;
}

static int compare_names(const void *a, const void *b)
{
    const struct queue_outcome *left = a, *right = b;

    return strcmp(left->name, right->name);
}

void outcome_take(const struct sim *sim, const struct plan *plan, struct outcome *ret)
{
    int64_t *waits;
    size_t n = 0, total = 0;

    *ret = (struct outcome){
        .story = sim->scenario->file,
        .queues = array_zeroed(plan->queues.count + 1, sizeof(*ret->queues)),
        .bought = sim->autoscaler.bought - plan->bought_before,
        .node_hours = plan->node_hours,
        .ended = plan->ended,
        .scored = plan->score != NULL,
    };
    if (plan->score)
        ret->score = score_sum(plan->score);
    for (size_t i = 0; i < plan->queues.count; i++)
        total += ((struct planned_queue *)plan->queues.entries[i].value)->n_waits;
    waits = array_zeroed(total + 1, sizeof(*waits));
    for (size_t i = 0; i < plan->queues.count; i++) {
        struct planned_queue *queue = plan->queues.entries[i].value;
        struct queue_outcome *outcome = &ret->queues[ret->count++];
        *outcome = (struct queue_outcome){.name = copy_of(queue->name),
                                          .arrived = queue->arrived,
                                          .left = queue->left,
                                          .evictions = queue->evictions};
        memcpy(outcome->used, queue->used, sizeof(outcome->used));
        memcpy(outcome->borrowed, queue->borrowed, sizeof(outcome->borrowed));
        if (queue->n_waits > 0)
            memcpy(waits + n, queue->waits, queue->n_waits * sizeof(*waits));
        n += queue->n_waits;
        measure(outcome, queue->waits, queue->n_waits);
        add(&ret->all, outcome);
    }
    measure(&ret->all, waits, n);
    free(waits);
    qsort(ret->queues, ret->count, sizeof(*ret->queues), compare_names);
}

void outcome_finish(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->count; i++)
        free(outcome->queues[i].name);
    free(outcome->queues);
    free(outcome->board);
}

/* "1.5s", "12m", "3h20m", "2d4h"; "-": there is none. */
static const char *span(int64_t length, char *out, size_t cap)
{
    int64_t s = length / SECOND;

    if (length < 0)
        snprintf(out, cap, "-");
    else if (s < 60)
        snprintf(out, cap, "%" PRId64 ".%" PRId64 "s", s, length / (SECOND / 10) % 10);
    else if (s < 3600)
        snprintf(out, cap, "%" PRId64 "m%" PRId64 "s", s / 60, s % 60);
    else if (s < 86400)
        snprintf(out, cap, "%" PRId64 "h%" PRId64 "m", s / 3600, s / 60 % 60);
    else
        snprintf(out, cap, "%" PRId64 "d%" PRId64 "h", s / 86400, s / 3600 % 24);
    return out;
}

/* The columns of the table, each of one value for each plan. */
static const char *const titles[] = {"WAIT P50", "WAIT P95", "CPU H",  "GPU H",
                                     "BORROWED", "EVICTED",  "WAITING"};

enum {
    COLUMNS = sizeof(titles) / sizeof(*titles),
    CELL = 16,
};

static void cell(const struct queue_outcome *queue, size_t column, char out[CELL])
{
    double borrowed = queue->borrowed[PLANNED_GPU] > 0 ? queue->borrowed[PLANNED_GPU]
                                                       : queue->borrowed[PLANNED_CPU] / 1000;

    switch (column) {
    case 0:
        span(queue->p50, out, CELL);
        break;
    case 1:
        span(queue->p95, out, CELL);
        break;
    case 2:
        snprintf(out, CELL, "%.0f", queue->used[PLANNED_CPU] / 1000);
        break;
    case 3:
        snprintf(out, CELL, "%.0f", queue->used[PLANNED_GPU]);
        break;
    case 4:
        snprintf(out, CELL, "%.0f%s", borrowed, queue->borrowed[PLANNED_GPU] > 0 ? " gpu" : "");
        break;
    case 5:
        snprintf(out, CELL, "%" PRId64, queue->evictions);
        break;
    default:
        snprintf(out, CELL, "%" PRId64, queue->left);
    }
}

static const struct queue_outcome *named(const struct outcome *outcome, const char *name)
{
    static const struct queue_outcome nothing = {.p50 = -1, .p95 = -1};

    for (size_t i = 0; i < outcome->count; i++)
        if (strcmp(outcome->queues[i].name, name) == 0)
            return &outcome->queues[i];
    return &nothing;
}

static void print_row(const char *name, int64_t pods, const struct queue_outcome *const *plans,
                      size_t count, FILE *out)
{
    char text[CELL];

    text_say(out, "%-24.24s %9" PRId64, name, pods);
    for (size_t c = 0; c < COLUMNS; c++) {
        fputs("  ", out);
        for (size_t i = 0; i < count; i++) {
            cell(plans[i], c, text);
            fprintf(out, "%s%9s", i ? " " : "", text);
        }
    }
    fputc('\n', out);
}

static void print_titles(size_t count, FILE *out)
{
    int width = (int)(count * 10 - 1);

    fprintf(out, "%-24s %9s", "QUEUE", "PODS");
    for (size_t c = 0; c < COLUMNS; c++)
        fprintf(out, "  %*s", width, titles[c]);
    fputc('\n', out);
}

/* How much a queue's p95 differs between the plans, for the order of the table. */
struct ranked {
    size_t at; /* in the first outcome */
    double differs;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;

    if (left->differs != right->differs)
        return left->differs > right->differs ? -1 : 1;
    return left->at < right->at ? -1 : 1;
}

static struct ranked *rank(const struct outcome *outcomes, size_t count)
{
    struct ranked *ranked = array_zeroed(outcomes->count + 1, sizeof(*ranked));

    for (size_t i = 0; i < outcomes->count; i++) {
        const struct queue_outcome *first = &outcomes->queues[i];
        ranked[i].at = i;
        ranked[i].differs = count == 1 ? (double)first->p95 : 0;
        for (size_t k = 1; k < count; k++) {
            double by = (double)(named(&outcomes[k], first->name)->p95 - first->p95);
            by = by < 0 ? -by : by;
            ranked[i].differs = by > ranked[i].differs ? by : ranked[i].differs;
        }
    }
    qsort(ranked, outcomes->count, sizeof(*ranked), compare_ranked);
    return ranked;
}

static void print_plans(const struct outcome *outcomes, size_t count, FILE *out)
{
    char ended[CELL];

    fputc('\n', out);
    for (size_t i = 0; i < count; i++)
        text_say(out,
                 "%s: %" PRId64 " nodes bought, %.0f node hours, the last pod ended after %s\n",
                 outcomes[i].story, outcomes[i].bought, outcomes[i].node_hours,
                 span(outcomes[i].ended, ended, sizeof(ended)));
}

static double percent(int64_t part, int64_t of)
{
    return of > 0 ? 100 * (double)part / (double)of : 0;
}

static void print_scores(const struct outcome *outcomes, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct score_sum *score = &outcomes[i].score;
        if (!outcomes[i].scored)
            continue;
        text_say(out,
                 "%s: asked %" PRId64 " times how long a pod will wait; %.0f%% were given a range, "
                 "%.0f%% of these ended in it; %.0f%% were given an estimate",
                 outcomes[i].story, score->asked, percent(score->with_range, score->asked),
                 percent(score->in_range, score->with_range), percent(score->likely, score->asked));
        if (score->median_error >= 0)
            text_say(out, ", half of these were less than %.0f%% off", 100 * score->median_error);
        fputc('\n', out);
    }
}

void outcomes_table(const struct outcome *outcomes, size_t count, const struct trace *trace,
                    const char *trace_name, size_t most, FILE *out)
{
    const struct queue_outcome **plans = array_zeroed(count, sizeof(*plans));
    struct ranked *ranked = rank(outcomes, count);
    size_t shown = most > 0 && most < outcomes->count ? most : outcomes->count;

    print_titles(count, out);
    for (size_t r = 0; r < shown; r++) {
        const struct queue_outcome *first = &outcomes->queues[ranked[r].at];
        for (size_t i = 0; i < count; i++)
            plans[i] = named(&outcomes[i], first->name);
        print_row(first->name, first->arrived, plans, count, out);
    }
    if (shown < outcomes->count)
        text_say(out, "... %zu more queues, which differ less: --all shows them\n",
                 outcomes->count - shown);
    for (size_t i = 0; i < count; i++)
        plans[i] = &outcomes[i].all;
    print_row("all", outcomes->all.arrived, plans, count, out);
    print_plans(outcomes, count, out);
    print_scores(outcomes, count, out);
    fputc('\n', out);
    text_say(out,
             "This rests on %zu arrivals of %" PRId64 " pods in %s: each runs as long as there,\n",
             trace->count, trace->n_pods, trace_name);
    text_say(out, "on whatever node, and begins anew if it was evicted.\n");
    for (const struct trace_note *note = trace->notes; note; note = note->next)
        text_say(out, "%s\n", note->text);
    free(ranked);
    free(plans);
}
