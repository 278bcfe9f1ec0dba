/* SPDX-License-Identifier: Apache-2.0 */
#include "intern.h"

#include <stdbool.h>

/* One allocation for each string; the slab's record is only the pointer to it. The hash is not
 * kept: it is computed again when the string goes. */
struct entry {
    uint32_t users;
    uint32_t len;
    char text[];
};

struct wanted {
    const struct intern *intern;
    struct text text;
};

static struct entry *entry_at(const struct intern *intern, uint32_t id)
{
    struct entry **at = slab_at(&intern->entries, id);

    return *at;
}

static size_t entry_bytes(size_t len)
{
    return sizeof(struct entry) + len + 1;
}

static bool is_wanted(const void *ctx, uint32_t id)
{
    const struct wanted *wanted = ctx;

    return text_same(intern_view(wanted->intern, id), wanted->text);
}

static uint32_t find(const struct intern *intern, uint32_t hash, struct text text)
{
    struct wanted wanted = {intern, text};

    return index_find(&intern->index, hash, is_wanted, &wanted);
}

void intern_init(struct intern *intern, struct mem *mem)
{
    slab_init(&intern->entries, mem, sizeof(struct entry *));
    index_init(&intern->index, mem);
}

void intern_finish(struct intern *intern)
{
    for (uint32_t id = 0; slab_step(&intern->entries, &id);) {
        struct entry *entry = entry_at(intern, id);

        mem_free(intern->entries.mem, entry, entry_bytes(entry->len));
    }
    index_finish(&intern->index);
    slab_finish(&intern->entries);
}

static int add(struct intern *intern, uint32_t hash, struct text text, uint32_t *ret_id)
{
    if (text.len > UINT32_MAX || slab_reserve(&intern->entries, 1) < 0 ||
        index_reserve(&intern->index) < 0)
        return -1;

    struct entry *entry = mem_alloc(intern->entries.mem, entry_bytes(text.len));

    if (entry == NULL)
        return -1;
    entry->users = 1;
    entry->len = (uint32_t)text.len;
    memcpy(entry->text, text.at, text.len);
    entry->text[text.len] = '\0';

    uint32_t id = slab_take(&intern->entries);

    memcpy(slab_at(&intern->entries, id), &entry, sizeof(entry));
    index_put(&intern->index, hash, id);
    *ret_id = id;
    return 0;
}

int intern_get(struct intern *intern, struct text text, uint32_t *ret_id)
{
    if (text.len == 0) {
        *ret_id = 0;
        return 0;
    }

    uint32_t hash = hash_text(text, 0);
    uint32_t id = find(intern, hash, text);

    if (id == 0)
        return add(intern, hash, text, ret_id);
    entry_at(intern, id)->users++;
    *ret_id = id;
    return 0;
}

uint32_t intern_find(const struct intern *intern, struct text text)
{
    return text.len == 0 ? 0 : find(intern, hash_text(text, 0), text);
}

void intern_ref(struct intern *intern, uint32_t id)
{
    if (id != 0)
        entry_at(intern, id)->users++;
}

void intern_unref(struct intern *intern, uint32_t id)
{
    if (id == 0)
        return;

    struct entry *entry = entry_at(intern, id);

    if (--entry->users > 0)
        return;
    index_drop(&intern->index, hash_bytes(entry->text, entry->len, 0), id);
    slab_give(&intern->entries, id);
    mem_free(intern->entries.mem, entry, entry_bytes(entry->len));
}

struct text intern_view(const struct intern *intern, uint32_t id)
{
    const struct entry *entry;

    if (id == 0)
        return text_of("");
    entry = entry_at(intern, id);
    return (struct text){entry->text, entry->len};
}
