/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_MEMORY_H
#define SLUICE_HOOKS_MEMORY_H

#include "plugin/base/mem.h"
#include "region.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Where all memory of the library comes from: malloc, and for tests whatever stands in for it.
 * A handle's engine has a struct memory, which counts what it holds.
 */
struct memory {
    struct mem mem;         /* for the engine; its ctx is this struct */
    size_t bytes;           /* held now */
    size_t peak;            /* held at most */
    struct regions regions; /* for the large blocks of an engine that has become large */
};

void memory_init(struct memory *memory);

/* Not counted. NULL: no memory. */
void *memory_take(size_t size);
void memory_give_back(void *p);

struct memory_source {
    void *(*take)(size_t size, bool zeroed);
    void (*give_back)(void *p);
};

/* For tests that link the hooks, so that any allocation can be made to fail; NULL: malloc again.
 * [while no other thread is in the library] */
void memory_set_source(const struct memory_source *source);

#endif
