/* SPDX-License-Identifier: Apache-2.0 */
#include "outbox.h"
#include "state.h"

/* The cursor counts slots: of each kind of object those of all its records, one kind after the
 * other. */
bool engine_next_live_effect(const struct engine *e, uint32_t *cursor, struct effect *ret)
{
    uint32_t base = 0;

    for (enum effect_object object = 0; object < EFFECT_OBJECTS; object++) {
        uint32_t slots = outbox_types[object]->slots,
                 end = base + slots * slab_end(outbox_records(e, object));

        for (uint32_t at = *cursor < base + slots ? base + slots : *cursor; at < end; at++) {
            struct outbox_place place = {object, (at - base) / slots, (at - base) % slots};
            if (!slab_live(outbox_records(e, object), place.id))
                continue;

            const struct outbox_entry *entry = outbox_at(e, object, place.id);
            if (((entry->wanted | entry->leased) & outbox_bit(place.slot)) == 0)
                continue;
            outbox_describe(e, place, ret);
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

    for (uint32_t id = e->ready[object].first; id != 0; id = outbox_at(e, object, id)->next) {
        if (outbox_at(e, object, id)->ready == 0 ||
            ++listed > slab_count(outbox_records(e, object)))
            return "the list of ready effects holds each object that has one, once";
        *ret_effects += outbox_count(outbox_at(e, object, id)->ready);
    }
    return NULL;
}

const char *outbox_check(const struct engine *e)
{
    uint32_t effects = 0;
    bool settled = e->leads && e->synced && !e->config.observe_only && !engine_more(e) &&
                   (engine_next(e) == 0 || engine_next(e) > e->now);

    for (enum effect_object object = 0; object < EFFECT_OBJECTS; object++) {
        const char *broken = check_list(e, object, &effects);

        if (broken != NULL)
            return broken;
        for (uint32_t id = 1; id < slab_end(outbox_records(e, object)); id++) {
            if (!slab_live(outbox_records(e, object), id))
                continue;

            const struct outbox_entry *entry = outbox_at(e, object, id);
            if ((entry->ready & entry->leased) != 0 ||
                (entry->ready & entry->wanted) != entry->ready)
                return "an effect that is ready is wanted, and not under way";
            /* A queue's status is looked at once in a second. */
            if (settled && object != EFFECT_OF_QUEUE && (entry->leased | entry->replaced) == 0 &&
                entry->wanted != outbox_types[object]->wanted(e, id))
                return "what is wanted of the host was looked at when it changed";
        }
    }
    return effects == e->ready_effects ? NULL : "ready effects are counted";
}
