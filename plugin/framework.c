/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/claims/claim_change.h"
#include "plugin/pods/assembly.h"
#include "plugin/pods/assembly_turn.h"
#include "plugin/pods/claim_time.h"
#include "plugin/pods/let_go.h"
#include "plugin/pods/pod.h"
#include "plugin/pods/pod_settle.h"
#include "plugin/telling/claim_effects.h"
#include "plugin/telling/explain.h"
#include "state.h"

/* The scheduling framework's hooks, on a pod that is named by its uid. */

static void pass(struct verdict *verdict)
{
    verdict->pass = verdict->would = true;
    verdict->reason = REASON_NONE;
    verdict->message[0] = '\0';
}

/* Of a pod that makes no claim. Who only observes holds nobody but whom the scheduler's own plugin
 * for gates would. */
static void hold(const struct engine *e, struct verdict *verdict, enum reason reason,
                 const char *message)
{
    pass(verdict);
    verdict->would = false;
    if (e->config.observe_only && reason != REASON_FOREIGN_GATE)
        return;
    verdict->pass = false;
    verdict->reason = reason;
    memcpy(verdict->message, message, strlen(message) + 1);
}

/* Who passes has no reason, whatever is said of it elsewhere. */
static void judge(const struct engine *e, uint32_t id, bool words, struct verdict *ret_verdict)
{
    bool would;

    explain_claim(e, id, words, ret_verdict);
    would = ret_verdict->would;
    if (ret_verdict->pass)
        pass(ret_verdict);
    ret_verdict->would = would;
}

/* The scheduler asks again and again for pods that did not change. */
static bool is_known(const struct engine *e, uint32_t id, int64_t version)
{
    return id != 0 && version != 0 && version <= claim_at(e, id)->version &&
           (claim_at(e, id)->flags & CLAIM_LET_GO) == 0;
}

/* The scheduler has looked at the claim: what it was to be told it knows now. */
static void note_look(struct engine *e, uint32_t id, bool passes)
{
    struct claim *claim = claim_at(e, id);

    claim_set_flag(claim, CLAIM_PARKED, !passes);
    if (claim->state == CLAIM_RESERVED || claim->effects.leased != 0 ||
        (claim->flags & CLAIM_LET_GO) != 0)
        outbox_renew(&e->outbox, EFFECT_OF_POD, id, EFFECT_ACTIVATE);
}

static void decide(struct engine *e, uint32_t id, bool words, struct verdict *ret_verdict)
{
    judge(e, id, words, ret_verdict);
    note_look(e, id, ret_verdict->pass);
}

uint32_t engine_foresee(const struct engine *e, struct text uid)
{
    uint32_t hash = hash_text(uid, 0);

    index_bring(&e->claims.by_uid, hash);
    return hash;
}

void engine_foresee_record(const struct engine *e, uint32_t foreseen, struct text space,
                           struct text name)
{
    uint32_t id = index_guess(&e->claims.by_uid, foreseen);
    const struct claim *claim;

    if (id == 0) { /* a new one, it seems */
        id = slab_next(&e->claims.records);
        if (name.len > 0)
            index_bring(&e->claims.by_name, hash_text(name, intern_find(&e->names, space)));
    }
    if (id == 0)
        return;
    claim = slab_place(&e->claims.records, id); /* perhaps not live yet */
    __builtin_prefetch(claim);
    __builtin_prefetch(claim->uid);
    __builtin_prefetch(claim->uid + CLAIM_SHORT_UID - 1);
}

bool engine_pre_enqueue_known(struct engine *e, struct text uid, int64_t version, bool words,
                              struct verdict *ret_verdict)
{
    uint32_t id = claim_find(e, uid);

    if (!is_known(e, id, version))
        return false;
    decide(e, id, words, ret_verdict);
    return true;
}

int engine_pre_enqueue(struct engine *e, const struct pod_facts *pod, bool words,
                       struct verdict *ret_verdict)
{
    uint32_t id = claim_find(e, pod->uid);
    bool outdated = false;

    if (!is_known(e, id, pod->resource_version)) {
        bool is_new = id == 0;
        int error = pod_see(e, pod, &id, &outdated);

        if (error < 0)
            return error;
        if (is_new && id != 0) {
            claim_set_flag(claim_at(e, id), CLAIM_PROVISIONAL, true);
            claim_set_timer(e, id);
        }
    }
    if (id == 0) {
        bool foreign = pod->gates.foreign > 0 && e->config.removal == REMOVE_ON_BIND;

        pass(ret_verdict);
        if (outdated)
            hold(e, ret_verdict, REASON_NOT_READY,
                 words ? "a newer pod of this name was seen" : "");
        if (foreign && ret_verdict->pass)
            hold(e, ret_verdict, REASON_FOREIGN_GATE,
                 words ? "a scheduling gate is for others to remove" : "");
        let_go_heard(e, pod->uid, ret_verdict->pass);
        return 0;
    }
    decide(e, id, words, ret_verdict);
    return 0;
}

void engine_pre_filter(struct engine *e, struct text uid, struct verdict *ret_verdict,
                       bool *ret_nodes_matter, bool *ret_unschedulable)
{
    uint32_t id = engine_find_pod(e, uid);

    pass(ret_verdict);
    *ret_nodes_matter = *ret_unschedulable = false;
    if (id == 0)
        return;
    if (assembly_finds_no_nodes(e, id)) {
        assembly_told(e, id);
        *ret_unschedulable = true;
    }
    judge(e, id, true, ret_verdict);
    *ret_unschedulable = *ret_unschedulable && !ret_verdict->pass;
    if (*ret_unschedulable) /* with one text each time, so that the condition is written once */
        explain_refusal(e, id, ret_verdict->message);
    if (!ret_verdict->would)
        return;
    if (claim_at(e, id)->state == CLAIM_RESERVED)
        claim_set_flag(claim_at(e, id), CLAIM_SEEN_IN_CYCLE, true);
    claim_set_timer(e, id);
    for (uint32_t i = 0; i < line_count(e, line_at(e, claim_at(e, id)->line)); i++)
        *ret_nodes_matter = *ret_nodes_matter || flavor_asks(e, claim_flavors(claim_at(e, id))[i]);
}

void engine_post_filter(struct engine *e, struct text uid)
{
    uint32_t id = engine_find_pod(e, uid);

    if (id == 0 || claim_at(e, id)->state != CLAIM_RESERVED)
        return;
    claim_set_flag(claim_at(e, id), CLAIM_LACKS_NODE, true);
    assembly_fail(e, id);
    outbox_sync(&e->outbox, EFFECT_OF_POD, id);
    group_settle(e);
}

void engine_reserve(struct engine *e, struct text uid, bool tries, struct verdict *ret_verdict)
{
    uint32_t id = engine_find_pod(e, uid);

    pass(ret_verdict);
    if (id == 0)
        return;
    judge(e, id, true, ret_verdict);
    if (ret_verdict->would && !tries)
        claim_change(e, id, CLAIM_ALLOCATED, REASON_NONE);
    group_settle(e);
}

/* Who had a node, but not the others of its gang, lacks one like them. */
static void give_node_back(struct engine *e, uint32_t id)
{
    claim_change(e, id, CLAIM_RESERVED, REASON_NONE);
    demote_uncounted(e, id);
    if (!assembly_finds_no_nodes(e, id))
        return;
    claim_set_flag(claim_at(e, id), CLAIM_LACKS_NODE, true);
    outbox_sync(&e->outbox, EFFECT_OF_POD, id);
}

bool engine_permit(struct engine *e, struct text uid, int64_t *ret_until)
{
    uint32_t id = engine_find_pod(e, uid);
    bool allow = true;

    *ret_until = 0;
    if (id != 0)
        allow = assembly_permit(e, id, ret_until);
    group_settle(e);
    return allow;
}

void engine_unreserve(struct engine *e, struct text uid)
{
    uint32_t id = engine_find_pod(e, uid);

    if (id != 0 && claim_at(e, id)->state == CLAIM_ALLOCATED &&
        (claim_at(e, id)->flags & CLAIM_BOUND) == 0)
        give_node_back(e, id);
    group_settle(e);
}

void engine_bind(const struct engine *e, struct text uid, struct removal_patch *ret_patch)
{
    uint32_t id = engine_find_pod(e, uid);

    ret_patch->gates = 0;
    if (id != 0 && !e->config.observe_only)
        claim_patch(e, id, ret_patch);
    if (ret_patch->gates == 0) { /* no patch, so nothing to write with it */
        ret_patch->flavor_count = ret_patch->pair_count = 0;
        ret_patch->generation = ret_patch->stamp = 0;
        ret_patch->queue = (struct text){NULL, 0};
    }
}

void engine_hand_out(struct engine *e, struct text uid)
{
    uint32_t id = engine_find_pod(e, uid);

    if (id != 0)
        journal_handed_out(e, id);
}

void engine_post_bind(struct engine *e, struct text uid)
{
    uint32_t id = engine_find_pod(e, uid);

    if (id == 0)
        return;
    journal_bound(e, id);
    claim_set_flag(claim_at(e, id), CLAIM_BOUND, true);
    pod_settle(e, id);
    group_settle(e);
}
