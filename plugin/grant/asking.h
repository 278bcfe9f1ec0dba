/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_ASKING_H
#define SLUICE_PLUGIN_GRANT_ASKING_H

#include <stdint.h>

/* The claims of a queue that ask for others' room, in order: the first of its lines that were
 * promised nothing yet; of a strict queue its head alone. At most so many. */
enum { ASKING_MOST = 16 };

struct asking {
    uint32_t count;
    uint32_t claims[ASKING_MOST];
};

struct engine;

void asking_find(const struct engine *e, uint32_t queue, struct asking *ret);

#endif
