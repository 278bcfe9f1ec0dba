/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_ADMISSION_CHECK_H
#define SLUICE_PLUGIN_QUEUES_ADMISSION_CHECK_H

#include "plugin/records/queue.h"

/* The admission checks that ClusterQueues name, and what keeps one from granting anything. */

/* An AdmissionCheck, as it is seen; or it is gone. Negative on error. */
int check_see(struct engine *e, struct text name, bool active);
void check_lose(struct engine *e, struct text name);

/* The checks that an object names, with what they need in hand; negative on error. */
int cluster_queue_read_checks(struct engine *e, const struct queue_facts *facts,
                              struct cluster_queue_check **ret);
void cluster_queue_free_checks(struct engine *e, struct cluster_queue_check *checks,
                               uint32_t count);

/* Why it grants nothing to workloads. */
enum cluster_queue_fault {
    CLUSTER_QUEUE_READY,
    CLUSTER_QUEUE_UNKNOWN,
    CLUSTER_QUEUE_CYCLE,
    CLUSTER_QUEUE_STOPPED,
    CLUSTER_QUEUE_FLAVOR_MISSING,
    CLUSTER_QUEUE_CHECK_MISSING,
    CLUSTER_QUEUE_CHECK_INACTIVE,
};

/* *ret_what: the name of the flavor, or of the check; NULL: nobody asks for it. */
enum cluster_queue_fault cluster_queue_fault(const struct engine *e, uint32_t queue,
                                             struct text *ret_what);

/* What is wrong with a check that the queue names. */
enum cluster_queue_fault cluster_queue_check_fault(const struct engine *e,
                                                   const struct cluster_queue_check *check);

#endif
