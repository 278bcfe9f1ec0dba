/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_CAST_H
#define SLUICE_T_PLAYER_CAST_H

#include "t/player/object.h"

/*
 * Which objects there are in the player's cluster: a few of each kind, whose names collide wherever
 * names can.
 */
enum cast {
    CAST_POD,
    CAST_QUEUE,
    CAST_NODE,
    CAST_FLAVOR,
    CAST_GROUP,
    CAST_COMMAND, /* shown to the hook of commands */
    CAST_WORKLOAD,
    CAST_LOCAL_QUEUE,
    CAST_CHECK,
    CAST_CLUSTER,
    CAST_DISPATCH, /* a manager's workload */
    CAST_REPLICA,
    CAST_NATIVE, /* groups of Kubernetes' own */
    CAST_KINDS
};
enum {
    CAST_SLOTS = 16,
    CAST_COMPOSITE = 5,    /* the slot of the native group that is composite */
    CAST_KUEUE_QUEUES = 6, /* the first slot of queues that are not Volcano's */
};

extern const struct size_class cast_kinds[CAST_KINDS];

/* How a PodGroup of the cast is called, in this slot: Volcano's and Kubernetes' own alike. */
extern const char *const cast_group_names[];

/* The kinds' tables, each where its objects are told. */
extern const struct field pod_fields[], queue_fields[], node_fields[], flavor_fields[],
    group_fields[], command_fields[], workload_fields[], local_queue_fields[], check_fields[],
    cluster_fields[], dispatch_fields[], replica_fields[], native_fields[];
extern const unsigned pod_field_count, queue_field_count, node_field_count, flavor_field_count,
    group_field_count, command_field_count, workload_field_count, local_queue_field_count,
    check_field_count, cluster_field_count, dispatch_field_count, replica_field_count,
    native_field_count;

#endif
