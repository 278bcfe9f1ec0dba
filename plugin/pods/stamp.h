/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_STAMP_H
#define SLUICE_PLUGIN_PODS_STAMP_H

#include "plugin/base/facts.h"

#include <stdbool.h>
#include <stdint.h>

/* What the annotations of a granted pod say of the queue that it was granted in, and of its
 * flavors: "cpu=spot,memory=spot". */

struct engine;

/* Whether it was granted, or is bound, and its stamp says where it counts: older ones do not. */
bool stamp_names_queue(const struct pod_facts *pod);

/* The flavors of a line's needs, by a stamp; 0 where it does not tell. Of the first *ret_count,
 * which was 0, the caller has a use. Negative on error. */
int stamp_read(struct engine *e, struct text stamp, uint32_t line, uint16_t *ret_flavors,
               uint32_t *ret_count);

#endif
