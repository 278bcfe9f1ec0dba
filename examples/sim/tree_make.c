/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/tree_make.h"

#include <inttypes.h>
#include <string.h>

#include "abi/host/value.h"

#define MADE "what was written"

const struct tree *tree_of_text(struct arena *arena, const char *text)
{
    struct tree *made = arena_get(arena, sizeof(*made));

    *made = (struct tree){.type = TREE_TEXT,
                          .quoted = true,
                          .file = MADE,
                          .key = "",
                          .text = arena_copy(arena, text),
                          .weight = 1};
    return made;
}

static const struct tree *unquoted(struct arena *arena, const char *text)
{
    struct tree *made = arena_get(arena, sizeof(*made));

    *made = *tree_of_text(arena, text);
    made->quoted = false;
    return made;
}

const struct tree *tree_of_int(struct arena *arena, int64_t number)
{
    return unquoted(arena, arena_format(arena, "%" PRId64, number));
}

const struct tree *tree_of_bool(struct arena *arena, bool is)
{
    return unquoted(arena, is ? "true" : "false");
}

/* A copy with room for one more. */
static struct tree *copy_of(struct arena *arena, const struct tree *tree, enum tree_type type)
{
    struct tree *made = arena_get(arena, sizeof(*made));

    *made = (struct tree){.type = type, .file = MADE, .key = "", .weight = 1};
    if (tree && tree->type == type)
        *made = *tree;
    made->pairs = arena_get(arena, (made->count + 1) * sizeof(*made->pairs));
    for (size_t i = 0; i < made->count; i++)
        made->pairs[i] = tree->pairs[i];
    return made;
}

/* Puts a value at a place, adds one behind the last, or takes one out. */
static const struct tree *put(struct tree *made, size_t place, struct tree_pair pair)
{
    if (pair.value) {
        made->count += place == made->count;
        made->pairs[place] = pair;
    } else if (place < made->count) {
        made->count--;
        memmove(made->pairs + place, made->pairs + place + 1,
                (made->count - place) * sizeof(*made->pairs));
    }
    return made;
}

const struct tree *tree_with(struct arena *arena, const struct tree *map, const char *key,
                             const struct tree *value)
{
    struct tree *made = copy_of(arena, map, TREE_MAP);
    size_t place = 0;

    while (place < made->count && strcmp(made->pairs[place].key, key) != 0)
        place++;
    return put(made, place, (struct tree_pair){arena_copy(arena, key), value});
}

static size_t place_of(const struct tree *list, const char *key, const char *name)
{
    size_t place = 0;

    while (place < list->count && strcmp(tree_word(list->pairs[place].value, key), name) != 0)
        place++;
    return place;
}

const struct tree *tree_with_item(struct arena *arena, const struct tree *list, const char *key,
                                  const char *name, const struct tree *item)
{
    struct tree *made = copy_of(arena, list, TREE_LIST);

    return put(made, place_of(made, key, name), (struct tree_pair){"", item});
}

const struct tree *tree_item(const struct tree *list, const char *key, const char *name)
{
    size_t place;

    if (!list || list->type != TREE_LIST)
        return NULL;
    place = place_of(list, key, name);
    return place < list->count ? list->pairs[place].value : NULL;
}

const char *tree_word(const struct tree *map, const char *path)
{
    return tree_word_of(tree_find(map, path));
}

const char *tree_word_of(const struct tree *value)
{
    return value && value->type == TREE_TEXT ? value->text : "";
}

const struct tree *tree_of_value(struct arena *arena, const msgpack_object *value)
{
    const struct tree *made = tree_with(arena, NULL, "", NULL);

    switch (value->type) {
    case MSGPACK_OBJECT_MAP:
        for (uint32_t i = 0; i < value_count(value); i++) {
            const msgpack_object *inner;
            const char *key = value_pair(value, i, &inner);
            made = tree_with(arena, made, key, tree_of_value(arena, inner));
        }
        return made;
    case MSGPACK_OBJECT_ARRAY:
        made = tree_with_item(arena, NULL, "", "", NULL);
        for (uint32_t i = 0; i < value_count(value); i++)
            made =
                tree_with_item(arena, made, "/", "/", tree_of_value(arena, value_item(value, i)));
        return made;
    case MSGPACK_OBJECT_STR:
        return tree_of_text(arena, value->via.str.ptr);
    case MSGPACK_OBJECT_BOOLEAN:
        return tree_of_bool(arena, value->via.boolean);
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return tree_of_int(arena, value->via.i64);
    default:
        return NULL;
    }
}
