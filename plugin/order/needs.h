/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_NEEDS_H
#define SLUICE_PLUGIN_ORDER_NEEDS_H

#include "plugin/base/mem.h"

#include <stdint.h>

/*
 * What a line asks for: of each need the amount, and the least of this line and those of the heads
 * below its own in the size class's tree. The size class knows the power of two in which both lie,
 * so only the bits below it are here, in whole bytes:
 *
 *   pods      cpu (512 to 1023m)       memory (1 to 2 GiB)
 *   1         amount 2, least 2        amount 4, least 4
 *   nothing   | . . | . . |            | . . . . | . . . . |
 */
enum { NEEDS_INLINE = 16 };

struct needs {
    unsigned char bytes[NEEDS_INLINE]; /* the needs; where they are more, a pointer to them */
};

struct size_class;

/* Room for the needs of a line of this class; of one that is shared with nobody, for any. What is
 * in it is known from the start, since the first update compares with the least that was there. -1:
 * no memory. */
int needs_alloc(struct mem *mem, const struct size_class *class, struct needs *ret_needs);
void needs_free(struct mem *mem, const struct size_class *class, struct needs *needs);

int64_t needs_amount(const struct needs *needs, const struct size_class *class, uint32_t need);
int64_t needs_least(const struct needs *needs, const struct size_class *class, uint32_t need);

/* [in the class's power of two] */
void needs_set_amount(struct needs *needs, const struct size_class *class, uint32_t need,
                      int64_t amount);
void needs_set_least(struct needs *needs, const struct size_class *class, uint32_t need,
                     int64_t least);

/* How many bytes the two take. */
uint32_t needs_size(uint32_t magnitude);

#endif
