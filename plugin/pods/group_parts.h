/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GROUP_PARTS_H
#define SLUICE_PLUGIN_PODS_GROUP_PARTS_H

#include "plugin/base/facts.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The parts of a composite group: the PodGroups and CompositePodGroups below it. Its scheduler
 * queues all of it as one, so it is one group here; its parts tell when it is complete:
 *
 *   inference              at least 1 of 2      parts, each before those below it:
 *   ├─ replica-0           at least 2 of 2        0 inference  1 replica-0  2 leader-0
 *   │  ├─ leader-0         at least 1 pod         2 workers-0  1 replica-1  ...
 *   │  └─ workers-0        at least 3 pods
 *   └─ replica-1 ...
 *
 * A PodGroup is complete when as many of its pods are there as it needs, running or not; a
 * CompositePodGroup when as many of those directly below it are complete as it needs.
 */
enum { GROUP_MAX_DEPTH = 3 }; /* Kubernetes' own: four levels, with the pods' groups */

struct group_part {
    uint32_t name;
    int32_t minimum; /* at least 1 */
    uint32_t there;  /* pods of a PodGroup; of a CompositePodGroup, those below it that are
                        complete */
    uint8_t depth;   /* 0: the composite group itself */
    bool composite;
};

struct group_parts {
    struct group_part *item; /* itself is the first; NULL: it is not composite */
    uint32_t count;
};

struct engine;
struct group;
struct sentence;

/* What an object says of its parts: words that are then put into the group, or given back. Negative
 * on error; then, too, what was read is to be given back. */
int group_read_parts(struct engine *e, const struct group_facts *facts,
                     struct group_parts *ret_parts);
void group_drop_parts(struct engine *e, struct group_parts *parts);

/* The group has these parts from now on; those that it had before are left in their place. */
void group_swap_parts(struct engine *e, struct group *group, struct group_parts *parts);

/* So many pods more of the part of this name. Names that are no part's count nowhere. */
void group_count_part(struct group *group, uint32_t name, int more);

/* Whether a tree of Kubernetes' own can be so deep. */
bool group_parts_are_too_deep(const struct group *group);

/* What the first part lacks that is not complete: what follows "the group". */
void group_say_missing_part(const struct engine *e, const struct group *group,
                            struct sentence *say);

const char *group_check_parts(const struct engine *e, const struct group *group);

#endif
