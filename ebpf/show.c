/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"

#include <string.h>

enum { BAR = 40, LEFT = 24 };

static void line(FILE *out, const char *left, const char *what, const struct times *times)
{
    char p50[DURATION], p90[DURATION], p99[DURATION], mean[DURATION];
    double count = times->count > 0 ? (double)times->count : 1;
    char name[LEFT + 1];
    int wide = 0; /* bytes that are no column of their own */

    for (const char *c = what; *c; c++)
        wide += ((unsigned char)*c & 0xc0) == 0x80;
    fprintf(out, "%-*s %-*s %9llu %9s %9s %9s %9s\n", LEFT,
            show_name(name, sizeof(name), left, QUEUE_NAME), 20 + wide, what, times->count,
            duration((double)times->sum_ns / count, mean),
            duration(times_quantile(times, 0.5), p50), duration(times_quantile(times, 0.9), p90),
            duration(times_quantile(times, 0.99), p99));
}

static void heading(FILE *out, const char *left, const char *what)
{
    fprintf(out, "%-*s %-20s %9s %9s %9s %9s %9s\n", LEFT, left, what, "count", "mean", "p50",
            "p90", "p99");
}

static void show_engine(FILE *out, const struct engine_row *row)
{
    fprintf(out, "\nprocess %llu, handle %llu:", row->key.pid, row->key.handle);
    for (int i = 0; i < HAPPENINGS; i++)
        fprintf(out, " %llu %s%s", happening_count(&row->value, (enum happening)i),
                happening_name((enum happening)i), i + 1 < HAPPENINGS ? "," : "");
    if (row->value.untold > 0)
        fprintf(out, ", %llu not told", row->value.untold);
    fputc('\n', out);
}

static void show_losses(FILE *out, const struct picture *picture)
{
    const struct lost_counts *lost = &picture->lost;

    if (picture->fell_out > 0)
        fprintf(out,
                "%llu times are counted in the sums alone: there was no room for their queues\n",
                picture->fell_out);
    if (lost->stages + lost->hooks + lost->engines + lost->calls + lost->ring > 0)
        fprintf(out, "lost: %llu times, %llu hooks, %llu counts, %llu calls, %llu of the pod\n",
                lost->stages, lost->hooks, lost->engines, lost->calls, lost->ring);
}

void show_table(FILE *out, const struct picture *picture)
{
    heading(out, "QUEUE", "STAGE");
    for (size_t i = 0; i < picture->total_count; i++)
        line(out, "(all)", stage_title(picture->totals[i].key.stage),
             &picture->totals[i].value.times);
    for (size_t i = 0; i < picture->stage_count; i++)
        line(out, picture->stages[i].value.queue, stage_title(picture->stages[i].key.stage),
             &picture->stages[i].value.times);
    fputc('\n', out);
    heading(out, "HOOK", "");
    for (size_t i = 0; i < picture->hook_count; i++)
        line(out, picture->hooks[i].value.hook, "", &picture->hooks[i].value.times);
    for (size_t i = 0; i < picture->engine_count; i++)
        show_engine(out, &picture->engines[i]);
    show_losses(out, picture);
}

static void show_bars(FILE *out, const char *title, const struct stage_times *value)
{
    const struct times *times = &value->times;
    int first = 0, last = SLOTS - 1;
    __u64 most = 1;

    fprintf(out, "\n%s: %llu", title, times->count);
    fprintf(out, value->unknown > 0 ? ", and %llu of unknown length\n" : "\n", value->unknown);
    if (times->count == 0)
        return;
    while (times->slots[first] == 0)
        first++;
    while (times->slots[last] == 0)
        last--;
    for (int i = first; i <= last; i++)
        most = times->slots[i] > most ? times->slots[i] : most;
    for (int i = first; i <= last; i++) {
        char from[DURATION], to[DURATION];
        int bar = (int)((times->slots[i] * BAR + most - 1) / most);

        if (times->slots[i] == 0 && times->slots[i - 1] == 0) {
            if (times->slots[i + 1] > 0)
                fputs("      ...\n", out);
            continue;
        }
        fprintf(out, "%9s .. %-9s %9llu |%.*s\n",
                duration(i == 0 ? 0 : (double)((__u64)1 << i), from),
                duration(2 * (double)((__u64)1 << i), to), times->slots[i], bar,
                "########################################");
    }
}

void show_histograms(FILE *out, const struct picture *picture, const char *queue)
{
    const struct stage_row *rows = queue ? picture->stages : picture->totals;
    size_t count = queue ? picture->stage_count : picture->total_count, shown = 0;
    const struct stage_row *before = NULL;

    for (size_t i = 0; i < count; i++) {
        if (queue && strncmp(rows[i].value.queue, queue, QUEUE_NAME - 1) != 0)
            continue;
        if (!before || before->key.pid != rows[i].key.pid ||
            before->key.handle != rows[i].key.handle)
            fprintf(out, "%sprocess %u, handle %llu, %s%s\n", before ? "\n" : "", rows[i].key.pid,
                    rows[i].key.handle, queue ? "queue " : "all queues", queue ? queue : "");
        before = &rows[i];
        show_bars(out, stage_title(rows[i].key.stage), &rows[i].value);
        shown++;
    }
    if (shown == 0)
        fprintf(out, "%s%s: nothing has been seen yet\n", queue ? "queue " : "all queues",
                queue ? queue : "");
    show_losses(out, picture);
}
