/* SPDX-License-Identifier: Apache-2.0 */
#include "placement.h"

#include "quantity.h"

static const struct text *label_of(const struct flavor_facts *flavor, struct text key)
{
    for (uint32_t i = 0; i < flavor->label_count; i++) {
        if (text_same(flavor->labels[i].key, key))
            return &flavor->labels[i].value;
    }
    return NULL;
}

/* As a toleration has it: no sign but a minus, no zeros before it. */
static bool read_plain_number(struct text text, int64_t *ret)
{
    size_t first = text.len > 0 && text.at[0] == '-' ? 1 : 0;

    if (text.len == 0 || text.at[0] == '+' || first == text.len ||
        (text.at[first] == '0' && text.len > 1))
        return false;
    return quantity_parse_whole(text, ret);
}

static bool tolerates(const struct toleration *toleration, const struct taint *taint)
{
    int64_t own, other;

    if (toleration->effect.len > 0 && !text_same(toleration->effect, taint->effect))
        return false;
    if (toleration->key.len > 0 && !text_same(toleration->key, taint->key))
        return false;
    if (toleration->operator_.len == 0 || text_is(toleration->operator_, "Equal"))
        return text_same(toleration->value, taint->value);
    if (text_is(toleration->operator_, "Exists"))
        return true;
    if (!read_plain_number(toleration->value, &own) || !read_plain_number(taint->value, &other))
        return false;
    return text_is(toleration->operator_, "Lt")   ? other < own
           : text_is(toleration->operator_, "Gt") ? other > own
                                                  : false;
}

static bool any_tolerates(const struct toleration *tolerations, uint32_t count,
                          const struct taint *taint)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tolerates(&tolerations[i], taint))
            return true;
    }
    return false;
}

static bool keeps_away(const struct placement *pods, const struct flavor_facts *flavor,
                       const struct taint *taint)
{
    if (!text_is(taint->effect, "NoSchedule") && !text_is(taint->effect, "NoExecute"))
        return false;
    return !any_tolerates(pods->tolerations, pods->toleration_count, taint) &&
           !any_tolerates(flavor->tolerations, flavor->toleration_count, taint);
}

/* Of a label that the flavor has. */
static bool holds(const struct label_demand *demand, struct text value)
{
    bool greater = text_is(demand->operator_, "Gt");
    int64_t own, bound;

    if (text_is(demand->operator_, "In"))
        return text_among(value, demand->values, demand->value_count);
    if (text_is(demand->operator_, "NotIn"))
        return !text_among(value, demand->values, demand->value_count);
    if (text_is(demand->operator_, "Exists"))
        return true;
    if ((!greater && !text_is(demand->operator_, "Lt")) || demand->value_count != 1 ||
        !quantity_parse_whole(value, &own) || !quantity_parse_whole(demand->values[0], &bound))
        return false;
    return greater ? own > bound : own < bound;
}

static bool term_holds(const struct node_term *term, const struct flavor_facts *flavor)
{
    for (uint32_t i = 0; i < term->count; i++) {
        const struct text *value = label_of(flavor, term->demands[i].key);

        if (value != NULL && !holds(&term->demands[i], *value))
            return false;
    }
    return true;
}

static bool is_elsewhere(const struct placement *pods, const struct flavor_facts *flavor)
{
    for (uint32_t i = 0; i < pods->selector_count; i++) {
        const struct text *value = label_of(flavor, pods->selector[i].key);

        if (value != NULL && !text_same(*value, pods->selector[i].value))
            return true;
    }
    for (uint32_t i = 0; i < pods->term_count; i++) {
        if (term_holds(&pods->terms[i], flavor))
            return false;
    }
    return pods->term_count > 0;
}

enum placement_verdict placement_judge(const struct placement *pods,
                                       const struct flavor_facts *flavor,
                                       const struct taints *taints, uint32_t *ret_taint)
{
    for (uint32_t i = 0; i < taints->count; i++) {
        if (keeps_away(pods, flavor, &taints->item[i])) {
            *ret_taint = i;
            return PLACEMENT_TAINTED;
        }
    }
    return is_elsewhere(pods, flavor) ? PLACEMENT_ELSEWHERE : PLACEMENT_SUITS;
}
