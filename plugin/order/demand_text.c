/* SPDX-License-Identifier: Apache-2.0 */
#include "demand_text.h"

#include "plugin/state.h"

/* Without a place it only counts. */
struct packer {
    char *at;
    size_t len;
};

static void pack(struct packer *p, const void *bytes, size_t len)
{
    if (p->at != NULL && len > 0)
        memcpy(p->at + p->len, bytes, len);
    p->len += len;
}

/* The lowest byte first, on every machine. */
static void pack_wide(struct packer *p, uint64_t number, size_t len)
{
    unsigned char bytes[8];

    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)(number >> (8 * i) & 0xff);
    pack(p, bytes, len);
}

static void pack_number(struct packer *p, uint32_t number)
{
    pack_wide(p, number, 4);
}

static void pack_text(struct packer *p, struct text text)
{
    pack_number(p, (uint32_t)text.len);
    pack(p, text.at, text.len);
}

/* The place of the smallest key that comes after *last; count: none. */
static uint32_t next_key(const struct text *keys, size_t stride, uint32_t count,
                         const struct text *last)
{
    uint32_t best = count;

    for (uint32_t i = 0; i < count; i++) {
        const struct text *key = (const void *)((const char *)keys + i * stride);

        if (last != NULL && text_compare(*key, *last) <= 0)
            continue;
        if (best == count ||
            text_compare(
                *key, *(const struct text *)(const void *)((const char *)keys + best * stride)) < 0)
            best = i;
    }
    return best;
}

static void pack_requests(struct packer *p, const struct named_amounts *requests)
{
    const struct text *last = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < requests->count; i++)
        count += requests->item[i].amount > 0;
    pack_number(p, count);
    for (uint32_t n = 0; n < requests->count; n++) {
        uint32_t i =
            next_key(&requests->item[0].resource, sizeof(requests->item[0]), requests->count, last);

        if (i == requests->count)
            break;
        last = &requests->item[i].resource;
        if (requests->item[i].amount == 0)
            continue;
        pack_text(p, *last);
        pack_wide(p, (uint64_t)requests->item[i].amount, 8);
    }
}

static void pack_placement(struct packer *p, const struct placement *placement)
{
    const struct text *last = NULL;

    pack_number(p, placement->selector_count);
    for (uint32_t n = 0; n < placement->selector_count; n++) {
        uint32_t i = next_key(&placement->selector[0].key, sizeof(placement->selector[0]),
                              placement->selector_count, last);

        last = &placement->selector[i].key;
        pack_text(p, *last);
        pack_text(p, placement->selector[i].value);
    }
    pack_number(p, placement->term_count);
    for (uint32_t t = 0; t < placement->term_count; t++) {
        const struct node_term *term = &placement->terms[t];

        pack_number(p, term->count);
        for (uint32_t i = 0; i < term->count; i++) {
            pack_text(p, term->demands[i].key);
            pack_text(p, term->demands[i].operator_);
            pack_number(p, term->demands[i].value_count);
            for (uint32_t v = 0; v < term->demands[i].value_count; v++)
                pack_text(p, term->demands[i].values[v]);
        }
    }
    pack_number(p, placement->toleration_count);
    for (uint32_t i = 0; i < placement->toleration_count; i++) {
        pack_text(p, placement->tolerations[i].key);
        pack_text(p, placement->tolerations[i].operator_);
        pack_text(p, placement->tolerations[i].value);
        pack_text(p, placement->tolerations[i].effect);
    }
}

static void pack_all(struct packer *p, const struct workload_facts *facts)
{
    pack_number(p, facts->set_count);
    for (uint32_t s = 0; s < facts->set_count; s++) {
        const struct set_facts *set = &facts->sets[s];

        pack_text(p, set->name);
        pack_number(p, (uint32_t)set->count);
        pack_number(p, (uint32_t)(set->minimum < set->count ? set->minimum : set->count));
        pack_requests(p, &set->requests);
        pack_placement(p, &set->placement);
    }
}

int demand_text(struct engine *e, const struct workload_facts *facts, uint32_t *ret_text)
{
    struct packer p = {0};
    size_t size;
    int error;

    pack_all(&p, facts);
    size = p.len;
    p = (struct packer){mem_alloc(&e->mem, size), 0};
    if (p.at == NULL)
        return ENGINE_NO_MEMORY;
    pack_all(&p, facts);
    error = name_get(e, (struct text){p.at, size}, ret_text);
    mem_free(&e->mem, p.at, size);
    return error;
}

/* Reads a text that was packed above. First it counts what there is, then it fills it in. */
struct unpacker {
    const char *at;
    bool fills;
    uint32_t labels, terms, demands, values, tolerations;
    struct label *label;
    struct node_term *term;
    struct label_demand *demand;
    struct text *value;
    struct toleration *toleration;
};

static uint64_t take_wide(struct unpacker *u, size_t len)
{
    uint64_t number = 0;

    for (size_t i = 0; i < len; i++)
        number |= (uint64_t)(unsigned char)*u->at++ << (8 * i);
    return number;
}

static uint32_t take_number(struct unpacker *u)
{
    return (uint32_t)take_wide(u, 4);
}

static struct text take_text(struct unpacker *u)
{
    size_t len = take_number(u);
    struct text text = {u->at, len};

    u->at += len;
    return text;
}

static void take_selector(struct unpacker *u, struct placement *placement)
{
    placement->selector_count = take_number(u);
    placement->selector = u->fills ? u->label + u->labels : NULL;
    for (uint32_t i = 0; i < placement->selector_count; i++, u->labels++) {
        struct label counted, *label = u->fills ? &u->label[u->labels] : &counted;

        label->key = take_text(u);
        label->value = take_text(u);
    }
}

static void take_demand(struct unpacker *u)
{
    struct label_demand counted, *demand = u->fills ? &u->demand[u->demands] : &counted;

    demand->key = take_text(u);
    demand->operator_ = take_text(u);
    demand->value_count = take_number(u);
    demand->values = u->fills ? u->value + u->values : NULL;
    for (uint32_t v = 0; v < demand->value_count; v++, u->values++) {
        struct text value = take_text(u);

        if (u->fills)
            u->value[u->values] = value;
    }
    u->demands++;
}

static void take_terms(struct unpacker *u, struct placement *placement)
{
    placement->term_count = take_number(u);
    placement->terms = u->fills ? u->term + u->terms : NULL;
    for (uint32_t t = 0; t < placement->term_count; t++, u->terms++) {
        struct node_term counted, *term = u->fills ? &u->term[u->terms] : &counted;

        term->count = take_number(u);
        term->demands = u->fills ? u->demand + u->demands : NULL;
        for (uint32_t i = 0; i < term->count; i++)
            take_demand(u);
    }
}

static void take_tolerations(struct unpacker *u, struct placement *placement)
{
    placement->toleration_count = take_number(u);
    placement->tolerations = u->fills ? u->toleration + u->tolerations : NULL;
    for (uint32_t i = 0; i < placement->toleration_count; i++, u->tolerations++) {
        struct toleration counted;
        struct toleration *toleration = u->fills ? &u->toleration[u->tolerations] : &counted;

        toleration->key = take_text(u);
        toleration->operator_ = take_text(u);
        toleration->value = take_text(u);
        toleration->effect = take_text(u);
    }
}

/* The pod itself is a need, too. Negative on error. */
static int take_needs(struct engine *e, struct unpacker *u, struct assign_set *ask,
                      uint32_t *ret_count)
{
    uint32_t count = take_number(u);

    *ret_count = count + 1;
    if (u->fills) {
        intern_ref(&e->names, e->name_pods);
        ask->needs[ask->need_count++] = (struct request){e->name_pods, 1};
    }
    for (uint32_t i = 0; i < count; i++) {
        struct text name = take_text(u);
        struct request need = {.amount = (int64_t)take_wide(u, 8)};

        if (!u->fills)
            continue;
        if (name_get(e, name, &need.resource) < 0)
            return ENGINE_NO_MEMORY;
        ask->needs[ask->need_count++] = need;
    }
    return 0;
}

static int take_all(struct engine *e, struct unpacker *u, struct demand *demand)
{
    uint32_t sets = take_number(u), needs = 0;

    for (uint32_t s = 0; s < sets; s++) {
        struct demand_set counted, *set = u->fills ? &demand->set_details[s] : &counted;
        struct assign_set none, *ask = u->fills ? &demand->sets[s] : &none;
        uint32_t more;

        set->name = take_text(u);
        set->at = needs;
        ask->count = take_number(u);
        ask->minimum = take_number(u);
        demand->set_count += u->fills;
        if (take_needs(e, u, ask, &more) < 0)
            return ENGINE_NO_MEMORY;
        needs += more;
        take_selector(u, &set->placement);
        take_terms(u, &set->placement);
        take_tolerations(u, &set->placement);
    }
    demand->need_count = needs;
    return 0;
}

int demand_read(struct engine *e, struct demand *demand)
{
    const char *text = name_text(e, demand->text).at;
    struct unpacker counted = {.at = text}, u = {.at = text, .fills = true};
    uint32_t sets = take_number(&(struct unpacker){.at = text});
    char *room;

    take_all(e, &counted, demand);
    demand->size =
        sets * (sizeof(struct assign_set) + sizeof(struct demand_set)) +
        counted.labels * sizeof(struct label) + counted.terms * sizeof(struct node_term) +
        counted.demands * sizeof(struct label_demand) + counted.values * sizeof(struct text) +
        counted.tolerations * sizeof(struct toleration);
    room = mem_zalloc(&e->mem, demand->size);
    if (room == NULL)
        return ENGINE_NO_MEMORY;
    demand->sets = (struct assign_set *)(void *)room;
    demand->set_details = (struct demand_set *)(void *)(demand->sets + sets);
    u.label = (struct label *)(void *)(demand->set_details + sets);
    u.term = (struct node_term *)(void *)(u.label + counted.labels);
    u.demand = (struct label_demand *)(void *)(u.term + counted.terms);
    u.value = (struct text *)(void *)(u.demand + counted.demands);
    u.toleration = (struct toleration *)(void *)(u.value + counted.values);
    return take_all(e, &u, demand);
}
