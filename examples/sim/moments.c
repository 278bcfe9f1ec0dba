/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/moments.h"

#include <string.h>

#include "examples/sim/sim.h"

enum { TEXT_MOST = 100, TEXT_SHOWN = 115, LINE = 21 };

static bool is_among(const char *what, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], what) == 0)
            return true;
    return false;
}

/* Queues begin Open: that is no news. */
static bool is_news_of_state(const struct story *story, size_t at)
{
    const struct row *row = &story->rows[at];

    if (strncmp(row->ref, "queue/", 6) != 0)
        return false;
    for (size_t i = 0; i < at; i++)
        if (strcmp(story->rows[i].what, "state") == 0 && strcmp(story->rows[i].ref, row->ref) == 0)
            return true;
    return strcmp(row->text, "is Open") != 0;
}

static bool explains(const struct story *story, size_t at, bool small)
{
    static const char *const always[] = {"bought", "joined", "left",    "restarted", "fault",
                                         "lease",  "clock",  "lost",    "back",      "removed",
                                         "added",  "saved",  "restored"};
    static const char *const of_small[] = {"granted",  "finished", "patched", "bindFailed",
                                           "preempts", "opened",   "evicted", "admitted",
                                           "bound",    "requeued", "refused"};
    const struct row *row = &story->rows[at];

    if (strcmp(row->what, "condition") == 0)
        return small && strstr(row->text, "Unschedulable") != NULL;
    if (strcmp(row->what, "state") == 0)
        return is_news_of_state(story, at);
    if (strcmp(row->what, "changed") == 0) /* what we write ourselves follows from the rest */
        return strncmp(row->ref, "podgroup/", 9) != 0;
    if (strcmp(row->what, "deleted") == 0)
        return small && strncmp(row->ref, "pod/", 4) == 0;
    if (strcmp(row->what, "bound") == 0 && strncmp(row->ref, "pod/", 4) == 0)
        return false; /* it was granted before */
    return is_among(row->what, always, sizeof(always) / sizeof(*always)) ||
           (small && is_among(row->what, of_small, sizeof(of_small) / sizeof(*of_small)));
}

static const char *short_text(struct sim *sim, const struct row *row)
{
    const char *name = strchr(row->ref, '/') ? strchr(row->ref, '/') + 1 : row->ref;
    const char *at = strchr(row->ref, '@');

    if (at != NULL && at < name) /* of a worker cluster */
        name = at + 1;
    if (strcmp(row->what, "condition") == 0)
        return arena_format(&sim->arena, "no node fits %s: Unschedulable", name);
    if (strcmp(row->what, "granted") == 0)
        return arena_format(&sim->arena, "%s is granted its place", name);
    if (strcmp(row->what, "bought") == 0)
        return arena_format(&sim->arena, "the autoscaler buys node %s", name);
    if (strcmp(row->what, "joined") == 0)
        return arena_format(&sim->arena, "node %s joins", name);
    return arena_format(&sim->arena, "%s %s", name, row->text);
}

/* What is too long for the picture ends in dots, between two letters. */
static const char *shown(struct sim *sim, const char *text)
{
    size_t len = strlen(text), cut = TEXT_SHOWN;

    while (cut > 0 && len > TEXT_SHOWN && ((unsigned char)text[cut] & 0xc0) == 0x80)
        cut--;
    return len <= TEXT_SHOWN ? text : arena_format(&sim->arena, "%.*s...", (int)cut, text);
}

void moments_find(struct moments *moments, struct sim *sim, int64_t end, bool small)
{
    const struct story *story = &sim->story;
    int64_t near = end / 500 + 1;

    *moments = (struct moments){.count = 0};
    for (size_t i = 0; i < story->n_rows; i++) {
        const struct row *row = &story->rows[i];
        struct moment *last = moments->count > 0 ? &moments->moments[moments->count - 1] : NULL;
        if (row->at == 0 || !explains(story, i, small))
            continue;
        if (last && row->at - last->at <= near) {
            last->more += strlen(last->text) >= TEXT_MOST;
            if (last->more == 0)
                last->text = arena_format(&sim->arena, "%s; %s", last->text, short_text(sim, row));
        } else if (moments->count == MOMENTS_MOST) {
            moments->left_out++;
        } else {
            moments->moments[moments->count++] = (struct moment){row->at, short_text(sim, row), 0};
        }
    }
    for (size_t i = 0; i < moments->count; i++)
        moments->moments[i].text = shown(sim, moments->moments[i].text);
}

double moments_height(const struct moments *moments)
{
    return (double)LINE * (double)(moments->count + (moments->left_out > 0));
}

void moments_draw_lines(const struct moments *moments, struct canvas *canvas, double top,
                        double bottom)
{
    for (size_t i = 0; i < moments->count; i++) {
        double x = canvas_x(canvas, moments->moments[i].at);
        fprintf(canvas->out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='moment'/>\n", x,
                top, x, bottom);
    }
}

void moments_draw(const struct moments *moments, struct canvas *canvas, double top, double y)
{
    double badge = 0;

    for (size_t i = 0; i < moments->count; i++) {
        double x = canvas_x(canvas, moments->moments[i].at);
        badge = x < badge + 17 ? badge + 17 : x;
        canvas_badge(canvas, badge, top - 9, i + 1);
    }
    for (size_t i = 0; i < moments->count; i++, y += LINE) {
        const struct moment *moment = &moments->moments[i];
        char at[32], more[32] = "";

        canvas_badge(canvas, CANVAS_LEFT + 8, y - 4, i + 1);
        if (moment->more > 0)
            snprintf(more, sizeof(more), "; %zu more", moment->more);
        canvas_text(canvas, CANVAS_LEFT + 24, y, "", "%s: %s%s",
                    clock_show(moment->at, at, sizeof(at)), moment->text, more);
    }
    if (moments->left_out > 0)
        canvas_text(canvas, CANVAS_LEFT + 24, y, "small", "and %zu later ones", moments->left_out);
}
