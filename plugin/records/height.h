/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_HEIGHT_H
#define SLUICE_PLUGIN_RECORDS_HEIGHT_H

#include "plugin/base/tree.h"

#include <stdint.h>

/* How tall the trees of queues are: whoever moves one asks whether it becomes too deep to walk.
 * Each queue's children stand in a tree of their own, the tallest first, so a queue that comes or
 * goes costs its depth, and no more than the logarithm of its siblings. */
struct height {
    struct tree_link link; /* among its siblings */
    uint32_t children;     /* tree, the tallest first */
    uint8_t levels;        /* below the queue */
};

struct engine;

/* 1: nobody hangs below it. */
uint32_t height_of(const struct engine *e, uint32_t queue);

/* The queue has come to hang below its parent, or is about to hang there no more. */
void height_join(struct engine *e, uint32_t queue);
void height_leave(struct engine *e, uint32_t queue);

const char *height_check(const struct engine *e, uint32_t queue);

#endif
