/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_SERIES_H
#define SLUICE_SIM_SERIES_H

#include "examples/sim/story.h"

/* How the queues are used over time. Long runs keep fewer samples the longer they last, so that the
 * memory stays bounded, and the same run keeps the same ones. */

/* Asks the library for all queues; a queue whose use has changed gets a sample, and a row. */
void series_sample(struct sim *sim);
void series_finish(struct map *usages);

/* As JSON. */
void series_json(FILE *out, const struct usage *usage, bool first);

#endif
