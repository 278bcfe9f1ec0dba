/* SPDX-License-Identifier: Apache-2.0 */
#include "slab.h"

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

void slab_init(struct slab *slab, struct mem *mem, size_t record_size)
{
    *slab = (struct slab){
        .mem = mem,
        .record_size = (record_size + 3) / 4 * 4,
        .end = 1,
    };
}

void slab_finish(struct slab *slab)
{
    for (uint32_t i = 0; i < slab->chunk_count; i++)
        mem_free(slab->mem, slab->chunks[i], chunk_size(slab));
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

    char **chunks = mem_alloc(slab->mem, cap * sizeof(*chunks));

    if (chunks == NULL)
        return -1;
    if (slab->chunk_count > 0)
        memcpy(chunks, slab->chunks, slab->chunk_count * sizeof(*chunks));
    mem_free(slab->mem, slab->chunks, slab->chunk_cap * sizeof(*chunks));
    slab->chunks = chunks;
    slab->chunk_cap = cap;
    return 0;
}

static char *make_chunk(struct slab *slab)
{
    char *chunk = mem_alloc(slab->mem, chunk_size(slab));

    if (chunk != NULL)
        memset(chunk + records_size(slab), 0, LIVE_BYTES);
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
                mem_free(slab->mem, slab->chunks[--slab->chunk_count], chunk_size(slab));
            return -1;
        }
        slab->chunks[slab->chunk_count++] = chunk;
    }
    return 0;
}

uint32_t slab_take(struct slab *slab)
{
    uint32_t id = slab->free_first;

    if (id != 0) {
        memcpy(&slab->free_first, slab_at(slab, id), sizeof(slab->free_first));
        slab->free_count--;
    } else {
        id = slab->end++;
    }
    *live_byte(slab, id) |= live_bit(id);
    memset(slab_at(slab, id), 0, slab->record_size);
    return id;
}

void slab_give(struct slab *slab, uint32_t id)
{
    *live_byte(slab, id) &= (unsigned char)~live_bit(id);
    memcpy(slab_at(slab, id), &slab->free_first, sizeof(slab->free_first));
    slab->free_first = id;
    slab->free_count++;
}

bool slab_live(const struct slab *slab, uint32_t id)
{
    return id < slab->end && id != 0 && (*live_byte(slab, id) & live_bit(id)) != 0;
}
