/* SPDX-License-Identifier: Apache-2.0 */
#include "outbox.h"

#include "claim_effects.h"
#include "command_effects.h"
#include "fleet_effects.h"
#include "group_effects.h"
#include "load_effects.h"
#include "state.h"

static const struct outbox_type *const types[EFFECT_OBJECTS] = {
    [EFFECT_OF_POD] = &claim_effects,       [EFFECT_OF_QUEUE] = &queue_effects,
    [EFFECT_OF_COMMAND] = &command_effects, [EFFECT_OF_WORKLOAD] = &dispatch_effects,
    [EFFECT_OF_REPLICA] = &replica_effects, [EFFECT_OF_GROUP] = &group_effects,
    [EFFECT_OF_LOAD] = &load_effects,
};

static const struct slab *records(const struct engine *e, enum effect_object object)
{
    return (const struct slab *)(const void *)((const char *)e + types[object]->records);
}

static void *field(const struct engine *e, enum effect_object object, uint32_t id, size_t offset)
{
    return (char *)slab_at(records(e, object), id) + offset;
}

static struct outbox_entry *entry_at(const struct engine *e, enum effect_object object, uint32_t id)
{
    return field(e, object, id, types[object]->entry);
}

static uint8_t *attempts_at(const struct engine *e, enum effect_object object, uint32_t id)
{
    return field(e, object, id, types[object]->attempts);
}

static int64_t *due_at(const struct engine *e, enum effect_object object, uint32_t id)
{
    return field(e, object, id, types[object]->due);
}

static uint32_t cell_of(enum effect_object object, uint32_t slot)
{
    return slot % types[object]->cells;
}

static uint8_t bit(uint32_t slot)
{
    return (uint8_t)(1u << slot);
}

uint32_t outbox_turn(struct engine *e)
{
    return ++e->turns;
}

static void link_ready(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = entry_at(e, object, id);
    struct outbox_list *list = &e->ready[object];

    entry->prev = list->last;
    entry->next = 0;
    if (list->last != 0)
        entry_at(e, object, list->last)->next = id;
    else
        list->first = id;
    list->last = id;
}

static void unlink_ready(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = entry_at(e, object, id);
    struct outbox_list *list = &e->ready[object];

    if (entry->prev != 0)
        entry_at(e, object, entry->prev)->next = entry->next;
    else
        list->first = entry->next;
    if (entry->next != 0)
        entry_at(e, object, entry->next)->prev = entry->prev;
    else
        list->last = entry->prev;
    entry->prev = entry->next = 0;
}

static uint32_t count_bits(uint8_t bits)
{
    return bits == 0 ? 0 : 1 + count_bits(bits & (uint8_t)(bits - 1));
}

/* In the list while any effect of the object may go out. */
static void set_ready(struct engine *e, enum effect_object object, uint32_t id, uint8_t ready)
{
    struct outbox_entry *entry = entry_at(e, object, id);
    uint8_t before = entry->ready;

    if (ready == before)
        return;
    entry->ready = ready;
    e->ready_effects += count_bits(ready) - count_bits(before);
    if (before == 0)
        link_ready(e, object, id);
    else if (ready == 0)
        unlink_ready(e, object, id);
}

void outbox_sync(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = entry_at(e, object, id);
    uint8_t *attempts = attempts_at(e, object, id);
    int64_t *due = due_at(e, object, id);
    uint8_t wanted = 0, ready = 0, used = 0;

    if (e->leads && e->synced && !e->config.observe_only)
        wanted = types[object]->wanted(e, id);
    for (uint32_t slot = 0; slot < types[object]->slots; slot++) {
        uint32_t cell = cell_of(object, slot);

        if (((wanted | entry->leased) & bit(slot)) != 0)
            used |= bit(cell);
        if ((wanted & ~entry->leased & bit(slot)) != 0 && due[cell] == 0)
            ready |= bit(slot);
    }
    for (uint32_t cell = 0; cell < types[object]->cells; cell++) {
        if ((used & bit(cell)) == 0)
            attempts[cell] = 0, due[cell] = 0;
    }
    entry->wanted = wanted;
    set_ready(e, object, id, entry->leased != 0 ? 0 : ready); /* one under way at a time */
}

void outbox_renew(struct engine *e, enum effect_object object, uint32_t id, uint32_t slot)
{
    struct outbox_entry *entry = entry_at(e, object, id);
    uint32_t cell = cell_of(object, slot), others = 0;

    entry->answered |= entry->leased & bit(slot);
    entry->leased &= (uint8_t)~bit(slot);
    for (uint32_t at = cell; at < types[object]->slots; at += types[object]->cells)
        others |= entry->leased & bit(at);
    if (others == 0) /* else it is the end of their lease */
        due_at(e, object, id)[cell] = 0;
    outbox_sync(e, object, id);
}

void outbox_forget(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = entry_at(e, object, id);

    set_ready(e, object, id, 0);
    entry->wanted = entry->leased = entry->answered = 0;
    memset(attempts_at(e, object, id), 0, types[object]->cells * sizeof(uint8_t));
    memset(due_at(e, object, id), 0, types[object]->cells * sizeof(int64_t));
}

/* An effect's id names the object's record, the object among those that had it, and the slot:
 *   | kind of object (3 bits) | slot's high bit | turn (25 bits) | record (32 bits) | slot (2) | */
enum { TURN_BITS = 25, RECORD_AT = 2, TURN_AT = 34, HIGH_AT = 59, OBJECT_AT = 60 };

static int64_t effect_id(const struct engine *e, enum effect_object object, uint32_t id,
                         uint32_t slot)
{
    uint64_t turn = entry_at(e, object, id)->turn & ((1u << TURN_BITS) - 1);

    return (int64_t)((uint64_t)object << OBJECT_AT | (uint64_t)(slot >> 2) << HIGH_AT |
                     turn << TURN_AT | (uint64_t)id << RECORD_AT | (slot & 3));
}

/* An object's effect. */
struct place {
    enum effect_object object;
    uint32_t id, slot;
};

static bool find_effect(const struct engine *e, int64_t effect, struct place *ret)
{
    uint64_t bits = (uint64_t)effect;
    struct place place = {.id = (uint32_t)(bits >> RECORD_AT),
                          .slot = (uint32_t)(bits & 3) | (uint32_t)(bits >> HIGH_AT & 1) << 2};

    if (effect <= 0 || bits >> OBJECT_AT >= EFFECT_OBJECTS)
        return false;
    place.object = (enum effect_object)(bits >> OBJECT_AT);
    if (place.slot >= types[place.object]->slots ||
        !slab_live(records(e, place.object), place.id) ||
        effect_id(e, place.object, place.id, place.slot) != effect)
        return false;
    *ret = place;
    return true;
}

static void describe(const struct engine *e, struct place at, struct effect *ret)
{
    const struct outbox_type *type = types[at.object];

    ret->id = effect_id(e, at.object, at.id, at.slot);
    ret->kind = type->kinds[at.slot];
    ret->object = at.object;
    ret->leased = (entry_at(e, at.object, at.id)->leased & bit(at.slot)) != 0;
    ret->attempt =
        attempts_at(e, at.object, at.id)[cell_of(at.object, at.slot)] + (ret->leased ? 0u : 1u);
    ret->due = due_at(e, at.object, at.id)[cell_of(at.object, at.slot)];
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

/* Kinds of objects take turns, so that none of them keeps the others waiting. */
bool engine_next_effect(struct engine *e, struct effect *ret_effect)
{
    for (uint32_t i = 0; i < EFFECT_OBJECTS; i++) {
        struct place at = {(enum effect_object)((e->next_object + i) % EFFECT_OBJECTS), 0, 0};

        at.id = first_ready(e, at.object);
        if (at.id == 0)
            continue;
        while ((entry_at(e, at.object, at.id)->ready & bit(at.slot)) == 0)
            at.slot++;
        describe(e, at, ret_effect);
        return true;
    }
    return false;
}

void engine_lease(struct engine *e, int64_t effect)
{
    struct place at;

    if (!find_effect(e, effect, &at) || (entry_at(e, at.object, at.id)->ready & bit(at.slot)) == 0)
        return;

    uint8_t *attempts = attempts_at(e, at.object, at.id);

    entry_at(e, at.object, at.id)->leased |= bit(at.slot);
    if (attempts[cell_of(at.object, at.slot)] < UINT8_MAX)
        attempts[cell_of(at.object, at.slot)]++;
    due_at(e, at.object, at.id)[cell_of(at.object, at.slot)] =
        e->now + INT64_C(1000000) * OUTBOX_LEASE_MS;
    set_ready(e, at.object, at.id, 0);
    e->next_object = (at.object + 1u) % EFFECT_OBJECTS;
    if (types[at.object]->leased != NULL)
        types[at.object]->leased(e, at.id, at.slot);
    types[at.object]->set_timer(e, at.id);
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

/* An attempt came to nothing: the next one is at this time; 0: at once. */
static void retry(struct engine *e, struct place at, int64_t due)
{
    due_at(e, at.object, at.id)[cell_of(at.object, at.slot)] = due;
    if (types[at.object]->retried != NULL)
        types[at.object]->retried(e, at.id, at.slot);
}

bool engine_ack(struct engine *e, int64_t effect, enum effect_result result, int64_t version)
{
    struct outbox_entry *entry;
    struct place at;
    uint32_t cell;

    if (!find_effect(e, effect, &at))
        return false;
    entry = entry_at(e, at.object, at.id);
    if ((entry->leased & bit(at.slot)) == 0) {
        bool expected = (entry->answered & bit(at.slot)) != 0;

        entry->answered &= (uint8_t)~bit(at.slot);
        return expected;
    }
    cell = cell_of(at.object, at.slot);
    entry->leased &= (uint8_t)~bit(at.slot);
    due_at(e, at.object, at.id)[cell] = 0;
    if (result == EFFECT_GONE) {
        types[at.object]->gone(e, at.id, at.slot);
        return true;
    }
    if (result == EFFECT_DONE)
        types[at.object]->done(e, at.id, at.slot, version);
    else
        retry(e, at, e->now + backoff(effect, attempts_at(e, at.object, at.id)[cell]));
    outbox_sync(e, at.object, at.id);
    types[at.object]->set_timer(e, at.id);
    return true;
}

int64_t outbox_due(const struct engine *e, enum effect_object object, uint32_t id)
{
    const int64_t *due = due_at(e, object, id);
    int64_t at = 0;

    for (uint32_t cell = 0; cell < types[object]->cells; cell++) {
        if (due[cell] != 0 && (at == 0 || due[cell] < at))
            at = due[cell];
    }
    return at;
}

void outbox_expire(struct engine *e, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = entry_at(e, object, id);
    int64_t *due = due_at(e, object, id);

    for (uint32_t slot = 0; slot < types[object]->slots; slot++) {
        uint32_t cell = cell_of(object, slot);

        if (due[cell] == 0 || due[cell] > e->now || (entry->leased & bit(slot)) == 0)
            continue;
        retry(e, (struct place){object, id, slot}, 0);
        entry->leased &= (uint8_t)~bit(slot);
    }
    for (uint32_t cell = 0; cell < types[object]->cells; cell++)
        due[cell] = due[cell] <= e->now ? 0 : due[cell];
    outbox_sync(e, object, id);
}

/* The cursor counts slots: of each kind of object those of all its records, one kind after the
 * other. */
bool engine_next_live_effect(const struct engine *e, uint32_t *cursor, struct effect *ret)
{
    uint32_t base = 0;

    for (enum effect_object object = 0; object < EFFECT_OBJECTS; object++) {
        uint32_t slots = types[object]->slots, end = base + slots * slab_end(records(e, object));

        for (uint32_t at = *cursor < base + slots ? base + slots : *cursor; at < end; at++) {
            struct place place = {object, (at - base) / slots, (at - base) % slots};
            if (!slab_live(records(e, object), place.id))
                continue;

            const struct outbox_entry *entry = entry_at(e, object, place.id);
            if (((entry->wanted | entry->leased) & bit(place.slot)) == 0)
                continue;
            describe(e, place, ret);
            *cursor = at + 1;
            return true;
        }
        base = end;
    }
    return false;
}

static const char *check_list(const struct engine *e, enum effect_object object,
                              uint32_t *ret_effects)
{
    uint32_t listed = 0;

    for (uint32_t id = e->ready[object].first; id != 0; id = entry_at(e, object, id)->next) {
        if (entry_at(e, object, id)->ready == 0 || ++listed > slab_count(records(e, object)))
            return "the list of ready effects holds each object that has one, once";
        *ret_effects += count_bits(entry_at(e, object, id)->ready);
    }
    return NULL;
}

const char *outbox_check(const struct engine *e)
{
    uint32_t effects = 0;

    for (enum effect_object object = 0; object < EFFECT_OBJECTS; object++) {
        const char *broken = check_list(e, object, &effects);

        if (broken != NULL)
            return broken;
        for (uint32_t id = 1; id < slab_end(records(e, object)); id++) {
            if (!slab_live(records(e, object), id))
                continue;

            const struct outbox_entry *entry = entry_at(e, object, id);
            if ((entry->ready & entry->leased) != 0 ||
                (entry->ready & entry->wanted) != entry->ready)
                return "an effect that is ready is wanted, and not under way";
        }
    }
    return effects == e->ready_effects ? NULL : "ready effects are counted";
}
