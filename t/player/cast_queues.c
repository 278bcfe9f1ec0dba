/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/cast.h"

#include "hooks/encode.h"

/* Queues of all three kinds, flavors, and commands. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const parents[] = {"root", "q0", "q1", "q2", "h0", "h1", "h2", "unseen"};
static const char *const strategies[] = {"fifo", "traverse", "StrictFIFO", "BestEffortFIFO"};
static const char *const states[] = {"Open", "Closing", "Suspended", "Closed", "Unknown", "Odd"};
static const char *const stops[] = {"Hold", "HoldAndDrain", "None"};
static const char *const policies[] = {"Never", "LowerPriority", "LowerOrNewerEqualPriority"};
static const char *const reclaims[] = {"Never", "LowerPriority", "Any"};
static const char *const marks[] = {"true", "Closing", "Open", "Closed", "Suspended", "x"};
static const char *const truths[] = {"true", "false"};
static const char *const stays[] = {"TryNextFlavor", "Borrow", "MayStopSearch", "Preempt"};
static const char *const preferences[] = {"PreemptionOverBorrowing", "BorrowingOverPreemption"};

static void put_preemption(struct msg_writer *w, const struct object *object,
                           const struct field *field, unsigned value)
{
    (void)object, (void)field;
    msg_put_map(w, 3);
    put_key_str(w, "withinClusterQueue", policies[value % 3]);
    put_key_str(w, "reclaimWithinCohort", reclaims[value / 3 % 3]);
    msg_put_key(w, "borrowWithinCohort");
    msg_put_map(w, value / 9 % 2 + 1);
    put_key_str(w, "policy", value / 18 % 2 ? "LowerPriority" : "Never");
    if (value / 9 % 2)
        put_key_int(w, "maxPriorityThreshold", (int64_t)(value % 3) - 1);
}

static void put_checks(struct msg_writer *w, const struct object *object, const struct field *field,
                       unsigned value)
{
    (void)object, (void)field;
    msg_put_array(w, value % 3);
    for (unsigned i = 0; i < value % 3; i++) {
        msg_put_map(w, value > 3 ? 2 : 1);
        put_named(w, "name", "k", i);
        if (value > 3) {
            msg_put_key(w, "flavors");
            msg_put_array(w, 1);
            msg_put_str(w, "f0");
        }
    }
}

static void put_quotas(struct msg_writer *w, const char *const *resources, uint32_t count,
                       unsigned bits)
{
    msg_put_key(w, "quotas");
    msg_put_map(w, count);
    for (uint32_t i = 0; i < count; i++, bits = bits * 5 + 3) {
        int64_t unit = resources[i][0] == 'c' ? 1000 : 1;

        msg_put_str(w, resources[i]);
        msg_put_map(w, 1 + (bits & 1) + (bits >> 1 & 1));
        put_key_int(w, "nominal", unit * (bits >> 4 & 3));
        if (bits & 1)
            put_key_int(w, "borrowing", unit * (bits >> 2 & 3));
        if (bits & 2)
            put_key_int(w, "lending", unit * (bits >> 3 & 3));
    }
}

static void put_group_of(struct msg_writer *w, const char *const *resources, uint32_t count,
                         const char *const *flavors, uint32_t flavor_count, unsigned bits)
{
    msg_put_map(w, 2);
    msg_put_key(w, "resources");
    msg_put_array(w, count);
    for (uint32_t i = 0; i < count; i++)
        msg_put_str(w, resources[i]);
    msg_put_key(w, "flavors");
    msg_put_array(w, flavor_count);
    for (uint32_t i = 0; i < flavor_count; i++) {
        msg_put_map(w, 2);
        put_key_str(w, "name", flavors[i]);
        put_quotas(w, resources, count, bits + i * 11);
    }
}

/* Resource groups: cpu and memory in one, sometimes a device in another. */
static void put_groups(struct msg_writer *w, const struct object *object, const struct field *field,
                       unsigned value)
{
    static const char *const resources[] = {"cpu", "memory"}, *const device[] = {"x/gpu"};
    static const char *const pods[] = {"pods"};
    static const char *const flavors[] = {"f0", "f1"}, *const others[] = {"f2"};
    unsigned groups = value % 16 == 0 ? 0 : value % 16 == 1 ? 3 : 1 + (value >> 1 & 1);

    (void)object, (void)field;
    /* The lowest four bits say which groups there are, those above them how much. */
    msg_put_array(w, groups);
    if (groups > 0)
        put_group_of(w, resources, 1 + (value >> 2 & 1), flavors, 1 + (value >> 3 & 1), value);
    if (groups > 1)
        put_group_of(w, device, 1, others, 1, value * 3);
    if (groups > 2)
        put_group_of(w, pods, 1, (const char *const[]){"f3"}, 1, value * 7);
}

const struct field queue_fields[] = {
    {"parent", OFTEN, COUNT(parents), put_word, parents},
    {"created", SELDOM, 8, put_time, NULL},
    {"priority", SELDOM, 3, put_sign, NULL},
    {"strategy", OFTEN, 4, put_word, strategies},
    {"state", SELDOM, COUNT(states), put_word, states},
    {"annotations/volcano.sh/closed-by-parent", SELDOM, COUNT(marks), put_word, marks},
    {"annotations/volcano.sh/suspended-by-parent", SELDOM, COUNT(marks), put_word, marks},
    {"annotations/sluice.sh/create-suspended", SELDOM, 2, put_word, truths},
    {"annotations/sluice.sh/preempt-within-queue", SELDOM, 3, put_word, policies},
    {"annotations/sluice.sh/reclaim-from-queues", SELDOM, 3, put_word, reclaims},
    {"stopPolicy", SELDOM, 3, put_word, stops},
    {"reclaimable", SELDOM, 2, put_truth, NULL},
    {"preemption", OFTEN, 36, put_preemption, NULL},
    {"capability", OFTEN, 12, put_some_amounts, NULL},
    {"deserved", OFTEN, 12, put_some_amounts, NULL},
    {"guarantee", SELDOM, 12, put_some_amounts, NULL},
    {"whenCanBorrow", SELDOM, 4, put_word, stays},
    {"whenCanPreempt", SELDOM, 4, put_word, stays},
    {"preference", SELDOM, 2, put_word, preferences},
    {"checks", SELDOM, 5, put_checks, NULL},
    {"groups", OFTEN, OBJECT_MIXED, put_groups, NULL},
};
const unsigned queue_field_count = COUNT(queue_fields);

static const char *const pools[] = {"a", "b", "c"};

/* Taints and tolerations: what one of them needs, or none of it. */
static void put_tolerations(struct msg_writer *w, const struct object *object,
                            const struct field *field, unsigned value)
{
    (void)object, (void)field;
    msg_put_array(w, value % 3);
    for (unsigned i = 0; i < value % 3; i++) {
        msg_put_map(w, 3);
        put_key_str(w, "key", i ? "dear" : "rare");
        put_key_str(w, "operator", value > 3 ? "Exists" : "Equal");
        put_key_str(w, "effect", "NoSchedule");
    }
}

static void put_taints(struct msg_writer *w, const struct object *object, const struct field *field,
                       unsigned value)
{
    (void)object, (void)field;
    msg_put_array(w, 1);
    msg_put_map(w, 3);
    put_key_str(w, "key", value % 2 ? "dear" : "rare");
    put_key_str(w, "value", "");
    put_key_str(w, "effect", value > 2 ? "PreferNoSchedule" : "NoSchedule");
}

const struct field flavor_fields[] = {
    {"nodeLabels/pool", OFTEN, 3, put_word, pools},
    {"taints", SELDOM, 4, put_taints, NULL},
    {"tolerations", SELDOM, 6, put_tolerations, NULL},
};
const unsigned flavor_field_count = COUNT(flavor_fields);

static const char *const actions[] = {"OpenQueue", "CloseQueue", "SuspendQueue", "ResumeQueue",
                                      "AbortJob"};

static void put_target(struct msg_writer *w, const struct object *object, const struct field *field,
                       unsigned value)
{
    (void)object, (void)field;
    msg_put_map(w, 2);
    put_key_str(w, "kind", value == 9 ? "Job" : "Queue");
    if (value == 8)
        put_key_str(w, "name", "root");
    else if (value == 7)
        put_key_str(w, "name", "unseen");
    else
        put_named(w, "name", "q", value % 4);
}

const struct field command_fields[] = {
    {"created", OFTEN, 6, put_time, NULL},
    {"action", ALWAYS, COUNT(actions), put_word, actions},
    {"target", ALWAYS, 9, put_target, NULL},
};
const unsigned command_field_count = COUNT(command_fields);
