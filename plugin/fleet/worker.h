/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_WORKER_H
#define SLUICE_PLUGIN_FLEET_WORKER_H

#include "plugin/base/list.h"
#include "plugin/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* A worker cluster, as its manager knows it. It exists while it is seen, or while a workload or a
 * replica names it.
 *
 * Connected means more than that it answers: all replicas in it have been shown, so what was not
 * shown is not there. When that changes, its replicas are looked at again in slices:
 *
 *   replicas: first ◀─ ... ◀─ sweep ◀─ ... ◀─ last   those from sweep back are to be looked at
 */
struct worker {
    uint32_t name;
    uint32_t users;
    bool known, connected, sweeps;
    int64_t lost; /* it is not connected since */
    struct list replicas;
    uint32_t count; /* of its replicas */
    uint32_t sweep;
    struct list_link sweeping; /* among the workers with a sweep */
};

struct fleet;

/* Finds the worker or makes one that nobody has seen, with one more user. Negative on error. */
int worker_get(struct fleet *f, struct text name, uint32_t *ret_worker);
void worker_unref(struct fleet *f, uint32_t worker);
uint32_t worker_find(const struct fleet *f, struct text name);

/* A replica begins or ceases to be one of the worker's. */
void worker_enter(struct fleet *f, uint32_t worker, uint32_t replica);
void worker_leave(struct fleet *f, uint32_t replica);

/* Its replicas are to be looked at again. */
void worker_begin_sweep(struct fleet *f, uint32_t worker);

/* The next one of all that are, with its turn behind it; 0: there is none. */
uint32_t worker_take_swept(struct fleet *f);

/* Some may be left. */
bool worker_sweeps(const struct fleet *f);

#endif
