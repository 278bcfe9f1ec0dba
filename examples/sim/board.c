/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "examples/sim/board.h"

#include <stdlib.h>
#include <string.h>

#include "examples/sim/board_rows.h"
#include "examples/sim/sim.h"

enum {
    LINES = BOARD_KINDS,
    GONE,
    EVENTS,

    /* After so many frames, bytes of them or rows looked at they are twice as far apart, and again,
     * and again. */
    FRAMES_CLOSE = 400,
    ROWS_CLOSE = 500000,
    BYTES_CLOSE = 1 << 20,
};

static const char *const names[BOARD_PARTS] = {"queues",     "claims", "nodes", "clusters",
                                               "dispatches", "lines",  "gone",  "events"};

/* What was said of an object last. */
struct board_row {
    const char *key;
    const char *text; /* NULL: it is gone */
    size_t len;
    uint64_t made; /* in which look */
    uint64_t changed;
    uint64_t lined;  /* in which look it was in a line last */
    uint64_t joined; /* when it came into that line */
    bool lasts;
};

struct board_line {
    const char **keys;
    size_t count;
    size_t cap;
};

void board_part_open(struct board_part *part)
{
    *part = (struct board_part){0};
    part->json.out = open_memstream(&part->text, &part->len);
    if (part->json.out)
        return;
    fputs("sluice-sim: no memory for the page\n", stderr);
    exit(EXIT_MACHINE);
}

void board_part_close(struct board_part *part)
{
    fclose(part->json.out);
    free(part->text);
}

static void part_empty(struct board_part *part)
{
    rewind(part->json.out);
    part->json.goes_on = false;
}

void board_start(struct board *board)
{
    board->is = true;
    if (!board->source)
        board->source = "story";
    board_part_open(&board->frames);
    board_part_open(&board->row);
    for (size_t i = 0; i < BOARD_PARTS; i++)
        board_part_open(&board->parts[i]);
}

void board_finish(struct board *board)
{
    if (!board->is)
        return;
    for (size_t kind = 0; kind < BOARD_KINDS; kind++)
        map_finish(&board->rows[kind]);
    for (size_t i = 0; i < board->lines.count; i++)
        free(((struct board_line *)board->lines.entries[i].value)->keys);
    map_finish(&board->lines);
    for (size_t i = 0; i < BOARD_PARTS; i++)
        board_part_close(&board->parts[i]);
    board_part_close(&board->frames);
    board_part_close(&board->row);
    free(board->touched);
}

void board_touch(struct sim *sim, struct pod *pod)
{
    struct board *board = &sim->board;

    if (!board->is || pod->on_board)
        return;
    pod->on_board = true;
    board->touched =
        array_room(board->touched, board->n_touched, &board->touched_cap, sizeof(*board->touched));
    board->touched[board->n_touched++] = pod;
}

struct json *board_row(struct sim *sim)
{
    part_empty(&sim->board.row);
    json_begin(&sim->board.row.json, NULL, '{');
    return &sim->board.row.json;
}

static struct board_row *row_of(struct sim *sim, enum board_kind kind, const char *key)
{
    struct map *rows = &sim->board.rows[kind];
    struct board_row *row = map_get(rows, key);

    if (row)
        return row;
    row = arena_get(&sim->arena, sizeof(*row));
    row->key = arena_copy(&sim->arena, key);
    map_put(rows, row->key, row);
    return row;
}

void board_row_end(struct sim *sim, enum board_kind kind, const char *key, bool lasts)
{
    struct board *board = &sim->board;
    struct board_part *made = &board->row;
    struct board_row *row = row_of(sim, kind, key);

    json_end(&made->json, '}');
    fflush(made->json.out);
    board->n_rows++;
    row->made = board->round;
    row->lasts = lasts;
    if (row->text && row->len == made->len && memcmp(row->text, made->text, row->len) == 0)
        return;
    row->text = arena_text(&sim->arena, made->text, made->len);
    row->len = made->len;
    row->changed = board->round;
    json_raw(&board->parts[kind].json, NULL, row->text);
}

bool board_changed(const struct sim *sim, enum board_kind kind, const char *key)
{
    const struct board_row *row = map_get(&sim->board.rows[kind], key);

    return row && row->changed == sim->board.round;
}

bool board_is_in_line(const struct sim *sim, const char *key, bool *ret_is_new)
{
    const struct board_row *row = map_get(&sim->board.rows[BOARD_CLAIMS], key);

    *ret_is_new = row && row->joined == sim->board.round;
    return row && row->lined == sim->board.round;
}

const char *board_next_lasting(const struct sim *sim, size_t *place)
{
    const struct map *rows = &sim->board.rows[BOARD_CLAIMS];

    while (*place < rows->count) {
        const struct board_row *row = rows->entries[(*place)++].value;
        if (row->text && row->lasts)
            return row->key;
    }
    return NULL;
}

static void leave(struct board *board, enum board_kind kind, struct board_row *row)
{
    struct json *gone = &board->parts[GONE].json;

    row->text = NULL;
    row->changed = board->round;
    json_begin(gone, NULL, '[');
    json_text(gone, NULL, names[kind]);
    json_text(gone, NULL, row->key);
    json_end(gone, ']');
}

void board_gone(struct sim *sim, enum board_kind kind, const char *key)
{
    struct board_row *row = map_get(&sim->board.rows[kind], key);

    if (row && row->text)
        leave(&sim->board, kind, row);
}

static void leave_unmade(struct board *board)
{
    for (size_t kind = 0; kind < BOARD_KINDS; kind++) {
        const struct map *rows = &board->rows[kind];
        for (size_t i = 0; i < rows->count; i++) {
            struct board_row *row = rows->entries[i].value;
            if (row->text && !row->lasts && row->made != board->round)
                leave(board, (enum board_kind)kind, row);
        }
    }
}

/* Says what is between what stays before and what stays behind. */
static void say_line(struct sim *sim, const char *queue, struct board_line *line,
                     const char *const *keys, size_t count)
{
    struct json *json = &sim->board.parts[LINES].json;
    size_t least = line->count < count ? line->count : count;
    size_t before = 0;
    size_t behind = 0;

    while (before < least && strcmp(line->keys[before], keys[before]) == 0)
        before++;
    while (behind < least - before &&
           strcmp(line->keys[line->count - 1 - behind], keys[count - 1 - behind]) == 0)
        behind++;
    if (before == count && before == line->count)
        return;
    json_begin(json, NULL, '{');
    json_text(json, "queue", queue);
    json_number(json, "at", (int64_t)before);
    json_number(json, "drop", (int64_t)(line->count - before - behind));
    json_begin(json, "put", '[');
    for (size_t i = before; i < count - behind; i++)
        json_text(json, NULL, keys[i]);
    json_end(json, ']');
    json_end(json, '}');
}

void board_line(struct sim *sim, const char *queue, const char *const *keys, size_t count)
{
    struct map *lines = &sim->board.lines;
    struct board_line *line = map_get(lines, queue);

    if (!line) {
        if (count == 0)
            return;
        line = arena_get(&sim->arena, sizeof(*line));
        map_put(lines, arena_copy(&sim->arena, queue), line);
    }
    say_line(sim, queue, line, keys, count);
    line->count = 0;
    for (size_t i = 0; i < count; i++) {
        line->keys = array_room(line->keys, line->count, &line->cap, sizeof(*line->keys));
        struct board_row *row = row_of(sim, BOARD_CLAIMS, keys[i]);
        if (row->lined + 1 != sim->board.round)
            row->joined = sim->board.round;
        row->lined = sim->board.round;
        line->keys[line->count++] = row->key;
    }
}

static void say_events(struct sim *sim)
{
    struct board *board = &sim->board;
    struct json *json = &board->parts[EVENTS].json;

    for (; board->n_told < sim->story.n_rows; board->n_told++) {
        const struct row *row = &sim->story.rows[board->n_told];
        if (strcmp(row->what, "usage") == 0)
            continue;
        json_begin(json, NULL, '{');
        json_time(json, "at", row->at);
        json_text(json, "object", row->ref);
        json_text(json, "what", row->what);
        json_text(json, "text", row->text);
        json_end(json, '}');
    }
}

/* The parts that say something become a frame; the first one is there whatever it says. */
static void frame(struct sim *sim)
{
    struct board *board = &sim->board;
    struct json *json = &board->frames.json;
    bool says = false;

    for (size_t i = 0; i < BOARD_PARTS; i++)
        says |= board->parts[i].json.goes_on;
    if (!says && board->n_frames > 0)
        return;
    json_begin(json, NULL, '{');
    json_time(json, "at", sim->clock.now);
    for (size_t i = 0; i < BOARD_PARTS; i++) {
        struct board_part *part = &board->parts[i];
        fflush(part->json.out);
        if (part->json.goes_on) {
            json_begin(json, names[i], '[');
            fwrite(part->text, 1, part->len, json->out);
            json_end(json, ']');
        }
        part_empty(part);
    }
    json_end(json, '}');
    board->framed = sim->clock.now;
    board->n_frames++;
    fflush(json->out);
    if (board->n_frames - board->n_thinned < FRAMES_CLOSE &&
        board->frames.len - board->thinned < BYTES_CLOSE && board->n_rows < ROWS_CLOSE)
        return;
    board->n_rows = 0;
    board->apart = board->apart ? board->apart * 2 : 2 * MILLISECOND;
    board->n_thinned = board->n_frames;
    board->thinned = board->frames.len;
}

static void look(struct sim *sim)
{
    struct board *board = &sim->board;
    struct board_look seen = {0};

    board->round++;
    board_queues(sim, &seen);
    board_claims(sim, &seen);
    board_places(sim);
    board_look_finish(&seen);
    leave_unmade(board);
    say_events(sim);
    frame(sim);
}

void board_end_moment(struct sim *sim)
{
    const struct board *board = &sim->board;

    /* While a process starts again nobody knows anything. */
    if (!sim->library.handle)
        return;
    if (board->is && (board->n_frames == 0 || sim->clock.now - board->framed >= board->apart))
        look(sim);
}

void board_put_frames(struct sim *sim, FILE *out)
{
    struct board *board = &sim->board;

    if (sim->library.handle)
        look(sim);
    fflush(board->frames.json.out);
    fwrite(board->frames.text, 1, board->frames.len, out);
}
