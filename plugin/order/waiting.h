/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_WAITING_H
#define SLUICE_PLUGIN_ORDER_WAITING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The claims that wait in a line behind its head, by rank. Who comes is nearly always the last, and
 * to put it into a large tree would cost a cache miss for each of the tree's levels. So newcomers
 * stand in a list behind the tree, and enter it together:
 *
 *   | tree: those that have waited longer |  newcomer ⇄ newcomer ⇄ ... ⇄ last
 *
 * Whoever comes and is not the last lets them enter first.
 */
enum { WAITING_NEWCOMERS = 32 };

struct waiting {
    uint32_t tree;
    uint32_t newcomer; /* the first of them */
    uint32_t last;     /* of all */
    uint8_t newcomers;
};

struct engine;

/* [in no tree] */
void waiting_add(struct engine *e, struct waiting *waiting, uint32_t claim);

/* [among them] */
void waiting_remove(struct engine *e, struct waiting *waiting, uint32_t claim);

/* The next one after a claim that is among them, or 0. */
uint32_t waiting_next(const struct engine *e, const struct waiting *waiting, uint32_t claim);

/* How many come before a claim, which may be any. */
uint32_t waiting_count_before(const struct engine *e, const struct waiting *waiting,
                              uint32_t other);

/* The first that comes after a claim, or 0. It need not be one of them. */
uint32_t waiting_after(const struct engine *e, const struct waiting *waiting, uint32_t claim);

/* The first whose priority is below this one, or 0. */
uint32_t waiting_below(const struct engine *e, const struct waiting *waiting, int32_t priority);

uint32_t waiting_first(const struct engine *e, const struct waiting *waiting);
uint32_t waiting_count(const struct engine *e, const struct waiting *waiting);

/* For checks: whether they stand in order of rank. */
bool waiting_check(const struct engine *e, const struct waiting *waiting);

#endif
