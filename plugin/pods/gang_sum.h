/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GANG_SUM_H
#define SLUICE_PLUGIN_PODS_GANG_SUM_H

#include "group.h"
#include "plugin/order/size_class.h"

#include <stdbool.h>
#include <stdint.h>

/* What lacks to a group's minimum asks for, and where: the first of its members that are ready;
 * and, where they are too few, as much as its newest for each that is to come. */
struct gang_sum {
    int32_t priority;
    struct shape shape;
};

/* Members of the group's minimum are missing, and nothing is wrong with it. */
bool gang_misses_members(const struct group *group);

/* What a group asks for while members of its minimum are missing, and where: what its object says,
 * and one of `pods` for each of the minimum. */
enum group_fault gang_add_missing(const struct engine *e, const struct group *group,
                                  struct gang_sum *ret_sum);

/* The group's entry asks for just this, with the group's rank; and is to ask for it. [it waits not]
 */
bool gang_sum_stands(const struct engine *e, const struct group *group, const struct gang_sum *sum);
void gang_sum_put(struct engine *e, const struct group *group, const struct gang_sum *sum);

/* What is wrong with it; then the sum means nothing. [enough are ready] */
enum group_fault gang_add_up(const struct engine *e, const struct group *group,
                             struct gang_sum *ret_sum);

#endif
