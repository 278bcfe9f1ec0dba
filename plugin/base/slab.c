/* SPDX-License-Identifier: Apache-2.0 */
#include "slab.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLAB_GUARDED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SLAB_GUARDED
#endif

#ifdef SLAB_GUARDED
/* Of the sanitizer's runtime; its header is none of the engine's. */
void __asan_poison_memory_region(const volatile void *at, size_t size);
void __asan_unpoison_memory_region(const volatile void *at, size_t size);
#endif

/* The bits that tell which records of a chunk are live follow its records. */
enum { LIVE_BYTES = SLAB_CHUNK / 8 };

static size_t records_size(const struct slab *slab)
{
    return SLAB_CHUNK * slab->record_size;
}

static size_t chunk_size(const struct slab *slab)
{
    return records_size(slab) + LIVE_BYTES;
}

static unsigned char *live_byte(const struct slab *slab, uint32_t id)
{
    char *live = slab->chunks[id >> SLAB_SHIFT] + records_size(slab);

    return (unsigned char *)live + (id & (SLAB_CHUNK - 1)) / 8;
}

static unsigned char live_bit(uint32_t id)
{
    return (unsigned char)(1U << (id % 8));
}

/* Nobody may touch these records until they are taken. The sanitizer knows eight bytes at a time:
 * what shares some of them with a neighbour stays open. */
static void lock(char *at, size_t size)
{
#ifdef SLAB_GUARDED
    size_t before = (8 - (uintptr_t)at % 8) % 8;

    __asan_poison_memory_region(at + before, (size - before) / 8 * 8);
#else
    (void)at, (void)size;
#endif
}

static void unlock(char *at, size_t size)
{
#ifdef SLAB_GUARDED
    __asan_unpoison_memory_region(at, size);
#else
    (void)at, (void)size;
#endif
}

#ifdef SLUICE_CHECK
void slab_trap(void)
{
    __builtin_trap();
}
#endif

void slab_init(struct slab *slab, struct mem *mem, size_t record_size)
{
    *slab = (struct slab){
        .mem = mem,
        .record_size = (record_size + 3) / 4 * 4,
        .end = 1,
    };
}

static void free_chunk(struct slab *slab, char *chunk)
{
    unlock(chunk, chunk_size(slab));
    mem_free(slab->mem, chunk, chunk_size(slab));
}

void slab_finish(struct slab *slab)
{
    for (uint32_t i = 0; i < slab->chunk_count; i++)
        free_chunk(slab, slab->chunks[i]);
    mem_free(slab->mem, slab->chunks, slab->chunk_cap * sizeof(*slab->chunks));
    *slab = (struct slab){0};
}

static int reserve_table(struct slab *slab, uint32_t chunk_count)
{
    if (chunk_count <= slab->chunk_cap)
        return 0;

    uint32_t cap = slab->chunk_cap == 0 ? 4 : slab->chunk_cap;

    while (cap < chunk_count)
        cap *= 2;

    char **chunks =
        mem_grow(slab->mem, slab->chunks, slab->chunk_cap * sizeof(*chunks), cap * sizeof(*chunks));

    if (chunks == NULL)
        return -1;
    slab->chunks = chunks;
    slab->chunk_cap = cap;
    return 0;
}

static char *make_chunk(struct slab *slab)
{
    char *chunk = mem_alloc(slab->mem, chunk_size(slab));

    if (chunk == NULL)
        return NULL;
    memset(chunk + records_size(slab), 0, LIVE_BYTES);
    lock(chunk, records_size(slab));
    return chunk;
}

int slab_reserve(struct slab *slab, uint32_t n)
{
    if (n <= slab->free_count)
        return 0;

    uint64_t end = (uint64_t)slab->end + (n - slab->free_count);

    if (end > UINT32_MAX)
        return -1;

    uint32_t before = slab->chunk_count;
    uint32_t after = (uint32_t)((end + SLAB_CHUNK - 1) >> SLAB_SHIFT);

    if (reserve_table(slab, after) < 0)
        return -1;
    while (slab->chunk_count < after) {
        char *chunk = make_chunk(slab);

        if (chunk == NULL) {
            while (slab->chunk_count > before)
                free_chunk(slab, slab->chunks[--slab->chunk_count]);
            return -1;
        }
        slab->chunks[slab->chunk_count++] = chunk;
    }
    return 0;
}

uint32_t slab_take(struct slab *slab)
{
    uint32_t id = slab->free_first != 0 ? slab->free_first : slab->end;
    char *record = slab_place(slab, id);

    unlock(record, slab->record_size);
    if (slab->free_first != 0) {
        memcpy(&slab->free_first, record, sizeof(slab->free_first));
        slab->free_count--;
    } else {
        slab->end++;
    }
    *live_byte(slab, id) |= live_bit(id);
    memset(record, 0, slab->record_size);
    return id;
}

void slab_give(struct slab *slab, uint32_t id)
{
    char *record = slab_at(slab, id);

    *live_byte(slab, id) &= (unsigned char)~live_bit(id);
    memcpy(record, &slab->free_first, sizeof(slab->free_first));
    lock(record, slab->record_size);
    slab->free_first = id;
    slab->free_count++;
}

bool slab_live(const struct slab *slab, uint32_t id)
{
    return id < slab->end && id != 0 && (*live_byte(slab, id) & live_bit(id)) != 0;
}

bool slab_step(const struct slab *slab, uint32_t *id)
{
    do
        ++*id;
    while (*id < slab->end && !slab_live(slab, *id));
    if (*id >= slab->end)
        *id = 0;
    return *id != 0;
}
