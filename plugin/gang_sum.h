/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GANG_SUM_H
#define SLUICE_PLUGIN_GANG_SUM_H

#include "facts.h"
#include "group.h"
#include "kind.h"

#include <stdbool.h>
#include <stdint.h>

/* What lacks to a group's minimum asks for, and where: the first of its members that are ready;
 * and, where they are too few, as much as its newest for each that is to come. */
struct gang_sum {
    uint32_t queue;
    int32_t priority;
    bool bare;
    uint8_t count;
    struct request requests[FACTS_MAX_NEEDS]; /* by resource id */
};

struct engine;

/* What is wrong with it; then the sum means nothing. [enough are ready] */
enum group_fault gang_add_up(const struct engine *e, const struct group *group,
                             struct gang_sum *ret_sum);

#endif
