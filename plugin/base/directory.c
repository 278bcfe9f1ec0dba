/* SPDX-License-Identifier: Apache-2.0 */
#include "directory.h"

void directory_init(struct directory *directory, const struct slab *records,
                    const struct intern *names, size_t space, size_t name)
{
    *directory =
        (struct directory){.records = records, .names = names, .space = space, .name = name};
    index_init(&directory->index, records->mem);
}

static struct text word_at(const struct directory *directory, uint32_t id, size_t place)
{
    uint32_t word = 0;

    if (place != DIRECTORY_NO_SPACE)
        memcpy(&word, (const char *)slab_at(directory->records, id) + place, sizeof(word));
    return intern_view(directory->names, word);
}

static uint32_t hash_of(const struct directory *directory, uint32_t id)
{
    return hash_names(word_at(directory, id, directory->space),
                      word_at(directory, id, directory->name));
}

void directory_put(struct directory *directory, uint32_t id)
{
    index_put(&directory->index, hash_of(directory, id), id);
}

void directory_drop(struct directory *directory, uint32_t id)
{
    index_drop(&directory->index, hash_of(directory, id), id);
}

struct question {
    const struct directory *directory;
    struct text space, name;
};

static bool is_wanted(const void *ctx, uint32_t id)
{
    const struct question *q = ctx;

    return text_same(word_at(q->directory, id, q->directory->name), q->name) &&
           text_same(word_at(q->directory, id, q->directory->space), q->space);
}

uint32_t directory_find(const struct directory *directory, struct text space, struct text name)
{
    struct question q = {directory, space, name};

    return index_find(&directory->index, hash_names(space, name), is_wanted, &q);
}
