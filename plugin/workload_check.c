/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/removable.h"
#include "plugin/state.h"
#include "plugin/workloads/wait_notice.h"

static const char *check_record(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    const struct claim *claim = claim_at(e, id);
    bool placed = workload_is(workload, WORKLOAD_PLACED),
         waits = placed && claim->state == CLAIM_WAITING;
    uint32_t queue = claim_queue(e, id);

    if (workload_find(e, name_text(e, claim->space), name_text(e, workload->name)) != id)
        return "a workload is found by its name";
    if ((claim->link.size > 0) != (placed && queue != 0))
        return "a workload is in the tree of its state";
    if ((workload->peer.size > 0) != (waits && !claim_is_promised(claim)))
        return "a workload that waits, and is promised nothing, is with those of its demand";
    if (workload_must_give_way(e, id))
        return "a reservation that is to go again is under way, or was made";
    if (claim_is_promised(claim) && !waits)
        return "a workload that is promised room waits";
    if (claim_is_victim(claim) && !workload_holds(e, id))
        return "a workload that is a victim holds room";
    if (workload_is(workload, WORKLOAD_ASSUMED) &&
        (workload_is(workload, WORKLOAD_RESERVED) || !workload_holds(e, id)))
        return "a workload is assumed to hold what its object does not say yet";
    if (workload_is(workload, WORKLOAD_RESERVED) && placed && !workload_holds(e, id))
        return "a workload holds what its object says";
    return NULL;
}

/* Nobody is between two states: what was decided about a workload, and its object does not say, is
 * to be written, under way, or written and to be seen so. */
static const char *check_decided(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    const struct outbox_entry *effects = &claim_at(e, id)->effects;
    bool on_its_way = (effects->wanted | effects->leased | effects->replaced) != 0 ||
                      workload_is(workload, WORKLOAD_AWAITS);

    if (!engine_grants(e) || !workload_is(workload, WORKLOAD_PLACED) ||
        workload_is(workload, WORKLOAD_DELETED))
        return NULL;
    if (claim_is_promised(claim_at(e, id)) && !promise_comes(e, claim_queue(e, id)) &&
        !engine_more(e))
        return "a workload that is promised room waits for somebody who goes";
    if (on_its_way || e->config.observe_only)
        return NULL;
    if (workload_is(workload, WORKLOAD_ASSUMED))
        return "a reservation that was decided is written, and seen";
    if (claim_is_victim(claim_at(e, id)) && !workload_is(workload, WORKLOAD_EVICTED))
        return "an eviction that was decided is written, and seen";
    if (workload_is(workload, WORKLOAD_BLOCKED) != workload_is(workload, WORKLOAD_SIGNALS))
        return "a signal that is to be given, or to end, is written, and seen";
    return NULL;
}

static const char *check_counts(const struct engine *e, uint32_t id)
{
    const struct local_queue *local = local_queue_at(e, id);
    uint32_t counts[LOCAL_COUNTS] = {0};

    for (uint32_t at = 0; local_queue_step(e, id, &at);) {
        bool holds = workload_holds(e, at);
        bool pending = workload_is(workload_at(e, at), WORKLOAD_PLACED) && !holds;

        counts[LOCAL_PENDING] += pending;
        counts[LOCAL_IDLE] += pending && workload_is_idle(e, at);
        counts[LOCAL_RESERVING] += holds;
        counts[LOCAL_ADMITTED] += holds && claim_at(e, at)->state == CLAIM_ALLOCATED;
        if (workload_at(e, at)->local_queue != id)
            return "a workload is among those of its LocalQueue";
    }
    return memcmp(counts, local->counts, sizeof(counts)) == 0 ? NULL
                                                              : "a LocalQueue counts its workloads";
}

static uint32_t count_idle(const struct engine *e, uint32_t tree)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tree_size(&claims_by_rank, e, tree); i++)
        count += workload_is_idle(e, tree_at(&claims_by_rank, e, tree, i));
    return count;
}

static const char *check_cluster_queue(const struct engine *e, uint32_t id)
{
    const struct cluster_queue *cluster = &queue_at(e, id)->cluster;
    uint32_t below = tree_size(&workloads_that_hold, e, cluster->holding);
    uint32_t waiting = tree_size(&claims_by_rank, e, cluster->waiting);

    for (uint32_t at = e->claims.promises.all.first; at != 0; at = pledge_at(e, at)->peers.next)
        below += claim_is_workload(e, at) && claim_queue(e, at) == id;
    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        below += queue_at(e, child)->cluster.below;
        waiting += queue_at(e, child)->cluster.waiting_below;
    }
    if (count_idle(e, cluster->waiting) + count_idle(e, cluster->held) != cluster->idle)
        return "the workloads of a queue that wait for no quota are counted";
    if (waiting != cluster->waiting_below)
        return "workloads that wait are counted over the subtree";
    if (below != cluster->below)
        return "workloads that hold or are promised something are counted over the subtree";
    if (!tree_check(&claims_by_rank, e, cluster->waiting) ||
        !tree_check(&claims_by_rank, e, cluster->held))
        return "the workloads of a queue wait in order of rank";
    if (!tree_check(&workloads_that_hold, e, cluster->holding))
        return "the workloads that hold quota stand in the order in which they would go";
    if (!tree_check(&demands_by_head, e, cluster->demands))
        return "the demands of a queue stand in order of their heads";
    if (!tree_check(&demands_by_shortage, e, cluster->short_of))
        return "the demands that lack something stand in order of what that is";
    return NULL;
}

static bool counts_choosers(const struct engine *e)
{
    uint32_t choosers = 0;

    for (uint32_t id = 0; slab_step(&e->order.demands, &id);)
        choosers += demand_at(e, id)->set_count > 1 && demand_at(e, id)->head != 0;
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);)
        choosers -= queue_at(e, id)->cluster.choosers;
    return choosers == 0;
}

const char *workload_check(const struct engine *e)
{
    static record_check *const checks[] = {check_record, check_decided, NULL};
    const char *broken = wait_notice_check(e);
    uint32_t gated = 0;

    for (uint32_t id = 0; slab_step(&e->order.demands, &id);)
        gated += demand_at(e, id)->gated && demand_at(e, id)->head != 0;
    if (gated != e->order.gated_demands)
        return "demands that are gated are counted while somebody waits in them";
    if (!counts_choosers(e))
        return "a queue counts the demands of several pod sets while somebody waits in them";

    for (uint32_t id = workload_next(e, 0); id != 0 && broken == NULL; id = workload_next(e, id))
        broken = record_check_by(checks, e, id);
    for (uint32_t id = workload_next(e, 0); id != 0 && broken == NULL; id = workload_next(e, id))
        broken = removable_check(e, id);
    if (broken == NULL)
        broken = records_check(e, &e->workloads.local_queues, check_counts);
    if (broken == NULL)
        broken = records_check(e, &e->queues.records, check_cluster_queue);
    return broken;
}
