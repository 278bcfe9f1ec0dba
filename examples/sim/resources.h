/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_RESOURCES_H
#define SLUICE_SIM_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "examples/sim/arena.h"
#include "examples/sim/tree.h"

/* Amounts by resource name: thousandths of cpu, units of all else. Sums stop at 2^62. */
struct resources {
    struct resource {
        const char *name;
        int64_t amount;
    } * items; /* by name */
    size_t count;
    size_t cap;
};

/* 0 for a resource that is not there. */
int64_t resources_get(const struct resources *resources, const char *name);
void resources_set(struct arena *arena, struct resources *to, const char *name, int64_t amount);

/* to += sign * from, and to = max(to, from), each resource by itself. */
void resources_add(struct arena *arena, struct resources *to, const struct resources *from,
                   int sign);
void resources_raise(struct arena *arena, struct resources *to, const struct resources *from);
bool resources_same(const struct resources *a, const struct resources *b);

/* Whether `free` has all that is asked for; what is not asked for is not looked at. */
bool resources_fit(const struct resources *asked, const struct resources *free);

/* One amount, and a map of them. A fault for what is no quantity, and for what is negative. */
int64_t resources_amount(struct fault *fault, const struct tree *value, const char *name);
void resources_read(struct arena *arena, struct fault *fault, const struct tree *map,
                    struct resources *to);

/* What the scheduler counts for a pod: its containers, or its init containers where one of them
 * needs more, sidecars with both, what the pod asks for as a whole in their stead, overhead. */
void resources_of_pod(struct arena *arena, struct fault *fault, const struct tree *spec,
                      struct resources *to);

/* "1500m", "16Gi"; of a map "cpu 1, memory 1Gi", "nothing". */
const char *resources_show_amount(const char *name, int64_t amount, char *out, size_t cap);
const char *resources_show(const struct resources *resources, char *out, size_t cap);

#endif
