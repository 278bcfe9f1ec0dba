/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_PENDING_H
#define SLUICE_PLUGIN_TELLING_PENDING_H

#include <stdint.h>

/*
 * What waits in a queue, page by page: the lines (line.h), each of which is in order, merged.
 *
 *     lines    a1 ─────── a2 ── a3        b1        c1 ── c2        d1
 *     page                  a2    a3   ...  behind b1: of those that began before, only lines in
 *                                           which more than one waits are looked at
 */
struct engine;

/* The claims that wait behind this one (0: from the first), in order, at most so many; returns how
 * many. Costs the logarithm of what waits for each, and a look at each line in which several wait
 * and the first comes before the page's end. */
uint32_t pending_page(const struct engine *e, uint32_t queue, uint32_t claim, uint32_t most,
                      uint32_t *ret_claims);

#endif
