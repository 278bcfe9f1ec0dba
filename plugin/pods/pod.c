/* SPDX-License-Identifier: Apache-2.0 */
#include "pod.h"

#include "claim_time.h"
#include "finished.h"
#include "group_follow.h"
#include "group_member.h"
#include "let_go.h"
#include "place.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/claim_make.h"
#include "plugin/claims/journal.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/stale_condition.h"
#include "plugin/state.h"
#include "pod_settle.h"
#include "regrant.h"
#include "restore.h"
#include "stamp.h"

enum relevance { POD_IS_NOTHING, POD_IS_LET_GO, POD_COUNTS };

/* Of an admitted workload it is counted with that, but must lose our gate. */
static enum relevance relevance(const struct engine *e, const struct pod_facts *pod)
{
    uint32_t workload = pod->workload.len == 0 ? 0 : workload_find(e, pod->space, pod->workload);

    if (workload != 0 && workload_holds(e, workload))
        return let_go_needs(e, pod, 0) ? POD_IS_LET_GO : POD_IS_NOTHING;
    if (!gate_concerns(&e->config, pod) || pod->finished || (pod->deleted && pod->node.len == 0))
        return POD_IS_NOTHING;
    return gate_manages(&e->config, pod) || pod->node.len > 0 ? POD_COUNTS : POD_IS_NOTHING;
}

/* All that a sight of a pod needs, in hand before anything changes. */
struct sight {
    uint32_t claim; /* 0: a new one */
    uint32_t rival; /* another pod of its name, which is gone then */
    uint32_t group; /* 0: none */
    struct group_owner owner;
    struct member_own own; /* of a member */
    uint32_t line;         /* with a use of ours */
    char *text;            /* for an old claim in a new line */
    uint32_t node, obstacle;
    bool is_let_go, has_flavors;
    uint16_t flavors[FACTS_MAX_NEEDS];
    uint32_t flavor_count;
};

static void drop_sight(struct engine *e, struct sight *sight)
{
    for (uint32_t i = 0; i < sight->flavor_count; i++)
        flavor_unref(e, sight->flavors[i]);
    intern_unref(&e->names, sight->node);
    intern_unref(&e->names, sight->obstacle);
    if (sight->line != 0)
        line_unref(e, sight->line);
    group_drop_owner(&e->names, &sight->owner);
    group_drop_own(&e->names, &sight->own);
    group_drop_unused(e, sight->group);
}

static int read_flavors(struct engine *e, const struct pod_facts *pod, struct sight *sight)
{
    uint32_t queue = line_queue(e, line_at(e, sight->line));

    if (pod->stamped_flavors.len == 0 || queue_at(e, queue)->kind != QUEUE_CLUSTER ||
        (sight->claim != 0 && claim_holds(claim_at(e, sight->claim)) &&
         claim_at(e, sight->claim)->line == sight->line))
        return 0;
    sight->has_flavors = true;
    return stamp_read(e, pod->stamped_flavors, sight->line, sight->flavors, &sight->flavor_count);
}

static int read_sight(struct engine *e, const struct pod_facts *pod, struct sight *sight)
{
    int error = group_get(e, pod, &sight->group);

    if (error == 0 && sight->group != 0)
        error = slab_reserve(&e->pods.members, 1) < 0 ? ENGINE_NO_MEMORY : 0;
    if (error == 0)
        error = group_read_owner(e, pod, &sight->owner);
    if (error == 0 && sight->group != 0)
        error = group_read_own(e, pod, &sight->own);
    if (error == 0)
        error = place_find_line(e, sight->group, sight->claim, pod, &sight->line);
    if (error == 0)
        error = name_get(e, pod->node, &sight->node);
    if (error == 0)
        error = name_get(e, pod->gates.foreign > 0 ? pod->gates.a_foreign : pod->missing,
                         &sight->obstacle);
    if (error == 0)
        error = read_flavors(e, pod, sight);
    if (error == 0 && sight->claim != 0 && claim_at(e, sight->claim)->line != sight->line) {
        sight->text = claim_new_text(e, sight->claim, sight->line);
        error = sight->text == NULL ? ENGINE_NO_MEMORY : 0;
    }
    if (error == 0 && sight->claim == 0 && sight->rival == 0 &&
        claim_count_pods(e) >= e->config.max_pods)
        error = ENGINE_FULL_PODS;
    if (error == 0 && sight->claim == 0) {
        error = claim_create(e, pod, sight->line, &sight->claim);
        if (error == 0)
            sight->line = 0; /* the claim's now */
    }
    if (error < 0)
        drop_sight(e, sight);
    return error;
}

/* A write of ours stays done until a later version of the object is seen. */
static void note_writes(struct engine *e, uint32_t id, const struct pod_facts *pod)
{
    struct claim *claim = claim_at(e, id);
    bool newer = pod->resource_version == 0 || pod->resource_version > claim->version;

    if (pod->gates.ours == 0 || pod->generation > claim->generation)
        claim_set_flag(claim, CLAIM_GATES_GONE, false);
    stale_condition_note_sight(claim, pod->unschedulable, newer);
    if (pod->unschedulable && newer) /* a write under way was meant for what was there before */
        outbox_renew(&e->outbox, EFFECT_OF_POD, id, EFFECT_SET_CONDITION);
}

/* What was written stays so until a later version of the object says otherwise: another write of
 * ours may have come in between, and is heard of after this one was acknowledged. */
static void note_naming(const struct engine *e, struct claim *claim, const struct pod_facts *pod)
{
    int64_t named_at = claim->member == 0 ? 0 : member_at(e, claim->member)->named_at;
    int64_t known = named_at > claim->version ? named_at : claim->version;
    bool newer = pod->resource_version == 0 || pod->resource_version > known;

    if (pod->group.len > 0 || newer)
        claim_set_flag(claim, CLAIM_NAMES_GROUP, pod->group.len > 0);
}

/* What of the pod lets it take others' room, and others its. */
static void note_preemption(struct engine *e, uint32_t id, const struct pod_facts *pod,
                            uint32_t before)
{
    struct claim *claim = claim_at(e, id);
    const uint32_t matter =
        CLAIM_MANAGED | CLAIM_NEVER_PREEMPTS | CLAIM_NOT_PREEMPTABLE | CLAIM_ENDING;

    if (!engine_preempts(e))
        return;
    claim_set_flag(claim, CLAIM_NEVER_PREEMPTS, pod->yields);
    claim_set_flag(claim, CLAIM_NOT_PREEMPTABLE, pod->settled);
    removable_review(e, id);
    promise_set_ending(e, id, pod->deleted);
    if (((claim->flags ^ before) & matter) == 0)
        return;
    queue_candidates_changed(e, claim_queue(e, id));
    if (claim->member != 0) /* in other queues, too, others of it may go now, or may not */
        group_touch(e, claim_group(e, claim));
}

static void note(struct engine *e, uint32_t id, const struct pod_facts *pod, struct sight *sight)
{
    struct claim *claim = claim_at(e, id);
    uint32_t before = claim->flags;

    journal_observed(e, id, pod);
    note_writes(e, id, pod);
    group_set_flag(e, id, CLAIM_MANAGED, gate_manages(&e->config, pod));
    claim_set_flag(claim, CLAIM_BOUND, pod->node.len > 0);
    claim_set_flag(claim, CLAIM_UNSCHEDULABLE, pod->unschedulable);
    claim_set_flag(claim, CLAIM_NOT_SELECTED, pod->not_selected);
    note_naming(e, claim, pod);
    note_preemption(e, id, pod, before);
    claim_set_flag(claim, CLAIM_NOMINATED, pod->nominated);
    if (pod->unschedulable && claim->state == CLAIM_RESERVED && !stale_condition_awaits(claim)) {
        /* What it said before the grant, it had to take back first. */
        claim_set_flag(claim, CLAIM_SEEN_IN_CYCLE, true);
        if (!pod->nominated)
            claim_set_flag(claim, CLAIM_LACKS_NODE, true);
    }
    claim->gates = pod->gates.ours & 3u;
    claim->generation = pod->generation;
    claim->version = pod->resource_version;
    intern_unref(&e->names, claim->obstacle);
    claim->obstacle = sight->obstacle;
    claim->misses_claim = sight->obstacle != 0 && pod->gates.foreign == 0;
    sight->obstacle = 0;
    claim_set_flag(claim, CLAIM_STAMPED, pod->stamp != 0);
    if (pod->stamp != 0 || !claim_holds(claim)) /* else it is known when it was granted */
        claim_set_stamp(e, id, pod->stamp != 0 ? pod->stamp : pod->created);
    claim_set_flag(claim, CLAIM_MOVED, place_misleads(e, id, pod));
    if (sight->has_flavors) {
        promise_end(e, id); /* of a place in others, it may be */
        claim_set_flavors(e, id, sight->flavors);
    }
}

static void enter_anew(struct engine *e, uint32_t id, const struct pod_facts *pod,
                       struct sight *sight)
{
    struct claim_terms demand = {pod->priority, pod->created, 0,
                                 NULL,          NULL,         stamp_names_queue(pod)};
    bool grant_stays = claim_holds(claim_at(e, id)) && sight->text != NULL &&
                       line_same_needs(e, claim_at(e, id)->line, sight->line);

    /* It tells the flavors, if the claim cannot keep those that it has. */
    claim_set_flag(claim_at(e, id), CLAIM_STAMPED, pod->stamp != 0);
    if (grant_stays) { /* its gate is gone, or came with the first real sight of it */
        claim_swap_line(e, id, sight->line, sight->text);
    } else if (sight->text != NULL) {
        demand.line = sight->line;
        demand.text = sight->text;
        demand.flavors = sight->has_flavors ? sight->flavors : NULL;
    }
    if (sight->text != NULL) {
        sight->line = 0;
        sight->has_flavors = false;
    }
    if (!grant_stays || claim_at(e, id)->priority != pod->priority ||
        claim_at(e, id)->queued != pod->created)
        regrant(e, id, &demand);
}

/* A group that loses a member may ask for more from then on, and come before whoever was it. One
 * that is joined is looked at when it has its member. */
static void settle_left(struct engine *e, uint32_t left, uint32_t joined)
{
    if (left != 0 && left != joined)
        group_settle(e);
}

static void join(struct engine *e, uint32_t id, struct sight *sight, const struct pod_facts *pod)
{
    uint32_t group = sight->group, before = claim_group(e, claim_at(e, id));

    if (before != group) {
        /* Whether it waits in its queue's order or for a minimum is the group's to say. */
        if (claim_at(e, id)->state == CLAIM_WAITING)
            claim_change(e, id, CLAIM_HELD, REASON_NOT_READY);
        group_leave(e, id);
        settle_left(e, before, group);
        if (group != 0)
            group_join(e, group, id);
    }
    if (group == 0)
        return;
    group_follow_leave(e, id);
    group_note_own(e, id, &sight->own);
    group_note_owner(e, group, pod, &sight->owner);
    follow_join(e, id);
}

/* Its gang may be whole no more, and gives back what others may be granted. One that is granted at
 * once is looked at when the pod stands where it belongs: it may join those that were. */
static void lose_ended(struct engine *e, const struct pod_facts *pod)
{
    uint32_t group = finished_group(e, pod->uid);

    if (finished_lose(e, pod->uid) && pod->node.len == 0 && !group_at(e, group)->at_once)
        group_settle(e);
}

static void commit(struct engine *e, const struct pod_facts *pod, bool is_new, struct sight *sight)
{
    uint32_t id = sight->claim;
    struct claim *claim = claim_at(e, id);
    bool restoring = (claim->flags & CLAIM_RESTORING) != 0;
    bool begins = let_go_return(e, id) || is_new;
    uint32_t left = sight->rival == 0 ? 0 : claim_group(e, claim_at(e, sight->rival));
    bool ended_elsewhere = finished_group(e, pod->uid) != sight->group;

    if (ended_elsewhere) /* before its new group, which may keep room for it, is looked at */
        lose_ended(e, pod);
    if (sight->rival != 0) {
        claim_destroy(e, sight->rival);
        settle_left(e, left, sight->group);
    }
    /* Before it asks for anything else: it is counted in the flavor of its node. */
    intern_unref(&e->names, claim->node);
    claim->node = sight->node;
    sight->node = 0;
    if (!is_new &&
        (sight->text != NULL || claim->priority != pod->priority || claim->queued != pod->created))
        enter_anew(e, id, pod, sight);
    else if (restoring)
        claim_change(e, id, CLAIM_HELD, REASON_NOT_READY); /* its stamp may change */
    join(e, id, sight, pod);
    note(e, id, pod, sight);
    if (!ended_elsewhere)
        lose_ended(e, pod);
    if (sight->is_let_go) {
        let_go_claim(e, id, pod);
    } else if ((begins || restoring) && pod_looks_granted(claim) &&
               (claim->flags & CLAIM_BOUND) == 0) {
        claim_to_restore(e, id);
        if (e->synced && e->leads && e->claims.recount.cells == 0 &&
            tree_size(&claims_by_stamp, e, e->claims.restoring) == 1)
            restore_claim(e, id);
    } else {
        pod_settle(e, id);
    }
    drop_sight(e, sight);
}

/* It claims nothing, or no more; but a group counts its members that ended. */
static int see_nothing(struct engine *e, const struct pod_facts *pod, uint32_t claim)
{
    int error = pod->finished && gate_concerns(&e->config, pod) ? finished_see(e, pod) : 0;

    if (error < 0)
        return error;
    if (claim != 0 && let_go_needs(e, pod, claim))
        let_go_claim(e, claim, pod);
    else if (claim != 0)
        claim_destroy(e, claim);
    group_settle(e);
    return 0;
}

int pod_see(struct engine *e, const struct pod_facts *pod, uint32_t *ret_claim, bool *ret_outdated)
{
    enum relevance is = relevance(e, pod);
    struct sight sight = {.is_let_go = is == POD_IS_LET_GO};
    bool is_new;
    int error;

    *ret_outdated = false;
    *ret_claim = sight.claim = claim_find(e, pod->uid);
    if (sight.claim != 0 && pod->resource_version != 0 &&
        pod->resource_version < claim_at(e, sight.claim)->version)
        return 0; /* an old message */
    if (is == POD_IS_NOTHING) {
        *ret_claim = 0;
        return see_nothing(e, pod, sight.claim);
    }
    sight.rival = claim_find_named(e, pod->space, pod->name, false);
    if (sight.rival == sight.claim)
        sight.rival = 0;
    if (sight.rival != 0 && pod->created < claim_at(e, sight.rival)->queued) {
        *ret_outdated = true;
        return 0;
    }
    is_new = sight.claim == 0;
    error = read_sight(e, pod, &sight);
    if (error < 0)
        return error;
    *ret_claim = sight.claim;
    commit(e, pod, is_new, &sight);
    group_settle(e);
    return 0;
}

void pod_confirm(struct engine *e, uint32_t id)
{
    claim_set_flag(claim_at(e, id), CLAIM_PROVISIONAL, false);
    claim_set_timer(e, id);
}

void pod_lose(struct engine *e, struct text uid)
{
    uint32_t id = claim_find(e, uid);

    if (id != 0)
        claim_destroy(e, id);
    finished_lose(e, uid);
}
