/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_WORKLOADS_WORKLOAD_SEE_H
#define SLUICE_PLUGIN_WORKLOADS_WORKLOAD_SEE_H

#include "plugin/records/workload.h"

/* What the object of a workload says, and how its record comes and goes. */

/* Its object, as it is seen; enum seen, or negative on error. It is gone; of another uid than that
 * which is known it is another one. */
int workload_see(struct engine *e, const struct workload_facts *facts);
void workload_lose(struct engine *e, struct text space, struct text name, struct text uid);

/* It is gone. */
void workload_destroy(struct engine *e, uint32_t workload);

/* Frees all of them, for the end of the engine. */
void workload_release_all(struct engine *e);

#endif
