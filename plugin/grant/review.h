/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_REVIEW_H
#define SLUICE_PLUGIN_GRANT_REVIEW_H

#include <stdbool.h>
#include <stdint.h>

/* Promises (promise.h), looked at again when something below a root has changed:
 *
 *   victims that are spared    as queue_spares says, and that     stay where they are
 *                              were not sent away yet
 *   who can no longer come     their queue was stopped or shrunk   is promised nothing any more
 *   victims that nobody needs  and that were not sent away yet     stay where they are
 *   who fits in what is        the first that was promised         is granted
 *
 * A gang stays as a whole or not at all. True if somebody was granted: then look again. */
struct engine;

bool review_promises(struct engine *e, uint32_t root);

#endif
