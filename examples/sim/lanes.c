/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/lanes.h"

#include <string.h>

#include "examples/sim/sim.h"

enum { BAR = 13, LEGEND = 30, WORD = 70 /* what a queue's state takes, at least */ };

/* What a row's word makes of its object. */
static const struct {
    const char *kind, *what;
    enum lane_stage stage;
} changes[] = {
    {"workload", "created", LANE_WAITS},
    {"workload", "waiting", LANE_WAITS},
    {"workload", "requeued", LANE_WAITS},
    {"workload", "stopped", LANE_WAITS},
    {"workload", "unreserved", LANE_WAITS},
    {"workload", "held", LANE_WAITS},
    {"workload", "reserved", LANE_RESERVED},
    {"workload", "admitted", LANE_RUNS},
    {"workload", "running", LANE_RUNS},
    {"workload", "bound", LANE_RUNS},
    {"workload", "evicted", LANE_LEAVES},
    {"workload", "stopping", LANE_LEAVES},
    {"workload", "finished", LANE_NOTHING},
    {"workload", "deleted", LANE_NOTHING},
    {"pod", "created", LANE_WAITS},
    {"pod", "granted", LANE_RESERVED},
    {"pod", "letGo", LANE_WAITS},
    {"pod", "held", LANE_WAITS},
    {"pod", "waiting", LANE_WAITS},
    {"pod", "bound", LANE_RUNS},
    {"pod", "running", LANE_RUNS},
    {"pod", "deleted", LANE_LEAVES},
    {"pod", "gone", LANE_NOTHING},
    {"pod", "finished", LANE_NOTHING},
    {"cluster", "lost", LANE_STOPPED},
    {"cluster", "back", LANE_NOTHING},
    {"cluster", "removed", LANE_STOPPED},
    {"cluster", "added", LANE_NOTHING},
};

static const char *const fills[] = {
    [LANE_WAITS] = "#e8a33d",  [LANE_RESERVED] = "url(#hatch)", [LANE_RUNS] = "#3b6fb6",
    [LANE_LEAVES] = "#c0392b", [LANE_STOPPED] = "#9aa0a6",
};

static bool is_of(const char *ref, const char *kind)
{
    size_t len = strlen(kind);

    return strncmp(ref, kind, len) == 0 && (ref[len] == '/' || ref[len] == '@');
}

static struct lane *lane_of(struct lanes *lanes, const char *ref)
{
    for (size_t i = 0; i < lanes->count; i++)
        if (strcmp(lanes->lanes[i].ref, ref) == 0)
            return &lanes->lanes[i];
    if (lanes->count == LANES_MOST) {
        lanes->left_out++;
        return NULL;
    }
    lanes->lanes[lanes->count] = (struct lane){.ref = ref};
    return &lanes->lanes[lanes->count++];
}

static void add_stage(struct lane *lane, int64_t at, enum lane_stage stage, const char *word)
{
    if (lane->n_stages > 0 && lane->stages[lane->n_stages - 1].stage == stage &&
        strcmp(lane->stages[lane->n_stages - 1].word, word) == 0)
        return;
    lane->tells = lane->tells || lane->n_stages > 0 || stage == LANE_STOPPED;
    if (lane->n_stages < LANE_STAGES_MOST)
        lane->stages[lane->n_stages++] = (struct lane_stage_at){at, stage, word};
}

static void add_mark(struct lane *lane, int64_t at, bool opens)
{
    if (lane->n_marks < LANE_MARKS_MOST)
        lane->marks[lane->n_marks++] = (struct lane_mark){at, opens};
    lane->tells = true;
}

static void see_change(struct lanes *lanes, const struct row *row)
{
    struct lane *lane;

    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        if (strcmp(row->what, changes[i].what) != 0 || !is_of(row->ref, changes[i].kind))
            continue;
        lane = lane_of(lanes, row->ref);
        if (lane != NULL)
            add_stage(lane, row->at, changes[i].stage, "");
        return;
    }
}

static void see_row(struct lanes *lanes, const struct row *row, bool pods)
{
    static const char is[] = "is ";
    bool opens = strcmp(row->what, "opened") == 0;
    struct lane *lane = NULL;

    if (is_of(row->ref, "pod") && !pods)
        return;
    if (opens || strcmp(row->what, "signals") == 0 || strcmp(row->what, "signal") == 0) {
        lane = lane_of(lanes, row->ref);
        if (lane != NULL)
            add_mark(lane, row->at, opens);
    } else if (strcmp(row->what, "state") != 0) {
        see_change(lanes, row);
    } else if (is_of(row->ref, "queue") && strncmp(row->text, is, sizeof(is) - 1) == 0) {
        const char *word = row->text + sizeof(is) - 1;
        bool open = strcmp(word, "Open") == 0;
        lane = lane_of(lanes, row->ref);
        if (lane != NULL)
            add_stage(lane, row->at, open ? LANE_NOTHING : LANE_STOPPED, open ? "" : word);
    }
}

/* What was always open, or only waited, is told by the queues' own charts. */
static void drop_untold(struct lanes *lanes)
{
    size_t kept = 0;

    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->lanes[i].tells)
            lanes->lanes[kept++] = lanes->lanes[i];
    lanes->count = kept;
}

static int place_of(const struct lane *lane)
{
    static const char *const kinds[] = {"queue", "workload", "cluster", "pod"};
    int place = 0;

    while (place < 3 && !is_of(lane->ref, kinds[place]))
        place++;
    return place;
}

/* Queues first; what is of one kind in the order in which it came. */
static void sort_by_kind(struct lanes *lanes)
{
    for (size_t i = 1; i < lanes->count; i++) {
        struct lane lane = lanes->lanes[i];
        size_t k = i;

        for (; k > 0 && place_of(&lanes->lanes[k - 1]) > place_of(&lane); k--)
            lanes->lanes[k] = lanes->lanes[k - 1];
        lanes->lanes[k] = lane;
    }
}

void lanes_find(struct lanes *lanes, const struct sim *sim, bool pods)
{
    const struct story *story = &sim->story;

    *lanes = (struct lanes){.count = 0};
    for (size_t i = 0; i < story->n_rows; i++)
        see_row(lanes, &story->rows[i], pods);
    drop_untold(lanes);
    sort_by_kind(lanes);
}

double lanes_height(const struct lanes *lanes)
{
    return lanes->count == 0
               ? 0
               : LEGEND + (double)lanes->count * LANE_HEIGHT + (lanes->left_out > 0 ? 20 : 0);
}

static void draw_key(struct canvas *canvas, double y)
{
    static const char *const words[] = {
        [LANE_WAITS] = "waits",   [LANE_RESERVED] = "has quota",       [LANE_RUNS] = "runs",
        [LANE_LEAVES] = "leaves", [LANE_STOPPED] = "stopped, or lost",
    };
    double x = CANVAS_LEFT;

    for (enum lane_stage stage = LANE_WAITS; stage <= LANE_STOPPED; stage++) {
        fprintf(canvas->out, "<rect x='%.1f' y='%.1f' width='16' height='12' fill='%s'/>\n", x, y,
                fills[stage]);
        canvas_text(canvas, x + 22, y + 11, "", "%s", words[stage]);
        x += 36 + 8.2 * (double)strlen(words[stage]);
    }
    canvas_text(canvas, x, y + 11, "", "\u25b2 signals   \u25bc a gate is opened");
}

static void draw_lane(const struct lane *lane, struct canvas *canvas, double y)
{
    canvas_text(canvas, CANVAS_LEFT, y + 11, "small", "%s", lane->ref);
    y += LANE_HEIGHT - BAR - 4;
    canvas_frame(canvas, y, BAR);
    for (size_t i = 0; i < lane->n_stages; i++) {
        const struct lane_stage_at *stage = &lane->stages[i];
        double from = canvas_x(canvas, stage->at);
        double to = i + 1 < lane->n_stages ? canvas_x(canvas, lane->stages[i + 1].at)
                                           : CANVAS_LEFT + CANVAS_WIDTH;
        if (stage->stage == LANE_NOTHING)
            continue;
        fprintf(canvas->out,
                "<rect x='%.1f' y='%.1f' width='%.1f' height='%d' fill='%s' stroke='#666' "
                "stroke-width='0.5'/>\n",
                from, y, to - from < 1.5 ? 1.5 : to - from, BAR, fills[stage->stage]);
        if (stage->word[0] != '\0' && to - from > WORD)
            canvas_text(canvas, from + 4, y + 10.5, "small", "%s", stage->word);
    }
    for (size_t i = 0; i < lane->n_marks; i++)
        canvas_text(canvas, canvas_x(canvas, lane->marks[i].at), y + 11.5, "small middle", "%s",
                    lane->marks[i].opens ? "\u25bc" : "\u25b2");
}

void lanes_draw(const struct lanes *lanes, struct canvas *canvas, double y)
{
    if (lanes->count == 0)
        return;
    draw_key(canvas, y);
    y += LEGEND;
    for (size_t i = 0; i < lanes->count; i++, y += LANE_HEIGHT)
        draw_lane(&lanes->lanes[i], canvas, y);
    if (lanes->left_out > 0)
        canvas_text(canvas, CANVAS_LEFT, y + 12, "small", "others are not shown");
}
