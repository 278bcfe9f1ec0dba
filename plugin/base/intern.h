/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_INTERN_H
#define SLUICE_PLUGIN_BASE_INTERN_H

#include "index.h"
#include "mem.h"
#include "slab.h"
#include "text.h"

#include <stddef.h>
#include <stdint.h>

/* Each different string once, under an id, with a count of its users; it goes with the last of
 * them, and its id is then used again. So an id means something only to its users, and orders
 * nothing. Id 0 is the empty string: always valid, never counted. */
struct intern {
    struct slab entries;
    struct index index;
};

/* Allocates nothing. */
void intern_init(struct intern *intern, struct mem *mem);

/* Releases every string, used or not. */
void intern_finish(struct intern *intern);

/* Finds the string or adds it, with one more user. -1: no memory, and nothing changed. */
int intern_get(struct intern *intern, const char *s, size_t len, uint32_t *ret_id);

/* Returns 0 if the string is not there. Adds no user. */
uint32_t intern_find(const struct intern *intern, const char *s, size_t len);

/* One user more, one less. [id is 0 or in use] */
void intern_ref(struct intern *intern, uint32_t id);
void intern_unref(struct intern *intern, uint32_t id);

/* The bytes, and a NUL after them; they stay where they are while they have a user. ret_len may be
 * NULL. [id is 0 or in use] */
const char *intern_text(const struct intern *intern, uint32_t id, size_t *ret_len);

/* The same, as a view. */
struct text intern_view(const struct intern *intern, uint32_t id);

/* How many different strings there are, the empty one not counted. */
static inline uint32_t intern_count(const struct intern *intern)
{
    return slab_count(&intern->entries);
}

#endif
