/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_CONTEST_PLACE_H
#define SLUICE_PLUGIN_RECORDS_CONTEST_PLACE_H

#include "plugin/base/amount.h"
#include "plugin/base/tree.h"

#include <stdbool.h>
#include <stdint.h>

enum { BOUND_RESOURCES = 8 };

/* The least that is asked for of each resource. A resource that is not listed is not asked for by
 * all of them, and so bounds nothing. What a queue keeps unused is already taken off: this is the
 * least that passes up. */
struct bound {
    bool nobody; /* there is no one that could fit */
    uint8_t count;
    struct {
        uint32_t resource;
        wide least;
    } item[BOUND_RESOURCES];
};

/* The place of a queue among those that compete with it for their parent's room (contest.h). */
struct contest {
    struct tree_link sibling;
    uint32_t children; /* tree of the children that compete, in order */
    bool competes;

    /* The key, as it stood when the queue was put into its parent's tree. */
    bool borrows;
    int32_t priority;
    wide used, quota; /* the largest share */
    int64_t head_created;
    uint32_t key_name;

    struct bound own;         /* of this queue's subtree, as its parent sees it */
    struct bound all;         /* of this queue and those below it in the siblings' tree */
    int64_t all_head_created; /* the oldest head likewise */
};

#endif
