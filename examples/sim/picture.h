/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_PICTURE_H
#define SLUICE_SIM_PICTURE_H

#include <stdio.h>

struct sim;

/* The story as an SVG picture: each queue over time against its limit, what waits, the nodes, and
 * the moments that explain the rest. */
void picture_draw(struct sim *sim, FILE *out);

#endif
