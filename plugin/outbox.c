/* SPDX-License-Identifier: Apache-2.0 */
#include "outbox.h"

#include "claim_effects.h"
#include "command_effects.h"
#include "fleet_effects.h"
#include "group_effects.h"
#include "index.h"
#include "load_effects.h"
#include "state.h"

const struct outbox_type *const outbox_types[EFFECT_OBJECTS] = {
    [EFFECT_OF_POD] = &claim_effects,       [EFFECT_OF_QUEUE] = &queue_effects,
    [EFFECT_OF_COMMAND] = &command_effects, [EFFECT_OF_WORKLOAD] = &dispatch_effects,
    [EFFECT_OF_REPLICA] = &replica_effects, [EFFECT_OF_GROUP] = &group_effects,
    [EFFECT_OF_LOAD] = &load_effects,
};

const struct slab *outbox_records(const struct engine *e, enum effect_object object)
{
    return (const struct slab *)(const void *)((const char *)e + outbox_types[object]->records);
}

struct outbox_entry *outbox_at(const struct engine *e, enum effect_object object, uint32_t id)
{
    return (void *)((char *)slab_at(outbox_records(e, object), id) + outbox_types[object]->entry);
}

static void link_ready(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(e, object, id);
    struct outbox_list *list = &e->ready[object];

    entry->prev = list->last;
    entry->next = 0;
    if (list->last != 0)
        outbox_at(e, object, list->last)->next = id;
    else
        list->first = id;
    list->last = id;
}

static void unlink_ready(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(e, object, id);
    struct outbox_list *list = &e->ready[object];

    if (entry->prev != 0)
        outbox_at(e, object, entry->prev)->next = entry->next;
    else
        list->first = entry->next;
    if (entry->next != 0)
        outbox_at(e, object, entry->next)->prev = entry->prev;
    else
        list->last = entry->prev;
    entry->prev = entry->next = 0;
}

uint32_t outbox_count(uint8_t bits)
{
    return bits == 0 ? 0 : 1 + outbox_count(bits & (uint8_t)(bits - 1));
}

/* In the list while any effect of the object may go out. */
static void set_ready(struct engine *e, enum effect_object object, uint32_t id, uint8_t ready)
{
    struct outbox_entry *entry = outbox_at(e, object, id);
    uint8_t before = entry->ready;

    if (ready == before)
        return;
    entry->ready = ready;
    e->ready_effects += outbox_count(ready) - outbox_count(before);
    if (before == 0)
        link_ready(e, object, id);
    else if (ready == 0)
        unlink_ready(e, object, id);
}

static uint8_t wanted_of(const struct engine *e, enum effect_object object, uint32_t id)
{
    return e->leads && e->synced && !e->config.observe_only ? outbox_types[object]->wanted(e, id)
                                                            : 0;
}

/* Of what is needed, that which may go out. */
static uint8_t ready_of(const struct engine *e, const struct outbox_entry *entry, uint8_t wanted)
{
    if ((entry->leased | entry->replaced) != 0) /* one under way at a time */
        return 0;
    for (uint32_t at = entry->given; at != 0; at = given_at(&e->given, at)->next) {
        if (given_at(&e->given, at)->due != 0)
            wanted &= (uint8_t)~outbox_bit(given_at(&e->given, at)->slot);
    }
    return wanted;
}

/* What is not needed any more, and not under way, is over. */
static void drop_given(struct engine *e, struct outbox_entry *entry)
{
    for (uint32_t at = entry->given, next; at != 0; at = next) {
        const struct given *given = given_at(&e->given, at);

        next = given->next;
        if (!given->replaced && ((entry->wanted | entry->leased) & outbox_bit(given->slot)) == 0)
            given_drop(&e->given, &entry->given, at);
    }
}

void outbox_sync(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(e, object, id);

    entry->wanted = wanted_of(e, object, id);
    drop_given(e, entry);
    set_ready(e, object, id, ready_of(e, entry, entry->wanted));
}

void outbox_renew(struct engine *e, enum effect_object object, uint32_t id, uint32_t slot)
{
    struct outbox_entry *entry = outbox_at(e, object, id);
    uint32_t at = given_of(&e->given, entry->given, slot);

    if (at != 0 && (entry->leased & outbox_bit(slot)) != 0) {
        given_at(&e->given, at)->replaced = true;
        entry->leased &= (uint8_t)~outbox_bit(slot);
        entry->replaced |= outbox_bit(slot);
    } else if (at != 0) {
        given_drop(&e->given, &entry->given, at);
    }
    outbox_sync(e, object, id);
}

void outbox_forget(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(e, object, id);

    set_ready(e, object, id, 0);
    entry->wanted = entry->leased = entry->replaced = 0;
    while (entry->given != 0)
        given_drop(&e->given, &entry->given, entry->given);
}

uint32_t outbox_attempts(const struct engine *e, enum effect_object object, uint32_t id,
                         uint32_t slot)
{
    uint32_t at = given_of(&e->given, outbox_at(e, object, id)->given, slot);

    return at == 0 ? 0 : given_at(&e->given, at)->attempts;
}

bool outbox_runs_out(const struct engine *e, enum effect_object object, uint32_t id, uint32_t slot)
{
    const struct outbox_entry *entry = outbox_at(e, object, id);

    return (entry->leased & outbox_bit(slot)) != 0 &&
           given_at(&e->given, given_of(&e->given, entry->given, slot))->due <= e->now;
}

uint64_t outbox_hash(const struct engine *e, const struct outbox_entry *entry, uint64_t seed)
{
    const uint8_t bits[] = {entry->wanted, entry->leased, entry->replaced};

    return given_hash(&e->given, entry->given, hash_bytes64(bits, sizeof(bits), seed));
}

void outbox_describe(const struct engine *e, struct outbox_place at, struct effect *ret)
{
    const struct outbox_type *type = outbox_types[at.object];
    const struct outbox_entry *entry = outbox_at(e, at.object, at.id);
    uint32_t known = given_of(&e->given, entry->given, at.slot);

    ret->id = known == 0 ? 0 : given_at(&e->given, known)->id;
    ret->kind = type->kinds[at.slot];
    ret->object = at.object;
    ret->record = at.id;
    ret->slot = at.slot;
    ret->leased = (entry->leased & outbox_bit(at.slot)) != 0;
    ret->attempt = outbox_attempts(e, at.object, at.id, at.slot) + (ret->leased ? 0u : 1u);
    ret->due = known == 0 ? 0 : given_at(&e->given, known)->due;
    type->describe(e, at.id, at.slot, ret);
}

/* What is above an object may have changed, and it was not told yet. */
static uint32_t first_ready(struct engine *e, enum effect_object object)
{
    uint32_t id;

    while ((id = e->ready[object].first) != 0) {
        outbox_sync(e, object, id);
        if (e->ready[object].first == id)
            break;
    }
    return id;
}

/* The first that has one ready still; ret: which. 0: none. */
static uint32_t still_ready(const struct engine *e, enum effect_object object, uint8_t *ret_ready)
{
    uint32_t id = e->ready[object].first;

    for (; id != 0; id = outbox_at(e, object, id)->next) {
        *ret_ready = ready_of(e, outbox_at(e, object, id), wanted_of(e, object, id));
        if (*ret_ready != 0)
            break;
    }
    return id;
}

bool engine_peek_effect(const struct engine *e, struct effect *ret_effect)
{
    for (uint32_t i = 0; i < EFFECT_OBJECTS; i++) {
        struct outbox_place at = {(enum effect_object)((e->next_object + i) % EFFECT_OBJECTS), 0,
                                  0};
        uint8_t ready = 0;

        at.id = still_ready(e, at.object, &ready);
        if (at.id == 0)
            continue;
        while ((ready & outbox_bit(at.slot)) == 0)
            at.slot++;
        outbox_describe(e, at, ret_effect);
        if (ret_effect->id == 0)
            ret_effect->id = given_next_id(&e->given);
        return true;
    }
    return false;
}

int engine_reserve_effects(struct engine *e, uint32_t count)
{
    return given_reserve(&e->given, count) < 0 ? ENGINE_NO_MEMORY : 0;
}

/* Kinds of objects take turns, so that none of them keeps the others waiting. */
int engine_next_effect(struct engine *e, struct effect *ret_effect)
{
    if (engine_reserve_effects(e, 1) < 0)
        return ENGINE_NO_MEMORY;
    for (uint32_t i = 0; i < EFFECT_OBJECTS; i++) {
        struct outbox_place at = {(enum effect_object)((e->next_object + i) % EFFECT_OBJECTS), 0,
                                  0};

        at.id = first_ready(e, at.object);
        if (at.id == 0)
            continue;
        while ((outbox_at(e, at.object, at.id)->ready & outbox_bit(at.slot)) == 0)
            at.slot++;
        outbox_describe(e, at, ret_effect);
        if (ret_effect->id == 0)
            ret_effect->id = given_next_id(&e->given);
        return 1;
    }
    return 0;
}

bool engine_renumber(const struct engine *e, struct effect *effect, uint64_t content)
{
    uint32_t first = outbox_at(e, effect->object, effect->record)->given;
    uint32_t id = given_of(&e->given, first, effect->slot);

    if (id == 0 || given_at(&e->given, id)->content == content)
        return false;
    effect->id = given_next_id(&e->given);
    effect->attempt = 1;
    return true;
}

void engine_lease(struct engine *e, struct effect *effect, uint64_t content)
{
    struct outbox_place at = {effect->object, effect->record, effect->slot};
    struct outbox_entry *entry = outbox_at(e, at.object, at.id);
    struct given *given;
    uint32_t id;

    if ((entry->ready & outbox_bit(at.slot)) == 0)
        return;
    id = given_again(&e->given, &entry->given, at.slot, content);
    given = given_at(&e->given, id);
    given->object = (uint8_t)at.object;
    given->record = at.id;
    given->due = e->now + INT64_C(1000000) * OUTBOX_LEASE_MS;
    effect->id = given->id;
    effect->attempt = given->attempts;
    entry->leased |= outbox_bit(at.slot);
    set_ready(e, at.object, at.id, 0);
    e->next_object = (at.object + 1u) % EFFECT_OBJECTS;
    if (outbox_types[at.object]->leased != NULL)
        outbox_types[at.object]->leased(e, at.id, at.slot);
    outbox_types[at.object]->set_timer(e, at.id);
}

/* An attempt came to nothing: the next one is after this time; 0: at once. */
static void retry(struct engine *e, struct outbox_place at, struct given *given, int64_t due)
{
    given->failures++;
    given->due = due;
    if (outbox_types[at.object]->retried != NULL)
        outbox_types[at.object]->retried(e, at.id, at.slot);
}

/* It is not under way any more, and neither done nor to be tried again. */
static void end(struct engine *e, struct outbox_place at, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(e, at.object, at.id);

    if (given_at(&e->given, id)->replaced)
        entry->replaced = 0;
    entry->leased &= (uint8_t)~outbox_bit(at.slot);
    given_drop(&e->given, &entry->given, id);
}

bool engine_ack(struct engine *e, int64_t effect, enum effect_result result, int64_t version)
{
    uint32_t id = given_find(&e->given, effect);
    struct given *given;
    struct outbox_place at;
    bool counts;

    if (id == 0)
        return false;
    given = given_at(&e->given, id);
    at = (struct outbox_place){(enum effect_object)given->object, given->record, given->slot};
    counts = !given->replaced;
    if (counts && (outbox_at(e, at.object, at.id)->leased & outbox_bit(at.slot)) == 0)
        return false;
    if (!counts || result == EFFECT_DONE || result == EFFECT_GONE) {
        end(e, at, id);
    } else {
        outbox_at(e, at.object, at.id)->leased &= (uint8_t)~outbox_bit(at.slot);
        retry(e, at, given, e->now + given_backoff(&e->given, id));
    }
    if (counts && result == EFFECT_GONE) {
        outbox_types[at.object]->gone(e, at.id, at.slot);
        return true;
    }
    if (counts && result == EFFECT_DONE)
        outbox_types[at.object]->done(e, at.id, at.slot, version);
    outbox_sync(e, at.object, at.id);
    outbox_types[at.object]->set_timer(e, at.id);
    return true;
}

int64_t outbox_due(const struct engine *e, enum effect_object object, uint32_t id)
{
    uint32_t first = given_first_due(&e->given, outbox_at(e, object, id)->given);

    return first == 0 ? 0 : given_at(&e->given, first)->due;
}

void outbox_expire(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(e, object, id);
    uint32_t first;

    while ((first = given_first_due(&e->given, entry->given)) != 0 &&
           given_at(&e->given, first)->due <= e->now) {
        struct given *given = given_at(&e->given, first);
        struct outbox_place at = {object, id, given->slot};

        if (given->replaced) {
            end(e, at, first);
        } else if ((entry->leased & outbox_bit(at.slot)) != 0) {
            entry->leased &= (uint8_t)~outbox_bit(at.slot);
            retry(e, at, given, 0);
        } else {
            given->due = 0;
        }
    }
    outbox_sync(e, object, id);
}
