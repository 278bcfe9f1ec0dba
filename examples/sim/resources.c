/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/resources.h"

#include <stdio.h>
#include <string.h>

#include "plugin/base/quantity.h"

static const int64_t most = INT64_C(1) << 62;

static bool is_milli(const char *name)
{
    return strcmp(name, "cpu") == 0;
}

/* [neither is beyond 2^62, on either side of 0] */
static int64_t sum_of(int64_t a, int64_t b)
{
    if (b > 0 && a > most - b)
        return most;
    return b < 0 && a < -most - b ? -most : a + b;
}

/* The place of the name, or where it would go. */
static size_t place_of(const struct resources *resources, const char *name)
{
    size_t i = 0;

    while (i < resources->count && strcmp(resources->items[i].name, name) < 0)
        i++;
    return i;
}

static bool is_at(const struct resources *resources, size_t i, const char *name)
{
    return i < resources->count && strcmp(resources->items[i].name, name) == 0;
}

int64_t resources_get(const struct resources *resources, const char *name)
{
    size_t i = place_of(resources, name);

    return is_at(resources, i, name) ? resources->items[i].amount : 0;
}

void resources_set(struct arena *arena, struct resources *to, const char *name, int64_t amount)
{
    size_t i = place_of(to, name);

    if (is_at(to, i, name)) {
        to->items[i].amount = amount;
        return;
    }
    if (to->count == to->cap) {
        to->cap = to->cap ? to->cap * 2 : 4;
        struct resource *items = arena_get(arena, to->cap * sizeof(*items));
        if (to->count > 0)
            memcpy(items, to->items, to->count * sizeof(*items));
        to->items = items;
    }
    memmove(to->items + i + 1, to->items + i, (to->count - i) * sizeof(*to->items));
    to->items[i] = (struct resource){name, amount};
    to->count++;
}

void resources_add(struct arena *arena, struct resources *to, const struct resources *from,
                   int sign)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct resource *item = &from->items[i];
        resources_set(arena, to, item->name,
                      sum_of(resources_get(to, item->name), sign * item->amount));
    }
}

void resources_raise(struct arena *arena, struct resources *to, const struct resources *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (resources_get(to, from->items[i].name) < from->items[i].amount)
            resources_set(arena, to, from->items[i].name, from->items[i].amount);
}

bool resources_fit(const struct resources *asked, const struct resources *free)
{
    for (size_t i = 0; i < asked->count; i++)
        if (asked->items[i].amount > 0 &&
            asked->items[i].amount > resources_get(free, asked->items[i].name))
            return false;
    return true;
}

bool resources_same(const struct resources *a, const struct resources *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].amount != resources_get(b, a->items[i].name))
            return false;
    for (size_t i = 0; i < b->count; i++)
        if (b->items[i].amount != resources_get(a, b->items[i].name))
            return false;
    return true;
}

int64_t resources_amount(struct fault *fault, const struct tree *value, const char *name)
{
    int64_t amount = 0;

    if (value->type != TREE_TEXT ||
        !quantity_parse(value->text, strlen(value->text), is_milli(name), &amount))
        fault_at(fault, value, "a quantity, such as 2, 500m or 16Gi");
    else if (amount < 0)
        fault_at(fault, value, "a quantity that is not negative");
    return amount;
}

void resources_read(struct arena *arena, struct fault *fault, const struct tree *map,
                    struct resources *to)
{
    for (size_t i = 0; map && i < map->count; i++)
        resources_set(arena, to, map->pairs[i].key,
                      resources_amount(fault, map->pairs[i].value, map->pairs[i].key));
}

/* A container's requests; a limit without a request is one, as the API server fills it in. */
static void of_container(struct arena *arena, struct fault *fault, const struct tree *container,
                         struct resources *to)
{
    const struct tree *asked = tree_map(fault, container, "resources");
    const struct tree *requests = tree_map(fault, asked, "requests");
    const struct tree *limits = tree_map(fault, asked, "limits");

    resources_read(arena, fault, limits, to);
    resources_read(arena, fault, requests, to);
}

static void of_init_containers(struct arena *arena, struct fault *fault, const struct tree *spec,
                               struct resources *to)
{
    const struct tree *containers = tree_list(fault, spec, "initContainers");
    struct resources sidecars = {0};
    struct resources highest = {0};

    for (size_t i = 0; containers && i < containers->count; i++) {
        const struct tree *container = containers->pairs[i].value;
        bool is_sidecar = strcmp(tree_text(fault, container, "restartPolicy", ""), "Always") == 0;
        struct resources asked = {0};
        of_container(arena, fault, container, &asked);
        if (is_sidecar) {
            resources_add(arena, &sidecars, &asked, 1);
            resources_add(arena, to, &asked, 1);
            asked = (struct resources){0};
        }
        resources_add(arena, &asked, &sidecars, 1);
        resources_raise(arena, &highest, &asked);
    }
    resources_raise(arena, to, &highest);
}

static void of_whole_pod(struct arena *arena, struct fault *fault, const struct tree *spec,
                         struct resources *to)
{
    struct resources asked = {0};

    of_container(arena, fault, spec, &asked);
    for (size_t i = 0; i < asked.count; i++)
        resources_set(arena, to, asked.items[i].name, asked.items[i].amount);
}

void resources_of_pod(struct arena *arena, struct fault *fault, const struct tree *spec,
                      struct resources *to)
{
    const struct tree *containers = tree_list(fault, spec, "containers");

    for (size_t i = 0; containers && i < containers->count; i++) {
        struct resources asked = {0};
        of_container(arena, fault, containers->pairs[i].value, &asked);
        resources_add(arena, to, &asked, 1);
    }
    of_init_containers(arena, fault, spec, to);
    of_whole_pod(arena, fault, spec, to);
    struct resources overhead = {0};
    resources_read(arena, fault, tree_map(fault, spec, "overhead"), &overhead);
    resources_add(arena, to, &overhead, 1);
}

const char *resources_show_amount(const char *name, int64_t amount, char *out, size_t cap)
{
    char text[QUANTITY_TEXT_MAX];

    quantity_format(amount, is_milli(name), text);
    snprintf(out, cap, "%s", text);
    return out;
}

const char *resources_show(const struct resources *resources, char *out, size_t cap)
{
    char amount[QUANTITY_TEXT_MAX];
    size_t used = 0;

    snprintf(out, cap, "nothing");
    for (size_t i = 0; i < resources->count && used < cap; i++)
        used += (size_t)snprintf(
            out + used, cap - used, "%s%s %s", i ? ", " : "", resources->items[i].name,
            resources_show_amount(resources->items[i].name, resources->items[i].amount, amount,
                                  sizeof(amount)));
    return out;
}
