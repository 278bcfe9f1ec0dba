/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/picture.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/canvas.h"
#include "examples/sim/lanes.h"
#include "examples/sim/moments.h"
#include "examples/sim/sim.h"
#include "examples/sim/text.h"

/*
 *   title, one line of explanation, legend
 *   ┌ queue q, cpu ────────────── limit ─ ─ ─ ┐
 *   │ reserved (hatched) on allocated (filled) │   for each queue that was used, and flavor
 *   ├ waiting claims ──────────────────────────┤
 *   └──────────────────────────────────────────┘
 *   what became of queues, workloads and pods      a lane for each (lanes.h)
 *   nodes                                          one for all
 *   time, with a numbered line for each moment that explains something; below, what they are
 */

enum {
    CHARTS_MOST = 12,
    PODS_SMALL = 12,
    LEGEND_TOP = 74,
    TOP = 118,
    CHART = 110,
    BETWEEN = 14,
    TRACK = 34,
    GAP = 46,
};

struct picture {
    struct canvas canvas;
    struct sim *sim;
    const struct usage *charts[CHARTS_MOST];
    size_t n_charts;
    size_t left_out;
    struct moments moments;
    struct lanes lanes;
    bool has_nodes;
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

static void add_chart(struct picture *picture, const struct usage *usage)
{
    if (picture->n_charts == CHARTS_MOST)
        picture->left_out++;
    else
        picture->charts[picture->n_charts++] = usage;
}

/* The flavors of a queue's resource that were used, if it has several. */
static size_t add_flavors(struct picture *picture, const struct usage *of)
{
    const struct map *usages = &picture->sim->story.flavor_usages;
    size_t count = 0;

    for (size_t i = 0; i < usages->count; i++) {
        const struct usage *usage = usages->entries[i].value;
        if (strcmp(usage->queue, of->queue) != 0 || strcmp(usage->resource, of->resource) != 0 ||
            interest_of(usage) == 0)
            continue;
        add_chart(picture, usage);
        count++;
    }
    return count;
}

static void divide_by_flavor(struct picture *picture)
{
    const struct usage *whole[CHARTS_MOST];
    size_t count = picture->n_charts;

    memcpy(whole, picture->charts, sizeof(whole));
    picture->n_charts = 0;
    for (size_t c = 0; c < count; c++)
        if (add_flavors(picture, whole[c]) == 0)
            add_chart(picture, whole[c]);
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
    } items[] = {{"allocated: has its node", "#3b6fb6", 190},
                 {"reserved: granted, no node yet", "url(#hatch)", 245}};

    for (size_t i = 0; i < 2; i++) {
        fprintf(out, "<rect x='%.1f' y='%d' width='16' height='12' fill='%s' stroke='#3b6fb6'/>\n",
                x, LEGEND_TOP, items[i].fill);
        canvas_text(canvas, x + 22, LEGEND_TOP + 11, "", "%s", items[i].text);
        x += items[i].width;
    }
    fprintf(out, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='limit'/>\n", x, LEGEND_TOP + 6,
            x + 24, LEGEND_TOP + 6);
    canvas_text(canvas, x + 30, LEGEND_TOP + 11, "", "the queue's limit");
    x += 155;
    fprintf(out, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='share'/>\n", x, LEGEND_TOP + 6,
            x + 24, LEGEND_TOP + 6);
    canvas_text(canvas, x + 30, LEGEND_TOP + 11, "", "its own share: the rest is borrowed");
    x += 275;
    fprintf(out, "<rect x='%.1f' y='%d' width='16' height='12' class='wait'/>\n", x, LEGEND_TOP);
    canvas_text(canvas, x + 22, LEGEND_TOP + 11, "", "what waits for room");
}

static int64_t top_of(const struct usage *usage)
{
    int64_t top = 1;

    for (size_t i = 0; i < usage->count; i++) {
        const struct sample *sample = &usage->samples[i];
        top = sum_of(sample) > top ? sum_of(sample) : top;
        top = sample->used.ceiling > top ? sample->used.ceiling : top;
        top = sample->used.share > top ? sample->used.share : top;
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

/* Negative: there is none, or a limit that says the same. */
static int64_t share_at(const void *points, size_t i)
{
    const struct resources_used *used = &((const struct sample *)points)[i].used;

    return used->share > 0 && used->share != used->ceiling ? used->share : -1;
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

    canvas_text(canvas, CANVAS_LEFT, y - 8, "head", "%s: %s%s%s used", usage->queue,
                usage->resource, *usage->flavor ? " of flavor " : "", usage->flavor);
    canvas_frame(canvas, y, CHART);
    struct band band = {y, CHART, top + top / 6 + 1};
    line.value = sum_at;
    canvas_area(canvas, &line, band, "fill='url(#hatch)' stroke='#3b6fb6' stroke-width='1'");
    line.value = allocated_at;
    canvas_area(canvas, &line, band, "fill='#3b6fb6'");
    line.value = ceiling_at;
    canvas_steps(canvas, &line, band, "class='limit'");
    line.value = share_at;
    canvas_steps(canvas, &line, band, "class='share'");
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
    canvas_text(canvas, CANVAS_LEFT + CANVAS_WIDTH, y - 3, "small end", "waiting");
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

/* The last thing that happened, and a little more. */
static int64_t end_of(const struct story *story)
{
    int64_t end = SECOND;

    for (size_t i = 0; i < story->n_rows; i++)
        end = story->rows[i].at > end ? story->rows[i].at : end;
    return end + end / 20;
}

static bool has_nodes(const struct story *story)
{
    for (size_t i = 0; i < story->n_rows; i++)
        if (strcmp(story->rows[i].what, "joined") == 0)
            return true;
    return false;
}

static double gap_below_lanes(const struct picture *picture)
{
    return picture->lanes.count > 0 && picture->has_nodes ? GAP : 0;
}

static double height_of_tracks(const struct picture *picture)
{
    return (double)picture->n_charts * (CHART + BETWEEN + TRACK + GAP) +
           lanes_height(&picture->lanes) + gap_below_lanes(picture) +
           (picture->has_nodes ? TRACK : 0);
}

static void draw_head(struct picture *picture)
{
    struct canvas *canvas = &picture->canvas;
    const char *name = picture->sim->scenario->name;

    if (picture->n_charts == 0) {
        canvas_text(canvas, CANVAS_LEFT, 34, "title", "%s: what happened, over time", name);
        return;
    }
    canvas_text(canvas, CANVAS_LEFT, 34, "title", "%s: how full the queues were, over time", name);
    canvas_text(canvas, CANVAS_LEFT, 56, "",
                "A pod waits behind a gate until its queue has room for it; only then do the "
                "scheduler and the autoscaler see it.");
    draw_legend(picture);
}

void picture_draw(struct sim *sim, FILE *out)
{
    struct picture picture = {.sim = sim};
    struct canvas *canvas = &picture.canvas;
    bool small = sim->world.by_uid.count <= PODS_SMALL;

    canvas->out = out;
    canvas->end = end_of(&sim->story);
    choose_charts(&picture);
    divide_by_flavor(&picture);
    moments_find(&picture.moments, sim, canvas->end, small);
    lanes_find(&picture.lanes, sim, small);
    picture.has_nodes = has_nodes(&sim->story);
    double top = picture.n_charts > 0 ? TOP : TOP - 48;
    double y = top + 26;
    double bottom = y + height_of_tracks(&picture);
    double height =
        bottom + 62 + moments_height(&picture.moments) + (picture.left_out > 0 ? 24 : 4);
    canvas_begin(canvas, height);
    draw_head(&picture);
    moments_draw_lines(&picture.moments, canvas, top, bottom);
    for (size_t i = 0; i < picture.n_charts; i++)
        y = draw_chart(&picture, picture.charts[i], y);
    lanes_draw(&picture.lanes, canvas, y - 12);
    y += lanes_height(&picture.lanes) + gap_below_lanes(&picture);
    if (picture.has_nodes)
        y = draw_nodes(&picture, y);
    canvas_time_axis(canvas, y);
    moments_draw(&picture.moments, canvas, top, y + 62);
    if (picture.left_out > 0)
        canvas_text(canvas, CANVAS_LEFT, height - 10, "small", "%zu more charts are not shown",
                    picture.left_out);
    fputs("</svg>\n", out);
}
