/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_BOARD_H
#define SLUICE_SIM_BOARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "examples/sim/json.h"
#include "examples/sim/map.h"

struct sim;
struct pod;

/*
 * What a page shows of a story (examples/board/README.md): frames, each of which says what is
 * another than in the frame before.
 *
 *     library, world, fleet ── board_rows.h ──▶ rows by key
 *                                                     │ that changed
 *     file ◀── board_write ◀── frames ◀───────────────┘
 *
 * Long stories have fewer frames the longer they last, so that the page stays small, and the same
 * story always has the same ones.
 */

enum board_kind { BOARD_QUEUES, BOARD_CLAIMS, BOARD_NODES, BOARD_CLUSTERS, BOARD_DISPATCHES };

enum {
    BOARD_KINDS = BOARD_DISPATCHES + 1,
    BOARD_PARTS = BOARD_KINDS + 3, /* of a frame: those, and lines, gone, events */
};

/* Text that grows until it is taken. */
struct board_part {
    struct json json;
    char *text;
    size_t len;
};

struct board {
    bool is;            /* a page is wanted */
    const char *source; /* what it is of: "story", or "recording", whose clock is the wall's */
    struct board_part frames;
    struct board_part row; /* that is being made */
    struct board_part parts[BOARD_PARTS];
    struct map rows[BOARD_KINDS]; /* struct board_row by key */
    struct map lines;             /* struct board_line by the key of their queue */
    struct pod **touched;
    size_t n_touched;
    size_t touched_cap;
    uint64_t round; /* counts the looks */
    size_t n_frames;
    size_t n_thinned; /* how many, and how long, when `apart` was set */
    size_t thinned;
    size_t n_rows;  /* made since then */
    size_t n_told;  /* rows of the story that are in a frame */
    int64_t apart;  /* frames are at least so far from each other */
    int64_t framed; /* when the latest one was */
};

void board_start(struct board *board);
void board_finish(struct board *board);

/* Something about the pod may be another than in the frame before. */
void board_touch(struct sim *sim, struct pod *pod);

/* The moment is over: what it changed becomes a frame, if the one before is long enough ago. */
void board_end_moment(struct sim *sim);

/* The story as JSON. */
void board_put(struct sim *sim, FILE *out, bool passed);

/* The same as a file; as a page that shows it. False: errno says why it could not be written. */
bool board_write(struct sim *sim, const char *path, bool passed);
bool board_write_page(struct sim *sim, const char *path, bool passed);

/* Closes a part, and makes a page that shows the JSON in it. False: as above. */
bool board_page(const char *path, struct board_part *document);

/* All frames, with commas between them, and with one of how it ended. */
void board_put_frames(struct sim *sim, FILE *out);

void board_part_open(struct board_part *part);
void board_part_close(struct board_part *part);

/* For those who make rows: board_row begins an object, board_row_end takes it. What is not made in
 * a look is gone then, unless it lasts: that goes by board_gone. */
struct json *board_row(struct sim *sim);
void board_row_end(struct sim *sim, enum board_kind kind, const char *key, bool lasts);
void board_gone(struct sim *sim, enum board_kind kind, const char *key);

/* Whether the row became another one in this look. */
bool board_changed(const struct sim *sim, enum board_kind kind, const char *key);

/* Whether a claim is in a line; new: and was in none in the look before. */
bool board_is_in_line(const struct sim *sim, const char *key, bool *ret_is_new);

/* The keys of all claims that last, one after the other from place 0 on; at the end NULL. */
const char *board_next_lasting(const struct sim *sim, size_t *place);

/* What waits in a queue now, in its order: keys of claims. */
void board_line(struct sim *sim, const char *queue, const char *const *keys, size_t count);

#endif
