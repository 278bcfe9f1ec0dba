/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_VICTIMS_H
#define SLUICE_PLUGIN_GRANT_VICTIMS_H

#include <stdint.h>

/*
 * What becomes of those that a search has found (hunt.h), once their room is promised to the one
 * that asked for it: a pod that is bound is to be evicted, one that is only reserved gives back at
 * once; a workload is to be evicted, or, if nobody has heard of its reservation, gives it back.
 */
struct hunt;

/* They go for this claim, which is promised their room. Of the pods the one that was found last
 * stays first, if one can. [hunt_take] */
void victims_take(struct hunt *hunt, uint32_t of);

#endif
