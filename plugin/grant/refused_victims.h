/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_REFUSED_VICTIMS_H
#define SLUICE_PLUGIN_GRANT_REFUSED_VICTIMS_H

#include <stdbool.h>
#include <stdint.h>

/* Victims that were refused to stay, while room only becomes less: who is like one of them, in the
 * same queue, for the same amounts, in the same flavors, and in no gang, need not be tried. Only
 * the last few are remembered. */
enum { REFUSED_VICTIMS_LAST = 8 };

struct refused_victims {
    uint32_t count;
    uint32_t claims[REFUSED_VICTIMS_LAST];
};

struct engine;

/* Of claims. Workloads are not remembered. */
void refused_victims_add(struct refused_victims *refused, const struct engine *e, uint32_t claim);
bool refused_victims_has(const struct refused_victims *refused, const struct engine *e,
                         uint32_t claim);

#endif
