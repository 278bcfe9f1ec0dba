/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/setting.h"

#include "t/player/deed.h"

/* A field of some slots of a kind, and its value; `other` is taken instead in every other slot. */
struct line {
    enum cast kind;
    uint8_t first, last;
    const char *key; /* NULL: the object is there, and has nothing */
    uint8_t value, other;
};

enum {
    ALIKE = 0,
    THREE_CPU = 3, /* of put_some_amounts */
    TWO_CPU = 2,
    ONE_CPU = 1,
    LOWEST = 1,            /* of put_sign */
    OUR_GATE = 1,          /* of the gates of pods */
    NOMINAL_THREE = 61,    /* of a ClusterQueue: three cpu, and three that it may borrow */
    NOMINAL_ONE = 29,      /* one, and three that it may borrow */
    WHOEVER_IS_LOWER = 26, /* of its preemption */
    ONE_POD = 96,          /* of a workload's pod sets */
    TWO_PODS = 16,
    ALL_THREE = 7, /* of a workload's nominated clusters */
};

static const char queue_name[] = "annotations/scheduling.volcano.sh/queue-name";
static const char opts_in[] = "annotations/scheduling.volcano.sh/queue-allocation-gate";
static const char minimum[] = "annotations/scheduling.volcano.sh/group-min-member";

/* Two Volcano queues beside each other that may take back what they deserve. */
static const struct line of_queues[] = {
    {CAST_QUEUE, 0, 1, "parent", 1, ALIKE},
    {CAST_QUEUE, 0, 1, "capability", THREE_CPU, ALIKE},
    {CAST_QUEUE, 0, 1, "deserved", TWO_CPU, ALIKE},
    {CAST_QUEUE, 0, 1, "annotations/sluice.sh/preempt-within-queue", 2, 3},
    {CAST_QUEUE, 0, 1, "annotations/sluice.sh/reclaim-from-queues", 3, 2},
};

/* Two ClusterQueues in a cohort. */
static const struct line of_cohorts[] = {
    {CAST_FLAVOR, 0, 1, "nodeLabels/pool", 1, 2},
    {CAST_QUEUE, 6, 6, NULL, 0, ALIKE},
    {CAST_QUEUE, 11, 12, "parent", 5, ALIKE},
    {CAST_QUEUE, 11, 12, "groups", NOMINAL_THREE, NOMINAL_ONE},
    {CAST_QUEUE, 11, 12, "preemption", WHOEVER_IS_LOWER, ALIKE},
};

static const struct line of_nodes[] = {
    {CAST_NODE, 0, 2, "allocatable", THREE_CPU, ALIKE},
    {CAST_NODE, 0, 2, "labels/pool", 1, 2},
};

static const struct line of_pods[] = {
    {CAST_POD, 0, 9, "created", 1, 2},
    {CAST_POD, 0, 9, opts_in, 1, ALIKE},
    {CAST_POD, 0, 9, "gates", OUR_GATE, ALIKE},
    {CAST_POD, 0, 9, queue_name, 1, 2},
    {CAST_POD, 0, 9, "requests", ONE_CPU, ALIKE},
    {CAST_POD, 0, 9, "priority", LOWEST, ALIKE},
};

static const struct line of_pods_in_cohorts[] = {
    {CAST_POD, 4, 9, "queueKind", 1, ALIKE},
    {CAST_POD, 4, 9, queue_name, 5, 6},
};

/* Of two owners, two of whose pods are needed at once. */
static const struct line of_gangs[] = {
    {CAST_POD, 0, 6, minimum, 1, ALIKE},
    {CAST_POD, 0, 6, "controller", 1, 2},
};

/* Of Kubernetes' own: two PodGroups of two, the pods of the second below a composite group; and one
 * that pods ask for by their minimum. */
static const struct line of_native_gangs[] = {
    {CAST_NATIVE, 0, 1, "minMember", 4, ALIKE},
    {CAST_NATIVE, CAST_COMPOSITE, CAST_COMPOSITE, "parts", 1, ALIKE},
    {CAST_POD, 0, 5, "schedulingGroup", 1, 2},
    {CAST_POD, 6, 8, "schedulingGroup", 5, ALIKE},
    {CAST_POD, 6, 8, minimum, 1, ALIKE},
    {CAST_POD, 6, 8, "controller", 1, ALIKE},
};

static const struct line of_workloads[] = {
    {CAST_LOCAL_QUEUE, 0, 1, "clusterQueue", 2, 3},
    {CAST_WORKLOAD, 0, 5, "created", 1, 2},
    {CAST_WORKLOAD, 0, 5, "queue", 1, 2},
    {CAST_WORKLOAD, 0, 5, "podSets", ONE_POD, TWO_PODS},
    {CAST_WORKLOAD, 0, 5, "priority", LOWEST, ALIKE},
};

static const struct line of_fleets[] = {
    {CAST_CLUSTER, 0, 2, "connected", 1, ALIKE},
    {CAST_DISPATCH, 0, 3, "conditions/QuotaReserved", 1, ALIKE},
    {CAST_DISPATCH, 0, 3, "checksReady", 1, ALIKE},
    {CAST_DISPATCH, 0, 3, "nominated", ALL_THREE, ALIKE},
};

static void show_lines(struct host *host, const struct line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned slot = lines[i].first; slot <= lines[i].last; slot++) {
            const struct line *line = &lines[i];
            bool odd = (slot - line->first) % 2 == 1;

            host->objects[line->kind][slot].there = true;
            if (line->key != NULL)
                *deed_field(host, line->kind, slot, line->key) =
                    odd && line->other != ALIKE ? line->other : line->value;
            host_write(host, line->kind, slot);
        }
}

#define SHOW_LINES(host, lines) show_lines(host, lines, sizeof(lines) / sizeof((lines)[0]))

static void show_objects(struct host *host)
{
    static const enum cast order[] = {CAST_FLAVOR,   CAST_QUEUE,    CAST_LOCAL_QUEUE,
                                      CAST_NODE,     CAST_WORKLOAD, CAST_CLUSTER,
                                      CAST_DISPATCH, CAST_NATIVE,   CAST_POD};

    for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        for (unsigned slot = 0; slot < CAST_SLOTS; slot++)
            if (host->objects[order[i]][slot].there)
                host_show(host, order[i], slot);
}

void setting_show(struct host *host)
{
    enum profile profile = host->profile;
    bool all = profile == PROFILE_ALL, pods = profile == PROFILE_PODS, gangs, cohorts;

    gangs = profile == PROFILE_GROUPS || (all && draw(host->draws, 2) == 0);
    cohorts = pods && draw(host->draws, 2) == 0;
    if (profile != PROFILE_FLEET) {
        SHOW_LINES(host, of_queues);
        SHOW_LINES(host, of_nodes);
    }
    if (pods || gangs || all)
        SHOW_LINES(host, of_pods);
    if (profile == PROFILE_WORKLOADS || all || cohorts)
        SHOW_LINES(host, of_cohorts);
    if (cohorts)
        SHOW_LINES(host, of_pods_in_cohorts);
    if (gangs && draw(host->draws, 2) == 0)
        SHOW_LINES(host, of_native_gangs);
    else if (gangs)
        SHOW_LINES(host, of_gangs);
    if (profile == PROFILE_WORKLOADS || all)
        SHOW_LINES(host, of_workloads);
    if (profile == PROFILE_FLEET || all)
        SHOW_LINES(host, of_fleets);
    show_objects(host);
    host_announce(host, "synced", false);
    host_announce(host, "leader", false);
}

void setting_fill(struct host *host, unsigned rounds)
{
    bool was_orderly = host->orderly;

    host->orderly = true;
    while (rounds-- > 0 && host->witness->wrong[0] == '\0') {
        host_tick(host);
        host_drain(host);
        while (host->owed_count > 0 && host->witness->wrong[0] == '\0')
            host_acknowledge(host);
        while (host->show_count > 0 && host->witness->wrong[0] == '\0')
            host_show_changed(host);
        host_go_on(host);
        for (unsigned pod = 0; pod < CAST_SLOTS; pod++)
            host_cycle(host, pod);
    }
    host->orderly = was_orderly;
}
