/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_BOARD_ROWS_H
#define SLUICE_SIM_BOARD_ROWS_H

#include "abi/host/value.h"
#include "examples/sim/arena.h"
#include "examples/sim/board.h"

/*
 * How a look at everything makes rows of a board.
 *
 * A key is what names one thing for as long as it is there: KIND/NAME of a queue, the uid of a pod
 * or a workload, Gang/NAMESPACE/NAME of a gang.
 */

struct board_queue {
    const char *key;
    const char *kind;
    const char *name;
    const char *parent; /* its key; "" */
    const char **line;  /* keys of claims, in their order */
    size_t n_line;
    bool waits;   /* something does, in this very queue */
    bool stirred; /* it, or a queue above it, is another than in the look before */
};

struct board_look {
    struct arena scratch; /* ends with the look */
    struct board_queue *queues;
    size_t count;
    size_t cap;
    struct map by_key;
};

void board_look_finish(struct board_look *look);

/* All rows of these kinds that there are. Queues come first: claims look at their lines. */
void board_queues(struct sim *sim, struct board_look *look);
void board_claims(struct sim *sim, struct board_look *look);
void board_places(struct sim *sim);

const char *board_queue_key(struct arena *arena, const char *kind, const char *name);
const char *board_gang_key(struct arena *arena, const msgpack_object *group);

/* What is empty, or 0, is not written. */
void board_some_text(struct json *json, const char *key, const char *text);
void board_some_number(struct json *json, const char *key, int64_t number);
void board_some_map(struct json *json, const char *key, const msgpack_object *map);

/* A wall clock's time, as the story counts it. */
void board_some_time(struct sim *sim, struct json *json, const char *key, int64_t wall);

#endif
