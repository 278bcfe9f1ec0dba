/* SPDX-License-Identifier: Apache-2.0 */
#include "encode.h"

#include "abi/msg/line.h"
#include "decode.h"

void put_verdict(struct msg_writer *w, const struct verdict *verdict)
{
    put_key_bool(w, "pass", verdict->pass);
    put_key_str(w, "reason", reason_name(verdict->reason));
    put_key_str(w, "message", verdict->message);
}

void put_gates(struct msg_writer *w, uint8_t gates)
{
    size_t place;
    uint32_t count = 0;

    msg_put_key(w, "gates");
    place = msg_put_array_later(w);
    for (unsigned gate = GATE_LONG; gate <= GATE_SHORT; gate <<= 1) {
        if (gates & gate) {
            msg_put_str(w, gate_name((uint8_t)gate));
            count++;
        }
    }
    msg_set_count(w, place, count);
}

void put_key_hex(struct msg_writer *w, const char *key, uint64_t value)
{
    char digits[16];

    for (int i = 15; i >= 0; i--, value >>= 4)
        digits[i] = "0123456789abcdef"[value & 15];
    put_key_text(w, key, (struct text){digits, sizeof(digits)});
}

void put_group_kind(struct msg_writer *w, enum group_kind kind)
{
    put_key_bool(w, "native", kind != GROUP_VOLCANO);
    put_key_bool(w, "composite", kind == GROUP_COMPOSITE);
}

static void put_stamp(struct msg_writer *w, int64_t stamp)
{
    char digits[32];
    struct msg_line line = {.out = digits, .cap = sizeof(digits) - 4};

    msg_line_integer(&line, stamp);
    msg_line_end(&line, "");
    put_key_str(w, "sluice.sh/granted", digits);
}

/* "queue/team", "clusterqueue/team". */
static void put_queue_stamp(struct msg_writer *w, const struct removal_patch *patch)
{
    const char *kind = patch->queue_kind == QUEUE_CLUSTER ? STAMP_OF_CLUSTER_QUEUE : STAMP_OF_QUEUE;
    char text[sizeof(STAMP_OF_CLUSTER_QUEUE) + DECODE_NAME_MAX + 4];
    struct msg_line line = {.out = text, .cap = sizeof(text) - 4};

    msg_line_add(&line, kind, strlen(kind));
    msg_line_add(&line, patch->queue.at, patch->queue.len);
    put_key_text(w, "sluice.sh/queue", (struct text){text, line.len});
}

/* "cpu=spot,memory=spot": its length has to be known before it is written. */
static void put_flavor_stamp(struct msg_writer *w, const struct removal_patch *patch)
{
    char text[FACTS_MAX_NEEDS * 600 + 4];
    struct msg_line line = {.out = text, .cap = sizeof(text) - 4};

    for (uint32_t i = 0; i < patch->pair_count; i++) {
        struct text resource = patch->pairs[i].resource;
        struct text flavor = patch->pairs[i].flavor;

        if (flavor.len == 0)
            continue;
        if (line.len > 0)
            msg_line_add(&line, ",", 1);
        msg_line_add(&line, resource.at, resource.len);
        msg_line_add(&line, "=", 1);
        msg_line_add(&line, flavor.at, flavor.len);
    }
    put_key_text(w, "sluice.sh/flavors", (struct text){text, line.len});
}

static bool names_a_flavor(const struct removal_patch *patch)
{
    for (uint32_t i = 0; i < patch->pair_count; i++) {
        if (patch->pairs[i].flavor.len > 0)
            return true;
    }
    return false;
}

static void put_annotations(struct msg_writer *w, const struct removal_patch *patch)
{
    bool stamped = patch->stamp > 0, placed = patch->queue.len > 0;
    bool flavored = stamped && names_a_flavor(patch);

    msg_put_key(w, "annotations");
    msg_put_map(w, (uint32_t)stamped + (uint32_t)placed + (uint32_t)flavored);
    if (stamped)
        put_stamp(w, patch->stamp);
    if (placed)
        put_queue_stamp(w, patch);
    if (flavored)
        put_flavor_stamp(w, patch);
}

/* Flavors of different resources may ask for the same label: it is written once. If they ask for
 * different values no node has both, and it does not matter which is written. */
static bool asked_before(const struct flavor_facts *flavors, uint32_t end, struct text key)
{
    for (uint32_t i = 0; i < end; i++) {
        for (uint32_t k = 0; k < flavors[i].label_count; k++) {
            if (text_same(flavors[i].labels[k].key, key))
                return true;
        }
    }
    return false;
}

static void put_node_selector(struct msg_writer *w, const struct flavor_facts *flavors,
                              uint32_t count)
{
    msg_put_key(w, "nodeSelector");

    size_t place = msg_put_map_later(w);
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < flavors[i].label_count; k++) {
            const struct label *label = &flavors[i].labels[k];

            if (asked_before(flavors, i, label->key))
                continue;
            msg_put_text(w, label->key.at, label->key.len);
            msg_put_text(w, label->value.at, label->value.len);
            pairs++;
        }
    }
    msg_set_count(w, place, pairs);
}

static void put_toleration(struct msg_writer *w, const struct toleration *toleration)
{
    msg_put_map(w, toleration->has_seconds ? 5 : 4);
    put_key_text(w, "key", toleration->key);
    put_key_text(w, "operator", toleration->operator_);
    put_key_text(w, "value", toleration->value);
    put_key_text(w, "effect", toleration->effect);
    if (toleration->has_seconds)
        put_key_int(w, "seconds", toleration->seconds);
}

static void put_tolerations(struct msg_writer *w, const struct flavor_facts *flavors,
                            uint32_t count)
{
    msg_put_key(w, "tolerations");

    size_t place = msg_put_array_later(w);
    uint32_t items = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < flavors[i].toleration_count; k++)
            put_toleration(w, &flavors[i].tolerations[k]);
        items += flavors[i].toleration_count;
    }
    msg_set_count(w, place, items);
}

void put_patch(struct msg_writer *w, const struct engine *engine, const struct removal_patch *patch)
{
    struct flavor_facts flavors[FACTS_MAX_NEEDS];

    for (uint32_t i = 0; i < patch->flavor_count; i++)
        engine_flavor(engine, patch->flavors[i], &flavors[i]);
    put_gates(w, patch->gates);
    put_key_int(w, "generation", patch->generation);
    put_annotations(w, patch);
    put_node_selector(w, flavors, patch->flavor_count);
    put_tolerations(w, flavors, patch->flavor_count);
}
