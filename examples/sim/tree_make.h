/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_TREE_MAKE_H
#define SLUICE_SIM_TREE_MAKE_H

#include <msgpack.h>

#include "examples/sim/tree.h"

/* Trees that are made, and not read from a file. None is changed: each call makes another one. */

/* A text is one whatever it looks like. */
const struct tree *tree_of_text(struct arena *arena, const char *text);
const struct tree *tree_of_int(struct arena *arena, int64_t number);
const struct tree *tree_of_bool(struct arena *arena, bool is);

/* The map with this value under the key: at its place, or at the end. map NULL: an empty one. value
 * NULL: without the key. */
const struct tree *tree_with(struct arena *arena, const struct tree *map, const char *key,
                             const struct tree *value);

/* The list with this item in the place of the first one that has the same text under the key, or at
 * the end. list NULL: an empty one. item NULL: without that. */
const struct tree *tree_with_item(struct arena *arena, const struct tree *list, const char *key,
                                  const char *name, const struct tree *item);

/* The first item with this text under the key; NULL: there is none. */
const struct tree *tree_item(const struct tree *list, const char *key, const char *name);

/* What a message says. */
const struct tree *tree_of_value(struct arena *arena, const msgpack_object *value);

/* The text that stands there, or is the value; "" if none is. */
const char *tree_word(const struct tree *map, const char *path);
const char *tree_word_of(const struct tree *value);

#endif
