/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_H
#define SLUICE_PLUGIN_FLEET_H

#include <stdint.h>

/* All clusters together: what a person sees of them is in engine.h (engine_report_workload and what
 * comes after it); here is what must always hold of them. */
struct engine;

/* NULL, or which invariant does not hold. */
const char *fleet_check(const struct engine *e);

#endif
