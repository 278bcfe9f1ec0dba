/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_TRACE_IMPORT_H
#define SLUICE_SIM_TRACE_IMPORT_H

#include "examples/sim/trace.h"

/*
 * What others say of what arrived, as a trace. The first one that was handed in arrives at 0. What
 * did not run, or runs still, has no length and is left out; how many that were is returned.
 */

/* `sacct -aXP --format=Submit,Account,User,Priority,NNodes,ReqTRES,ElapsedRaw`: a job is so many
 * pods as it had nodes, a gang if these are several. Its account is its queue, by a name that
 * Kubernetes takes. False after a fault. */
bool trace_from_sacct(struct trace *trace, const char *path, struct fault *fault,
                      int64_t *ret_left_out);

/* A list of pods of Alibaba's cluster-trace-gpu-v2023 (csv/openb_pod_list_*.csv): each is in the
 * queue of its QoS. False after a fault. */
bool trace_from_openb(struct trace *trace, const char *path, struct fault *fault,
                      int64_t *ret_left_out);

/* `kubectl get workloads -A -o json` of Kueue's: the pods of each pod set, as long as the workload
 * was admitted before it finished. False after a fault. */
bool trace_from_workloads(struct trace *trace, const char *path, struct fault *fault,
                          int64_t *ret_left_out);

/* `kubectl get pods,workloads -A -o json`, also of what runs still or waits (arrivals.h). Pods that
 * are in no queue are left out. False after a fault. */
bool trace_from_objects(struct trace *trace, const char *path, struct fault *fault);

/* For those who read objects: seconds since 1970, -1 if that is no time; when a condition became
 * true, -1: it is not; localqueue/NAME, or localqueue/NAMESPACE/NAME. */
int64_t trace_wall(const char *text);
int64_t trace_became(const struct tree *object, const char *type);
void trace_local_queue(const struct tree *metadata, const char *queue, char *out, size_t cap);

#endif
