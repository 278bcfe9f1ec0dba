/* SPDX-License-Identifier: Apache-2.0 */
#include "needs.h"

#include "plugin/base/facts.h"
#include "plugin/order/size_class.h"

/* A pointer, and whatever FACTS_MAX_NEEDS amounts and leasts may be. */
_Static_assert(NEEDS_INLINE >= sizeof(unsigned char *), "a pointer has room");
enum { MOST_BYTES = FACTS_MAX_NEEDS * 2 * (int)sizeof(int64_t) };

static uint32_t width(uint32_t magnitude)
{
    return (magnitude + 7) / 8;
}

uint32_t needs_size(uint32_t magnitude)
{
    return 2 * width(magnitude);
}

static uint32_t size_of(const struct size_class *class)
{
    return class->own ? MOST_BYTES : class->line_bytes;
}

static unsigned char *bytes_of(const struct needs *needs, const struct size_class *class)
{
    unsigned char *bytes;

    if (size_of(class) <= NEEDS_INLINE)
        return (unsigned char *)needs->bytes;
    memcpy(&bytes, needs->bytes, sizeof(bytes));
    return bytes;
}

static int64_t unpack(const unsigned char *at, uint32_t magnitude)
{
    uint64_t bits = 0;

    for (uint32_t i = width(magnitude); i > 0; i--)
        bits = bits << 8 | at[i - 1];
    return (int64_t)(bits | UINT64_C(1) << magnitude);
}

static void pack(unsigned char *at, uint32_t magnitude, int64_t amount)
{
    for (uint32_t i = 0; i < width(magnitude); i++)
        at[i] = (unsigned char)((uint64_t)amount >> 8 * i);
}

int needs_alloc(struct mem *mem, const struct size_class *class, struct needs *ret)
{
    unsigned char *bytes;

    *ret = (struct needs){{0}};
    if (size_of(class) <= NEEDS_INLINE)
        return 0;
    bytes = mem_zalloc(mem, size_of(class));
    if (bytes == NULL)
        return -1;
    memcpy(ret->bytes, &bytes, sizeof(bytes));
    return 0;
}

void needs_free(struct mem *mem, const struct size_class *class, struct needs *needs)
{
    if (size_of(class) > NEEDS_INLINE)
        mem_free(mem, bytes_of(needs, class), size_of(class));
}

int64_t needs_amount(const struct needs *needs, const struct size_class *class, uint32_t i)
{
    const struct size_need *like = &class->needs[i];

    return unpack(bytes_of(needs, class) + like->at, like->magnitude);
}

int64_t needs_least(const struct needs *needs, const struct size_class *class, uint32_t i)
{
    const struct size_need *like = &class->needs[i];

    return unpack(bytes_of(needs, class) + like->at + width(like->magnitude), like->magnitude);
}

void needs_set_amount(struct needs *needs, const struct size_class *class, uint32_t i,
                      int64_t amount)
{
    const struct size_need *like = &class->needs[i];

    pack(bytes_of(needs, class) + like->at, like->magnitude, amount);
}

void needs_set_least(struct needs *needs, const struct size_class *class, uint32_t i, int64_t least)
{
    const struct size_need *like = &class->needs[i];

    pack(bytes_of(needs, class) + like->at + width(like->magnitude), like->magnitude, least);
}
