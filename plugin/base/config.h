/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_CONFIG_H
#define SLUICE_PLUGIN_BASE_CONFIG_H

#include "facts.h"
#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/* What a manager of worker clusters is told once; times and limits of 0 are the protocol's
 * defaults. */
struct fleet_config {
    bool orchestrated; /* MultiKueueOrchestratedPreemption */
    bool observe_only;
    int64_t preemption_timeout; /* singleClusterPreemptionTimeout */
    int64_t worker_lost_timeout;
    int64_t prefer_no_preemption; /* wait for a worker that needs no victims; 0: do not */
    uint32_t max_dispatches, max_clusters;
};

/* What an engine is told once, when it is made. */
enum removal { REMOVE_ON_BIND, REMOVE_ON_ADMISSION };
enum root_ceiling { ROOT_UNLIMITED, ROOT_CLUSTER, ROOT_AMOUNTS };

enum { ENGINE_MAX_SCHEDULERS = 16 };

struct engine_config {
    uint32_t scheduler_count; /* 0: default-scheduler */
    struct text schedulers[ENGINE_MAX_SCHEDULERS];
    enum removal removal;
    bool manage_all;
    enum root_ceiling root_ceiling;
    struct named_amounts root_amounts;
    bool undeclared_unlimited;
    int64_t reservation_timeout; /* 0: never */
    int64_t head_guard;          /* 0: off */

    /* Who merely waits for room is told so after it has waited for so long, and so many a second,
     * 0: all (wait_notice.h). */
    int64_t waiting_reasons_after;
    uint32_t waiting_reasons_per_second;

    /* So many statuses of queues are written in a second of which only counts are others, 0: all
     * (status_turn.h). */
    uint32_t queue_statuses_per_second;

    bool observe_only;
    bool partial_groups;   /* of a native group the minimum alone may be granted */
    bool preemption_gates; /* those of workloads that are admitted here count */
    bool pod_events;       /* pods are told of more than a suspended queue (news.h) */
    bool waiting_reasons;  /* objects of workloads say why these wait */
    bool journal;          /* keep events: somebody takes them (journal.h) */
    uint32_t effects; /* those beyond EFFECT_ALWAYS that the host carries out: a bit for each */

    uint32_t max_pods, max_queues, max_nodes, max_workloads; /* 0: the protocol's default */
};

/* Whether the host was said to carry out effects of this kind, of those beyond EFFECT_ALWAYS. */
static inline bool config_names_effect(const struct engine_config *config, uint32_t kind)
{
    return (config->effects >> kind & 1) != 0;
}

#endif
