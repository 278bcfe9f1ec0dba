/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_LOAD_WRITE_H
#define SLUICE_SIM_LOAD_WRITE_H

#include <msgpack.h>

#include "examples/sim/world.h"

struct load_write;

/* The effect `writeWorkload`: what the library wants written into a Workload, as PROTOCOL.md says.
 * NULL: it is another effect. */
struct load_write *load_write_read(struct sim *sim, const msgpack_object *effect);
enum write load_write_do(struct sim *sim, struct load_write *write);

/* The resourceVersion as it was written. */
int64_t load_write_version(const struct load_write *write);

#endif
