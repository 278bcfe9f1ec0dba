/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_STAMP_H
#define SLUICE_PLUGIN_STAMP_H

#include "facts.h"

#include <stdint.h>

/* What the annotation of a granted pod says of its flavors: "cpu=spot,memory=spot". */

struct engine;

/* The flavors of a line's needs, by a stamp; 0 where it does not tell. Of the first *ret_count,
 * which was 0, the caller has a use. Negative on error. */
int stamp_read(struct engine *e, struct text stamp, uint32_t line, uint16_t *ret_flavors,
               uint32_t *ret_count);

#endif
