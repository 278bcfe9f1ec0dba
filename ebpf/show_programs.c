/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"

#include "plugin/base/printable.h"

#include <string.h>

/* What Prometheus gets: powers of two, from 131 us to 2.4 h for stages, from 256 ns to 1 s for
 * hooks. Finer ones are in the first. */
static const struct span {
    int from, to;
} stage_span = {16, 42}, hook_span = {7, 29};

const char *show_name(char *out, size_t out_cap, const char *name, size_t cap)
{
    struct text rest = {name, strnlen(name, cap)};
    bool bare = printable_is_bare(rest);
    size_t len = 0;

    if (!bare)
        out[len++] = '"';
    while (rest.len > 0) {
        char piece[PRINTABLE_MAX];
        size_t more = printable_take(&rest, !bare, piece);

        if (len + more + !bare + 1 > out_cap)
            break;
        memcpy(out + len, piece, more);
        len += more;
    }
    if (!bare)
        out[len++] = '"';
    out[len] = '\0';
    return out;
}

void show_quoted(FILE *out, const char *name, size_t cap)
{
    char shown[SHOWN_NAME];

    show_name(shown, sizeof(shown), name, cap);
    fputc('"', out);
    for (const char *at = shown; *at; at++) {
        if (*at == '"' || *at == '\\')
            fputc('\\', out);
        fputc(*at, out);
    }
    fputc('"', out);
}

static void json_times(FILE *out, const struct times *times)
{
    const char *comma = "";

    fprintf(out,
            "\"count\": %llu, \"sum_ns\": %llu, \"p50_ns\": %.0f, \"p90_ns\": %.0f, "
            "\"p99_ns\": %.0f, \"slots\": {",
            times->count, times->sum_ns, times_quantile(times, 0.5), times_quantile(times, 0.9),
            times_quantile(times, 0.99));
    for (int i = 0; i < SLOTS; i++) {
        if (times->slots[i] == 0)
            continue;
        fprintf(out, "%s\"%d\": %llu", comma, i, times->slots[i]);
        comma = ", ";
    }
    fputc('}', out);
}

static void json_stages(FILE *out, const struct stage_row *rows, size_t count, const char *name)
{
    fprintf(out, "  \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        const struct stage_row *row = &rows[i];

        fprintf(out, "%s\n    {\"pid\": %u, \"handle\": %llu, ", i > 0 ? "," : "", row->key.pid,
                row->key.handle);
        if (row->key.queue != 0) {
            fputs("\"queue\": ", out);
            show_quoted(out, row->value.queue, QUEUE_NAME);
            fputs(", ", out);
        }
        fprintf(out, "\"stage\": \"%s\", \"unknown\": %llu, ", stage_name(row->key.stage),
                row->value.unknown);
        json_times(out, &row->value.times);
        fputc('}', out);
    }
    fputs("\n  ],\n", out);
}

static void json_hooks(FILE *out, const struct picture *picture)
{
    fputs("  \"hooks\": [", out);
    for (size_t i = 0; i < picture->hook_count; i++) {
        const struct hook_row *row = &picture->hooks[i];

        fprintf(out, "%s\n    {\"pid\": %u, \"handle\": %llu, \"hook\": ", i > 0 ? "," : "",
                row->key.pid, row->key.handle);
        show_quoted(out, row->value.hook, HOOK_NAME);
        fprintf(out, ", \"refused\": %llu, ", row->value.refused);
        json_times(out, &row->value.times);
        fputc('}', out);
    }
    fputs("\n  ],\n", out);
}

static void json_engines(FILE *out, const struct picture *picture)
{
    fputs("  \"engines\": [", out);
    for (size_t i = 0; i < picture->engine_count; i++) {
        const struct engine_row *row = &picture->engines[i];

        fprintf(out, "%s\n    {\"pid\": %llu, \"handle\": %llu", i > 0 ? "," : "", row->key.pid,
                row->key.handle);
        for (int n = 0; n < HAPPENINGS; n++)
            fprintf(out, ", \"%s\": %llu", happening_name((enum happening)n),
                    happening_count(&row->value, (enum happening)n));
        fprintf(out, ", \"gone\": %llu, \"untold\": %llu}", row->value.gone, row->value.untold);
    }
    fputs("\n  ],\n", out);
}

void show_json(FILE *out, const struct picture *picture)
{
    const struct lost_counts *lost = &picture->lost;

    fputs("{\n", out);
    json_stages(out, picture->totals, picture->total_count, "totals");
    json_stages(out, picture->stages, picture->stage_count, "stages");
    json_hooks(out, picture);
    json_engines(out, picture);
    fprintf(out,
            "  \"lost\": {\"fell_out\": %llu, \"stages\": %llu, \"hooks\": %llu, "
            "\"engines\": %llu, \"calls\": %llu, \"ring\": %llu}\n}\n",
            picture->fell_out, lost->stages, lost->hooks, lost->engines, lost->calls, lost->ring);
}

static void head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP sluice_trace_%s %s\n# TYPE sluice_trace_%s %s\n", name, help, name, type);
}

/* [labels: what stands between the braces, without le] */
static void prometheus_times(FILE *out, const char *name, const char *labels,
                             const struct span *span, const struct times *times)
{
    unsigned long long below = 0;

    for (int i = 0; i < SLOTS; i++) {
        below += times->slots[i];
        if (i >= span->from && i <= span->to)
            fprintf(out, "sluice_trace_%s_bucket{%s,le=\"%.9g\"} %llu\n", name, labels,
                    2 * (double)((__u64)1 << i) / 1e9, below);
    }
    fprintf(out, "sluice_trace_%s_bucket{%s,le=\"+Inf\"} %llu\n", name, labels, times->count);
    fprintf(out, "sluice_trace_%s_sum{%s} %.9f\n", name, labels, (double)times->sum_ns / 1e9);
    fprintf(out, "sluice_trace_%s_count{%s} %llu\n", name, labels, times->count);
}

static void quoted_into(char *out, size_t cap, const char *text, size_t text_cap)
{
    FILE *memory = fmemopen(out, cap, "w");

    out[0] = '\0';
    if (!memory)
        return;
    show_quoted(memory, text, text_cap);
    fclose(memory);
}

static void prometheus_stages(FILE *out, const struct picture *picture)
{
    head(out, "stage_duration_seconds", "histogram",
         "How long pods took from one stage to the next.");
    for (size_t i = 0; i < picture->stage_count; i++) {
        const struct stage_row *row = &picture->stages[i];
        char queue[2 * SHOWN_NAME + 3], labels[2 * SHOWN_NAME + 200];

        quoted_into(queue, sizeof(queue), row->value.queue, QUEUE_NAME);
        snprintf(labels, sizeof(labels), "pid=\"%u\",handle=\"%llu\",queue=%s,stage=\"%s\"",
                 row->key.pid, row->key.handle, queue, stage_name(row->key.stage));
        prometheus_times(out, "stage_duration_seconds", labels, &stage_span, &row->value.times);
    }
    head(out, "hook_duration_seconds", "histogram",
         "How long the library took for a call of a hook.");
    for (size_t i = 0; i < picture->hook_count; i++) {
        const struct hook_row *row = &picture->hooks[i];
        char labels[128];

        snprintf(labels, sizeof(labels), "pid=\"%u\",handle=\"%llu\",hook=\"%.*s\"", row->key.pid,
                 row->key.handle, HOOK_NAME, row->value.hook);
        prometheus_times(out, "hook_duration_seconds", labels, &hook_span, &row->value.times);
    }
}

void show_prometheus(FILE *out, const struct picture *picture)
{
    const struct lost_counts *lost = &picture->lost;

    prometheus_stages(out, picture);
    head(out, "events_total", "counter", "What became of pods, and of effects.");
    for (size_t i = 0; i < picture->engine_count; i++) {
        const struct engine_row *row = &picture->engines[i];

        for (int n = 0; n < HAPPENINGS; n++)
            fprintf(out,
                    "sluice_trace_events_total{pid=\"%llu\",handle=\"%llu\",event=\"%s\"} %llu\n",
                    row->key.pid, row->key.handle, happening_name((enum happening)n),
                    happening_count(&row->value, (enum happening)n));
    }
    head(out, "untold_events_total", "counter", "Events that the library did not keep.");
    for (size_t i = 0; i < picture->engine_count; i++)
        fprintf(out, "sluice_trace_untold_events_total{pid=\"%llu\",handle=\"%llu\"} %llu\n",
                picture->engines[i].key.pid, picture->engines[i].key.handle,
                picture->engines[i].value.untold);
    head(out, "lost", "gauge", "What is not in the histograms, by what had no room.");
    fprintf(out, "sluice_trace_lost{what=\"queues\"} %llu\n", picture->fell_out + lost->stages);
    fprintf(out, "sluice_trace_lost{what=\"hooks\"} %llu\n", lost->hooks);
    fprintf(out, "sluice_trace_lost{what=\"engines\"} %llu\n", lost->engines);
    fprintf(out, "sluice_trace_lost{what=\"calls\"} %llu\n", lost->calls);
}
