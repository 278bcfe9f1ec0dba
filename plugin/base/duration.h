/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_DURATION_H
#define SLUICE_PLUGIN_BASE_DURATION_H

#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/* A span of time as Kubernetes writes it: 5m, 1h30m, 2.5s, 100ms. Above 0, in nanoseconds; false:
 * it is none, and *ret is as it was. */
bool duration_parse(struct text text, int64_t *ret);

#endif
