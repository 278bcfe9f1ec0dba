/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_SIZE_CLASS_H
#define SLUICE_PLUGIN_ORDER_SIZE_CLASS_H

#include "plugin/base/amount.h"
#include "plugin/base/facts.h"
#include "plugin/base/tree.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A size class: the lines of one queue that ask for the same resources in like amounts, each in the
 * same power of two.
 *
 *   queue ─▶ classes, by the rank of their heads, each knowing the least asked for below it
 *               class (0.5 to 1 cpu, 1 to 2 GiB) ─▶ heads of lines, likewise (line.h)
 *               class (32 to 64 cpu)             ─▶ ...
 *
 * They are there for the search: who is the first that fits? What is asked for by all of a subtree
 * tells that nobody in it fits. It would not, if half of the lines asked for too much cpu and half
 * for too much memory: the least of both would be little. What is alike is too much alike.
 *
 * A search costs the number of size classes and the logarithm of the lines. It costs more where the
 * room lies between the amounts of one class, in two resources at once: then lines that ask for
 * more of one and for less of the other are passed over one by one.
 */
struct size_need {
    uint32_t resource;
    uint32_t backlog;  /* where it is summed up what waits (backlog.h); 0: of a class that is shared
                           with nobody */
    uint8_t magnitude; /* amounts are from 2 to the power of this up to the next one */
    uint16_t at;       /* where a line has its own (needs.h) */
    int64_t own;       /* the least that a line asks for where somebody waits */
    int64_t least;     /* of this class and those below it in the tree; 0: not all ask for it */
};

struct size_class {
    struct tree_link link; /* in the queue's tree of classes where somebody waits */
    uint32_t queue;
    uint32_t hash;
    uint32_t users;      /* lines, empty ones too */
    uint32_t heads;      /* tree of the claims that are heads of its lines, by rank */
    uint32_t head;       /* the first of them */
    uint16_t line_bytes; /* what the needs of a line take */
    uint8_t count;
    bool bare;               /* without our gate: no flavor that asks for anything can be written */
    bool own;                /* of a line that is shared with nobody: in no index */
    struct size_need *needs; /* in that order, so that equal classes have equal needs */
};

/* What the claims of a line ask for, and of which queue. */
struct shape {
    uint32_t queue;
    bool bare;
    uint8_t count;
    struct request requests[FACTS_MAX_NEEDS]; /* in order, so that equal ones are equal */
};

struct engine;

/* What a line, or a class, is looked up by. */
struct shape_question {
    const struct engine *e;
    const struct shape *shape;
};

/* The request of this resource: found, or put in its place, of nothing yet. The order is the same
 * whatever ids the names have: pods first, then by name. NULL: there is no place. */
struct request *shape_request(const struct engine *e, struct shape *shape, uint32_t resource);

/* The class of this shape: found or made, with one more user. Negative on error. */
int size_class_get(struct engine *e, const struct shape *shape, uint32_t *ret_class);
void size_class_unref(struct engine *e, uint32_t class);

/* The class of one line that is shared with nobody, and what it asks for while nobody waits in it.
 */
int size_class_make_own(struct engine *e, uint32_t *ret_class);
void size_class_set_own(struct engine *e, uint32_t class, const struct shape *shape);

/* A line's head is another one, which is in no tree: 0, nobody waits in it any more. */
void size_class_set_head(struct engine *e, uint32_t line, uint32_t head);

/* The least that all of this class and those below it in the tree ask for; 0: not all do. */
int64_t size_class_least(const struct size_class *class, uint32_t resource);

/* A walk over the heads of the queue's lines that do not come after this claim (0: over all), in no
 * order: the head after this one (0: the first); 0 at the end. */
uint32_t size_class_next_head(const struct engine *e, uint32_t queue, uint32_t head,
                              uint32_t claim);

/* For the end of the engine. */
void size_class_release(struct engine *e, uint32_t class);

/* The heads of a class's lines, and a queue's classes. */
extern const struct tree_type heads_by_rank;
extern const struct tree_type size_classes_by_head;

#endif
