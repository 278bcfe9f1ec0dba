/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_EXPLAIN_NEVER_H
#define SLUICE_PLUGIN_TELLING_EXPLAIN_NEVER_H

#include <stdint.h>

struct engine;
struct sentence;

/* Says of what a claim asks for too much ever to be granted it, and who could change that. No
 * amount in it is one that others change by what they use: a condition and an event say it once.
 * [fit_never of its line] */
void explain_never(struct sentence *say, const struct engine *e, uint32_t claim);

#endif
