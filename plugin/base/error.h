/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_ERROR_H
#define SLUICE_PLUGIN_BASE_ERROR_H

/* Why a call failed; then nothing has changed. */
enum engine_error {
    ENGINE_NO_MEMORY = -1, /* the allocator said no */
    /* A limit would be passed, of the configuration: */
    ENGINE_FULL_PODS = -2,   /* pods, or groups, or finished members: each as many as pods */
    ENGINE_FULL_QUEUES = -3, /* queues, LocalQueues, checks, or commands: each as many as queues */
    ENGINE_FULL_NODES = -4,  /* nodes */
    ENGINE_FULL_WORKLOADS = -5, /* workloads, of each role */
    ENGINE_FULL_CLUSTERS = -6,  /* worker clusters, known or named */
    ENGINE_FULL_FLAVORS = -7,   /* ENGINE_MAX_FLAVORS, which none can raise */
};

enum { ENGINE_MAX_FLAVORS = 65534 };

#endif
