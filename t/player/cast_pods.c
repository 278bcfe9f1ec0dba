/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/cast.h"

#include "hooks/encode.h"

/* Pods, the nodes that they run on, and their groups. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const queues[] = {"q0", "q1",      "q2",   "q3",     "c1",
                                     "c2", "default", "root", "nowhere"};
static const char *const queue_kinds[] = {"ClusterQueue", "Queue"};
static const char *const truths[] = {"true", "true", "true", "false"};
static const char *const nodes[] = {"n0", "n1", "n2", "gone"};
static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed", "Odd"};
static const char *const owners[] = {"DaemonSet", "ReplicaSet"};
static const char *const schedulers[] = {"default-scheduler", "another"};
static const char *const minimums[] = {"2", "1", "3", "0", "x", "-1", "2147483647", "99999999999"};
static const char *const preemptables[] = {"false", "true", "False", "0"};
static const char *const workloads[] = {"w0", "w1", "w2", "w3"};
static const char *const classes[] = {"high", "low"};
static const char *const never[] = {"Never", "PreemptLowerPriority"};
static const char *const claims[] = {"resourceclaim/c", "resourceclaim/d", ""};
static const char *const stamps[] = {"1",  "5000000000", "20000000000",
                                     "-3", "x",          "9223372036854775807"};
static const char *const stamp_flavors[] = {"cpu=f0,memory=f0",       "cpu=f1", "cpu=f0,x", "=", "",
                                            "cpu=f0,x/gpu=f2,pods=f0"};

/* Bit 0: our gate, bit 1: the short form of it, bit 2: a foreign one. */
static void put_gate_list(struct msg_writer *w, const struct object *object,
                          const struct field *field, unsigned value)
{
    (void)object, (void)field;
    msg_put_array(w, (value & 1) + (value >> 1 & 1) + (value >> 2 & 1));
    if (value & 4)
        msg_put_str(w, "example.com/foreign");
    if (value & 1)
        msg_put_str(w, "scheduling.volcano.sh/queue-allocation-gate");
    if (value & 2)
        msg_put_str(w, "volcano.sh/queue-allocation-gate");
}

static void put_controller(struct msg_writer *w, const struct object *object,
                           const struct field *field, unsigned value)
{
    (void)object, (void)field;
    msg_put_map(w, 6);
    put_named(w, "uid", "ctl", value % 2);
    put_key_str(w, "kind", value < 4 ? "Deployment" : "StatefulSet");
    put_named(w, "name", "owner", value % 2);
    put_key_str(w, "apiVersion", "apps/v1");
    put_key_int(w, "replicas", value);
    put_key_bool(w, "ordered", value == 6);
}

static void put_group(struct msg_writer *w, const struct object *object, const struct field *field,
                      unsigned value)
{
    (void)field;
    msg_put_str(w, value == OBJECT_AS_WRITTEN ? object->group : cast_group_names[value - 1]);
}

static void put_stamp(struct msg_writer *w, const struct object *object, const struct field *field,
                      unsigned value)
{
    (void)field;
    msg_put_str(w, value == OBJECT_AS_WRITTEN ? object->granted : stamps[value - 1]);
}

static void put_stamp_flavors(struct msg_writer *w, const struct object *object,
                              const struct field *field, unsigned value)
{
    (void)field;
    msg_put_str(w, value == OBJECT_AS_WRITTEN ? object->flavors : stamp_flavors[value - 1]);
}

const struct field pod_fields[] = {
    {"created", ALWAYS, 8, put_time, NULL},
    {"priority", OFTEN, 3, put_sign, NULL},
    {"generation", OFTEN, 4, put_number, NULL},
    {"scheduler", SELDOM, 2, put_word, schedulers},
    {"gates", OFTEN, 7, put_gate_list, NULL},
    {"annotations/scheduling.volcano.sh/queue-allocation-gate", OFTEN, 4, put_word, truths},
    {"annotations/volcano.sh/queue-allocation-gate", SELDOM, 4, put_word, truths},
    {"annotations/scheduling.volcano.sh/queue-name", OFTEN, COUNT(queues), put_word, queues},
    {"annotations/scheduling.k8s.io/group-name", SELDOM, 5, put_group, NULL},
    {"annotations/scheduling.volcano.sh/group-min-member", SELDOM, COUNT(minimums), put_word,
     minimums},
    {"annotations/volcano.sh/preemptable", SELDOM, 4, put_word, preemptables},
    {"annotations/kueue.x-k8s.io/workload", SELDOM, 4, put_word, workloads},
    {"annotations/sluice.sh/granted", SELDOM, COUNT(stamps), put_stamp, NULL},
    {"annotations/sluice.sh/flavors", SELDOM, COUNT(stamp_flavors), put_stamp_flavors, NULL},
    {"annotations/!odd", SELDOM, 1, put_word, classes},
    {"namespaceQueue", SELDOM, COUNT(queues), put_word, queues},
    {"queueKind", SELDOM, 2, put_word, queue_kinds},
    {"selected", SELDOM, 2, put_truth, NULL},
    {"requests", OFTEN, 40, put_some_amounts, NULL},
    {"node", SELDOM, 4, put_word, nodes},
    {"nominated", SELDOM, 4, put_word, nodes},
    {"phase", SELDOM, 5, put_word, phases},
    {"deleted", SELDOM, 2, put_truth, NULL},
    {"unschedulable", SELDOM, 2, put_truth, NULL},
    {"owner", SELDOM, 2, put_word, owners},
    {"mirror", SELDOM, 2, put_truth, NULL},
    {"controller", OFTEN, 6, put_controller, NULL},
    {"priorityClass", SELDOM, 2, put_word, classes},
    {"preemptionPolicy", SELDOM, 2, put_word, never},
    {"claimMissing", SELDOM, COUNT(claims), put_word, claims},
    {"schedulingGroup", SELDOM, 5, put_word, cast_group_names},
    {"compositeGroup", SELDOM, 1, put_word, cast_group_names},
};
const unsigned pod_field_count = COUNT(pod_fields);

static const char *const pools[] = {"a", "b", "c"};

const struct field node_fields[] = {
    {"labels/pool", OFTEN, 3, put_word, pools},
    {"allocatable", OFTEN, 40, put_some_amounts, NULL},
};
const unsigned node_field_count = COUNT(node_fields);

static const char *const group_phases[] = {"Pending", "Inqueue",   "Running",
                                           "Unknown", "Completed", "Odd"};

static void put_condition(struct msg_writer *w, const struct object *object,
                          const struct field *field, unsigned value)
{
    (void)field;
    msg_put_map(w, value == OBJECT_AS_WRITTEN ? 4 : 3);
    if (value == OBJECT_AS_WRITTEN) {
        put_key_str(w, "type", object->granted);
        put_key_str(w, "status", object->flavors);
        put_key_str(w, "reason", object->group);
        put_key_str(w, "message", object->message);
        return;
    }
    put_key_str(w, "type", value % 2 == 0 ? "Scheduled" : "Unschedulable");
    put_key_str(w, "status", value == 3 ? "False" : "True");
    put_key_str(w, "reason", value == 1 ? "NotEnoughResources" : "tasks in gang are ready");
}

const struct field group_fields[] = {
    {"created", ALWAYS, 8, put_time, NULL},   {"queue", OFTEN, COUNT(queues), put_word, queues},
    {"minMember", OFTEN, 5, put_sign, NULL},  {"minResources", SELDOM, 40, put_some_amounts, NULL},
    {"priority", SELDOM, 3, put_sign, NULL},  {"deleted", SELDOM, 2, put_truth, NULL},
    {"ours", SELDOM, 2, put_truth, NULL},     {"phase", SELDOM, 6, put_word, group_phases},
    {"running", SELDOM, 4, put_number, NULL}, {"succeeded", SELDOM, 4, put_number, NULL},
    {"failed", SELDOM, 4, put_number, NULL},  {"condition", SELDOM, 4, put_condition, NULL},
};
const unsigned group_field_count = COUNT(group_fields);
