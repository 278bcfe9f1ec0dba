/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_AMOUNTS_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_AMOUNTS_H

#include "plugin/base/facts.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the amounts of a queue of Volcano's that somebody creates or changes can be kept, each
 * resource for itself. A comparison holds from both of its ends, whichever of them is edited:
 *
 *   of itself     guarantee <= deserved <= capability; a capability that is not set bounds nothing,
 *                 a deserved that is not set is none
 *   with those    each of its three within the capability of the nearest queue above that sets one;
 *   above it      with its siblings' within the parent's guarantee and deserved, where it has some
 *   with those    the same: of all those below that it is the nearest of, or that the nearest above
 *   below it      it bounds once it is moved, or sets no capability any more
 *
 * What they were allowed before is not judged anew, but where the change lowers it. Each says what
 * is wrong, with the field and both amounts.
 */
struct engine;
struct sentence;

/* A capability where 0 stands for no limit, as Volcano has it. */
bool queue_amount_is_unset(const struct named_amount *capability);

/* What somebody wants to make of a queue, and where it is said what is wrong with that. */
struct proposal {
    const struct engine *e;
    struct sentence *say;
    const struct queue_facts *queue;
    uint32_t id;     /* of the queue; 0: it is new */
    uint32_t parent; /* below which it is to be */
};

bool queue_amounts_contradict_each_other(const struct proposal *to);

/* [the parent is found] */
bool queue_amounts_contradict_tree(const struct proposal *to);

/* Something is guaranteed of which nothing is deserved: asked last, as the others tell more. */
bool queue_amounts_lack_deserved(const struct proposal *to);

#endif
