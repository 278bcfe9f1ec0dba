/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_WORKLOADS_LOCAL_QUEUE_H
#define SLUICE_PLUGIN_WORKLOADS_LOCAL_QUEUE_H

#include "plugin/base/list.h"
#include "plugin/base/tree.h"
#include "plugin/base/workload_life.h"
#include "plugin/records/waits.h"

#include <stdbool.h>
#include <stdint.h>

/* What is counted of its workloads: that are pending, idle of these, hold quota, are admitted. */
enum local_count { LOCAL_PENDING, LOCAL_IDLE, LOCAL_RESERVING, LOCAL_ADMITTED, LOCAL_COUNTS };

/* A LocalQueue: through which workloads of a namespace reach their ClusterQueue. It is there while
 * its object is, or a workload names it. */
struct local_queue {
    struct tree_link link; /* among all, by namespace and name */
    uint32_t uid, space, name;
    uint32_t queue;    /* 0: its object was not seen */
    struct list loads; /* its workloads: who came last is looked at first */
    int64_t version;
    uint8_t stop; /* enum life_stop */
    bool known, selected;
    uint32_t counts[LOCAL_COUNTS];
    struct waits waits; /* of its workloads that were granted quota, since it is known */
};

struct engine;

/* Its object, as it is seen; enum seen, or negative on error; and it is gone. */
struct local_queue_facts;
int local_queue_see(struct engine *e, const struct local_queue_facts *facts);
void local_queue_lose(struct engine *e, struct text space, struct text name);

/* Finds it or makes one that was not seen. Negative on error. */
int local_queue_get(struct engine *e, struct text space, struct text name, uint32_t *ret_id);
uint32_t local_queue_find(const struct engine *e, struct text space, struct text name);

/* Forgets it, if it was not seen and nobody names it. */
void local_queue_drop(struct engine *e, uint32_t id);

/* Moves *workload to the next of its workloads, from 0 to the first. */
bool local_queue_step(const struct engine *e, uint32_t id, uint32_t *workload);

extern const struct tree_type local_queues_by_name;

#endif
