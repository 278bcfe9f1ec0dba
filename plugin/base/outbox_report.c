/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"
#include "outbox.h"

/* What is asked of an outbox that changes nothing in it. */

/* Whether such an object is there. */
static bool is_there(const struct outbox *outbox, enum effect_object object, uint32_t id)
{
    const struct outbox_owner *of = &outbox->owners[object];

    return slab_live(outbox_records(outbox, object), id) &&
           (of->type->has == NULL || of->type->has(of->owner, id));
}

/* The cursor counts slots: of each kind of object those of all its records, one kind after the
 * other. */
bool outbox_next_live(const struct outbox *outbox, uint32_t *cursor, struct effect *ret)
{
    uint32_t base = 0;

    for (enum effect_object object = 0; object < EFFECT_OBJECTS; object++) {
        uint32_t slots, end;

        if (outbox->owners[object].type == NULL)
            continue;
        slots = outbox->owners[object].type->slots;
        end = base + slots * slab_end(outbox_records(outbox, object));
        for (uint32_t at = *cursor < base + slots ? base + slots : *cursor; at < end; at++) {
            struct outbox_place place = {object, (at - base) / slots, (at - base) % slots};
            if (!is_there(outbox, object, place.id))
                continue;

            const struct outbox_entry *entry = outbox_at(outbox, object, place.id);
            if (((entry->wanted | entry->leased) & outbox_bit(place.slot)) == 0)
                continue;
            outbox_describe(outbox, place, ret);
            *cursor = at + 1;
            return true;
        }
        base = end;
    }
    return false;
}

uint64_t outbox_hash(const struct outbox *outbox, const struct outbox_entry *entry, uint64_t seed)
{
    const uint8_t bits[] = {entry->wanted, entry->leased, entry->replaced};

    return given_hash(&outbox->given, entry->given, hash_bytes64(bits, sizeof(bits), seed));
}

static const char *check_list(const struct outbox *outbox, enum effect_object object,
                              uint32_t *ret_effects)
{
    uint32_t listed = 0;

    for (uint32_t id = outbox->ready[object].first; id != 0;
         id = outbox_at(outbox, object, id)->peers.next) {
        if (outbox_at(outbox, object, id)->ready == 0 ||
            ++listed > slab_count(outbox_records(outbox, object)))
            return "the list of ready effects holds each object that has one, once";
        *ret_effects += outbox_count(outbox_at(outbox, object, id)->ready);
    }
    return NULL;
}

static const char *check_object(const struct outbox *outbox, enum effect_object object,
                                bool at_rest)
{
    const struct outbox_owner *of = &outbox->owners[object];

    for (uint32_t id = 1; id < slab_end(outbox_records(outbox, object)); id++) {
        const struct outbox_entry *entry;

        if (!is_there(outbox, object, id))
            continue;
        entry = outbox_at(outbox, object, id);
        if ((entry->ready & entry->leased) != 0 || (entry->ready & entry->wanted) != entry->ready)
            return "an effect that is ready is wanted, and not under way";
        /* A queue's status is looked at once in a second. */
        if (at_rest && of->open && object != EFFECT_OF_QUEUE &&
            (entry->leased | entry->replaced) == 0 &&
            entry->wanted != of->type->wanted(of->owner, id))
            return "what is wanted of the host was looked at when it changed";
    }
    return NULL;
}

const char *outbox_check(const struct outbox *outbox, const void *owner, bool at_rest)
{
    const char *broken = NULL;
    uint32_t effects = 0;

    for (enum effect_object object = 0; object < EFFECT_OBJECTS && broken == NULL; object++) {
        if (outbox->owners[object].type == NULL)
            continue;
        broken = check_list(outbox, object, &effects);
        if (broken == NULL && outbox->owners[object].owner == owner)
            broken = check_object(outbox, object, at_rest);
    }
    if (broken != NULL)
        return broken;
    return effects == outbox->ready_effects ? NULL : "ready effects are counted";
}
