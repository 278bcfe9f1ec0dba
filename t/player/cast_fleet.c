/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/cast.h"

#include <stdio.h>

#include "hooks/encode.h"

/* A manager's workloads, their replicas, and the clusters that these are in; and the table of all
 * kinds of the cast. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char manager_gate[] = "kueue.x-k8s.io/multikueue";
static const char *const clusters[] = {"east", "north", "west"};
static const char *const statuses[] = {"True", "False", "Unknown"};
static const char *const timeouts[] = {"2s", "10m", "x", "0s"};
static const char *const memories[] = {"v1 1 east,u0.0,1,0", "v1 9", "x", ""};

const struct field cluster_fields[] = {
    {"connected", OFTEN, 3, put_truth, NULL},
    {"since", SELDOM, 8, put_time, NULL},
};
const unsigned cluster_field_count = COUNT(cluster_fields);

static void put_clusters(struct msg_writer *w, const struct object *object,
                         const struct field *field, unsigned value)
{
    (void)object, (void)field;
    msg_put_array(w, (value & 1) + (value >> 1 & 1) + (value >> 2 & 1));
    for (unsigned i = 0; i < 3; i++)
        if (value >> i & 1)
            msg_put_str(w, clusters[i]);
}

static void put_one_gate(struct msg_writer *w, const struct object *object,
                         const struct field *field, unsigned value)
{
    (void)object, (void)field;
    msg_put_array(w, value % 2);
    if (value % 2)
        msg_put_str(w, "x/gate");
}

static void put_memory(struct msg_writer *w, const struct object *object, const struct field *field,
                       unsigned value)
{
    (void)field;
    msg_put_str(w, value == OBJECT_AS_WRITTEN ? object->granted : memories[value - 1]);
}

const struct field dispatch_fields[] = {
    {"conditions/QuotaReserved", OFTEN, 3, put_word, statuses},
    {"conditions/Finished", SELDOM, 3, put_word, statuses},
    {"conditions/Evicted", SELDOM, 3, put_word, statuses},
    {"checksReady", OFTEN, 3, put_truth, NULL},
    {"active", SELDOM, 2, put_truth, NULL},
    {"deleted", SELDOM, 2, put_truth, NULL},
    {"nominated", OFTEN, 7, put_clusters, NULL},
    {"cluster", SELDOM, 3, put_word, clusters},
    {"gates", SELDOM, 3, put_one_gate, NULL},
    {"annotations/sluice.sh/preemption-memory", SELDOM, 4, put_memory, NULL},
    {"annotations/sluice.sh/single-cluster-preemption-timeout", SELDOM, 4, put_word, timeouts},
};
const unsigned dispatch_field_count = COUNT(dispatch_fields);

static void put_replica_gates(struct msg_writer *w, const struct object *object,
                              const struct field *field, unsigned value)
{
    (void)object, (void)field;
    msg_put_array(w, 1 + (value == 2));
    msg_put_str(w, manager_gate);
    if (value == 2)
        msg_put_str(w, "x/gate");
}

static void put_replica_gate_states(struct msg_writer *w, const struct object *object,
                                    const struct field *field, unsigned value)
{
    (void)object, (void)field;
    msg_put_map(w, 2);
    put_key_str(w, manager_gate, value % 2 ? "Open" : "Closed");
    put_key_str(w, "x/gate", value > 2 ? "Open" : "Closed");
}

static const char *const origins[] = {"wu0.0", "wu1.0", "wu2.0", "wu0.1", "another"};

const struct field replica_fields[] = {
    {"origin", SELDOM, COUNT(origins), put_word, origins},
    {"gates", OFTEN, 2, put_replica_gates, NULL},
    {"gateStatus", OFTEN, 4, put_replica_gate_states, NULL},
    {"conditions/BlockedOnPreemptionGates", OFTEN, 3, put_word, statuses},
    {"conditions/PreemptionBlocked", SELDOM, 3, put_word, statuses},
    {"conditions/QuotaReserved", SELDOM, 3, put_word, statuses},
    {"conditions/Admitted", SELDOM, 3, put_word, statuses},
    {"conditions/Evicted", SELDOM, 3, put_word, statuses},
    {"conditions/Finished", SELDOM, 3, put_word, statuses},
    {"deleted", SELDOM, 2, put_truth, NULL},
};
const unsigned replica_field_count = COUNT(replica_fields);

const char *const cast_group_names[] = {"g0", "g1", "g2", "podgroup-ctl0", "podgroup-ctl1", NULL};

static void put_uid(struct msg_writer *w, const char *prefix, unsigned slot,
                    const struct object *object)
{
    char uid[64];

    snprintf(uid, sizeof(uid), "%s%u.%u", prefix, slot, object->incarnation);
    put_key_str(w, "uid", uid);
}

static unsigned put_pod_identity(struct msg_writer *w, const struct object *object, unsigned slot)
{
    put_uid(w, "pu", slot, object);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "p",
              slot / 2 * 2 == slot && object->incarnation % 4 == 3 ? slot + 1 : slot);
    return 3;
}

static unsigned put_queue_identity(struct msg_writer *w, const struct object *object, unsigned slot)
{
    static const struct {
        const char *kind, *name;
    } queues[CAST_SLOTS] = {
        {"Queue", "q0"},        {"Queue", "q1"},        {"Queue", "q2"},  {"Queue", "q3"},
        {"Queue", "default"},   {"Queue", "root"},      {"Cohort", "h0"}, {"Cohort", "h1"},
        {"Cohort", "h2"},       {"ClusterQueue", "q0"}, {"Cohort", "q0"}, {"ClusterQueue", "c1"},
        {"ClusterQueue", "c2"}, {"ClusterQueue", "c3"},
    };

    put_key_str(w, "kind", queues[slot].kind);
    put_key_str(w, "name", queues[slot].name);
    put_uid(w, "qu", slot, object);
    return 3;
}

static unsigned put_node_identity(struct msg_writer *w, const struct object *object, unsigned slot)
{
    (void)object;
    put_named(w, "name", "n", slot);
    return 1;
}

static unsigned put_flavor_identity(struct msg_writer *w, const struct object *object,
                                    unsigned slot)
{
    (void)object;
    put_named(w, "name", "f", slot);
    return 1;
}

static unsigned put_group_identity(struct msg_writer *w, const struct object *object, unsigned slot)
{
    put_uid(w, "gu", slot, object);
    put_key_str(w, "namespace", "d");
    put_key_str(w, "name", object->name[0] != '\0' ? object->name : cast_group_names[slot % 5]);
    return 3;
}

/* One of them is composite, and called as a PodGroup may be. */
static unsigned put_native_identity(struct msg_writer *w, const struct object *object,
                                    unsigned slot)
{
    put_uid(w, "nu", slot, object);
    put_key_str(w, "namespace", "d");
    put_key_str(w, "name", cast_group_names[slot % CAST_COMPOSITE]);
    put_key_bool(w, "native", true);
    put_key_bool(w, "composite", slot == CAST_COMPOSITE);
    return 5;
}

static unsigned put_command_identity(struct msg_writer *w, const struct object *object,
                                     unsigned slot)
{
    put_uid(w, "cu", slot, object);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "c", slot);
    return 3;
}

static unsigned put_workload_identity(struct msg_writer *w, const struct object *object,
                                      unsigned slot)
{
    put_key_str(w, "role", "worker");
    put_uid(w, "wu", slot, object);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "w", slot);
    return 4;
}

static unsigned put_dispatch_identity(struct msg_writer *w, const struct object *object,
                                      unsigned slot)
{
    put_key_str(w, "role", "manager");
    put_uid(w, "wu", slot, object);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "w", slot);
    return 4;
}

static unsigned put_local_queue_identity(struct msg_writer *w, const struct object *object,
                                         unsigned slot)
{
    put_uid(w, "lu", slot, object);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "l", slot);
    return 3;
}

static unsigned put_check_identity(struct msg_writer *w, const struct object *object, unsigned slot)
{
    (void)object;
    put_named(w, "name", "k", slot);
    return 1;
}

static unsigned put_cluster_identity(struct msg_writer *w, const struct object *object,
                                     unsigned slot)
{
    (void)object;
    put_key_str(w, "name", clusters[slot]);
    return 1;
}

/* Slot: four workloads in each of three clusters. */
static unsigned put_replica_identity(struct msg_writer *w, const struct object *object,
                                     unsigned slot)
{
    put_key_str(w, "cluster", clusters[slot / 4]);
    put_uid(w, "ru", slot, object);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "w", slot % 4);
    return 4;
}

const struct size_class cast_kinds[CAST_KINDS] = {
    [CAST_POD] = {"pod", 14, pod_fields, &pod_field_count, put_pod_identity, true},
    [CAST_QUEUE] = {"queue", 14, queue_fields, &queue_field_count, put_queue_identity, true},
    [CAST_NODE] = {"node", 3, node_fields, &node_field_count, put_node_identity, false},
    [CAST_FLAVOR] = {"flavor", 4, flavor_fields, &flavor_field_count, put_flavor_identity, false},
    [CAST_GROUP] = {"group", 5, group_fields, &group_field_count, put_group_identity, true},
    [CAST_COMMAND] = {"command", 6, command_fields, &command_field_count, put_command_identity,
                      false},
    [CAST_WORKLOAD] = {"workload", 8, workload_fields, &workload_field_count, put_workload_identity,
                       true},
    [CAST_LOCAL_QUEUE] = {"localQueue", 4, local_queue_fields, &local_queue_field_count,
                          put_local_queue_identity, true},
    [CAST_CHECK] = {"check", 2, check_fields, &check_field_count, put_check_identity, false},
    [CAST_CLUSTER] = {"cluster", 3, cluster_fields, &cluster_field_count, put_cluster_identity,
                      false},
    [CAST_DISPATCH] = {"workload", 4, dispatch_fields, &dispatch_field_count, put_dispatch_identity,
                       true},
    [CAST_REPLICA] = {"replica", 12, replica_fields, &replica_field_count, put_replica_identity,
                      true},
    [CAST_NATIVE] = {"group", CAST_COMPOSITE + 1, native_fields, &native_field_count,
                     put_native_identity, true},
};
