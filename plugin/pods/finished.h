/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_FINISHED_H
#define SLUICE_PLUGIN_PODS_FINISHED_H

#include "plugin/base/facts.h"

#include <stdbool.h>
#include <stdint.h>

/* Members of groups that have ended. They claim nothing, but who has succeeded counts for the
 * minimum, and both are counted, as long as their objects are there. */
struct finished {
    uint32_t group;
    uint32_t uid; /* a name */
    bool failed;
};

struct engine;

/* Takes note of a pod that ended, once; shown again it counts in the group that it names now.
 * Negative on error, and nothing has changed. */
int finished_see(struct engine *e, const struct pod_facts *pod);

/* The object is gone, or has not ended after all. False: it is not known. */
bool finished_lose(struct engine *e, struct text uid);

/* The group in which it counts; 0: it is not known. */
uint32_t finished_group(const struct engine *e, struct text uid);

#endif
