/* SPDX-License-Identifier: Apache-2.0 */
#include "flavor.h"

#include "plugin/state.h"

static struct flavor *flavor_at(const struct engine *e, uint16_t number)
{
    return slab_at(&e->capacity.flavors, number);
}

static uint16_t flavor_find(const struct engine *e, struct text name)
{
    uint32_t id = intern_find(&e->names, name);

    /* Flavors are few, and looked up only when objects change: no index. */
    for (uint32_t number = 0; id != 0 && slab_step(&e->capacity.flavors, &number);) {
        if (flavor_at(e, (uint16_t)number)->name == id)
            return (uint16_t)number;
    }
    return 0;
}

int flavor_get(struct engine *e, struct text name, uint16_t *ret_number)
{
    uint16_t number = flavor_find(e, name);
    uint32_t id;

    if (number != 0) {
        flavor_ref(e, number);
        *ret_number = number;
        return 0;
    }
    if (slab_count(&e->capacity.flavors) >= ENGINE_MAX_FLAVORS)
        return ENGINE_FULL_FLAVORS;
    if (slab_reserve(&e->capacity.flavors, 1) < 0 || name_get(e, name, &id) < 0)
        return ENGINE_NO_MEMORY;

    number = (uint16_t)slab_take(&e->capacity.flavors);
    flavor_at(e, number)->name = id;
    flavor_at(e, number)->users = 1;
    *ret_number = number;
    return 0;
}

void flavor_ref(struct engine *e, uint16_t number)
{
    if (number != 0 && number != FLAVOR_NONE)
        flavor_at(e, number)->users++;
}

static void forget_details(struct intern *names, struct flavor *flavor)
{
    for (uint32_t i = 0; i < flavor->label_count; i++) {
        intern_unref(names, flavor->labels[i].key);
        intern_unref(names, flavor->labels[i].value);
    }
    for (uint32_t i = 0; i < flavor->toleration_count; i++) {
        intern_unref(names, flavor->tolerations[i].key);
        intern_unref(names, flavor->tolerations[i].operator_);
        intern_unref(names, flavor->tolerations[i].value);
        intern_unref(names, flavor->tolerations[i].effect);
    }
    for (uint32_t i = 0; i < flavor->taint_count; i++) {
        intern_unref(names, flavor->taints[i].key);
        intern_unref(names, flavor->taints[i].value);
        intern_unref(names, flavor->taints[i].effect);
    }
    flavor->label_count = 0;
    flavor->toleration_count = 0;
    flavor->taint_count = 0;
}

void flavor_unref(struct engine *e, uint16_t number)
{
    if (number == 0 || number == FLAVOR_NONE)
        return;

    struct flavor *flavor = flavor_at(e, number);

    if (--flavor->users > 0)
        return;
    forget_details(&e->names, flavor);
    intern_unref(&e->names, flavor->name);
    slab_give(&e->capacity.flavors, number);
}

struct text flavor_name(const struct engine *e, uint16_t number)
{
    if (number == 0)
        return text_of("default");
    return number == FLAVOR_NONE ? text_of("") : name_text(e, flavor_at(e, number)->name);
}

bool flavor_usable(const struct engine *e, uint16_t number)
{
    return number == 0 || flavor_at(e, number)->seen;
}

bool flavor_asks(const struct engine *e, uint16_t number)
{
    return number != 0 && number != FLAVOR_NONE &&
           flavor_at(e, number)->label_count + flavor_at(e, number)->toleration_count > 0;
}

bool flavor_tolerates(const struct engine *e, uint16_t number)
{
    return number != 0 && number != FLAVOR_NONE && flavor_at(e, number)->toleration_count > 0;
}

int flavor_see(struct engine *e, const struct flavor_facts *facts)
{
    struct flavor next = {0};
    uint16_t number;
    int error = flavor_get(e, facts->name, &number);

    if (error < 0)
        return error;

    for (uint32_t i = 0; i < facts->label_count; i++) {
        next.label_count++;
        if (name_get(e, facts->labels[i].key, &next.labels[i].key) < 0 ||
            name_get(e, facts->labels[i].value, &next.labels[i].value) < 0)
            goto no_memory;
    }
    for (uint32_t i = 0; i < facts->toleration_count; i++) {
        const struct toleration *from = &facts->tolerations[i];

        next.toleration_count++;
        next.tolerations[i].has_seconds = from->has_seconds;
        next.tolerations[i].seconds = from->seconds;
        if (name_get(e, from->key, &next.tolerations[i].key) < 0 ||
            name_get(e, from->operator_, &next.tolerations[i].operator_) < 0 ||
            name_get(e, from->value, &next.tolerations[i].value) < 0 ||
            name_get(e, from->effect, &next.tolerations[i].effect) < 0)
            goto no_memory;
    }

    for (uint32_t i = 0; i < facts->taints.count; i++) {
        const struct taint *from = &facts->taints.item[i];

        next.taint_count++;
        if (name_get(e, from->key, &next.taints[i].key) < 0 ||
            name_get(e, from->value, &next.taints[i].value) < 0 ||
            name_get(e, from->effect, &next.taints[i].effect) < 0)
            goto no_memory;
    }

    struct flavor *flavor = flavor_at(e, number);

    if (flavor->seen)
        flavor_unref(e, number); /* the object itself is one user, not one at each sight */
    forget_details(&e->names, flavor);
    next.name = flavor->name;
    next.users = flavor->users;
    next.seen = true;
    *flavor = next;
    return 0;

no_memory:
    forget_details(&e->names, &next);
    flavor_unref(e, number);
    return ENGINE_NO_MEMORY;
}

bool flavor_lose(struct engine *e, struct text name)
{
    uint16_t number = flavor_find(e, name);

    if (number == 0 || !flavor_at(e, number)->seen)
        return false;
    flavor_at(e, number)->seen = false;
    forget_details(&e->names, flavor_at(e, number));
    flavor_unref(e, number);
    return true;
}

void engine_flavor(const struct engine *e, uint32_t number, struct flavor_facts *ret_facts)
{
    const struct flavor *flavor = flavor_at(e, (uint16_t)number);

    ret_facts->name = name_text(e, flavor->name);
    ret_facts->label_count = flavor->label_count;
    ret_facts->toleration_count = flavor->toleration_count;
    for (uint32_t i = 0; i < flavor->label_count; i++)
        ret_facts->labels[i] = (struct label){name_text(e, flavor->labels[i].key),
                                              name_text(e, flavor->labels[i].value)};
    for (uint32_t i = 0; i < flavor->toleration_count; i++)
        ret_facts->tolerations[i] = (struct toleration){
            .key = name_text(e, flavor->tolerations[i].key),
            .operator_ = name_text(e, flavor->tolerations[i].operator_),
            .value = name_text(e, flavor->tolerations[i].value),
            .effect = name_text(e, flavor->tolerations[i].effect),
            .has_seconds = flavor->tolerations[i].has_seconds,
            .seconds = flavor->tolerations[i].seconds,
        };
    ret_facts->taints.count = flavor->taint_count;
    for (uint32_t i = 0; i < flavor->taint_count; i++)
        ret_facts->taints.item[i] = (struct taint){name_text(e, flavor->taints[i].key),
                                                   name_text(e, flavor->taints[i].value),
                                                   name_text(e, flavor->taints[i].effect)};
}
