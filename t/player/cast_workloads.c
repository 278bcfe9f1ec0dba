/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/cast.h"

#include "hooks/encode.h"

/* Workloads that get their quota here, their LocalQueues and admission checks. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int64_t a_second = INT64_C(1000000000);
static const char *const local_queues[] = {"l0", "l1", "l2", "l3", "nowhere"};
static const char *const cluster_queues[] = {"q0", "c1", "c2", "c3", "unseen"};
static const char *const stops[] = {"Hold", "HoldAndDrain", "None"};
static const char *const reasons[] = {"a field that is not done here"};

static void put_toleration(struct msg_writer *w)
{
    msg_put_key(w, "tolerations");
    msg_put_array(w, 1);
    msg_put_map(w, 2);
    put_key_str(w, "key", "dear");
    put_key_str(w, "operator", "Exists");
}

static void put_affinity(struct msg_writer *w, unsigned value)
{
    msg_put_key(w, "affinity");
    msg_put_array(w, 1);
    msg_put_array(w, 1);
    msg_put_map(w, 3);
    put_key_str(w, "key", "pool");
    put_key_str(w, "operator", value % 2 ? "In" : "NotIn");
    msg_put_key(w, "values");
    msg_put_array(w, 1);
    msg_put_str(w, value % 4 < 2 ? "a" : "b");
}

static void put_pod_set(struct msg_writer *w, unsigned set, unsigned value)
{
    bool partial = value % 5 == 0, selects = value % 7 == 0, chooses = value % 11 == 0;
    bool tolerates = value % 3 == 0;

    msg_put_map(w, 3u + partial + selects + chooses + tolerates);
    put_named(w, "name", "s", set);
    put_key_int(w, "count", value % 4 == 0 ? 0 : 1 + value % 3);
    msg_put_key(w, "requests");
    put_resources(w, value % 17 == 0 ? value + 8 : 1 + value % 8);
    if (partial)
        put_key_int(w, "minCount", value % 2);
    if (selects) {
        msg_put_key(w, "nodeSelector");
        msg_put_map(w, 1);
        put_key_str(w, "pool", value % 2 ? "a" : "b");
    }
    if (chooses)
        put_affinity(w, value);
    if (tolerates)
        put_toleration(w);
}

static void put_pod_sets(struct msg_writer *w, const struct object *object,
                         const struct field *field, unsigned value)
{
    unsigned sets = value > 200 ? 2 + value % 2 : 1;

    (void)object, (void)field;
    msg_put_array(w, sets);
    for (unsigned i = 0; i < sets; i++)
        put_pod_set(w, i, value + i * 5);
}

/* Gates g0 and g1, of which each may be there. */
static void put_gate_names(struct msg_writer *w, const struct object *object,
                           const struct field *field, unsigned value)
{
    (void)object, (void)field;
    msg_put_array(w, (value & 1) + (value >> 1 & 1));
    for (unsigned i = 0; i < 2; i++)
        if (value >> i & 1)
            msg_put_str(w, i ? "g1" : "g0");
}

/* For each of both: nothing, Closed, Open, another word. */
static void put_gate_states(struct msg_writer *w, const struct object *object,
                            const struct field *field, unsigned value)
{
    static const char *const positions[] = {NULL, "Closed", "Open", "Odd"};
    const char *first = positions[(value - 1) % 4], *second = positions[(value - 1) / 4];

    (void)object, (void)field;
    msg_put_map(w, (first != NULL ? 1u : 0) + (second != NULL ? 1u : 0));
    if (first != NULL)
        put_key_str(w, "g0", first);
    if (second != NULL)
        put_key_str(w, "g1", second);
}

/* True or False, for one of some reasons, since some time. */
static void put_condition(struct msg_writer *w, const struct object *object,
                          const struct field *field, unsigned value)
{
    static const char *const why[] = {"Preempted", "AdmissionCheck", "Pending", "Deactivated"};
    bool written = value >= OBJECT_AS_WRITTEN_FALSE;

    msg_put_map(w, value <= 8 ? 3 : 2);
    put_key_str(w, "status",
                value == OBJECT_AS_WRITTEN || (!written && (value - 1) / 4 % 2 == 0) ? "True"
                                                                                     : "False");
    put_key_str(w, "reason",
                written ? object->reasons[field - workload_fields] : why[(value - 1) % 4]);
    if (value <= 8)
        put_key_int(w, "since", (int64_t)value * a_second);
}

static void put_admission(struct msg_writer *w, const struct object *object,
                          const struct field *field, unsigned value)
{
    unsigned sets = 1 + value % 2;

    (void)field;
    if (value == OBJECT_AS_WRITTEN) {
        for (size_t i = 0; i < object->admission_len; i++, w->length++)
            if (w->length < w->cap)
                w->out[w->length] = object->admission[i];
        return;
    }
    if (value == 1) {
        msg_put_nil(w);
        return;
    }
    msg_put_map(w, 2);
    put_key_str(w, "clusterQueue", cluster_queues[value % COUNT(cluster_queues)]);
    msg_put_key(w, "podSets");
    msg_put_array(w, sets);
    for (unsigned i = 0; i < sets; i++) {
        msg_put_map(w, 3);
        put_named(w, "name", "s", value % 7 == 0 ? 5 : i);
        put_key_int(w, "count", value % 3);
        msg_put_key(w, "flavors");
        msg_put_map(w, 1);
        put_named(w, "cpu", "f", value % 5 == 0 ? 9 : value % 2);
    }
}

/* For each of both: nothing, or one of the states. */
static void put_check_states(struct msg_writer *w, const struct object *object,
                             const struct field *field, unsigned value)
{
    static const char *const states[] = {NULL, "Ready", "Pending", "Retry", "Rejected"};
    size_t place = msg_put_array_later(w);
    uint32_t count = 0;

    (void)object, (void)field;
    for (unsigned i = 0, left = value - 1; i < 2; i++, left /= 5) {
        if (states[left % 5] == NULL)
            continue;
        msg_put_map(w, 3);
        put_named(w, "name", "k", i);
        put_key_str(w, "state", states[left % 5]);
        put_key_int(w, "retryAfter", (int64_t)(value % 3) * 20 * a_second);
        count++;
    }
    msg_set_count(w, place, count);
}

const struct field workload_fields[] = {
    {"created", ALWAYS, 8, put_time, NULL},
    {"queue", OFTEN, COUNT(local_queues), put_word, local_queues},
    {"priority", OFTEN, 3, put_sign, NULL},
    {"active", SELDOM, 2, put_truth, NULL},
    {"deleted", SELDOM, 2, put_truth, NULL},
    {"podSets", ALWAYS, 250, put_pod_sets, NULL},
    {"gates", SELDOM, 3, put_gate_names, NULL},
    {"gateStatus", SELDOM, 16, put_gate_states, NULL},
    {"conditions/QuotaReserved", SELDOM, 16, put_condition, NULL},
    {"conditions/Admitted", SELDOM, 16, put_condition, NULL},
    {"conditions/Evicted", SELDOM, 16, put_condition, NULL},
    {"conditions/Finished", SELDOM, 16, put_condition, NULL},
    {"conditions/Requeued", SELDOM, 16, put_condition, NULL},
    {"conditions/DeactivationTarget", SELDOM, 16, put_condition, NULL},
    {"conditions/BlockedOnPreemptionGates", SELDOM, 16, put_condition, NULL},
    {"conditions/PreemptionBlocked", SELDOM, 16, put_condition, NULL},
    {"admission", SELDOM, 60, put_admission, NULL},
    {"checks", SELDOM, 25, put_check_states, NULL},
    {"requeueAt", SELDOM, 60, put_time, NULL},
    {"requeueCount", SELDOM, 4, put_number, NULL},
    {"jobStopped", OFTEN, 2, put_truth, NULL},
    {"jobUid", SELDOM, 1, put_word, reasons},
    {"cannotPreempt", SELDOM, 2, put_truth, NULL},
    {"unsupported", SELDOM, 1, put_word, reasons},
    {"admissionGated", SELDOM, 2, put_truth, NULL},
};
const unsigned workload_field_count = COUNT(workload_fields);

const struct field local_queue_fields[] = {
    {"clusterQueue", ALWAYS, COUNT(cluster_queues), put_word, cluster_queues},
    {"stopPolicy", SELDOM, 3, put_word, stops},
    {"selected", SELDOM, 2, put_truth, NULL},
};
const unsigned local_queue_field_count = COUNT(local_queue_fields);

const struct field check_fields[] = {
    {"active", SELDOM, 2, put_truth, NULL},
};
const unsigned check_field_count = COUNT(check_fields);
