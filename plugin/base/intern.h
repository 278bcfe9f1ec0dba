/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_INTERN_H
#define SLUICE_PLUGIN_BASE_INTERN_H

#include "index.h"
#include "mem.h"
#include "slab.h"
#include "text.h"

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
int intern_get(struct intern *intern, struct text text, uint32_t *ret_id);

/* Returns 0 if the string is not there. Adds no user. */
uint32_t intern_find(const struct intern *intern, struct text text);

/* One user more, one less. [id is 0 or in use] */
void intern_ref(struct intern *intern, uint32_t id);
void intern_unref(struct intern *intern, uint32_t id);

/* The string, with a NUL after it; it stays where it is while it has a user. [id is 0 or in use] */
struct text intern_view(const struct intern *intern, uint32_t id);

#endif
