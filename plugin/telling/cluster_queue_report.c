/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/sentence.h"
#include "plugin/queues/admission_check.h"
#include "plugin/state.h"
#include "oldest.h"
#include "report.h"

uint32_t engine_find_local_queue(const struct engine *e, struct text space, struct text name)
{
    return local_queue_find(e, space, name);
}

bool engine_next_local_queue(const struct engine *e, uint32_t *cursor)
{
    return tree_step(&local_queues_by_name, e, e->workloads.local_queues_in_order,
                     &e->workloads.local_queues, cursor);
}

/* What it lacks of one kind, each by its name. */
struct lacks {
    const struct engine *e;
    struct sentence *say;
    const char *what; /* the kind */
    bool begun;       /* one of another kind was told */
    bool listed;      /* one of this kind was */
};

static void tell_lack(struct lacks *lacks, struct text name)
{
    if (!lacks->listed) {
        sentence_str(lacks->say, lacks->begun ? ", " : "");
        sentence_str(lacks->say, lacks->what);
    }
    sentence_str(lacks->say, lacks->listed ? "," : "");
    sentence_text(lacks->say, name);
    lacks->begun = lacks->listed = true;
}

static void say_flavors(struct lacks *lacks, const struct queue *queue)
{
    lacks->what = "references missing ResourceFlavor(s): ";
    lacks->listed = false;
    for (uint32_t g = 0; g < queue->group_count; g++) {
        for (uint32_t k = 0; k < queue->groups[g].flavor_count; k++) {
            if (!flavor_usable(lacks->e, queue->groups[g].flavors[k]))
                tell_lack(lacks, flavor_name(lacks->e, queue->groups[g].flavors[k]));
        }
    }
}

static void say_checks(struct lacks *lacks, const struct cluster_queue *cluster,
                       enum cluster_queue_fault kind)
{
    lacks->what = kind == CLUSTER_QUEUE_CHECK_MISSING ? "references missing AdmissionCheck(s): "
                                                      : "references inactive AdmissionCheck(s): ";
    lacks->listed = false;
    for (uint32_t i = 0; i < cluster->check_count; i++) {
        if (cluster_queue_check_fault(lacks->e, &cluster->checks[i]) == kind)
            tell_lack(lacks, name_text(lacks->e, cluster->checks[i].name));
    }
}

static void say_faults(const struct engine *e, uint32_t id, enum cluster_queue_fault fault,
                       char *message)
{
    struct sentence say = sentence_in(message, VERDICT_MESSAGE_MAX);
    struct lacks lacks = {.e = e, .say = &say};

    sentence_str(&say, fault == CLUSTER_QUEUE_READY ? "Can admit new workloads"
                                                    : "Can't admit new workloads: ");
    if (fault == CLUSTER_QUEUE_READY)
        return;
    if (fault == CLUSTER_QUEUE_UNKNOWN || fault == CLUSTER_QUEUE_CYCLE) {
        sentence_str(&say, fault == CLUSTER_QUEUE_CYCLE ? "its cohorts form a cycle."
                                                        : "the ClusterQueue doesn't exist.");
        return;
    }
    if (fault == CLUSTER_QUEUE_STOPPED) {
        sentence_str(&say, "is stopped");
        lacks.begun = true;
    }
    say_flavors(&lacks, queue_at(e, id));
    say_checks(&lacks, &queue_at(e, id)->cluster, CLUSTER_QUEUE_CHECK_MISSING);
    say_checks(&lacks, &queue_at(e, id)->cluster, CLUSTER_QUEUE_CHECK_INACTIVE);
    sentence_str(&say, ".");
}

void engine_report_cluster_queue(const struct engine *e, uint32_t id,
                                 struct cluster_queue_report *ret)
{
    static const char *const reasons[] = {
        [CLUSTER_QUEUE_READY] = "Ready",
        [CLUSTER_QUEUE_UNKNOWN] = "NotFound",
        [CLUSTER_QUEUE_CYCLE] = "CohortCycle",
        [CLUSTER_QUEUE_STOPPED] = "Stopped",
        [CLUSTER_QUEUE_FLAVOR_MISSING] = "FlavorNotFound",
        [CLUSTER_QUEUE_CHECK_MISSING] = "AdmissionCheckNotFound",
        [CLUSTER_QUEUE_CHECK_INACTIVE] = "AdmissionCheckInactive",
    };
    const struct cluster_queue *cluster = &queue_at(e, id)->cluster;
    enum cluster_queue_fault fault = cluster_queue_fault(e, id, NULL);

    memset(ret, 0, sizeof(*ret));
    ret->name = name_text(e, queue_at(e, id)->name);
    ret->active = fault == CLUSTER_QUEUE_READY;
    ret->reason = reasons[fault];
    say_faults(e, id, fault, ret->message);
    ret->pending = tree_size(&claims_by_rank, e, cluster->waiting) +
                   tree_size(&claims_by_rank, e, cluster->held);
    ret->idle = cluster->idle;
    ret->reserving = tree_size(&workloads_that_hold, e, cluster->holding);
    ret->admitted = cluster->admitted;
}

void engine_report_local_queue(const struct engine *e, uint32_t id,
                               struct cluster_queue_report *ret)
{
    const struct local_queue *local = local_queue_at(e, id);
    enum cluster_queue_fault fault = cluster_queue_fault(e, local->queue, NULL);
    struct sentence say = sentence_in(ret->message, VERDICT_MESSAGE_MAX);

    memset(ret, 0, sizeof(*ret));
    ret->space = name_text(e, local->space);
    ret->name = name_text(e, local->name);
    ret->queue = local->queue == 0 ? text_of("") : name_text(e, queue_at(e, local->queue)->name);
    ret->pending = local->counts[LOCAL_PENDING];
    ret->idle = local->counts[LOCAL_IDLE];
    ret->reserving = local->counts[LOCAL_RESERVING];
    ret->admitted = local->counts[LOCAL_ADMITTED];
    ret->waits = &local->waits;
    ret->oldest = oldest_waiting_local(e, id);
    ret->reason = !local->known                    ? "NotFound"
                  : local->stop != LIFE_RUNS       ? "Stopped"
                  : fault == CLUSTER_QUEUE_UNKNOWN ? "ClusterQueueDoesNotExist"
                  : fault != CLUSTER_QUEUE_READY   ? "ClusterQueueIsInactive"
                                                   : "Ready";
    ret->active = text_is(text_of(ret->reason), "Ready");
    sentence_str(&say, ret->active ? "Can submit new workloads to localQueue"
                       : text_is(text_of(ret->reason), "Stopped")
                           ? "LocalQueue is stopped"
                           : "Can't submit new workloads to clusterQueue");
}

/* Those that wait come before those that are held. */
static uint32_t nth_of_queue(const struct engine *e, uint32_t queue, bool holding, uint32_t n)
{
    const struct cluster_queue *cluster = &queue_at(e, queue)->cluster;
    uint32_t waiting = tree_size(&claims_by_rank, e, cluster->waiting);

    if (holding)
        return tree_at(&workloads_that_hold, e, cluster->holding, n);
    return n < waiting ? tree_at(&claims_by_rank, e, cluster->waiting, n)
                       : tree_at(&claims_by_rank, e, cluster->held, n - waiting);
}

/* A page goes on with who comes next; of a LocalQueue its ClusterQueue's are looked through. */
bool engine_next_workload(const struct engine *e, uint32_t queue, uint32_t local, bool holding,
                          uint32_t *cursor, uint32_t *ret_workload)
{
    uint32_t in = local == 0 ? queue : local_queue_at(e, local)->queue, id;

    while (in != 0 && (id = nth_of_queue(e, in, holding, (*cursor)++)) != 0) {
        if (local != 0 && workload_at(e, id)->local_queue != local)
            continue;
        *ret_workload = id;
        return true;
    }
    return false;
}

static void count_workload(const struct engine *e, uint32_t id, const struct cell *cell,
                           wide *ret_reserved, wide *ret_admitted)
{
    wide amount = workload_holds(e, id) ? claim_amount(e, id, cell->flavor, cell->resource) : 0;

    *ret_reserved += amount;
    *ret_admitted += claim_at(e, id)->state == CLAIM_ALLOCATED ? amount : 0;
}

bool engine_next_workload_usage(const struct engine *e, uint32_t queue, uint32_t local,
                                uint32_t *cursor, struct workload_usage *ret)
{
    uint32_t in = local == 0 ? queue : local_queue_at(e, local)->queue;
    const struct cell *cell = NULL;
    wide reserved = 0, admitted = 0;

    while (in != 0 && *cursor < queue_at(e, in)->cell_count && cell == NULL) {
        cell = &queue_at(e, in)->cells[(*cursor)++];
        cell = cell->named ? cell : NULL;
    }
    if (cell == NULL)
        return false;
    if (local == 0) {
        reserved = cell->reserved + cell->allocated;
        admitted = cell->allocated;
    }
    for (uint32_t id = 0; local != 0 && local_queue_step(e, local, &id);)
        count_workload(e, id, cell, &reserved, &admitted);
    ret->flavor = flavor_name(e, cell->flavor);
    ret->resource = name_text(e, cell->resource);
    ret->reserved = amount_clamp(reserved);
    ret->admitted = amount_clamp(admitted);
    ret->borrowed = amount_clamp(wide_max(0, reserved - cell->share));
    return true;
}
