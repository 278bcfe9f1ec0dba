/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

/* The pod sets of a workload, and where their pods can be. */
enum { SELECTOR_MAX = 32, TERMS_MAX = 8, DEMANDS_MAX = 16, VALUES_MAX = 64, TOLERATIONS_MAX = 32 };

enum {
    TAKES = FACTS_MAX_SETS * (3 + TERMS_MAX * (1 + DEMANDS_MAX)) + 2,
    ALIGNMENT = 16,
};

size_t decode_workload_scratch(size_t len)
{
    size_t of_set = sizeof(struct set_facts) + sizeof(struct granted_facts) +
                    SELECTOR_MAX * sizeof(struct label) + TERMS_MAX * sizeof(struct node_term) +
                    TERMS_MAX * DEMANDS_MAX * sizeof(struct label_demand) +
                    TOLERATIONS_MAX * sizeof(struct toleration);

    return FACTS_MAX_SETS * of_set + len * sizeof(struct text) + (size_t)TAKES * ALIGNMENT;
}

static void decode_selector(struct msg_reader *r, struct scratch *scratch, struct placement *ret)
{
    struct msg_map map;
    struct msg_text key;
    struct label *labels;

    msg_open_map(r, &map);
    if (map.left > SELECTOR_MAX) {
        msg_fail(r, MSG_LENGTH, "at most 32 labels");
        return;
    }
    labels = scratch_take(scratch, map.left * sizeof(*labels));
    ret->selector = labels;
    while (msg_next_key(r, &map, &key)) {
        labels[ret->selector_count].key = (struct text){key.at, key.len};
        if (decode_words(r, DECODE_LABEL_VALUE_MAX, &labels[ret->selector_count].value))
            ret->selector_count++;
    }
}

static void decode_values(struct msg_reader *r, struct scratch *scratch, struct label_demand *ret)
{
    struct msg_array array;
    struct text *values =
        decode_room(r, scratch, &array, VALUES_MAX, sizeof(*values), "at most 64 values");

    ret->values = values;
    while (msg_next_item(r, &array)) {
        if (decode_words(r, DECODE_LABEL_VALUE_MAX, &values[ret->value_count]))
            ret->value_count++;
    }
}

static void decode_demand(struct msg_reader *r, struct scratch *scratch, struct label_demand *ret)
{
    struct msg_map map;
    struct msg_text key;

    *ret = (struct label_demand){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "key"))
            decode_label_key(r, &ret->key);
        else if (msg_text_is(key, "operator"))
            decode_words(r, DECODE_LABEL_VALUE_MAX, &ret->operator_);
        else if (msg_text_is(key, "values"))
            decode_values(r, scratch, ret);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->key.len > 0, "key");
    msg_require(r, ret->operator_.at != NULL, "operator");
}

static void decode_term(struct msg_reader *r, struct scratch *scratch, struct node_term *ret)
{
    struct msg_array array;
    struct label_demand *demands =
        decode_room(r, scratch, &array, DEMANDS_MAX, sizeof(*demands), "at most 16 expressions");

    *ret = (struct node_term){.demands = demands};
    while (msg_next_item(r, &array))
        decode_demand(r, scratch, &demands[ret->count++]);
}

static void decode_affinity(struct msg_reader *r, struct scratch *scratch, struct placement *ret)
{
    struct msg_array array;
    struct node_term *terms =
        decode_room(r, scratch, &array, TERMS_MAX, sizeof(*terms), "at most 8 terms");

    ret->terms = terms;
    while (msg_next_item(r, &array))
        decode_term(r, scratch, &terms[ret->term_count++]);
}

static void decode_set_tolerations(struct msg_reader *r, struct scratch *scratch,
                                   struct placement *ret)
{
    struct msg_array array;
    struct toleration *tolerations = decode_room(r, scratch, &array, TOLERATIONS_MAX,
                                                 sizeof(*tolerations), "at most 32 tolerations");

    ret->tolerations = tolerations;
    while (msg_next_item(r, &array))
        decode_toleration(r, &tolerations[ret->toleration_count++]);
}

static void decode_set(struct msg_reader *r, struct scratch *scratch, struct set_facts *ret)
{
    struct msg_map map;
    struct msg_text key;
    bool has_count = false, has_minimum = false;

    *ret = (struct set_facts){0};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "name"))
            decode_name(r, &ret->name);
        else if (msg_text_is(key, "count"))
            has_count = msg_get_int(r, 0, INT32_MAX, &ret->count);
        else if (msg_text_is(key, "minCount"))
            has_minimum = msg_get_int(r, 0, INT32_MAX, &ret->minimum);
        else if (msg_text_is(key, "requests"))
            decode_requests(r, true, &ret->requests);
        else if (msg_text_is(key, "nodeSelector"))
            decode_selector(r, scratch, &ret->placement);
        else if (msg_text_is(key, "affinity"))
            decode_affinity(r, scratch, &ret->placement);
        else if (msg_text_is(key, "tolerations"))
            decode_set_tolerations(r, scratch, &ret->placement);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->name.len > 0, "name");
    msg_require(r, has_count, "count");
    if (!has_minimum)
        ret->minimum = ret->count;
}

void decode_sets(struct msg_reader *r, struct scratch *scratch, struct workload_facts *ret)
{
    struct msg_array array;

    ret->sets =
        decode_room(r, scratch, &array, FACTS_MAX_SETS, sizeof(*ret->sets), "1 to 18 pod sets");
    if (array.left == 0)
        msg_fail(r, MSG_LENGTH, "1 to 18 pod sets");
    while (msg_next_item(r, &array)) {
        struct set_facts *set = &ret->sets[ret->set_count];

        decode_set(r, scratch, set);
        for (uint32_t i = 0; i < ret->set_count && r->error == 0; i++) {
            if (text_same(set->name, ret->sets[i].name))
                msg_fail(r, MSG_INVALID, "pod sets of different names");
        }
        ret->set_count++;
    }
}
