/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"

enum { FEWEST_SLOTS = 16 };

static size_t slots_bytes(uint32_t size)
{
    return size * sizeof(struct index_slot);
}

/* How many entries so many slots are for. */
static uint32_t limit_of(uint32_t size)
{
    return size / 4 * 3;
}

static uint32_t home_of(const struct index_shelf *shelf, uint32_t hash)
{
    return (uint32_t)((uint64_t)(hash * UINT32_C(0x9E3779B1)) * shelf->size >> 32);
}

static uint32_t next_slot(const struct index_shelf *shelf, uint32_t at)
{
    return at + 1 < shelf->size ? at + 1 : 0;
}

/* How many steps lead from one slot to another. */
static uint32_t steps_between(const struct index_shelf *shelf, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : to + (shelf->size - from);
}

static int shelf_init(struct index_shelf *shelf, struct mem *mem, uint32_t size)
{
    *shelf = (struct index_shelf){.slots = mem_zalloc(mem, slots_bytes(size)), .size = size};
    return shelf->slots == NULL ? -1 : 0;
}

static void shelf_free(struct index_shelf *shelf, struct mem *mem)
{
    mem_free(mem, shelf->slots, slots_bytes(shelf->size));
}

static void shelf_put(struct index_shelf *shelf, struct index_slot entry)
{
    uint32_t i = home_of(shelf, entry.hash);

    while (shelf->slots[i].id != 0)
        i = next_slot(shelf, i);
    shelf->slots[i] = entry;
    shelf->count++;
}

/* Empties slot `gap`, and moves back into it whatever had been pushed past it. */
static void shelf_drop(struct index_shelf *shelf, uint32_t gap)
{
    for (uint32_t i = next_slot(shelf, gap); shelf->slots[i].id != 0; i = next_slot(shelf, i)) {
        uint32_t pushed = steps_between(shelf, home_of(shelf, shelf->slots[i].hash), i);

        if (pushed >= steps_between(shelf, gap, i)) {
            shelf->slots[gap] = shelf->slots[i];
            gap = i;
        }
    }
    shelf->slots[gap] = (struct index_slot){0};
    shelf->count--;
}

/* What would be on a shelf that is not there yet is on the one that will share with it. */
static uint32_t shelf_number(const struct index *index, uint32_t hash)
{
    uint32_t number = hash & index->mask;

    return number < index->shelf_count ? number : number & index->mask >> 1;
}

void index_init(struct index *index, struct mem *mem)
{
    *index = (struct index){.mem = mem};
}

void index_finish(struct index *index)
{
    for (uint32_t i = 0; i < index->shelf_count; i++)
        shelf_free(&index->shelves[i], index->mem);
    mem_free(index->mem, index->shelves, index->shelf_cap * sizeof(*index->shelves));
    *index = (struct index){0};
}

static int reserve_shelf(struct index *index)
{
    uint32_t cap = index->shelf_cap == 0 ? 1 : 2 * index->shelf_cap;
    struct index_shelf *shelves;

    if (index->shelf_count < index->shelf_cap)
        return 0;
    shelves = mem_grow(index->mem, index->shelves, index->shelf_cap * sizeof(*shelves),
                       cap * sizeof(*shelves));
    if (shelves == NULL)
        return -1;
    index->shelves = shelves;
    index->shelf_cap = cap;
    return 0;
}

static int make_first_shelf(struct index *index)
{
    struct index_shelf first;

    if (shelf_init(&first, index->mem, FEWEST_SLOTS) < 0 || reserve_shelf(index) < 0) {
        shelf_free(&first, index->mem);
        return -1;
    }
    index->shelves[index->shelf_count++] = first;
    index->mask = 1;
    return 0;
}

/* With a few to spare. */
static uint32_t size_for(uint32_t entries)
{
    return entries / 3 * 4 + 8;
}

/* One shelf in its turn shares with a new one. */
static int share_out(struct index *index)
{
    uint32_t number = index->shelf_count, moving = 0;
    struct index_shelf *from = &index->shelves[number & index->mask >> 1], stay, go = {0};

    for (uint32_t i = 0; i < from->size; i++)
        moving += from->slots[i].id != 0 && (from->slots[i].hash & index->mask) == number;
    if (shelf_init(&stay, index->mem, size_for(from->count - moving)) < 0 ||
        shelf_init(&go, index->mem, size_for(moving)) < 0 || reserve_shelf(index) < 0) {
        shelf_free(&stay, index->mem);
        shelf_free(&go, index->mem);
        return -1;
    }
    from = &index->shelves[number & index->mask >> 1];
    for (uint32_t i = 0; i < from->size; i++) {
        if (from->slots[i].id != 0)
            shelf_put((from->slots[i].hash & index->mask) == number ? &go : &stay, from->slots[i]);
    }
    shelf_free(from, index->mem);
    *from = stay;
    index->shelves[index->shelf_count++] = go;
    if (index->shelf_count > index->mask)
        index->mask = 2 * index->mask + 1;
    return 0;
}

static int grow(struct index *index, struct index_shelf *shelf)
{
    struct index_shelf grown;

    if (shelf_init(&grown, index->mem, shelf->size + shelf->size / 8 + 4) < 0)
        return -1;
    for (uint32_t i = 0; i < shelf->size; i++) {
        if (shelf->slots[i].id != 0)
            shelf_put(&grown, shelf->slots[i]);
    }
    shelf_free(shelf, index->mem);
    *shelf = grown;
    index->full = 0;
    return 0;
}

/* One thing at a time, so that a failure leaves all as it was. Each shelf has room for one more at
 * any time, and is given more room before the next one comes. */
int index_reserve(struct index *index)
{
    if (index->shelf_count == 0)
        return make_first_shelf(index);
    if (index->full != 0)
        return grow(index, &index->shelves[index->full - 1]);
    if (index->count / INDEX_PER_SHELF >= index->shelf_count)
        return share_out(index);
    return 0;
}

void index_put(struct index *index, uint32_t hash, uint32_t id)
{
    uint32_t number = shelf_number(index, hash);
    struct index_shelf *shelf = &index->shelves[number];

    shelf_put(shelf, (struct index_slot){.hash = hash, .id = id});
    index->count++;
    if (shelf->count > limit_of(shelf->size))
        index->full = number + 1;
}

uint32_t index_find(const struct index *index, uint32_t hash,
                    bool (*same)(const void *ctx, uint32_t id), const void *ctx)
{
    const struct index_shelf *shelf;

    if (index->count == 0)
        return 0;
    shelf = &index->shelves[shelf_number(index, hash)];
    for (uint32_t i = home_of(shelf, hash); shelf->slots[i].id != 0; i = next_slot(shelf, i)) {
        if (shelf->slots[i].hash == hash && same(ctx, shelf->slots[i].id))
            return shelf->slots[i].id;
    }
    return 0;
}

void index_drop(struct index *index, uint32_t hash, uint32_t id)
{
    struct index_shelf *shelf;
    uint32_t i;

    if (index->count == 0)
        return;
    shelf = &index->shelves[shelf_number(index, hash)];
    i = home_of(shelf, hash);
    while (shelf->slots[i].id != 0 && (shelf->slots[i].hash != hash || shelf->slots[i].id != id))
        i = next_slot(shelf, i);
    if (shelf->slots[i].id == 0)
        return;
    shelf_drop(shelf, i);
    index->count--;
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
    const struct index_shelf *shelf;

    if (index->count == 0)
        return;
    shelf = &index->shelves[shelf_number(index, hash)];
    __builtin_prefetch(&shelf->slots[home_of(shelf, hash)]);
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
