/* SPDX-License-Identifier: Apache-2.0 */
#include "outbox.h"

#include "error.h"

void outbox_init(struct outbox *outbox, struct mem *mem)
{
    *outbox = (struct outbox){0};
    given_init(&outbox->given, mem);
}

void outbox_finish(struct outbox *outbox)
{
    slab_finish(&outbox->given.records);
}

void outbox_own(struct outbox *outbox, enum effect_object object, const struct outbox_type *type,
                void *owner)
{
    outbox->owners[object] = (struct outbox_owner){owner == NULL ? NULL : type, owner, false};
}

void outbox_open(struct outbox *outbox, const void *owner, bool open)
{
    for (uint32_t i = 0; i < EFFECT_OBJECTS; i++) {
        if (outbox->owners[i].owner == owner)
            outbox->owners[i].open = open;
    }
}

static const struct slab *records_of(const struct outbox_owner *of)
{
    return (const struct slab *)(const void *)((const char *)of->owner + of->type->records);
}

static struct outbox_entry *entry_of(const struct outbox_owner *of, uint32_t id)
{
    return (void *)((char *)slab_at(records_of(of), id) + of->type->entry);
}

const struct slab *outbox_records(const struct outbox *outbox, enum effect_object object)
{
    return records_of(&outbox->owners[object]);
}

struct outbox_entry *outbox_at(const struct outbox *outbox, enum effect_object object, uint32_t id)
{
    return entry_of(&outbox->owners[object], id);
}

static struct list_link *peers_of(const void *ctx, uint32_t id)
{
    return &entry_of(ctx, id)->peers;
}

uint32_t outbox_count(uint8_t bits)
{
    return bits == 0 ? 0 : 1 + outbox_count(bits & (uint8_t)(bits - 1));
}

/* In the list while any effect of the object may go out. */
static void set_ready(struct outbox *outbox, enum effect_object object, uint32_t id, uint8_t ready)
{
    struct outbox_entry *entry = outbox_at(outbox, object, id);
    uint8_t before = entry->ready;

    if (ready == before)
        return;
    entry->ready = ready;
    outbox->ready_effects += outbox_count(ready) - outbox_count(before);
    if (before == 0)
        list_append(peers_of, &outbox->owners[object], &outbox->ready[object], id);
    else if (ready == 0)
        list_remove(peers_of, &outbox->owners[object], &outbox->ready[object], id);
}

static uint8_t wanted_of(const struct outbox *outbox, enum effect_object object, uint32_t id)
{
    const struct outbox_owner *of = &outbox->owners[object];

    return of->open ? of->type->wanted(of->owner, id) : 0;
}

/* Of what is needed, that which may go out. */
static uint8_t ready_of(const struct outbox *outbox, const struct outbox_entry *entry,
                        uint8_t wanted)
{
    if ((entry->leased | entry->replaced) != 0) /* one under way at a time */
        return 0;
    for (uint32_t at = entry->given; at != 0; at = given_at(&outbox->given, at)->next) {
        if (given_at(&outbox->given, at)->due != 0)
            wanted &= (uint8_t)~outbox_bit(given_at(&outbox->given, at)->slot);
    }
    return wanted;
}

/* What is not needed any more, and not under way, is over. */
static void drop_given(struct outbox *outbox, struct outbox_entry *entry)
{
    for (uint32_t at = entry->given, next; at != 0; at = next) {
        const struct given *given = given_at(&outbox->given, at);

        next = given->next;
        if (!given->replaced && ((entry->wanted | entry->leased) & outbox_bit(given->slot)) == 0)
            given_drop(&outbox->given, &entry->given, at);
    }
}

void outbox_sync(struct outbox *outbox, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(outbox, object, id);

    entry->wanted = wanted_of(outbox, object, id);
    drop_given(outbox, entry);
    set_ready(outbox, object, id, ready_of(outbox, entry, entry->wanted));
}

void outbox_renew(struct outbox *outbox, enum effect_object object, uint32_t id, uint32_t slot)
{
    struct outbox_entry *entry = outbox_at(outbox, object, id);
    uint32_t at = given_of(&outbox->given, entry->given, slot);

    if (at != 0 && (entry->leased & outbox_bit(slot)) != 0) {
        given_at(&outbox->given, at)->replaced = true;
        entry->leased &= (uint8_t)~outbox_bit(slot);
        entry->replaced |= outbox_bit(slot);
    } else if (at != 0) {
        given_drop(&outbox->given, &entry->given, at);
    }
    outbox_sync(outbox, object, id);
}

void outbox_forget(struct outbox *outbox, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(outbox, object, id);

    set_ready(outbox, object, id, 0);
    entry->wanted = entry->leased = entry->replaced = 0;
    while (entry->given != 0)
        given_drop(&outbox->given, &entry->given, entry->given);
}

uint32_t outbox_attempts(const struct outbox *outbox, enum effect_object object, uint32_t id,
                         uint32_t slot)
{
    uint32_t at = given_of(&outbox->given, outbox_at(outbox, object, id)->given, slot);

    return at == 0 ? 0 : given_at(&outbox->given, at)->attempts;
}

bool outbox_runs_out(const struct outbox *outbox, enum effect_object object, uint32_t id,
                     uint32_t slot)
{
    const struct outbox_entry *entry = outbox_at(outbox, object, id);

    return (entry->leased & outbox_bit(slot)) != 0 &&
           given_at(&outbox->given, given_of(&outbox->given, entry->given, slot))->due <=
               outbox->now;
}

void outbox_describe(const struct outbox *outbox, struct outbox_place at, struct effect *ret)
{
    const struct outbox_owner *of = &outbox->owners[at.object];
    const struct outbox_entry *entry = outbox_at(outbox, at.object, at.id);
    uint32_t known = given_of(&outbox->given, entry->given, at.slot);

    ret->id = known == 0 ? 0 : given_at(&outbox->given, known)->id;
    ret->kind = of->type->kinds[at.slot];
    ret->object = at.object;
    ret->record = at.id;
    ret->slot = at.slot;
    ret->leased = (entry->leased & outbox_bit(at.slot)) != 0;
    ret->attempt = outbox_attempts(outbox, at.object, at.id, at.slot) + (ret->leased ? 0u : 1u);
    ret->due = known == 0 ? 0 : given_at(&outbox->given, known)->due;
    of->type->describe(of->owner, at.id, at.slot, ret);
}

/* What is above an object may have changed, and it was not told yet. */
static uint32_t first_ready(struct outbox *outbox, enum effect_object object)
{
    uint32_t id;

    while ((id = outbox->ready[object].first) != 0) {
        outbox_sync(outbox, object, id);
        if (outbox->ready[object].first == id)
            break;
    }
    return id;
}

/* The first that has one ready still; ret: which. 0: none. */
static uint32_t still_ready(const struct outbox *outbox, enum effect_object object,
                            uint8_t *ret_ready)
{
    uint32_t id = outbox->ready[object].first;

    for (; id != 0; id = outbox_at(outbox, object, id)->peers.next) {
        *ret_ready = ready_of(outbox, outbox_at(outbox, object, id), wanted_of(outbox, object, id));
        if (*ret_ready != 0)
            break;
    }
    return id;
}

/* Of an object's effects the first that is ready, as it would go out. */
static void describe_first(const struct outbox *outbox, struct outbox_place at, uint8_t ready,
                           struct effect *ret)
{
    while ((ready & outbox_bit(at.slot)) == 0)
        at.slot++;
    outbox_describe(outbox, at, ret);
    if (ret->id == 0)
        ret->id = given_next_id(&outbox->given);
}

bool outbox_peek(const struct outbox *outbox, struct effect *ret_effect)
{
    for (uint32_t i = 0; i < EFFECT_OBJECTS; i++) {
        struct outbox_place at = {(enum effect_object)((outbox->next_object + i) % EFFECT_OBJECTS),
                                  0, 0};
        uint8_t ready = 0;

        at.id = still_ready(outbox, at.object, &ready);
        if (at.id == 0)
            continue;
        describe_first(outbox, at, ready, ret_effect);
        return true;
    }
    return false;
}

int outbox_reserve(struct outbox *outbox, uint32_t count)
{
    return slab_reserve(&outbox->given.records, count) < 0 ? ENGINE_NO_MEMORY : 0;
}

/* Kinds of objects take turns, so that none of them keeps the others waiting. */
int outbox_next(struct outbox *outbox, struct effect *ret_effect)
{
    if (outbox_reserve(outbox, 1) < 0)
        return ENGINE_NO_MEMORY;
    for (uint32_t i = 0; i < EFFECT_OBJECTS; i++) {
        struct outbox_place at = {(enum effect_object)((outbox->next_object + i) % EFFECT_OBJECTS),
                                  0, 0};

        at.id = first_ready(outbox, at.object);
        if (at.id == 0)
            continue;
        describe_first(outbox, at, outbox_at(outbox, at.object, at.id)->ready, ret_effect);
        return 1;
    }
    return 0;
}

bool outbox_renumber(const struct outbox *outbox, struct effect *effect, uint64_t content)
{
    uint32_t first = outbox_at(outbox, effect->object, effect->record)->given;
    uint32_t id = given_of(&outbox->given, first, effect->slot);

    if (id == 0 || given_at(&outbox->given, id)->content == content)
        return false;
    effect->id = given_next_id(&outbox->given);
    effect->attempt = 1;
    return true;
}

void outbox_lease(struct outbox *outbox, struct effect *effect, uint64_t content)
{
    struct outbox_place at = {effect->object, effect->record, effect->slot};
    const struct outbox_owner *of = &outbox->owners[at.object];
    struct outbox_entry *entry = outbox_at(outbox, at.object, at.id);
    struct given *given;
    uint32_t id;

    if ((entry->ready & outbox_bit(at.slot)) == 0)
        return;
    id = given_again(&outbox->given, &entry->given, at.slot, content);
    given = given_at(&outbox->given, id);
    given->object = (uint8_t)at.object;
    given->record = at.id;
    given->due = outbox->now + INT64_C(1000000) * OUTBOX_LEASE_MS;
    effect->id = given->id;
    effect->attempt = given->attempts;
    entry->leased |= outbox_bit(at.slot);
    set_ready(outbox, at.object, at.id, 0);
    outbox->next_object = (at.object + 1u) % EFFECT_OBJECTS;
    if (of->type->leased != NULL)
        of->type->leased(of->owner, at.id, at.slot);
    of->type->set_timer(of->owner, at.id);
}

/* An attempt came to nothing: the next one is after this time; 0: at once. */
static void retry(struct outbox *outbox, struct outbox_place at, struct given *given, int64_t due)
{
    const struct outbox_owner *of = &outbox->owners[at.object];

    given->failures++;
    given->due = due;
    if (of->type->retried != NULL)
        of->type->retried(of->owner, at.id, at.slot);
}

/* It is not under way any more, and neither done nor to be tried again. */
static void end(struct outbox *outbox, struct outbox_place at, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(outbox, at.object, at.id);

    if (given_at(&outbox->given, id)->replaced)
        entry->replaced = 0;
    entry->leased &= (uint8_t)~outbox_bit(at.slot);
    given_drop(&outbox->given, &entry->given, id);
}

bool outbox_ack(struct outbox *outbox, int64_t effect, enum effect_result result, int64_t version)
{
    uint32_t id = given_find(&outbox->given, effect);
    const struct outbox_owner *of;
    struct outbox_entry *entry;
    struct given *given;
    struct outbox_place at;
    bool counts;

    if (id == 0)
        return false;
    given = given_at(&outbox->given, id);
    at = (struct outbox_place){(enum effect_object)given->object, given->record, given->slot};
    of = &outbox->owners[at.object];
    entry = entry_of(of, at.id);
    counts = !given->replaced;
    if (counts && (entry->leased & outbox_bit(at.slot)) == 0)
        return false;
    if (!counts || result == EFFECT_DONE || result == EFFECT_GONE) {
        end(outbox, at, id);
    } else {
        entry->leased &= (uint8_t)~outbox_bit(at.slot);
        retry(outbox, at, given, outbox->now + given_backoff(&outbox->given, id));
    }
    if (counts && result == EFFECT_GONE) {
        of->type->gone(of->owner, at.id, at.slot);
        return true;
    }
    if (counts && result == EFFECT_DONE)
        of->type->done(of->owner, at.id, at.slot, version);
    outbox_sync(outbox, at.object, at.id);
    of->type->set_timer(of->owner, at.id);
    return true;
}

int64_t outbox_due(const struct outbox *outbox, enum effect_object object, uint32_t id)
{
    uint32_t first = given_first_due(&outbox->given, outbox_at(outbox, object, id)->given);

    return first == 0 ? INT64_MAX : given_at(&outbox->given, first)->due;
}

void outbox_expire(struct outbox *outbox, enum effect_object object, uint32_t id)
{
    struct outbox_entry *entry = outbox_at(outbox, object, id);
    uint32_t first;

    while ((first = given_first_due(&outbox->given, entry->given)) != 0 &&
           given_at(&outbox->given, first)->due <= outbox->now) {
        struct given *given = given_at(&outbox->given, first);
        struct outbox_place at = {object, id, given->slot};

        if (given->replaced) {
            end(outbox, at, first);
        } else if ((entry->leased & outbox_bit(at.slot)) != 0) {
            entry->leased &= (uint8_t)~outbox_bit(at.slot);
            retry(outbox, at, given, 0);
        } else {
            given->due = 0;
        }
    }
    outbox_sync(outbox, object, id);
}
