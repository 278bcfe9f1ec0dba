/* SPDX-License-Identifier: Apache-2.0 */
#include "outbox.h"

#include "explain.h"
#include "state.h"

static uint8_t bit(enum effect_kind kind)
{
    return (uint8_t)(1u << kind);
}

bool outbox_removal_comes_first(const struct engine *e, uint32_t id)
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

    return claim->state == CLAIM_RESERVED && (claim->flags & CLAIM_PARKED) != 0 &&
           !queue_stops_granted(e, claim_queue(e, id)) && !outbox_removal_comes_first(e, id);
}

/* At the grant, or, where gates go on bind, as soon as no node fits: a gate would hide the pod from
 * the autoscaler. */
static bool wants_removal(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if (claim->state != CLAIM_RESERVED || claim->gates == 0 ||
        (claim->flags & CLAIM_GATES_GONE) != 0 || queue_stops_granted(e, claim_queue(e, id)))
        return false;
    return e->config.removal == REMOVE_ON_ADMISSION || (claim->flags & CLAIM_LACKS_NODE) != 0 ||
           outbox_removal_comes_first(e, id);
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
    return claim->state != CLAIM_RESERVED || queue_stops_granted(e, claim_queue(e, id));
}

static void link_ready(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    claim->prev_ready = e->last_ready;
    claim->next_ready = 0;
    if (e->last_ready != 0)
        claim_at(e, e->last_ready)->next_ready = id;
    else
        e->first_ready = id;
    e->last_ready = id;
}

static void unlink_ready(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    if (claim->prev_ready != 0)
        claim_at(e, claim->prev_ready)->next_ready = claim->next_ready;
    else
        e->first_ready = claim->next_ready;
    if (claim->next_ready != 0)
        claim_at(e, claim->next_ready)->prev_ready = claim->prev_ready;
    else
        e->last_ready = claim->prev_ready;
    claim->prev_ready = claim->next_ready = 0;
}

static uint32_t count_bits(uint8_t bits)
{
    uint32_t count = 0;

    for (; bits != 0; bits &= (uint8_t)(bits - 1))
        count++;
    return count;
}

/* In the list while any effect of the claim may go out. */
static void set_ready(struct engine *e, uint32_t id, uint8_t ready)
{
    struct claim *claim = claim_at(e, id);
    uint8_t before = claim->ready;

    if (ready == before)
        return;
    claim->ready = ready;
    e->ready_effects += count_bits(ready) - count_bits(before);
    if (before == 0)
        link_ready(e, id);
    else if (ready == 0)
        unlink_ready(e, id);
}

void outbox_sync(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    uint8_t wanted = 0, ready = 0;

    if (e->leads && e->synced && !e->config.observe_only) {
        wanted |= wants_activate(e, id) ? bit(EFFECT_ACTIVATE) : 0;
        wanted |= wants_removal(e, id) ? bit(EFFECT_REMOVE_GATES) : 0;
        wanted |= wants_condition(e, id) ? bit(EFFECT_SET_CONDITION) : 0;
    }
    for (enum effect_kind kind = 0; kind < EFFECT_KINDS; kind++) {
        if ((claim->leased & bit(kind)) != 0)
            continue;
        if ((wanted & bit(kind)) == 0) {
            claim->attempts[kind] = 0;
            claim->due[kind] = 0;
        } else if (claim->due[kind] == 0) {
            ready |= bit(kind);
        }
    }
    claim->wanted = wanted;
    set_ready(e, id, claim->leased != 0 ? 0 : ready); /* one under way at a time */
}

void outbox_renew(struct engine *e, uint32_t id, enum effect_kind kind)
{
    struct claim *claim = claim_at(e, id);

    claim->answered |= claim->leased & bit(kind);
    claim->leased &= (uint8_t)~bit(kind);
    claim->due[kind] = 0;
    outbox_sync(e, id);
}

void outbox_forget(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    set_ready(e, id, 0);
    claim->wanted = claim->leased = claim->answered = 0;
    memset(claim->attempts, 0, sizeof(claim->attempts));
    memset(claim->due, 0, sizeof(claim->due));
}

/* An effect's id names the claim's record, the claim among those that had it, and the kind:
 *   | turn (29 bits) | record (32 bits) | kind (2 bits) |  */
static int64_t effect_id(const struct engine *e, uint32_t id, enum effect_kind kind)
{
    uint64_t turn = claim_at(e, id)->turn & ((1u << 29) - 1);

    return (int64_t)(turn << 34 | (uint64_t)id << 2 | (uint64_t)kind);
}

static bool find_effect(const struct engine *e, int64_t effect, uint32_t *ret_claim,
                        enum effect_kind *ret_kind)
{
    uint32_t id = (uint32_t)((uint64_t)effect >> 2);
    enum effect_kind kind = (enum effect_kind)(effect & 3);

    if (effect <= 0 || kind >= EFFECT_KINDS || !slab_live(&e->claims, id) ||
        effect_id(e, id, kind) != effect)
        return false;
    *ret_claim = id;
    *ret_kind = kind;
    return true;
}

void outbox_patch(const struct engine *e, uint32_t id, struct removal_patch *ret_patch)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);

    ret_patch->gates = (claim->flags & CLAIM_GATES_GONE) != 0 ? 0 : claim->gates;
    ret_patch->generation = claim->generation;
    ret_patch->stamp = claim->stamp;
    ret_patch->flavor_count = ret_patch->pair_count = 0;
    for (uint32_t i = 0; i < line->count; i++) {
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

static void describe(const struct engine *e, uint32_t id, enum effect_kind kind,
                     struct effect *ret_effect)
{
    const struct claim *claim = claim_at(e, id);

    ret_effect->id = effect_id(e, id, kind);
    ret_effect->kind = kind;
    ret_effect->uid = claim_uid(e, id);
    ret_effect->space = name_text(e, claim->space);
    ret_effect->name = claim_name(e, id);
    ret_effect->leased = (claim->leased & bit(kind)) != 0;
    ret_effect->attempt = claim->attempts[kind] + (ret_effect->leased ? 0u : 1u);
    ret_effect->due = claim->due[kind];
    ret_effect->resource_version = claim->version;
    ret_effect->reason = REASON_NONE;
    ret_effect->message[0] = '\0';
    if (kind == EFFECT_REMOVE_GATES)
        outbox_patch(e, id, &ret_effect->patch);
    if (kind == EFFECT_SET_CONDITION)
        explain_condition(e, id, &ret_effect->reason, ret_effect->message);
}

bool engine_next_effect(const struct engine *e, struct effect *ret_effect)
{
    if (e->first_ready == 0)
        return false;
    for (enum effect_kind kind = 0; kind < EFFECT_KINDS; kind++) {
        if ((claim_at(e, e->first_ready)->ready & bit(kind)) != 0) {
            describe(e, e->first_ready, kind, ret_effect);
            return true;
        }
    }
    return false;
}

void engine_lease(struct engine *e, int64_t effect)
{
    uint32_t id;
    enum effect_kind kind;

    if (!find_effect(e, effect, &id, &kind) || (claim_at(e, id)->ready & bit(kind)) == 0)
        return;

    struct claim *claim = claim_at(e, id);

    claim->leased |= bit(kind);
    if (claim->attempts[kind] < UINT8_MAX)
        claim->attempts[kind]++;
    claim->due[kind] = e->now + INT64_C(1000000) * OUTBOX_LEASE_MS;
    set_ready(e, id, 0);
    claim_set_timer(e, id);
}

/* Doubling with each attempt. Different effects that failed together do not all come back at once,
 * by a jitter that is the effect's own. */
static int64_t backoff(int64_t effect, uint8_t attempts)
{
    int64_t ms = OUTBOX_BACKOFF_MIN_MS;

    for (uint8_t i = 1; i < attempts && ms < OUTBOX_BACKOFF_MAX_MS; i++)
        ms *= 2;
    if (ms > OUTBOX_BACKOFF_MAX_MS)
        ms = OUTBOX_BACKOFF_MAX_MS;
    return INT64_C(1000000) * (ms - ms / 4 + (int64_t)((uint64_t)effect * 7919 % 1000) * ms / 4000);
}

static void done(struct claim *claim, enum effect_kind kind)
{
    if (kind == EFFECT_ACTIVATE)
        claim->flags &= (uint16_t)~CLAIM_PARKED;
    else if (kind == EFFECT_REMOVE_GATES)
        claim->flags |= CLAIM_GATES_GONE;
    else
        claim->flags |= CLAIM_OVERWRITTEN;
}

bool engine_ack(struct engine *e, int64_t effect, enum effect_result result)
{
    uint32_t id;
    enum effect_kind kind;
    struct claim *claim;

    if (!find_effect(e, effect, &id, &kind))
        return false;
    claim = claim_at(e, id);
    if ((claim->leased & bit(kind)) == 0) {
        bool expected = (claim->answered & bit(kind)) != 0;

        claim->answered &= (uint8_t)~bit(kind);
        return expected;
    }
    claim->leased &= (uint8_t)~bit(kind);
    claim->due[kind] = 0;
    if (result == EFFECT_GONE) {
        claim_destroy(e, id);
        return true;
    }
    if (result == EFFECT_DONE)
        done(claim, kind);
    else
        claim->due[kind] = e->now + backoff(effect, claim->attempts[kind]);
    outbox_sync(e, id);
    claim_set_timer(e, id);
    return true;
}

int64_t outbox_due(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    int64_t at = 0;

    for (enum effect_kind kind = 0; kind < EFFECT_KINDS; kind++) {
        if (claim->due[kind] != 0 && (at == 0 || claim->due[kind] < at))
            at = claim->due[kind];
    }
    return at;
}

void outbox_expire(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    for (enum effect_kind kind = 0; kind < EFFECT_KINDS; kind++) {
        if (claim->due[kind] != 0 && claim->due[kind] <= e->now) {
            claim->due[kind] = 0;
            claim->leased &= (uint8_t)~bit(kind);
        }
    }
    outbox_sync(e, id);
}

bool engine_next_live_effect(const struct engine *e, uint32_t *cursor, struct effect *ret)
{
    uint32_t end = slab_end(&e->claims);

    for (uint32_t at = *cursor < EFFECT_KINDS ? EFFECT_KINDS : *cursor; at / EFFECT_KINDS < end;
         at++) {
        uint32_t id = at / EFFECT_KINDS;
        enum effect_kind kind = (enum effect_kind)(at % EFFECT_KINDS);

        if (slab_live(&e->claims, id) &&
            ((claim_at(e, id)->wanted | claim_at(e, id)->leased) & bit(kind)) != 0) {
            describe(e, id, kind, ret);
            *cursor = at + 1;
            return true;
        }
    }
    return false;
}

const char *outbox_check(const struct engine *e)
{
    uint32_t listed = 0, effects = 0;

    for (uint32_t id = e->first_ready; id != 0; id = claim_at(e, id)->next_ready) {
        if (claim_at(e, id)->ready == 0 || ++listed > slab_count(&e->claims))
            return "the list of ready effects holds each claim that has one, once";
        effects += count_bits(claim_at(e, id)->ready);
    }
    return effects == e->ready_effects ? NULL : "ready effects are counted";
}
