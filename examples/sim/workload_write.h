/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WORKLOAD_WRITE_H
#define SLUICE_SIM_WORKLOAD_WRITE_H

#include <msgpack.h>

#include "examples/sim/world.h"

struct workload_write;

/* The effect `writeWorkload`: what the library wants written into a Workload, as PROTOCOL.md says.
 * NULL: it is another effect. */
struct workload_write *workload_write_read(struct sim *sim, const msgpack_object *effect);
enum write workload_write_do(struct sim *sim, struct workload_write *write);

/* The resourceVersion as it was written. */
int64_t workload_write_version(const struct workload_write *write);

#endif
