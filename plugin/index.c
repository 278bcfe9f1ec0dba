/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"

/* An entry of old that was moved or dropped: a search must go on past it. Only old has such marks,
 * and they go with it; a drop from now closes the gap instead. */
#define GONE UINT32_MAX

/* A table of n slots becomes old with 3n/4 entries at most, and the next growth is 3n/8 puts away:
 * three slots for each put would just do. */
enum { FIRST_SLOTS = 16, SLOTS_PER_STEP = 8 };

static size_t table_bytes(const struct index_table *table)
{
    return table->count * sizeof(struct index_slot);
}

static uint64_t limit_of(uint64_t slots)
{
    return slots / 4 * 3;
}

static uint32_t table_home(const struct index_table *table, uint32_t hash)
{
    return (uint32_t)((uint64_t)(hash * UINT32_C(0x9E3779B1)) * table->count >> 32);
}

static uint32_t table_next(const struct index_table *table, uint32_t at)
{
    return at + 1 < table->count ? at + 1 : 0;
}

/* How many steps lead from one slot to another. */
static uint32_t table_steps(const struct index_table *table, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : to + (table->count - from);
}

static void table_put(struct index_table *table, struct index_slot entry)
{
    uint32_t i = table_home(table, entry.hash);

    while (table->slots[i].id != 0)
        i = table_next(table, i);
    table->slots[i] = entry;
}

static uint32_t table_find(const struct index_table *table, uint32_t hash,
                           bool (*same)(const void *ctx, uint32_t id), const void *ctx)
{
    if (table->slots == NULL)
        return 0;

    for (uint32_t i = table_home(table, hash); table->slots[i].id != 0; i = table_next(table, i)) {
        const struct index_slot *slot = &table->slots[i];

        if (slot->hash == hash && slot->id != GONE && same(ctx, slot->id))
            return slot->id;
    }
    return 0;
}

static bool table_locate(const struct index_table *table, uint32_t hash, uint32_t id,
                         uint32_t *ret_at)
{
    if (table->slots == NULL)
        return false;

    for (uint32_t i = table_home(table, hash); table->slots[i].id != 0; i = table_next(table, i)) {
        if (table->slots[i].hash == hash && table->slots[i].id == id) {
            *ret_at = i;
            return true;
        }
    }
    return false;
}

/* Empties slot `gap`, and moves back into it whatever had been pushed past it. */
static void table_close(struct index_table *table, uint32_t gap)
{
    for (uint32_t i = table_next(table, gap); table->slots[i].id != 0; i = table_next(table, i)) {
        uint32_t pushed = table_steps(table, table_home(table, table->slots[i].hash), i);

        if (pushed >= table_steps(table, gap, i)) {
            table->slots[gap] = table->slots[i];
            gap = i;
        }
    }
    table->slots[gap] = (struct index_slot){0};
}

static void table_free(struct index_table *table, struct mem *mem)
{
    mem_free(mem, table->slots, table_bytes(table));
    *table = (struct index_table){0};
}

static void move_some(struct index *index, uint64_t slots)
{
    for (; slots > 0 && index->moved < index->old.count; slots--) {
        struct index_slot *slot = &index->old.slots[index->moved++];

        if (slot->id != 0 && slot->id != GONE) {
            table_put(&index->now, *slot);
            slot->id = GONE;
        }
    }
    if (index->moved == index->old.count)
        table_free(&index->old, index->mem);
}

void index_init(struct index *index, struct mem *mem)
{
    *index = (struct index){.mem = mem};
}

void index_finish(struct index *index)
{
    table_free(&index->old, index->mem);
    table_free(&index->now, index->mem);
    *index = (struct index){0};
}

int index_reserve(struct index *index, uint32_t n_more)
{
    uint64_t count = (uint64_t)index->count + n_more;

    if (count <= limit_of(index->now.count))
        return 0;

    uint64_t slots = index->now.count == 0 ? FIRST_SLOTS : index->now.count;

    while (count > limit_of(slots))
        slots += slots / 2;
    if (slots > UINT32_MAX)
        return -1;

    struct index_table grown = {.count = (uint32_t)slots};

    grown.slots = mem_zalloc(index->mem, table_bytes(&grown));
    if (grown.slots == NULL)
        return -1;

    move_some(index, UINT64_MAX);
    index->old = index->now;
    index->now = grown;
    index->moved = 0;
    return 0;
}

void index_put(struct index *index, uint32_t hash, uint32_t id)
{
    table_put(&index->now, (struct index_slot){.hash = hash, .id = id});
    index->count++;
    move_some(index, SLOTS_PER_STEP);
}

uint32_t index_find(const struct index *index, uint32_t hash,
                    bool (*same)(const void *ctx, uint32_t id), const void *ctx)
{
    uint32_t id = table_find(&index->now, hash, same, ctx);

    return id != 0 ? id : table_find(&index->old, hash, same, ctx);
}

void index_drop(struct index *index, uint32_t hash, uint32_t id)
{
    uint32_t at;

    if (table_locate(&index->now, hash, id, &at))
        table_close(&index->now, at);
    else if (table_locate(&index->old, hash, id, &at))
        index->old.slots[at].id = GONE;
    else
        return;
    index->count--;
    move_some(index, SLOTS_PER_STEP);
}

/* Bytes are read as little-endian numbers everywhere. */
static uint64_t load64(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

/* MurmurHash64A, with the stronger last step of its third version. */
uint64_t hash_bytes64(const void *bytes, size_t len, uint64_t seed)
{
    const uint64_t multiplier = UINT64_C(0xC6A4A7935BD1E995);
    const unsigned char *p = bytes;
    uint64_t hash = (seed + UINT64_C(0x9E3779B97F4A7C15)) ^ ((uint64_t)len * multiplier);
    size_t left = len;

    for (; left >= 8; p += 8, left -= 8) {
        uint64_t word = load64(p) * multiplier;

        hash = (hash ^ ((word ^ word >> 47) * multiplier)) * multiplier;
    }
    if (left > 0) {
        uint64_t word = 0;

        while (left > 0)
            word = word << 8 | p[--left];
        hash = (hash ^ word) * multiplier;
    }

    hash = (hash ^ hash >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    hash = (hash ^ hash >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return hash ^ hash >> 33;
}

uint32_t hash_bytes(const void *bytes, size_t len, uint32_t seed)
{
    uint64_t hash = hash_bytes64(bytes, len, seed);

    return (uint32_t)(hash ^ hash >> 32);
}

void index_bring(const struct index *index, uint32_t hash)
{
    if (index->now.slots != NULL)
        __builtin_prefetch(&index->now.slots[table_home(&index->now, hash)]);
    if (index->old.slots != NULL)
        __builtin_prefetch(&index->old.slots[table_home(&index->old, hash)]);
}

static bool anybody(const void *ctx, uint32_t id)
{
    (void)ctx;
    (void)id;
    return true;
}

uint32_t index_guess(const struct index *index, uint32_t hash)
{
    return index_find(index, hash, anybody, NULL);
}
