/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/compose.h"

#include <string.h>

#include "examples/sim/tree_make.h"
#include "examples/sim/world.h"

/* A list that grows. */
struct growing {
    struct tree *list;
    size_t cap;
};

/* Documents in their order, and by reference. */
struct pile {
    struct arena *arena;
    struct fault *fault;
    struct growing all;
    struct map places; /* of a reference: 1 + its place in the list */
    size_t scenario;   /* 1 + its place; 0: there is none */
};

static struct growing list_begin(struct arena *arena, const struct tree *like)
{
    struct growing made = {.list = arena_get(arena, sizeof(*made.list))};

    *made.list = *like;
    made.list->type = TREE_LIST;
    made.list->pairs = NULL;
    made.list->count = 0;
    return made;
}

static void list_add(struct arena *arena, struct growing *to, const struct tree *item)
{
    struct tree *list = to->list;

    if (list->count == to->cap) {
        to->cap = to->cap ? 2 * to->cap : 64;
        struct tree_pair *pairs = arena_get(arena, to->cap * sizeof(*pairs));
        if (list->count > 0)
            memcpy(pairs, list->pairs, list->count * sizeof(*pairs));
        list->pairs = pairs;
    }
    list->pairs[list->count++] = (struct tree_pair){"", item};
}

static bool is_scenario(const struct tree *doc)
{
    return strcmp(tree_word(doc, "kind"), "Scenario") == 0;
}

/* Puts a document in its place: behind all others, or where the one that it is another version of
 * was. A second one in the same file stays there, for the reader of stories to complain about. */
static void put(struct pile *pile, const struct tree *doc, bool replaces)
{
    if (is_scenario(doc)) {
        list_add(pile->arena, &pile->all, doc);
        pile->scenario = pile->all.list->count;
        return;
    }
    const char *ref = world_ref_of(pile->arena, pile->fault, doc);
    if (!ref)
        return;
    size_t place = (size_t)(uintptr_t)map_get(&pile->places, ref);
    if (place > 0 && replaces) {
        pile->all.list->pairs[place - 1].value = doc;
        return;
    }
    list_add(pile->arena, &pile->all, doc);
    map_put(&pile->places, ref, (void *)(uintptr_t)pile->all.list->count);
}

static bool is_list(const struct tree *doc)
{
    const char *kind = tree_word(doc, "kind");
    size_t len = strlen(kind);

    return len >= 4 && strcmp(kind + len - 4, "List") == 0 && tree_get(doc, "items");
}

static void put_all(struct pile *pile, const struct tree *documents, bool replaces)
{
    for (size_t i = 0; i < documents->count && !pile->fault->is; i++) {
        const struct tree *doc = documents->pairs[i].value;
        const struct tree *items = is_list(doc) ? tree_list(pile->fault, doc, "items") : NULL;
        for (size_t k = 0; items && k < items->count; k++)
            put(pile, items->pairs[k].value, replaces);
        if (!items && !(replaces && is_scenario(doc)))
            put(pile, doc, replaces);
    }
}

static const struct tree *scenario_of(const struct tree *documents)
{
    for (size_t i = 0; documents && i < documents->count; i++)
        if (is_scenario(documents->pairs[i].value))
            return documents->pairs[i].value;
    return NULL;
}

/* A step that applies all documents from this place on; NULL: there are none. */
static const struct tree *step_of(const struct pile *pile, size_t from)
{
    const struct tree *all = pile->all.list;
    struct growing refs = list_begin(pile->arena, all);

    for (size_t i = from; i < all->count; i++) {
        const struct tree *doc = all->pairs[i].value;
        const char *ref = is_scenario(doc) ? NULL : world_ref_of(pile->arena, pile->fault, doc);
        if (ref)
            list_add(pile->arena, &refs, tree_of_text(pile->arena, ref));
    }
    return refs.list->count ? tree_with(pile->arena, NULL, "apply", refs.list) : NULL;
}

/* The story with such a step before its own ones. */
static const struct tree *with_step(const struct pile *pile, const struct tree *story,
                                    const struct tree *step)
{
    const struct tree *spec = tree_get(story, "spec");
    const struct tree *own = tree_list(pile->fault, spec, "steps");
    struct growing steps = list_begin(pile->arena, step);

    list_add(pile->arena, &steps, step);
    for (size_t i = 0; own && i < own->count; i++)
        list_add(pile->arena, &steps, own->pairs[i].value);
    return tree_with(pile->arena, story, "spec", tree_with(pile->arena, spec, "steps", steps.list));
}

static const struct tree *a_story(struct arena *arena, const struct tree *documents)
{
    const char *name = documents->file ? documents->file : "objects";
    const struct tree *metadata = tree_with(arena, NULL, "name", tree_of_text(arena, name));
    const struct tree *story =
        tree_with(arena, NULL, "apiVersion", tree_of_text(arena, "sluice/v1"));

    story = tree_with(arena, story, "kind", tree_of_text(arena, "Scenario"));
    return tree_with(arena, story, "metadata", metadata);
}

/* What is there becomes a story: it applies what no step of its own does, and what `other` says
 * of removal, config and autoscaler holds. */
static void tell(struct pile *pile, const struct tree *documents, const struct tree *other,
                 size_t described)
{
    struct arena *arena = pile->arena;

    if (pile->scenario == 0) {
        put(pile, a_story(arena, documents), false);
        described = 0;
    }
    const struct tree **story = &pile->all.list->pairs[pile->scenario - 1].value;
    const struct tree *step = step_of(pile, described);
    if (step)
        *story = with_step(pile, *story, step);
    if (other)
        *story = tree_with(arena, *story, "spec",
                           tree_merge(arena, tree_get(*story, "spec"), tree_get(other, "spec")));
}

const struct tree *compose(struct arena *arena, struct fault *fault, const struct tree *documents,
                           const struct tree *instead)
{
    const struct tree *other = scenario_of(instead);
    struct pile pile = {.arena = arena, .fault = fault, .all = list_begin(arena, documents)};

    if (other && tree_find(other, "spec/steps"))
        return instead;
    put_all(&pile, documents, false);
    size_t described = pile.all.list->count;
    if (instead)
        put_all(&pile, instead, true);
    if (!fault->is)
        tell(&pile, documents, other, described);
    map_finish(&pile.places);
    return fault->is ? NULL : pile.all.list;
}
