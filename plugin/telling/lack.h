/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_LACK_H
#define SLUICE_PLUGIN_TELLING_LACK_H

#include "outlook.h"
#include "report.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a claim that waits lacks: the lowest queue that has no room for it, and for what.
 *
 *   pod, gang   the first of its needs that is refused
 *   workload    of what its pod sets ask for, in those flavors in which their pods can be, what is
 *               missing most beside what is used of it: that will take longest to come free
 */

/* False: nothing. What is missing of it is all that the shortfall says then, beside `free`. */
bool lack_find(const struct engine *e, uint32_t claim, struct lack *ret,
               struct shortfall *ret_shortfall);

/* What it asks for of what is missing: of a workload, at least. */
wide lack_asked(const struct engine *e, uint32_t claim, const struct shortfall *shortfall);

#endif
