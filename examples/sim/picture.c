/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/picture.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/canvas.h"
#include "examples/sim/sim.h"
#include "examples/sim/text.h"

/*
 *   title, one line of explanation, legend
 *   ┌ queue q, cpu ────────────── limit ─ ─ ─ ┐
 *   │ reserved (hatched) on allocated (filled) │   one for each queue that was used
 *   ├ waiting claims ──────────────────────────┤
 *   └──────────────────────────────────────────┘
 *   nodes                                          one for all
 *   time, with a numbered line for each moment that explains something; below, what they are
 */

enum {
    CHARTS_MOST = 12,
    MOMENTS_MOST = 14,
    PODS_SMALL = 12,
    TEXT_MOST = 100,
    LEGEND_TOP = 74,
    TOP = 118,
    CHART = 110,
    BETWEEN = 14,
    TRACK = 34,
    GAP = 46,
};

struct moment {
    int64_t at;
    const char *text;
    size_t more; /* that the text leaves out */
};

struct picture {
    struct canvas canvas;
    struct sim *sim;
    const struct usage *charts[CHARTS_MOST];
    size_t n_charts;
    size_t left_out;
    struct moment moments[MOMENTS_MOST];
    size_t n_moments;
    size_t more_moments;
};

static int64_t sum_of(const struct sample *sample)
{
    return sample->used.allocated + sample->used.reserved;
}

/* How near its limit a usage came, in thousandths; what has none counts by being used at all. */
static int64_t interest_of(const struct usage *usage)
{
    int64_t most = 0;

    for (size_t i = 0; i < usage->count; i++) {
        const struct sample *sample = &usage->samples[i];
        int64_t used = sum_of(sample);
        int64_t ceiling = sample->used.ceiling;
        int64_t share = ceiling > 0 ? (int64_t)((double)used * 1000.0 / (double)ceiling)
                                    : used > 0 || sample->waiting > 0;
        share += sample->waiting > 0;
        most = share > most ? share : most;
    }
    return most;
}

/* Each queue shows the resource that it came nearest to the limit of. */
static void choose_charts(struct picture *picture)
{
    const struct map *usages = &picture->sim->story.usages;

    for (size_t i = 0; i < usages->count; i++) {
        const struct usage *usage = usages->entries[i].value;
        size_t c = 0;
        if (interest_of(usage) == 0 || strcmp(usage->queue, "queue/root") == 0)
            continue;
        while (c < picture->n_charts && strcmp(picture->charts[c]->queue, usage->queue) != 0)
            c++;
        if (c == CHARTS_MOST)
            picture->left_out++;
        else if (c == picture->n_charts)
            picture->charts[picture->n_charts++] = usage;
        else if (interest_of(usage) > interest_of(picture->charts[c]))
            picture->charts[c] = usage;
    }
}

/* What happens to single pods explains a small story, and would drown a large one. */
static bool explains(const struct row *row, bool is_small)
{
    static const char *const kinds[] = {"bought", "joined", "left",  "restarted",
                                        "fault",  "lease",  "clock", "changed"};
    static const char *const small[] = {"granted", "finished", "patched", "deleted", "bindFailed"};

    if (strcmp(row->what, "condition") == 0)
        return is_small && strstr(row->text, "Unschedulable") != NULL;
    for (size_t i = 0; is_small && i < sizeof(small) / sizeof(*small); i++)
        if (strcmp(small[i], row->what) == 0)
            return true;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(kinds[i], row->what) == 0)
            return true;
    return false;
}

static const char *short_text(struct picture *picture, const struct row *row)
{
    const char *name = strchr(row->ref, '/') ? strchr(row->ref, '/') + 1 : row->ref;
    struct arena *arena = &picture->sim->arena;

    if (strcmp(row->what, "condition") == 0)
        return arena_format(arena, "no node fits %s: Unschedulable", name);
    if (strcmp(row->what, "granted") == 0)
        return arena_format(arena, "%s is granted its place", name);
    if (strcmp(row->what, "bought") == 0)
        return arena_format(arena, "the autoscaler buys node %s", name);
    if (strcmp(row->what, "joined") == 0)
        return arena_format(arena, "node %s joins", name);
    return arena_format(arena, "%s %s", name, row->text);
}

/* What happens within a five-hundredth of the story is one moment. */
static void choose_moments(struct picture *picture)
{
    const struct story *story = &picture->sim->story;
    int64_t near = picture->canvas.end / 500 + 1;

    for (size_t i = 0; i < story->n_rows; i++) {
        const struct row *row = &story->rows[i];
        struct moment *last = picture->n_moments ? &picture->moments[picture->n_moments - 1] : NULL;
        if (row->at == 0 || !explains(row, picture->sim->world.by_uid.count <= PODS_SMALL))
            continue;
        if (last && row->at - last->at <= near) {
            last->more += strlen(last->text) >= TEXT_MOST;
            if (last->more == 0)
                last->text = arena_format(&picture->sim->arena, "%s; %s", last->text,
                                          short_text(picture, row));
        } else if (picture->n_moments == MOMENTS_MOST) {
            picture->more_moments++;
        } else {
            picture->moments[picture->n_moments++] =
                (struct moment){row->at, short_text(picture, row), 0};
        }
    }
}

static void draw_legend(struct picture *picture)
{
    struct canvas *canvas = &picture->canvas;
    FILE *out = canvas->out;
    double x = CANVAS_LEFT;
    static const struct {
        const char *text;
        const char *fill;
        double width;
    } items[] = {{"allocated: the pod has its node", "#3b6fb6", 250},
                 {"reserved: granted, but no node yet", "url(#hatch)", 270}};

    for (size_t i = 0; i < 2; i++) {
        fprintf(out, "<rect x='%.1f' y='%d' width='16' height='12' fill='%s' stroke='#3b6fb6'/>\n",
                x, LEGEND_TOP, items[i].fill);
        canvas_text(canvas, x + 22, LEGEND_TOP + 11, "", "%s", items[i].text);
        x += items[i].width;
    }
    fprintf(out, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='limit'/>\n", x, LEGEND_TOP + 6,
            x + 24, LEGEND_TOP + 6);
    canvas_text(canvas, x + 30, LEGEND_TOP + 11, "", "the queue's limit");
    fprintf(out, "<rect x='%.1f' y='%d' width='16' height='12' class='wait'/>\n", x + 165,
            LEGEND_TOP);
    canvas_text(canvas, x + 187, LEGEND_TOP + 11, "", "pods that wait behind their gates");
}

static int64_t top_of(const struct usage *usage)
{
    int64_t top = 1;

    for (size_t i = 0; i < usage->count; i++) {
        const struct sample *sample = &usage->samples[i];
        top = sum_of(sample) > top ? sum_of(sample) : top;
        top = sample->used.ceiling > top ? sample->used.ceiling : top;
    }
    return top;
}

static int64_t allocated_at(const void *points, size_t i)
{
    return ((const struct sample *)points)[i].used.allocated;
}

static int64_t sum_at(const void *points, size_t i)
{
    return sum_of(&((const struct sample *)points)[i]);
}

static int64_t ceiling_at(const void *points, size_t i)
{
    return ((const struct sample *)points)[i].used.ceiling;
}

static int64_t waiting_at(const void *points, size_t i)
{
    const struct sample *sample = &((const struct sample *)points)[i];

    return sample->waiting + sample->held;
}

static int64_t time_of_sample(const void *points, size_t i)
{
    return ((const struct sample *)points)[i].at;
}

static double draw_chart(struct picture *picture, const struct usage *usage, double y)
{
    struct canvas *canvas = &picture->canvas;
    int64_t top = top_of(usage);
    int64_t most = 1;
    char amount[32];
    struct line line = {usage->samples, usage->count, time_of_sample, NULL};

    canvas_text(canvas, CANVAS_LEFT, y - 8, "head", "%s: %s used, of its limit", usage->queue,
                usage->resource);
    canvas_frame(canvas, y, CHART);
    struct band band = {y, CHART, top + top / 6 + 1};
    line.value = sum_at;
    canvas_area(canvas, &line, band, "fill='url(#hatch)' stroke='#3b6fb6' stroke-width='1'");
    line.value = allocated_at;
    canvas_area(canvas, &line, band, "fill='#3b6fb6'");
    line.value = ceiling_at;
    canvas_steps(canvas, &line, band, "class='limit'");
    canvas_axis(canvas, band, 0, "0");
    canvas_axis(canvas, band, top,
                resources_show_amount(usage->resource, top, amount, sizeof(amount)));
    y += CHART + BETWEEN;
    for (size_t i = 0; i < usage->count; i++)
        most = waiting_at(usage->samples, i) > most ? waiting_at(usage->samples, i) : most;
    canvas_frame(canvas, y, TRACK);
    band = (struct band){y, TRACK, most + 1};
    line.value = waiting_at;
    canvas_area(canvas, &line, band, "class='wait'");
    snprintf(amount, sizeof(amount), "%" PRId64, most);
    canvas_axis(canvas, band, most, amount);
    canvas_text(canvas, CANVAS_LEFT + CANVAS_WIDTH - 6, y + 13, "small end", "pods waiting");
    return y + TRACK + GAP;
}

struct node_point {
    int64_t at;
    int64_t count;
};

static int64_t node_count_at(const void *points, size_t i)
{
    return ((const struct node_point *)points)[i].count;
}

static int64_t node_time_at(const void *points, size_t i)
{
    return ((const struct node_point *)points)[i].at;
}

static double draw_nodes(struct picture *picture, double y)
{
    struct canvas *canvas = &picture->canvas;
    const struct story *story = &picture->sim->story;
    struct node_point *points =
        arena_get(&picture->sim->arena, (story->n_rows + 1) * sizeof(*points));
    size_t n = 1;
    int64_t most = 1;
    char text[32];

    for (size_t i = 0; i < story->n_rows; i++) {
        bool joins = strcmp(story->rows[i].what, "joined") == 0;
        if (!joins && strcmp(story->rows[i].what, "left") != 0)
            continue;
        points[n] = (struct node_point){story->rows[i].at, points[n - 1].count + (joins ? 1 : -1)};
        most = points[n].count > most ? points[n].count : most;
        n++;
    }
    struct line line = {points, n, node_time_at, node_count_at};
    struct band band = {y, TRACK, most + 1};
    canvas_text(canvas, CANVAS_LEFT, y - 8, "head", "nodes of the cluster");
    canvas_frame(canvas, y, TRACK);
    canvas_area(canvas, &line, band, "fill='#7aa874'");
    snprintf(text, sizeof(text), "%" PRId64, most);
    canvas_axis(canvas, band, most, text);
    return y + TRACK;
}

static void draw_moment_lines(struct picture *picture, double bottom)
{
    struct canvas *canvas = &picture->canvas;

    for (size_t i = 0; i < picture->n_moments; i++) {
        double x = canvas_x(canvas, picture->moments[i].at);
        fprintf(canvas->out, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%.1f' class='moment'/>\n", x,
                TOP, x, bottom);
    }
}

static void draw_moments(struct picture *picture, double bottom)
{
    struct canvas *canvas = &picture->canvas;
    double badge = 0;

    for (size_t i = 0; i < picture->n_moments; i++) {
        double x = canvas_x(canvas, picture->moments[i].at);
        badge = x < badge + 17 ? badge + 17 : x;
        canvas_badge(canvas, badge, TOP - 9, i + 1);
    }
    double y = bottom + 62;
    for (size_t i = 0; i < picture->n_moments; i++, y += 21) {
        char at[32];
        canvas_badge(canvas, CANVAS_LEFT + 8, y - 4, i + 1);
        char more[32] = "";
        const struct moment *moment = &picture->moments[i];
        if (moment->more > 0)
            snprintf(more, sizeof(more), "; %zu more", moment->more);
        canvas_text(canvas, CANVAS_LEFT + 24, y, "", "%s: %s%s",
                    clock_show(moment->at, at, sizeof(at)), moment->text, more);
    }
    if (picture->more_moments > 0)
        canvas_text(canvas, CANVAS_LEFT + 24, y, "small", "and %zu later ones",
                    picture->more_moments);
}

/* The last thing that happened, and a little more. */
static int64_t end_of(const struct story *story)
{
    int64_t end = SECOND;

    for (size_t i = 0; i < story->n_rows; i++)
        end = story->rows[i].at > end ? story->rows[i].at : end;
    return end + end / 20;
}

void picture_draw(struct sim *sim, FILE *out)
{
    struct picture picture = {.sim = sim};
    struct canvas *canvas = &picture.canvas;
    double tracks;

    canvas->out = out;
    canvas->end = end_of(&sim->story);
    choose_charts(&picture);
    choose_moments(&picture);
    tracks = (double)picture.n_charts * (CHART + BETWEEN + TRACK + GAP) + TRACK;
    double moments = 21.0 * (double)(picture.n_moments + (picture.more_moments > 0));
    double height = TOP + 26 + tracks + 62 + moments + (picture.left_out > 0 ? 24 : 4);
    canvas_begin(canvas, height);
    canvas_text(canvas, CANVAS_LEFT, 34, "title", "%s: how full the queues were, over time",
                sim->scenario->name);
    canvas_text(canvas, CANVAS_LEFT, 56, "",
                "A pod waits behind a gate until its queue has room for it; only then do the "
                "scheduler and the autoscaler see it.");
    draw_legend(&picture);
    double y = TOP + 26;
    draw_moment_lines(&picture, y + tracks);
    for (size_t i = 0; i < picture.n_charts; i++)
        y = draw_chart(&picture, picture.charts[i], y);
    y = draw_nodes(&picture, y);
    canvas_time_axis(canvas, y);
    draw_moments(&picture, y);
    if (picture.left_out > 0)
        canvas_text(canvas, CANVAS_LEFT, height - 10, "small", "%zu more queues are not shown",
                    picture.left_out);
    fputs("</svg>\n", out);
}
