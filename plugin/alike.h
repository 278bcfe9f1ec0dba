/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ALIKE_H
#define SLUICE_PLUGIN_ALIKE_H

#include <stdbool.h>
#include <stdint.h>

/* Victims that were refused to stay, while room only becomes less: who is like one of them, in the
 * same queue, for the same amounts, in the same flavors, and in no gang, need not be tried. Only
 * the last few are remembered. */
enum { ALIKE_LAST = 8 };

struct alike {
    uint32_t count;
    uint32_t claims[ALIKE_LAST];
};

struct engine;

void alike_add(struct alike *alike, const struct engine *e, uint32_t claim);
bool alike_has(const struct alike *alike, const struct engine *e, uint32_t claim);

#endif
