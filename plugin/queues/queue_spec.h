/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_SPEC_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_SPEC_H

#include <stdint.h>

/* Most messages about a queue tell that its status was written. What its object asks for is
 * compared by a hash, which is never 0: what stays as it is costs nothing, and what was promised
 * under it stands. The state that the object names is no part of it (queue_life.h). */
struct queue_facts;

uint64_t queue_spec(const struct queue_facts *facts);

#endif
