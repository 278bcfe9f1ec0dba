/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/plan_show.h"

#include "examples/sim/board.h"
#include "examples/sim/clock.h"
#include "examples/sim/json.h"

/* A time in seconds; -1: there is none. */
static void put_seconds(struct json *json, const char *key, int64_t length)
{
    json_real(json, key, length < 0 ? -1 : (double)length / (double)SECOND);
}

static void put_figures(struct json *json, const struct queue_outcome *queue)
{
    json_number(json, "arrived", queue->arrived);
    json_number(json, "started", queue->started);
    json_number(json, "waiting", queue->left);
    json_number(json, "evictions", queue->evictions);
    put_seconds(json, "waitP50", queue->p50);
    put_seconds(json, "waitP95", queue->p95);
    json_real(json, "cpuHours", queue->used[PLANNED_CPU] / 1000);
    json_real(json, "gpuHours", queue->used[PLANNED_GPU]);
    json_real(json, "borrowedCpuHours", queue->borrowed[PLANNED_CPU] / 1000);
    json_real(json, "borrowedGpuHours", queue->borrowed[PLANNED_GPU]);
}

static void put_score(struct json *json, const struct score_sum *score)
{
    json_begin(json, "estimates", '{');
    json_number(json, "asked", score->asked);
    json_number(json, "withRange", score->with_range);
    json_number(json, "inRange", score->in_range);
    json_number(json, "likely", score->likely);
    json_real(json, "medianError", score->median_error);
    json_end(json, '}');
}

static void put_plan(struct json *json, const struct outcome *outcome, bool is_page)
{
    json_begin(json, NULL, '{');
    json_text(json, "story", outcome->story);
    json_number(json, "nodesBought", outcome->bought);
    json_real(json, "nodeHours", outcome->node_hours);
    put_seconds(json, "ended", outcome->ended);
    put_figures(json, &outcome->all);
    if (outcome->scored)
        put_score(json, &outcome->score);
    json_begin(json, "queues", '[');
    for (size_t q = 0; q < outcome->count; q++) {
        json_begin(json, NULL, '{');
        json_text(json, "name", outcome->queues[q].name);
        put_figures(json, &outcome->queues[q]);
        json_end(json, '}');
    }
    json_end(json, ']');
    if (is_page)
        json_raw(json, "board", outcome->board);
    json_end(json, '}');
}

static void put_document(const struct outcome *outcomes, size_t count, const struct trace *trace,
                         const char *trace_name, bool is_page, FILE *out)
{
    struct json json = {.out = out};

    json_begin(&json, NULL, '{');
    if (is_page)
        json_text(&json, "format", "sluice.sh/plan/v1");
    json_text(&json, "trace", trace_name);
    json_number(&json, "arrivals", (int64_t)trace->count);
    json_number(&json, "pods", trace->n_pods);
    json_begin(&json, "restsOn", '[');
    for (const struct trace_note *note = trace->notes; note; note = note->next)
        json_text(&json, NULL, note->text);
    json_end(&json, ']');
    json_begin(&json, "plans", '[');
    for (size_t i = 0; i < count; i++)
        put_plan(&json, &outcomes[i], is_page);
    json_end(&json, ']');
    json_end(&json, '}');
    fputc('\n', out);
}

void outcomes_json(const struct outcome *outcomes, size_t count, const struct trace *trace,
                   const char *trace_name, FILE *out)
{
    put_document(outcomes, count, trace, trace_name, false, out);
}

bool outcomes_page(const struct outcome *outcomes, size_t count, const struct trace *trace,
                   const char *trace_name, const char *path)
{
    struct board_part document;

    board_part_open(&document);
    put_document(outcomes, count, trace, trace_name, true, document.json.out);
    return board_page(path, &document);
}
