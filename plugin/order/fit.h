/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_FIT_H
#define SLUICE_PLUGIN_ORDER_FIT_H

#include "headroom.h"

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct line;

/* What there is room for at one queue, looked up once in a search. */
enum { HEADROOMS_MAX = 32 };

struct headrooms {
    const struct engine *e;
    uint32_t queue, count;
    struct headroom {
        wide room;
        uint32_t resource;
        uint16_t flavor; /* FLAVOR_NONE: in the one that has most */
    } item[HEADROOMS_MAX];
};

/* Of nothing it is known yet. */
void headrooms_init(struct headrooms *rooms, const struct engine *e, uint32_t queue);

/* In the flavor that has most of it. */
wide headrooms_for(struct headrooms *rooms, uint32_t resource);

/* As fit_line, of a line of this queue; and whether a claim would fit that asks for the least of
 * each resource that the line and those below it ask for. */
bool headrooms_hold(struct headrooms *rooms, uint32_t line, uint16_t *ret_flavors);
bool headrooms_hold_least(struct headrooms *rooms, uint32_t line);

/* Whether a claim of this line fits, from its queue to the root, and in which flavors: of each
 * resource group the first, in the queue's order, that has room for all that the claim asks of the
 * group; where the queue borrows last, the first of those in which it borrows from nearest.
 * ret_flavors has a place for each need. */
bool fit_line(const struct engine *e, uint32_t line, uint16_t *ret_flavors);

/* The same for a claim that was granted before, as headroom_again says. */
bool fit_line_again(const struct engine *e, uint32_t line, uint16_t *ret_flavors);

/* Whether it fits in just these flavors, where there is room in this sense. */
bool fit_in(const struct engine *e, uint32_t line, const uint16_t *flavors,
            headroom_function *room);

/* Whether a claim of this line may have the flavor, for all that quota says; and whether a resource
 * that no group of a ClusterQueue covers is one that is then not counted. */
bool fit_may_have(const struct engine *e, const struct line *line, uint16_t flavor);
bool fit_counts_nowhere(const struct engine *e, uint32_t resource);

/* Whether it could ever fit, however much is released. */
bool fit_ever(const struct engine *e, uint32_t line);

/* Whether it could never fit, as the ceilings are written, however much is released: nodes that
 * come or go change nothing about that. */
bool fit_never(const struct engine *e, uint32_t line);

/* The lowest queue on the way to the root that refuses it, and the need; false if it fits. */
bool fit_refused(const struct engine *e, uint32_t line, uint32_t *ret_queue, uint32_t *ret_need,
                 wide *ret_room);

/* The lowest queue on the way from this leaf that refuses this amount, and what it has room for;
 * false if none does. */
bool fit_refused_in(const struct engine *e, uint32_t leaf, uint16_t flavor, uint32_t resource,
                    wide amount, uint32_t *ret_queue, wide *ret_room);

/* Completes the flavors of a granted claim by what its stamp does not tell: of each group the first
 * that its node has, or, before it has a node, that it can be held to. anew: all of them. */
void fit_guess(const struct engine *e, uint32_t claim, bool anew, uint16_t *ret_flavors);

#endif
