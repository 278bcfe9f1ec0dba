/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/story.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/series.h"
#include "examples/sim/sim.h"
#include "examples/sim/text.h"

static const char *colour_of(const char *what)
{
    static const char *const colours[][2] = {
        {"granted", "\033[32m"},   {"bound", "\033[32m"},     {"running", "\033[32m"},
        {"condition", "\033[33m"}, {"waiting", "\033[33m"},   {"held", "\033[33m"},
        {"bought", "\033[35m"},    {"fault", "\033[31m"},     {"bindFailed", "\033[31m"},
        {"usage", "\033[36m"},     {"restarted", "\033[31m"},
    };

    for (size_t i = 0; i < sizeof(colours) / sizeof(*colours); i++)
        if (strcmp(colours[i][0], what) == 0)
            return colours[i][1];
    return "";
}

/* One line: the time where it is another than above, who, and what. */
static void print_row(struct sim *sim, const struct row *row)
{
    struct story *story = &sim->story;
    char time[32];
    bool same = story->told_at == row->at;

    story->told_at = row->at;
    text_say(story->out, "%10s  %-*s ", same ? "" : clock_show(row->at, time, sizeof(time)),
             sim->fleet.is || sim->workloads.is ? 24 : 18, text_name(&sim->arena, row->ref));
    fputs(story->colour ? colour_of(row->what) : "", story->out);
    text_say(story->out, "%s", row->text);
    fputs(story->colour ? "\033[0m\n" : "\n", story->out);
}

static bool keeps_rows(const struct story *story)
{
    return story->format == STORY_JSON || story->paints;
}

void story(struct sim *sim, const char *ref, const char *what, const char *text, ...)
{
    struct story *story = &sim->story;
    char line[1024];
    va_list args;

    if (story->quiet && !keeps_rows(story))
        return;
    va_start(args, text);
    vsnprintf(line, sizeof(line), text, args);
    va_end(args);
    struct row row = {sim->clock.now, ref, what, line};
    if (!story->quiet && story->format == STORY_TABLE)
        print_row(sim, &row);
    if (!keeps_rows(story))
        return;
    row.text = arena_copy(&sim->arena, line);
    story->rows = array_room(story->rows, story->n_rows, &story->rows_cap, sizeof(row));
    story->rows[story->n_rows++] = row;
}

void story_touch(struct sim *sim, struct pod *pod)
{
    struct story *story = &sim->story;

    board_touch(sim, pod);
    if (pod->touched)
        return;
    pod->touched = true;
    story->touched =
        array_room(story->touched, story->n_touched, &story->touched_cap, sizeof(*story->touched));
    story->touched[story->n_touched++] = pod;
}

static const char *word_for(const char *state)
{
    if (strcmp(state, "waiting") == 0)
        return "waits";
    return strcmp(state, "held") == 0 ? "is held" : "";
}

static void tell_state(struct sim *sim, struct pod *pod)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_str(r, "what", "pod");
    r_key_str(r, "uid", pod->uid);
    const msgpack_object *seen = host_call(sim, LOADER_INSPECT);
    const char *state = value_str(seen, "state", "");
    const char *reason = value_str(seen, "reason", "");
    if (strcmp(state, pod->told_state) == 0 && strcmp(reason, pod->told_reason) == 0)
        return;
    /* A binding that failed leaves the claim with the place that it had. */
    bool had_place =
        strcmp(pod->told_state, "reserved") == 0 || strcmp(pod->told_state, "allocated") == 0;
    pod->told_state = arena_copy(&sim->arena, state);
    pod->told_reason = arena_copy(&sim->arena, reason);
    const char *message = value_str(seen, "message", "");
    if (word_for(state)[0])
        story(sim, pod->ref, pod->told_state, "%s: %s%s%s", word_for(state), reason,
              *message ? ": " : "", message);
    else if (strcmp(state, "reserved") == 0 && !had_place)
        story(sim, pod->ref, "granted", "is granted its place in queue %s",
              value_str(seen, "queue", ""));
}

void story_end_moment(struct sim *sim)
{
    struct story *story = &sim->story;
    bool tells = !story->quiet || keeps_rows(story);

    for (size_t i = 0; i < story->n_touched; i++) {
        struct pod *pod = story->touched[i];
        pod->touched = false;
        if (tells && sim->library.handle && !pod->state->gone)
            tell_state(sim, pod);
    }
    story->n_touched = 0;
    if (tells && sim->library.handle)
        series_sample(sim);
}

const char *story_limits(struct sim *sim, const struct tree *doc)
{
    static const char *const paths[][2] = {{"spec/guarantee/resource", "guarantee"},
                                           {"spec/deserved", "deserved"},
                                           {"spec/capability", "capability"}};
    const char *text = "";
    char amounts[256];
    struct fault none = {0};

    for (size_t i = 0; i < 3; i++) {
        struct resources limits = {0};
        resources_read(&sim->arena, &none, tree_find(doc, paths[i][0]), &limits);
        if (limits.count > 0 && !none.is)
            text = arena_format(&sim->arena, "%s%s %s %s", text, *text ? ";" : ":", paths[i][1],
                                resources_show(&limits, amounts, sizeof(amounts)));
    }
    return text;
}

void story_say(struct sim *sim, const char *text)
{
    struct story *story = &sim->story;

    if (story->format == STORY_TABLE && !story->quiet) {
        if (story->told_at >= 0)
            fputc('\n', story->out);
        text_wrap(story->out, text, "  ", 96);
        fputc('\n', story->out);
        story->told_at = -1;
    }
}

void story_json(struct sim *sim, bool passed)
{
    const struct story *story = &sim->story;
    FILE *out = story->out;

    fputs("{\"scenario\": ", out);
    text_json(out, sim->scenario->name);
    fprintf(out, ", \"removal\": \"%s\", \"passed\": %s, \"events\": [",
            sim->scenario->on_admission ? "onAdmission" : "onBind", passed ? "true" : "false");
    for (size_t i = 0; i < story->n_rows; i++) {
        const struct row *row = &story->rows[i];
        fprintf(out, "%s\n  {\"at\": %" PRId64 ", \"object\": ", i ? "," : "", row->at);
        text_json(out, row->ref);
        fputs(", \"what\": ", out);
        text_json(out, row->what);
        fputs(", \"text\": ", out);
        text_json(out, row->text);
        fputc('}', out);
    }
    fputs("],\n  \"usage\": [", out);
    for (size_t i = 0; i < story->usages.count; i++)
        series_json(out, story->usages.entries[i].value, i == 0);
    fputs("]}\n", out);
}

void story_finish(struct story *story)
{
    series_finish(&story->usages);
    series_finish(&story->flavor_usages);
    free(story->rows);
    free(story->touched);
}
