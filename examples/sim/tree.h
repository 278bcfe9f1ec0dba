/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_TREE_H
#define SLUICE_SIM_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "examples/sim/arena.h"

/*
 * YAML documents as trees that know their lines, and the typed reading of them.
 *
 * Errors are sticky: the first one stays, and everything read after it is a default, so a caller
 * looks once, at the end. Each names file and line, the key, the value, and what would be right.
 */

enum tree_type {
    TREE_NULL,
    TREE_TEXT,
    TREE_LIST,
    TREE_MAP,
};

struct tree {
    enum tree_type type;
    bool quoted; /* a text in quotes is never a number or a truth value */
    int line;    /* 0: it is in no file */
    const char *file;
    const char *key;  /* the key it stands under; of an item, that of its list */
    const char *text; /* of a text */
    size_t count;     /* of a list or a map */
    struct tree_pair {
        const char *key; /* "" in a list */
        const struct tree *value;
    } * pairs;
    size_t weight; /* nodes in it, those behind aliases counted each time */
};

struct fault {
    bool is;
    char text[1024];
};

enum {
    TREE_FILE_BYTES = 16 << 20,
    TREE_DEPTH = 64,
    TREE_WEIGHT = 1 << 20, /* of all documents of a file, with what its aliases multiply */
};

/* Notes what is wrong with a value, unless something was wrong before. */
void fault_at(struct fault *fault, const struct tree *where, const char *want, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes any other complaint about a place in a file. */
void fault_say(struct fault *fault, const struct tree *where, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* All documents of a text, as the items of a list. NULL after a fault. name is what errors call the
 * file; it must outlive the arena. */
const struct tree *tree_parse(struct arena *arena, const char *name, const char *bytes, size_t len,
                              struct fault *fault);
const struct tree *tree_load(struct arena *arena, const char *path, struct fault *fault);

/* NULL if it is no map, has no such key, or the value is null. */
const struct tree *tree_get(const struct tree *map, const char *key);

/* The same for keys without a slash, with one between each: "spec/containers". */
const struct tree *tree_find(const struct tree *map, const char *path);

/* The value as a message would name it: `"text"`, `[...]`. */
const char *tree_show(const struct tree *tree, char *out, size_t cap);

/* The value of a key; `otherwise` if it is missing or null; a fault if it is of another type. */
const char *tree_text(struct fault *fault, const struct tree *map, const char *key,
                      const char *otherwise);
int64_t tree_int(struct fault *fault, const struct tree *map, const char *key, int64_t least,
                 int64_t most, int64_t otherwise);
bool tree_bool(struct fault *fault, const struct tree *map, const char *key, bool otherwise);
const struct tree *tree_map(struct fault *fault, const struct tree *map, const char *key);
const struct tree *tree_list(struct fault *fault, const struct tree *map, const char *key);

/* The value itself. Durations are "1m30s", "500ms", "-30s"; in nanoseconds. */
const char *tree_as_text(struct fault *fault, const struct tree *value);
bool tree_is_int(const struct tree *value, int64_t *ret);
bool tree_is_bool(const struct tree *value, bool *ret);
int64_t tree_as_duration(struct fault *fault, const struct tree *value);

/* The same again, with nothing of the other but the name of the file. */
const struct tree *tree_copy(struct arena *arena, const struct tree *tree);

/* As RFC 7386 merges JSON: a map into a map, key by key; null removes; anything else replaces. */
const struct tree *tree_merge(struct arena *arena, const struct tree *target,
                              const struct tree *patch);

#endif
