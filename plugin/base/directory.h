/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_DIRECTORY_H
#define SLUICE_PLUGIN_BASE_DIRECTORY_H

#include "index.h"
#include "intern.h"
#include "slab.h"

#include <stddef.h>
#include <stdint.h>

/* Records of a slab that are found by the names that they have: each has an interned name, and most
 * of them an interned namespace, at the same place. No two have both the same. */
struct directory {
    struct index index; /* of the records' ids: to be reserved, and finished, as any other */
    const struct slab *records;
    const struct intern *names;
    size_t space, name; /* where they are in a record */
};

/* As the place of a namespace: records have none, and are found in that of no text. */
#define DIRECTORY_NO_SPACE SIZE_MAX

/* Allocates nothing. */
void directory_init(struct directory *directory, const struct slab *records,
                    const struct intern *names, size_t space, size_t name);

/* [reserved; the record has its names] */
void directory_put(struct directory *directory, uint32_t id);

/* [the record still has its names] */
void directory_drop(struct directory *directory, uint32_t id);

/* 0: there is none. */
uint32_t directory_find(const struct directory *directory, struct text space, struct text name);

#endif
