/* SPDX-License-Identifier: Apache-2.0 */
#include "claim_effects.h"

#include "explain.h"
#include "explain_queue.h"
#include "plugin/base/sentence.h"
#include "plugin/claims/claim_make.h"
#include "plugin/claims/journal.h"
#include "plugin/claims/news.h"
#include "plugin/claims/stale_condition.h"
#include "plugin/pods/assembly.h"
#include "plugin/pods/assembly_turn.h"
#include "plugin/pods/claim_time.h"
#include "plugin/pods/let_go.h"
#include "plugin/state.h"

bool claim_removal_comes_first(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    for (uint32_t i = 0; i < claim->need_count; i++) {
        if (claim->state == CLAIM_RESERVED && claim->gates != 0 &&
            flavor_tolerates(e, claim_flavors(claim)[i]))
            return true;
    }
    return false;
}

/* The scheduler keeps a pod that PreEnqueue held until it is told. */
static bool wants_activate(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if (claim->flags & CLAIM_LET_GO)
        return let_go_wants_activate(e, id);
    return claim->state == CLAIM_RESERVED && (claim->flags & CLAIM_PARKED) != 0 &&
           assembly_holds(e, id) == REASON_NONE && !queue_stops_granted(e, claim_queue(e, id)) &&
           !claim_removal_comes_first(e, id) && !stale_condition_awaits(claim);
}

/* Its stamp is to say where it counts by now: a later leader believes that. Who was never granted
 * gets one when its pod tells something else. */
static bool wants_stamp(const struct engine *e, const struct claim *claim)
{
    const uint32_t granted = CLAIM_STAMPED | CLAIM_MANAGED;

    return claim_holds(claim) && claim->gates == 0 && (claim->flags & CLAIM_MOVED) != 0 &&
           ((claim->flags & granted) == granted || (claim->flags & CLAIM_BOUND) != 0) &&
           !e->config.observe_only;
}

/* At the grant, or, where gates go on bind, as soon as no node fits: a gate would hide the pod from
 * the autoscaler. */
static bool wants_removal(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if (claim->flags & CLAIM_LET_GO)
        return let_go_wants_removal(e, id);
    if (wants_stamp(e, claim))
        return true;
    if (claim->state != CLAIM_RESERVED || claim->gates == 0 ||
        (claim->flags & CLAIM_GATES_GONE) != 0 || stale_condition_awaits(claim) ||
        queue_stops_granted(e, claim_queue(e, id)))
        return false;
    return e->config.removal == REMOVE_ON_ADMISSION || (claim->flags & CLAIM_LACKS_NODE) != 0 ||
           claim_removal_comes_first(e, id);
}

/* Autoscalers never look at a condition's age: a pod that waits for its queue must not say that it
 * waits for nodes. */
static bool wants_condition(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if ((claim->flags & CLAIM_UNSCHEDULABLE) == 0 || (claim->flags & CLAIM_OVERWRITTEN) != 0 ||
        (claim->flags & CLAIM_MANAGED) == 0 || claim->state == CLAIM_ALLOCATED ||
        (claim->flags & CLAIM_RESTORING) != 0)
        return false;
    return claim->state != CLAIM_RESERVED || stale_condition_awaits(claim) ||
           queue_stops_granted(e, claim_queue(e, id));
}

static bool wants_event(const struct engine *e, uint32_t id)
{
    return engine_asks(e, EFFECT_EVENT) && news_is_to_tell(e, id);
}

/* Without a host that knows of such waits nobody waits. */
static bool wants_answer(const struct engine *e, uint32_t id)
{
    bool allow;

    return assembly_answers(e, id, &allow);
}

/* Once the group that its minimum asked for is there. */
static bool wants_group(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    return claim_group(e, claim) != 0 && (claim->flags & (CLAIM_GANG | CLAIM_NAMES_GROUP)) == 0 &&
           (claim->flags & CLAIM_MANAGED) != 0 && group_at(e, claim_group(e, claim))->known &&
           !group_is_native(group_at(e, claim_group(e, claim))) && engine_asks(e, EFFECT_SET_GROUP);
}

/* As a victim, or because its queue is drained. */
static bool must_go(const struct engine *e, uint32_t id)
{
    const uint32_t drained = CLAIM_MANAGED | CLAIM_BOUND;
    uint32_t flags = claim_at(e, id)->flags;

    return (flags & CLAIM_VICTIM) != 0 ||
           ((flags & drained) == drained && queue_drains(e, claim_queue(e, id)));
}

/* Until it is seen to go: that the host was told of success is not yet the end. */
static bool wants_evict(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    return claim->state == CLAIM_ALLOCATED && must_go(e, id) &&
           (claim->flags & (CLAIM_EVICTED | CLAIM_ENDING)) == 0 && engine_asks(e, EFFECT_EVICT_POD);
}

static uint8_t wanted(const void *owner, uint32_t id)
{
    const struct engine *e = owner;
    return (uint8_t)(wants_activate(e, id) << EFFECT_ACTIVATE |
                     wants_removal(e, id) << EFFECT_REMOVE_GATES |
                     wants_condition(e, id) << EFFECT_SET_CONDITION |
                     wants_answer(e, id) << CLAIM_ANSWER | wants_group(e, id) << CLAIM_NAME_GROUP |
                     wants_event(e, id) << CLAIM_TELL | wants_evict(e, id) << CLAIM_EVICT);
}

void claim_patch(const struct engine *e, uint32_t id, struct removal_patch *ret_patch)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);

    ret_patch->gates = (claim->flags & CLAIM_GATES_GONE) != 0 ? 0 : claim->gates;
    ret_patch->generation = claim->generation;
    ret_patch->stamp = claim->stamp;
    if (claim->gates == 0 && (claim->flags & CLAIM_STAMPED) == 0)
        ret_patch->stamp = 0; /* it was never granted */
    ret_patch->queue = (struct text){NULL, 0};
    if ((claim->flags & CLAIM_LET_GO) == 0)
        ret_patch->queue = name_text(e, queue_at(e, line_queue(e, line))->name);
    ret_patch->queue_kind = queue_at(e, line_queue(e, line))->kind;
    ret_patch->flavor_count = ret_patch->pair_count = 0;
    if (claim->gates == 0) /* its spec cannot be changed any more */
        return;
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        uint16_t flavor = claim_flavors(claim)[i];
        bool again = false;

        if (flavor == 0 || flavor == FLAVOR_NONE)
            continue;
        ret_patch->pairs[ret_patch->pair_count].resource = name_text(e, line_resource(e, line, i));
        ret_patch->pairs[ret_patch->pair_count++].flavor = flavor_name(e, flavor);
        for (uint32_t k = 0; k < ret_patch->flavor_count; k++)
            again = again || ret_patch->flavors[k] == flavor;
        if (!again && flavor_asks(e, flavor))
            ret_patch->flavors[ret_patch->flavor_count++] = flavor;
    }
}

/* Whom a victim makes room for. */
static enum reason explain_eviction(const struct engine *e, uint32_t victim, char *message)
{
    uint32_t of = pledge_at(e, victim)->of;
    struct sentence say = sentence_in(message, VERDICT_MESSAGE_MAX);

    if ((claim_at(e, victim)->flags & CLAIM_VICTIM) == 0 &&
        queue_drains(e, claim_queue(e, victim))) {
        explain_queue(&say, e, claim_queue(e, victim),
                      " is drained: its stopPolicy is HoldAndDrain");
        return REASON_QUEUE_DRAINED;
    }
    sentence_str(&say, "preempted to make room");
    if ((claim_at(e, victim)->flags & CLAIM_VICTIM) == 0 || of == 0)
        return REASON_PREEMPTED; /* for others than whom it was chosen for, or for nobody now */
    sentence_str(&say, claim_is_workload(e, of)              ? " for workload "
                       : claim_at(e, of)->flags & CLAIM_GANG ? " for gang "
                                                             : " for pod ");
    explain_other(&say, e, of, victim);
    sentence_number(&say, " of priority ", claim_at(e, of)->priority, " in ");
    explain_queue(&say, e, claim_queue(e, of), "");
    return REASON_PREEMPTED;
}

/* Whether its pod has a gate still, ours or another one. */
static bool is_gated(const struct claim *claim)
{
    bool has_ours = claim->gates != 0 && (claim->flags & CLAIM_GATES_GONE) == 0;
    bool has_other = claim->obstacle != 0 && !claim->misses_claim;

    return has_ours || has_other;
}

static void describe(const void *owner, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct engine *e = owner;
    const struct claim *claim = claim_at(e, id);

    ret->uid = claim_uid(e, id);
    ret->space = name_text(e, claim->space);
    ret->name = claim_name(e, id);
    ret->resource_version = claim->version;
    ret->reason = REASON_NONE;
    ret->message[0] = '\0';
    ret->gated = slot == EFFECT_SET_CONDITION && is_gated(claim);
    ret->allow = ret->about_queue = false;
    ret->again = claim->news_ever;
    ret->group = (struct text){NULL, 0};
    if (slot == CLAIM_NAME_GROUP && claim_group(e, claim) != 0) /* it may have left since */
        ret->group = name_text(e, group_at(e, claim_group(e, claim))->name);
    if (slot == EFFECT_REMOVE_GATES)
        claim_patch(e, id, &ret->patch);
    if (slot == EFFECT_SET_CONDITION)
        explain_condition(e, id, &ret->reason, ret->message);
    if (slot == CLAIM_EVICT)
        ret->reason = explain_eviction(e, id, ret->message);
    if (slot == CLAIM_TELL)
        explain_news(e, id, &ret->reason, ret->message);
    if (slot == CLAIM_EVICT || slot == CLAIM_TELL)
        ret->key = hash_bytes64(ret->uid.at, ret->uid.len, ret->reason);
    if (slot == CLAIM_ANSWER && assembly_answers(e, id, &ret->allow) && !ret->allow)
        explain_refusal(e, id, ret->message);
}

static void leased(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    journal_effect(e, id, EVENT_LEASED, claim_effects.kinds[slot],
                   outbox_attempts(&e->outbox, EFFECT_OF_POD, id, slot));
    if (slot == EFFECT_SET_CONDITION)
        stale_condition_note_write(claim_at(e, id));
    if (slot == CLAIM_TELL)
        news_note_leased(claim_at(e, id));
}

static void retried(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    journal_effect(e, id, EVENT_RETRIED, claim_effects.kinds[slot],
                   outbox_attempts(&e->outbox, EFFECT_OF_POD, id, slot));
    if (slot == CLAIM_EVICT) /* it may stay, if nobody needs its room any more */
        queue_candidates_changed(e, claim_queue(e, id));
}

static void named(struct engine *e, uint32_t id, int64_t version)
{
    struct claim *claim = claim_at(e, id);

    claim_set_flag(claim, CLAIM_NAMES_GROUP, true);
    if (claim->member != 0)
        member_at(e, claim->member)->named_at = version;
}

static void done(void *owner, uint32_t id, uint32_t slot, int64_t version)
{
    struct engine *e = owner;
    struct claim *claim = claim_at(e, id);

    if (slot == EFFECT_REMOVE_GATES && claim->gates != 0)
        journal_ungated(e, id);
    if (slot == EFFECT_ACTIVATE)
        claim_set_flag(claim, CLAIM_PARKED, false);
    else if (slot == EFFECT_REMOVE_GATES)
        claim_set_flag(claim, claim->gates != 0 ? CLAIM_GATES_GONE : CLAIM_MOVED,
                       claim->gates != 0);
    else if (slot == EFFECT_SET_CONDITION)
        claim_set_flag(claim, CLAIM_OVERWRITTEN, true);
    else if (slot == CLAIM_ANSWER)
        assembly_answered(e, id);
    else if (slot == CLAIM_NAME_GROUP)
        named(e, id, version);
    else if (slot == CLAIM_EVICT)
        claim_set_flag(claim, CLAIM_EVICTED, must_go(e, id));
    else
        news_note_told(claim);
    group_settle(e);
}

static void gone(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    (void)slot;
    claim_destroy(e, id);
    group_settle(e);
}

static void set_timer(void *owner, uint32_t id)
{
    claim_set_timer(owner, id);
}

static bool is_of_pods(const void *owner, uint32_t id)
{
    return !claim_is_workload(owner, id);
}

const struct outbox_type claim_effects = {
    .records = offsetof(struct engine, claims.records),
    .entry = offsetof(struct claim, effects),
    .slots = CLAIM_EFFECTS,
    .kinds = {EFFECT_ACTIVATE, EFFECT_REMOVE_GATES, EFFECT_SET_CONDITION, EFFECT_ANSWER_PERMIT,
              EFFECT_SET_GROUP, EFFECT_EVENT, EFFECT_EVICT_POD},
    .has = is_of_pods,
    .wanted = wanted,
    .describe = describe,
    .leased = leased,
    .retried = retried,
    .done = done,
    .gone = gone,
    .set_timer = set_timer,
};
